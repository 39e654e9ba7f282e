from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

from recollect.models.static import StaticEmbedder
from recollect.ports import TextKind


def test_answers_are_marked_as_degraded_and_the_identity_tells_the_real_dimension() -> None:
    embedder = StaticEmbedder()
    (vector,) = asyncio.run(embedder.embed(["hello"], kind=TextKind.QUERY))
    assert embedder.note == "static embedder"
    assert embedder.identity.startswith(f"wordllama-{vector.dimensions}/0.")


def test_loading_leaves_the_root_logger_alone() -> None:
    script = (
        "import asyncio, logging; from recollect.models.static import StaticEmbedder; "
        "from recollect.ports import TextKind; "
        "asyncio.run(StaticEmbedder().embed(['x'], kind=TextKind.QUERY)); "
        "root = logging.getLogger(); assert (root.handlers, root.filters, root.level) == ([], [], 30), root"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)
    assert logging.getLogger().filters == []


def test_closed_embedder_loads_again() -> None:
    async def twice() -> None:
        embedder = StaticEmbedder()
        before = await embedder.embed(["hello"], kind=TextKind.QUERY)
        await embedder.close()
        assert await embedder.embed(["hello"], kind=TextKind.QUERY) == before

    asyncio.run(twice())
