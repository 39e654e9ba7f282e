"""Stored traces asked again under changed settings, one replay at a time and so many questions at most.

Only settings of retrieval may be changed: where the store lies, which models are loaded, what is listened on and which
files are read are not a caller's business, whatever their key is good for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from recollect.configure import changed, names
from recollect.doors.discreet import discreet_notes
from recollect.doors.http.wired import Wired
from recollect.errors import UnknownName
from recollect.evals.replay import Asking, Replayed, Way, replay
from recollect.evals.replay_compare import compare
from recollect.evals.replay_report import as_json
from recollect.evals.replay_requests import Reply, traced_requests

GROUPS = ("spread.", "signals.", "rank.", "confidence.")
NOT_HERE = frozenset({"keep_traces", "timeout_seconds"})
KEPT = ("questions", "changed", "figures", "differences", "replies", "notes")
NOW, THEN = "now", "changed"


def changeable() -> frozenset[str]:
    """The names of the settings a replay may change."""
    known = [name for name, _, _ in names()]
    return frozenset(name for name in known if "." not in name or name.startswith(GROUPS)) - NOT_HERE


class Replayer:
    """Replays for one service, one after the other."""

    def __init__(self, wired: Wired) -> None:
        self._wired = wired
        self._turn = asyncio.Semaphore(1)

    async def replay(self, space: str, *, last: int, changes: Mapping[str, Any]) -> dict[str, Any]:
        """What these changes would make of the newest traces of a space."""
        for name in changes:
            if name not in changeable():
                raise UnknownName(
                    f"setting {name!r} cannot be changed here; those of retrieval can", field=f"settings.{name}"
                )
        other = changed(self._wired.engine.settings, changes)
        engine = self._wired.engine
        lines = await engine.traces(space=space, limit=last)
        requests, notes = traced_requests([await engine.trace(line.id, space=space) for line in lines])
        told = {"space": space, "settings": dict(changes)}
        if not requests:
            return {**told, **_nothing(notes)}
        ways = [Way(NOW, engine.settings), Way(THEN, other)]
        async with self._turn:
            replayed = await replay(requests, ways, asking=Asking(space, _ignore, own=engine.own_sources))
        return {**told, **_report(replayed, notes)}


def _report(replayed: Replayed, notes: list[str]) -> dict[str, Any]:
    sides = tuple(side._replace(replies=tuple(map(_discreet, side.replies))) for side in replayed.sides)
    replayed = replayed._replace(sides=sides, notes=(*notes, *discreet_notes(replayed.notes)))
    whole = as_json(replayed, compare(replayed), made={}, broken=())
    return {name: whole[name] for name in KEPT}


def _discreet(reply: Reply) -> Reply:
    return reply._replace(degraded=discreet_notes(reply.degraded))


def _nothing(notes: list[str]) -> dict[str, Any]:
    return {"questions": 0, "changed": 0.0, "figures": {}, "differences": [], "replies": [], "notes": notes}


def _ignore(what: str, done: int, total: int) -> None:
    """Progress nobody watches."""
