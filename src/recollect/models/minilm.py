"""The default embedder: all-MiniLM-L6-v2 by onnxruntime and tokenizers, loaded on first use, no torch.

Texts go through the session one at a time: dynamic int8 scales activations over the whole input, so in a
batch a vector would depend on its neighbours, and one at a time was also the fastest. Several texts are
shared among `parallel` worker threads. Where the weights come from is decided in `weights.py`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recollect.errors import InvalidInput, Unavailable
from recollect.models.convert import INPUT, OUTPUT, Precision
from recollect.models.fetch import HUB_URL, MODEL, Progress
from recollect.models.vectors import clean
from recollect.models.weights import Files, Places, Whereabouts, find_weights, locate_weights
from recollect.offload import run_in_thread
from recollect.ports import TextKind
from recollect.records import Vector

MAX_TOKENS = 256
MAX_CHARACTERS = 16_384  # 64 a token; the tokenizer would otherwise read a whole book to keep its first page
RETRY_SECONDS = 60.0  # after a failed search for weights, how long the failure is repeated without a new one

Encode = Callable[[str], bytes]


@dataclass(kw_only=True, eq=False)
class MiniLM:
    """MiniLM embedder; `folder`, `cache`, `offline` and the rest say where its weights may come from."""

    folder: str | Path | None = None
    cache: str | Path | None = None
    precision: str = Precision.INT8.value
    parallel: int = 2
    offline: bool = False
    hub_url: str = HUB_URL
    wait_seconds: float = 3.0
    progress: Progress | None = None
    _loading: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _encode: Encode | None = field(default=None, init=False, repr=False)
    _failed: tuple[float, str] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        known = [precision.value for precision in Precision]
        if self.precision not in known:
            message = f"precision {self.precision!r} is not one of {', '.join(known)}"
            raise InvalidInput(message, field="precision")
        if self.parallel < 1:
            raise InvalidInput(f"parallel is {self.parallel}; it must be at least 1", field="parallel")

    @property
    def identity(self) -> str:
        return f"{MODEL}/{self.precision}"

    @property
    def note(self) -> str | None:
        return None

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        vectors: dict[int, Vector] = {}
        waiting = deque(enumerate(texts))
        workers = (run_in_thread(self._embed_some, waiting, vectors) for _ in range(self._workers(texts)))
        try:
            await asyncio.gather(*workers)
        finally:
            waiting.clear()  # cancelled or failed: the other threads stop at their next text
        return [vectors[place] for place in range(len(texts))]

    async def warm(self) -> None:
        """Load now, fetching the weights if need be, so that the first question does not wait for it."""
        await run_in_thread(self._loaded)

    def whereabouts(self) -> Whereabouts:
        """Where the weights would come from, without fetching them."""
        return locate_weights(self._places(), precision=Precision(self.precision))

    async def close(self) -> None:
        """Let go of the model; a later `embed` loads it again."""
        self._encode = None

    def _workers(self, texts: Sequence[str]) -> int:
        return min(self.parallel, len(texts))

    def _places(self) -> Places:
        return Places(
            folder=Path(self.folder) if self.folder is not None else None,
            cache=Path(self.cache) if self.cache is not None else None,
            offline=self.offline,
            hub_url=self.hub_url,
            wait_seconds=self.wait_seconds,
            progress=self.progress,
        )

    def _embed_some(self, waiting: deque[tuple[int, str]], vectors: dict[int, Vector]) -> None:
        """Take texts until none is left; several threads do this side by side."""
        encode = self._loaded()
        while True:
            try:
                place, text = waiting.popleft()
            except IndexError:
                return
            vectors[place] = Vector(self.identity, encode(text))

    def _loaded(self) -> Encode:
        with self._loading:
            if self._encode is not None:
                return self._encode
            if self._failed is not None and time.monotonic() < self._failed[0]:
                raise Unavailable(self._failed[1])
            try:
                ready = find_weights(self._places(), precision=Precision(self.precision))
            except Unavailable as error:
                self._failed = (time.monotonic() + RETRY_SECONDS, str(error))
                raise
            self._encode = _open(ready.files)
            return self._encode


def _open(files: Files) -> Encode:
    """The function from a text to its packed unit vector."""
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(files.tokenizer)
    tokenizer.enable_truncation(MAX_TOKENS)  # the file itself says 128
    tokenizer.no_padding()  # and pads everything to 128; one text needs none
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3  # errors only; its warnings go straight to stderr
    # A thread that spins while it waits takes the core from the one that works.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(files.model, options, providers=["CPUExecutionProvider"])

    def encode(text: str) -> bytes:
        ids = np.array([tokenizer.encode(clean(text, limit=MAX_CHARACTERS)).ids], np.int64)
        (vectors,) = session.run([OUTPUT], {INPUT: ids})
        return bytes(vectors[0].astype("<f4").tobytes())

    return encode
