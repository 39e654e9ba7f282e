"""What an agent does with it: context before each reply, why it was there, and a word on whether it helped."""

import asyncio
import tempfile

from recollect import Happening, Recollect, watching


def show(happening: Happening) -> None:
    """Told on the loop while the question is being answered; here only of the lookups."""
    if happening.what == "ran":
        print(f"  {happening.name}: {happening.numbers['hits']} hits")


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with Recollect.open(folder, embedder="static") as memory:
            await memory.remember("Deploys go out on Tuesdays at 10:00 UTC.", kind="procedure")
            await memory.remember("The release channel is called #ship-it.", kind="fact")

            with watching(show):
                context = await memory.retrieve_context("When can we deploy?", session="monday")
            print(context.text)

            # The same memory is not put before the same session twice, and small talk brings nothing.
            again = await memory.retrieve_context("When can we deploy?", session="monday")
            print(f"again: {again.reason}; thanks: {(await memory.retrieve_context('thanks!')).reason}")

            # Why was it there? And was it of any use?
            assert context.trace_id is not None
            explained = await memory.explain(context.trace_id, context.memories[0])
            print("\n".join(explained.sentences[:3]))
            await memory.feedback(context.trace_id, context.memories[0], "used")


if __name__ == "__main__":
    asyncio.run(main())
