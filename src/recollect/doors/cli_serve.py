"""The commands of the service: serve, and keys for it. Its parts are loaded when they are used."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from rich.text import Text

from recollect.configure import configure
from recollect.doors.cli_call import Call, Place, environment, locate
from recollect.doors.cli_options import Common, Texts, argument, option
from recollect.errors import InvalidInput, MissingExtra
from recollect.settings import Settings

PARTS = frozenset({"fastapi", "starlette", "uvicorn", "pydantic"})


class Action(StrEnum):
    """What to do with keys."""

    CREATE = "create"
    LIST = "list"
    REVOKE = "revoke"


async def serve(
    common: Common,
    host: Annotated[str | None, option("Address to listen on. Default: 127.0.0.1.", metavar="ADDRESS")] = None,
    port: Annotated[int | None, option("Port; 0 takes a free one. Default: 8765.", metavar="PORT")] = None,
    workers: Annotated[int | None, option("Processes that serve. Default: 1.", metavar="COUNT")] = None,
) -> None:
    """Serve the store over HTTP until interrupted; on loopback unless told otherwise, and then only with keys."""
    call, place = Call(common), locate(common)
    given = {"service.host": host, "service.port": port, "service.workers": workers}
    arguments = {**place.arguments, **{name: value for name, value in given.items() if value is not None}}
    settings = _settings(Place(place.store, place.config, arguments))
    service = load("serve")
    plan = service.ServePlan(place.store, place.config, arguments, environment())

    def listening(address: str) -> None:
        call.emit({"address": address, "store": str(place.store)}, lambda: [Text(f"Listening on {address}")])
        call.out.file.flush()

    await service.serve(plan, settings, listening=listening)


async def keys(
    action: Annotated[Action, argument("What to do: create, list or revoke.", "ACTION")],
    common: Common,
    id: Annotated[str | None, argument("The key to revoke.", "ID")] = None,
    spaces: Annotated[Texts, option("Space the key is for; repeatable, '*' is all.", "--for", metavar="SPACE")] = None,
    rights: Annotated[
        Texts, option("What it may do: read, write or admin; repeatable. Default: read.", "--right", metavar="RIGHT")
    ] = None,
    label: Annotated[str, option("What it is for, in your words.", metavar="TEXT")] = "",
) -> None:
    """Make, list and revoke the keys callers of the service need. A key is shown once, when it is made."""
    call = Call(common)
    ring = load("keys").KeyRing(locate(common).store)
    match action:
        case Action.CREATE:
            key, text = ring.create(label=label, spaces=spaces or [], rights=rights or ["read"])
            call.note("Keep it: it is not shown again.")
            call.emit({**_told(key), "key": text}, lambda: [Text(text)])
        case Action.LIST:
            found = ring.listed()
            call.emit([_told(each) for each in found], lambda: _table(found))
        case Action.REVOKE:
            if id is None:
                raise InvalidInput("name the key to revoke; 'recollect keys list' shows them", field="id")
            revoked = ring.revoke(id)
            call.emit(_told(revoked), lambda: [Text(f"Revoked {revoked.id}")])


def load(name: str) -> Any:
    """A module of the service."""
    try:
        return import_module(f"recollect.doors.http.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PARTS:
            raise
        raise MissingExtra("the service", extra="server") from error


def _settings(place: Place) -> Settings:
    """The settings the service will have."""
    arguments = {**place.arguments, "store.path": Path(place.store)}
    return configure(arguments, file=place.config, environment=environment())


def _told(key: Any) -> dict[str, Any]:
    return {
        "id": key.id,
        "label": key.label,
        "spaces": sorted(key.spaces),
        "rights": sorted(key.rights),
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
    }


def _table(keys: list[Any]) -> Iterator[Table | Text]:
    if not keys:
        yield Text("No keys. Without one the service is open on this machine and closed to any other.")
        return
    table = Table("id", "label", "spaces", "rights", "created", "revoked")
    for key in keys:
        spaces, rights = ", ".join(sorted(key.spaces)), ", ".join(sorted(key.rights))
        table.add_row(key.id, Text(key.label), Text(spaces), rights, key.created_at, key.revoked_at or "")
    yield table
