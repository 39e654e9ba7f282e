"""Embeddings from any server that speaks OpenAI's `/embeddings`, with the standard library alone.

The address, the model and the key are given by the caller; nothing is read from the environment. What goes
wrong outside becomes Unavailable. No message quotes the server's own words: they could repeat the key.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from recollect.errors import InvalidInput, Unavailable
from recollect.models.vectors import clean, pack_unit
from recollect.offload import run_in_thread
from recollect.ports import TextKind
from recollect.records import Vector

RETRIES = 2
RETRY_WAIT_SECONDS = 0.5  # doubled each time, unless the server says how long
RETRY_WAIT_LIMIT_SECONDS = 10.0
HINTS = {401: "check the api key", 403: "check the api key", 404: "check base_url and model"}


@dataclass(kw_only=True, eq=False)
class OpenAIEmbedder:
    """Client of one embeddings server; `base_url` ends where `/embeddings` begins, usually in `/v1`.

    `timeout_seconds` bounds one request, each retry anew. A text is cut at `max_characters`, because servers
    refuse what is over their model's limit.
    """

    model: str
    base_url: str = "https://api.openai.com/v1"
    api_key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    batch_size: int = 64
    timeout_seconds: float = 30.0
    max_characters: int = 8_000
    _seen_dimensions: int | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput("base_url must be an http:// or https:// address", field="base_url")
        if "@" in parts.netloc or parts.query or parts.fragment:
            # It is named in messages and in the identity, where a secret has no place.
            raise InvalidInput("base_url must carry neither password nor query; use api_key", field="base_url")
        if self.api_key and not (self.api_key.isascii() and self.api_key.isprintable()):
            raise InvalidInput("api_key holds a line break or another character no key has", field="api_key")
        if self.batch_size < 1:
            raise InvalidInput(f"batch_size is {self.batch_size}; it must be at least 1", field="batch_size")

    @property
    def identity(self) -> str:
        name = f"openai:{urlsplit(self.base_url).netloc}/{self.model}"
        return name if self.dimensions is None else f"{name}/{self.dimensions}"

    @property
    def note(self) -> str | None:
        return None

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        vectors: list[Vector] = []
        for start in range(0, len(texts), self.batch_size):
            # Servers refuse an empty text; a blank one means the same.
            batch = [clean(text, limit=self.max_characters) or " " for text in texts[start:][: self.batch_size]]
            answer = await self._ask(batch)
            vectors += [Vector(self.identity, data) for data in self._read(answer, count=len(batch))]
        return vectors

    async def close(self) -> None:
        """Nothing to release: each request has its own connection."""

    async def _ask(self, batch: list[str]) -> bytes:
        """One batch's answer, asked again when the server is busy or stumbles."""
        for attempt in range(RETRIES + 1):
            try:
                async with asyncio.timeout(self.timeout_seconds):
                    return await run_in_thread(self._post, batch)
            except urllib.error.HTTPError as error:
                wait = _retry_wait(error, attempt=attempt)
                if wait is None:
                    raise self._unavailable(f"answered {error.code}", hint=HINTS.get(error.code)) from None
                await asyncio.sleep(wait)
            except TimeoutError:
                raise self._unavailable(f"gave no answer in {self.timeout_seconds:g} s") from None
            except (OSError, http.client.HTTPException) as error:
                raise self._unavailable(f"cannot be reached ({_cause(error)})") from None
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _post(self, batch: list[str]) -> bytes:
        body: dict[str, Any] = {"model": self.model, "input": batch, "encoding_format": "float"}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        request = urllib.request.Request(
            f"{self.base_url.rstrip('/')}/embeddings",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "User-Agent": "recollect"},
        )
        if self.api_key:
            request.add_unredirected_header("Authorization", f"Bearer {self.api_key}")
        opener = urllib.request.build_opener(_NoRedirects)
        with opener.open(request, timeout=self.timeout_seconds) as response:
            data: bytes = response.read()
        return data

    def _read(self, answer: bytes, *, count: int) -> list[bytes]:
        """The vectors in the order of the texts, each checked and brought to length one."""
        try:
            items = sorted(json.loads(answer)["data"], key=lambda item: item["index"])
            rows = [[float(value) for value in item["embedding"]] for item in items]
            places = [item["index"] for item in items]
        except (ValueError, KeyError, TypeError):
            raise self._unavailable("answered something that is not a list of embeddings") from None
        if places != list(range(count)):
            raise self._unavailable(f"answered {len(rows)} embeddings for {count} texts")
        packed = [pack_unit(row) for row in rows]
        self._check_dimensions({len(row) for row in rows})
        if None in packed:
            raise self._unavailable("answered an embedding that is all zero or not finite")
        return [data for data in packed if data is not None]

    def _check_dimensions(self, found: set[int]) -> None:
        wanted = self.dimensions or self._seen_dimensions or max(found)
        if found != {wanted}:
            numbers = ", ".join(str(number) for number in sorted(found))
            raise self._unavailable(f"answered embeddings of {numbers} dimensions instead of {wanted}")
        self._seen_dimensions = wanted

    def _unavailable(self, what: str, *, hint: str | None = None) -> Unavailable:
        advice = hint or "check that the server runs, or choose another embedder"
        return Unavailable(f"the embeddings server at {self.base_url} {what}; {advice}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as a GET, at a host nobody chose."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _cause(error: Exception) -> str:
    if isinstance(error, http.client.HTTPException):
        return type(error).__name__  # its text quotes the server
    return str(getattr(error, "reason", error))


def _retry_wait(error: urllib.error.HTTPError, *, attempt: int) -> float | None:
    """How long to wait before asking again; None when asking again is of no use."""
    with error:  # it is an open response too
        if attempt >= RETRIES or not (error.code == 429 or error.code >= 500):
            return None
        told = error.headers.get("Retry-After", "")
    wait = float(told) if told.isdigit() else RETRY_WAIT_SECONDS * 2**attempt
    return min(wait, RETRY_WAIT_LIMIT_SECONDS)
