"""Commands that look after a store: init, doctor, reindex, export, import, version."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from recollect.doors import cli_render, wire
from recollect.doors.cli_call import CONFIG_NAME, Call, Place, locate
from recollect.doors.cli_files import STANDARD, read_lines, write_stdout, write_text
from recollect.doors.cli_options import Common, argument, option
from recollect.doors.cli_sample import sample_settings
from recollect.engine import Recollect
from recollect.errors import InvalidInput
from recollect.settings import Settings
from recollect.values import Health

WRONG_EXIT = 1
SORTS = {"memory": "memories", "entity": "entities", "link": "links"}
PACKAGES = ("numpy", "tantivy", "onnxruntime", "tokenizers", "wordllama", "typer", "rich")
NEXT = (
    ("recollect add TEXT --title TITLE", "store something"),
    ("recollect ask QUESTION", "get a verdict with evidence"),
    ("recollect doctor", "look whether everything works"),
    ("recollect demo", "watch it on a small invented corpus"),
)

Target = Annotated[Path, argument("File to write; - is stdout.", "FILE")]
Origin = Annotated[Path, argument("File to read; - is stdin.", "FILE")]


async def init(
    common: Common,
    no_weights: Annotated[bool, option("Do not fetch the embedder's weights now.", "--no-weights")] = False,
) -> None:
    """Make a store, write a settings file to edit, and fetch the embedder's weights."""
    call, place = Call(common), locate(common)
    async with call.open(place) as engine:
        written = _write_sample(place)
        rows = [] if no_weights else await engine.doctor(space=call.space)
        embedder = next((row for row in rows if row.what == "embedder"), None)
        payload = {
            "store": str(place.store),
            "settings_file": str(place.store / CONFIG_NAME),
            "settings_written": written,
            "embedder": wire.health(embedder) if embedder else None,
        }
        call.emit(payload, lambda: _initialised(place, written=written, embedder=embedder))


async def doctor(common: Common) -> None:
    """Look at every part that can be wrong, and say the remedy. Exits with 1 when something is."""
    call, place = Call(common), locate(common)
    async with call.open(place) as engine:
        rows = await engine.doctor(space=call.space)
        about = _surroundings(place, engine)
        ok = all(row.ok for row in rows)
        payload = {"ok": ok, "checks": wire.healths(rows), "about": about}
        call.emit(payload, lambda: [cli_render.health(rows), cli_render.heading("About"), cli_render.facts(about)])
    if not ok:
        raise typer.Exit(WRONG_EXIT)


async def reindex(common: Common) -> None:
    """Derive vectors and indexes anew, as after a change of embedder."""
    call = Call(common)
    async with call.open() as engine:
        done = await engine.reindex(
            space=call.space, progress=lambda done, total: call.bars.count("embedding", done, total)
        )
        call.emit(
            {"space": call.space, "memories": done},
            lambda: [
                cli_render.done(
                    f"Reindexed space {call.space!r}: {cli_render.plural(done, 'memory has', 'memories have')} a vector"
                )
            ],
        )


async def export_space(file: Target, common: Common) -> None:
    """Write a whole space as JSON lines: memories, vectors, links, entities. Not the graph: 'ingest' makes it anew."""
    call = Call(common)
    if file == STANDARD and common.as_json:
        raise InvalidInput("the export itself would go to stdout; with --json, name a file", field="file")
    async with call.open() as engine:
        with call.err.status(f"exporting {call.space!r}"):
            lines = await engine.export_space(space=call.space)
    text = "".join(f"{line}\n" for line in lines)
    if file == STANDARD:
        write_stdout(text)
        return
    write_text(file, text)
    call.emit(
        {"space": call.space, "file": str(file), "lines": len(lines)},
        lambda: [cli_render.done(f"Exported space {call.space!r} to {file}: {len(lines):,} lines")],
    )


async def import_space(file: Origin, common: Common) -> None:
    """Read an export into a space; what is there under the same id is replaced."""
    call = Call(common)
    given = read_lines(file)
    async with call.open() as engine:
        counts = await engine.import_space(call.bars.watched(given, what="importing"), space=call.space)
        payload = {
            "space": call.space,
            "memories": counts["memory"],
            "entities": counts["entity"],
            "links": counts["link"],
        }
        said = ", ".join(cli_render.plural(counts[sort], sort, many) for sort, many in SORTS.items())
        call.emit(payload, lambda: [cli_render.done(f"Imported into space {call.space!r}: {said}")])


async def show_version(common: Common) -> None:
    """Show the version."""
    Call(common).emit({"version": version("recollect")}, lambda: [f"recollect {version('recollect')}"])


def _write_sample(place: Place) -> bool:
    """Write the sample settings unless there are some: what a person edited is never replaced."""
    path = place.store / CONFIG_NAME
    if path.exists():
        return False
    write_text(path, sample_settings())
    return True


def _initialised(place: Place, *, written: bool, embedder: Health | None) -> Iterator[RenderableType]:
    rows = [
        Health("store", True, str(place.store)),
        Health("settings", True, f"{place.store / CONFIG_NAME}{'' if written else ' (kept as it was)'}"),
    ]
    yield cli_render.health(rows + ([embedder] if embedder else []))
    yield cli_render.heading("Next")
    yield cli_render.facts({f"  {command}": what for command, what in NEXT})


def _surroundings(place: Place, engine: Recollect) -> dict[str, str]:
    return {
        "store": str(place.store),
        "settings file": str(place.config) if place.config else "none, all defaults",
        "weights": _weights(engine.settings),
        "python": f"{platform.python_version()} at {sys.executable}",
        "recollect": version("recollect"),
        "packages": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
    }


def _weights(settings: Settings) -> str:
    """Where the embedder's weights are looked for, in order."""
    embedder = settings.embedder
    if embedder.name != "minilm":
        return f"none to look for with embedder {embedder.name!r}"
    cache = f"cache {embedder.cache}" if embedder.cache else "the user's cache"
    places = [f"folder {embedder.folder}"] if embedder.folder else []
    return ", then ".join([*places, cache, *([] if embedder.offline else ["model hub", "package index"])])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
