"""Commands that change what is stored: add, update, supersede, archive, restore, forget, link, unlink."""

from __future__ import annotations

from typing import Annotated, Any

from recollect.doors import cli_render, wire
from recollect.doors.cli_call import Call, confirm
from recollect.doors.cli_files import read_stdin
from recollect.doors.cli_options import About, Common, argument, option
from recollect.errors import InvalidInput

STDIN = "-"

Id = Annotated[str, argument("Id of a memory.", "ID")]
Text = Annotated[str, argument("The text; - reads it from stdin.", "TEXT")]
Relation = Annotated[str, argument("What connects them. Default: relates_to.", "RELATION")]


async def add(
    text: Text,
    common: Common,
    about: About,
    key: Annotated[str | None, option("Makes a repeated call with this key harmless.", metavar="KEY")] = None,
) -> None:
    """Store one text, unless the same is stored already."""
    call = Call(common)
    async with call.open() as engine:
        stored = await engine.remember(_given(text), space=call.space, key=key, **about.fields())
        call.emit(wire.remembered(stored), lambda: cli_render.remembered(stored))


async def update(
    id: Id,
    common: Common,
    about: About,
    text: Annotated[str | None, option("New text; - reads it from stdin.", metavar="TEXT")] = None,
    append: Annotated[str | None, option("Text to add at the end; - reads it from stdin.", metavar="TEXT")] = None,
) -> None:
    """Change a memory: its text, or what is said about it."""
    changes: dict[str, Any] = about.fields()
    if text is not None:
        changes["body"] = _given(text)
    if append is not None:
        changes["append"] = _given(append)
    if not changes:
        raise InvalidInput("nothing to change; give --text, --append, --title or another field", field="fields")
    call = Call(common)
    async with call.open() as engine:
        memory = await engine.update(id, space=call.space, **changes)
        call.emit(wire.memory(memory), lambda: [cli_render.done(f"Changed {id}")])


async def supersede(id: Id, text: Text, common: Common, about: About) -> None:
    """Store a newer version: the old one stays, marked as no longer holding."""
    call = Call(common)
    async with call.open() as engine:
        memory = await engine.supersede(id, _given(text), space=call.space, **about.fields())
        call.emit(
            {**wire.memory(memory), "supersedes": id},
            lambda: [cli_render.done(f"Stored as {memory.id}, which supersedes {id}")],
        )


async def archive(id: Id, common: Common) -> None:
    """Take a memory out of every search, without erasing it."""
    call = Call(common)
    async with call.open() as engine:
        memory = await engine.archive(id, space=call.space)
        call.emit(wire.memory(memory), lambda: [cli_render.done(f"Archived {id}; 'recollect restore' undoes it")])


async def restore(id: Id, common: Common) -> None:
    """Bring an archived memory back."""
    call = Call(common)
    async with call.open() as engine:
        memory = await engine.restore(id, space=call.space)
        call.emit(wire.memory(memory), lambda: [cli_render.done(f"Restored {id}")])


async def forget(
    common: Common,
    ids: Annotated[list[str] | None, argument("Ids of the memories to erase.", "ID")] = None,
    everything: Annotated[bool, option("Erase the whole space.", "--all")] = False,
    yes: Annotated[bool, option("Do not ask.", "--yes", "-y")] = False,
) -> None:
    """Erase memories for good: texts, vectors, links, and their words in the indexes."""
    if bool(ids) == everything:
        raise InvalidInput("name the memories to erase, or --all for the whole space, not both", field="ids")
    call = Call(common)
    doomed = (
        f"the whole space {call.space!r}" if everything else cli_render.plural(len(ids or ()), "memory", "memories")
    )
    if not yes:
        confirm(f"Erase {doomed}?")
    async with call.open() as engine:
        if everything:
            await engine.forget_space(call.space)
            call.emit({"space": call.space, "forgotten": "all"}, lambda: [cli_render.done(f"Erased {doomed}")])
            return
        count = await engine.forget(*(ids or ()), space=call.space)
        call.emit({"space": call.space, "forgotten": count}, lambda: [cli_render.done(f"Erased {doomed}")])


async def link(
    from_id: Annotated[str, argument("Id the link starts at.", "FROM")],
    to_id: Annotated[str, argument("Id it leads to.", "TO")],
    common: Common,
    relation: Relation = "relates_to",
    weight: Annotated[float | None, option("How strong, 0 to 1. Default: 0.5.", metavar="NUMBER")] = None,
    evidence: Annotated[str | None, option("Why they are connected.", metavar="TEXT")] = None,
) -> None:
    """Connect two memories."""
    given = {"weight": weight, "evidence": evidence}
    fields = {name: value for name, value in given.items() if value is not None}
    call = Call(common)
    async with call.open() as engine:
        made = await engine.link(from_id, to_id, relation, space=call.space, **fields)
        call.emit(wire.link(made), lambda: [cli_render.done(f"{from_id} {relation} {to_id}")])


async def unlink(
    from_id: Annotated[str, argument("Id the link starts at.", "FROM")],
    to_id: Annotated[str, argument("Id it leads to.", "TO")],
    common: Common,
    relation: Relation = "relates_to",
) -> None:
    """Remove a connection."""
    call = Call(common)
    async with call.open() as engine:
        await engine.unlink(from_id, to_id, relation, space=call.space)
        payload = {"from_id": from_id, "to_id": to_id, "relation": relation, "removed": True}
        call.emit(payload, lambda: [cli_render.done(f"Removed: {from_id} {relation} {to_id}")])


def _given(text: str) -> str:
    return read_stdin() if text == STDIN else text
