"""MiniLM's published files from a folder or from the model hub, believed only when their hash is the pinned one.

Each provider gives `RawWeights` or raises Unavailable with the reason. A host that does not answer costs
`wait_seconds`, whatever it hangs in: the name service, the connection, or the first byte.
"""

from __future__ import annotations

import http.client
import queue
import threading
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from recollect.errors import Unavailable

MODEL = "all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
HUB_URL = "https://huggingface.co"
STALL_SECONDS = 20.0  # once bytes flow: at least one chunk in this time, or the download is given up
CHUNK = 64 * 1024

Progress = Callable[[str, int, int | None], None]
"""Called with what is being fetched, the bytes so far, and the bytes in all or None."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A published file: its name and what its content must be."""

    name: str
    size: int
    sha256: str


WEIGHTS = Pin("model.safetensors", 90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
TOKENIZER = Pin("tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")


@dataclass(frozen=True, slots=True)
class RawWeights:
    """The two published files, verified."""

    safetensors: bytes
    tokenizer: bytes


def verify(data: bytes, pin: Pin) -> bytes:
    """The same data, or a refusal that names both hashes."""
    found = sha256(data).hexdigest()
    if found != pin.sha256:
        raise Unavailable(
            f"refused: {pin.name} ({len(data):,} bytes) has sha256 {found[:16]}…, not the pinned {pin.sha256[:16]}…"
        )
    return data


def read_folder(folder: Path) -> RawWeights:
    """The files as they lie in a folder."""
    try:
        tokenizer, safetensors = ((folder / pin.name).read_bytes() for pin in (TOKENIZER, WEIGHTS))
    except OSError as error:
        raise Unavailable(f"cannot read {error.filename}: {error.strerror}") from error
    return RawWeights(verify(safetensors, WEIGHTS), verify(tokenizer, TOKENIZER))


def fetch_from_hub(hub_url: str, *, wait_seconds: float, progress: Progress | None) -> RawWeights:
    """The files from a model hub, the small one first so that an absent hub is noticed early."""
    base = f"{hub_url.rstrip('/')}/sentence-transformers/{MODEL}/resolve/{REVISION}"

    def fetch(pin: Pin) -> bytes:
        return verify(_download(f"{base}/{pin.name}", pin, wait_seconds=wait_seconds, progress=progress), pin)

    tokenizer = fetch(TOKENIZER)
    return RawWeights(fetch(WEIGHTS), tokenizer)


def _download(url: str, pin: Pin, *, wait_seconds: float, progress: Progress | None) -> bytes:
    """Read a URL in a thread that is left behind when it hangs: no timeout of a socket covers a resolver."""
    chunks: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()
    given_up = threading.Event()
    threading.Thread(target=_pump, args=(url, chunks, given_up), name="recollect-fetch", daemon=True).start()
    data = bytearray()
    try:
        while chunk := _next_chunk(chunks, url, wait_seconds=STALL_SECONDS if data else wait_seconds):
            data += chunk
            if len(data) > pin.size:
                raise Unavailable(f"refused: {url} is longer than the {pin.size:,} bytes of {pin.name}")
            if progress is not None:
                progress(pin.name, len(data), pin.size)
    finally:
        given_up.set()
    return bytes(data)


def _next_chunk(chunks: queue.SimpleQueue[bytes | Exception], url: str, *, wait_seconds: float) -> bytes:
    try:
        chunk = chunks.get(timeout=wait_seconds)
    except queue.Empty:
        raise Unavailable(f"{url} gave nothing for {wait_seconds:g} s") from None
    if isinstance(chunk, Exception):
        raise Unavailable(f"{url}: {chunk or type(chunk).__name__}") from chunk
    return chunk


def _pump(url: str, chunks: queue.SimpleQueue[bytes | Exception], given_up: threading.Event) -> None:
    """Put what the URL gives into the queue: chunks, then an empty one; or the error."""
    request = urllib.request.Request(url, headers={"User-Agent": "recollect"})
    try:
        with urllib.request.urlopen(request, timeout=STALL_SECONDS) as response:
            chunk = response.read(1)  # the first byte counts as an answer; whole chunks after it
            while chunk and not given_up.is_set():
                chunks.put(chunk)
                chunk = response.read(CHUNK)
        chunks.put(b"")
    except (OSError, http.client.HTTPException, ValueError) as error:
        chunks.put(error)
