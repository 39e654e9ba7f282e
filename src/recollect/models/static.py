"""The embedder that is always there: wordllama, whose weights lie inside its wheel. Fast, and clearly weaker.

It averages one vector per token, so word order and context are lost; `note` says so with every answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from recollect.models.quiet import untouched_root_logger
from recollect.models.vectors import clean, first_axis, pack_unit
from recollect.offload import run_in_thread
from recollect.ports import TextKind
from recollect.records import Vector

DIMENSIONS = 256
MAX_CHARACTERS = 16_384  # it has no limit of its own, and takes a kilobyte of memory per token


class StaticEmbedder:
    """wordllama without its downloads."""

    note: str | None = "static embedder"

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._encode: Callable[[str], bytes] | None = None

    @property
    def identity(self) -> str:
        return f"wordllama-{DIMENSIONS}/{version('wordllama')}"

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        return await run_in_thread(self._embed_all, list(texts)) if texts else []

    async def close(self) -> None:
        """Let go of the weights; a later `embed` loads them again."""
        self._encode = None

    def _embed_all(self, texts: list[str]) -> list[Vector]:
        encode, identity = self._loaded(), self.identity
        return [Vector(identity, encode(text)) for text in texts]

    def _loaded(self) -> Callable[[str], bytes]:
        with self._loading:
            if self._encode is None:
                self._encode = _open()
            return self._encode


def _open() -> Callable[[str], bytes]:
    """The function from a text to its packed unit vector."""
    with untouched_root_logger("wordllama"):
        import wordllama

    package = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=package, dim=DIMENSIONS, disable_download=True)

    def encode(text: str) -> bytes:
        # One text a call: no padding, so the vector cannot depend on its neighbours.
        pooled = model.embed([clean(text, limit=MAX_CHARACTERS)])[0]
        return pack_unit(pooled.tolist()) or first_axis(DIMENSIONS)

    return encode
