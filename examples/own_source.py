"""Your own source as a class, searched beside memory, under the same deadline; a function is in callable_source."""

import asyncio
import tempfile
from datetime import UTC, datetime

from recollect import Memory, Recollect
from recollect.values import Abilities, Explanation, Hit, Lookup, Reply

SHELF = {"atlas": "The atlas stands on the top shelf", "knots": "The book of knots was lent to Ines"}


class Shelf:
    """Finds an entry when the lookup names it."""

    name = "shelf"
    abilities = Abilities(filters=False)

    async def search(self, lookup: Lookup) -> Reply:
        now = datetime.now(UTC)
        found = [
            Hit(
                Memory(f"shelf-{key}", lookup.space, "fact", key, text, now, now, content_hash=key),
                self.name,
                source_score=1.0,
                relevance=0.9,
                reasons=Explanation(1.0, "named in the question"),
            )
            for key, text in SHELF.items()
            if key in lookup.text.lower()
        ]
        return Reply(tuple(found[: lookup.limit]))

    async def close(self) -> None:
        """Nothing to let go of."""


async def main(folder: str) -> None:
    async with Recollect.open(folder, sources=[Shelf()]) as memory:
        answer = await memory.retrieve("Who has the book of knots?")
        print(answer.verdict, [(piece.sources, piece.memory.body) for piece in answer.evidence])


with tempfile.TemporaryDirectory() as store_folder:
    asyncio.run(main(store_folder))
