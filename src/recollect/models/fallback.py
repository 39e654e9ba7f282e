"""An embedder that stands in for another one that cannot be had, and says so.

The primary is tried once; when it is `Unavailable` (no weights, say), the stand-in serves from then on and `note`
tells every answer. A stand-in never serves a single call in between: vectors of two embedders do not compare.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import Unavailable
from recollect.ports import Embedder, TextKind
from recollect.records import Vector


class FallbackEmbedder:
    """`primary` if it can be had, `stand_in` if not."""

    def __init__(self, primary: Embedder, stand_in: Embedder) -> None:
        self._primary = primary
        self._stand_in = stand_in
        self._serving: Embedder | None = None
        self.reason: str | None = None

    @property
    def identity(self) -> str:
        return (self._serving or self._primary).identity

    @property
    def note(self) -> str | None:
        return (self._serving or self._primary).note

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        if self._serving is not None:
            return await self._serving.embed(texts, kind=kind)
        try:
            vectors = await self._primary.embed(texts, kind=kind)
        except Unavailable as error:
            self.reason = str(error)
            self._serving = self._stand_in
            return await self._stand_in.embed(texts, kind=kind)
        self._serving = self._primary
        return vectors

    async def close(self) -> None:
        await self._primary.close()
        await self._stand_in.close()
