"""Any function as a source: here a slow one and a broken one beside it, and the answer still comes in time."""

import asyncio
import tempfile

from recollect import Recollect
from recollect.adapters.sources import CallableSource

NEWS = [
    {"id": "n1", "title": "Harbour", "text": "The new crane of the harbour lifts ninety tonnes.", "url": "news/1"},
    {"id": "n2", "title": "Weather", "text": "Fog is expected on the river until Friday.", "url": "news/2"},
]


async def search_news(text: str) -> list[dict[str, str]]:
    return [item for item in NEWS if any(word in item["text"].lower() for word in text.lower().split())]


async def search_archive(text: str) -> list[str]:
    await asyncio.sleep(60)
    return []


def search_wiki(text: str) -> list[str]:
    raise ConnectionError("the wiki is down")


async def main(folder: str) -> None:
    sources = [
        CallableSource(search_news, name="news"),
        CallableSource(search_archive, name="archive"),
        CallableSource(search_wiki, name="wiki"),
    ]
    async with Recollect.open(folder, sources=sources) as memory:
        answer = await memory.retrieve("How much does the crane of the harbour lift?", deadline=1.0)
        print(answer.verdict, answer.text)
        print("degraded:", *answer.degraded, sep="\n  ")


with tempfile.TemporaryDirectory() as store_folder:
    asyncio.run(main(store_folder))
