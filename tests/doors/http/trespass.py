"""Two callers of one service, a space each, and a request for every route that reaches for what is the other's."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import httpx

from recollect.doors.http.errors import routes_in

from .conftest import Service

MINE, THEIRS = "mine", "theirs-vexillology"
RIGHTS = ("read", "write", "admin")
# In everything the other caller stores and asks; of them, the trespasser knows no more than the names of two entities.
SECRETS = ("marzipan", "ocarina", "quagga", "zeppelin", "Hesperus", "tourmaline", "periwinkle", "sarsaparilla")
SESSION, KEY = "session-1", "key-1"
FILE = '''"""The zeppelin."""


class Ocarina:
    """Plays marzipan."""

    def periwinkle(self) -> str:
        return self.tourmaline()

    def tourmaline(self) -> str:
        return "sarsaparilla"
'''
QUESTION = "Who carries the marzipan and the ocarina?"


@dataclass(frozen=True, slots=True)
class Pick:
    """What one request is made of: a space to name or none, ids to use, and a word to ask for."""

    space: str | None
    one: str
    other: str
    trace: str
    word: str = "harbour"
    entity: str = "shared::py:quagga.Ocarina"  # an id of the other's graph

    @property
    def place(self) -> dict[str, str]:
        return {} if self.space is None else {"space": self.space}


Request = dict[str, Any]
Make = Callable[[Pick], Request]


def _get(**query: str) -> Make:
    """A request with these query parameters; a value names a field of the pick."""
    return lambda pick: {"params": {**pick.place, **{name: getattr(pick, of) for name, of in query.items()}}}


def _post(**body: Any) -> Make:
    """A request with this body; a value that is a function is given the pick."""

    def make(pick: Pick) -> Request:
        given = {name: value(pick) if callable(value) else value for name, value in body.items()}
        return {"json": {**given, **pick.place}}

    return make


def _one(pick: Pick) -> str:
    return pick.one


def _other(pick: Pick) -> str:
    return pick.other


def _trace(pick: Pick) -> str:
    return pick.trace


def _question(pick: Pick) -> str:
    return f"Who carries the {pick.word}?"


def _import(pick: Pick) -> Request:
    """A memory and a link under the ids given, brought in as an export."""
    first = {"type": "space", "format": "recollect-export", "version": 2}
    moment = "2026-01-01T00:00:00+00:00"
    made = {"type": "memory", "id": pick.one, "kind": "fact", "title": "", "body": "brought in", "content_hash": "h"}
    link = {"type": "link", "from_id": pick.one, "to_id": pick.other, "relation": "causes", "created_at": moment}
    lines = [first, {**made, "created_at": moment, "updated_at": moment}, link]
    return {"params": pick.place, "content": "\n".join(json.dumps(each) for each in lines).encode()}


def _talk(pick: Pick) -> list[dict[str, str]]:
    return [{"content": _question(pick), "author_name": "Ben"}]


def _resolution(pick: Pick) -> dict[str, str]:
    return {"one": pick.one, "other": pick.other, "how": "keep_both"}


def _named(pick: Pick) -> dict[str, list[str]]:
    return {"ids": [pick.one, pick.other]}


# Every route of the service, and how to reach for somebody else's things through it.
TRIES: dict[tuple[str, str], Make] = {
    ("POST", "/api/memory/retrieve"): _post(messages=_talk),
    ("POST", "/api/memory/retrieve/debug"): _post(messages=_talk),
    ("POST", "/v1/retrieve"): _post(text=_question, filters=_named),
    ("POST", "/v1/context"): _post(message=_question, session=SESSION),
    ("POST", "/v1/recall"): _post(filters=_named, limit=1000),
    ("POST", "/v1/search"): _post(text=_question, limit=1000),
    ("POST", "/v1/classify-query"): lambda pick: {"json": {"text": _question(pick)}},
    ("POST", "/v1/memories"): lambda pick: {
        "json": {"text": f"Ben likes the {pick.word}.", **pick.place},
        "headers": {"Idempotency-Key": KEY},
    },
    ("POST", "/v1/memories/batch"): _post(memories=[{"text": "Ben likes boats."}, {"text": "Ben likes the sea."}]),
    ("GET", "/v1/memories"): lambda pick: {
        "params": {**pick.place, "superseded": "true", "lifecycle": ["active", "archived"], "limit": 1000}
    },
    ("GET", "/v1/memories/{id}"): _get(),
    ("PATCH", "/v1/memories/{id}"): _post(append="Ben was here.", tags=["ben"]),
    ("DELETE", "/v1/memories/{id}"): _get(),
    ("POST", "/v1/memories/{id}/supersede"): _post(text="Ben likes it no more."),
    ("POST", "/v1/memories/{id}/archive"): _get(),
    ("POST", "/v1/memories/{id}/restore"): _get(),
    ("POST", "/v1/links"): _post(from_id=_one, to_id=_other, relation="contradicts"),
    ("DELETE", "/v1/links"): lambda pick: {
        "params": {**pick.place, "from_id": pick.one, "to_id": pick.other, "relation": "contradicts"}
    },
    ("GET", "/v1/links"): _get(id="one"),
    ("GET", "/v1/entities"): _get(name="word"),
    ("GET", "/v1/entities/same"): _get(name="word"),
    ("GET", "/v1/entities/neighbours"): _get(entity="entity"),
    ("GET", "/v1/entities/paths"): lambda pick: {"params": {**pick.place, "one": "Ocarina", "other": "quagga"}},
    ("GET", "/v1/conflicts"): _get(),
    ("POST", "/v1/conflicts/resolve"): lambda pick: {"json": {**_resolution(pick), **pick.place}},
    ("POST", "/v1/conflicts/resolve-many"): _post(resolutions=lambda pick: [_resolution(pick)]),
    ("GET", "/v1/clusters"): _get(),
    ("POST", "/v1/clusters/add"): _post(cluster="ben", ids=lambda pick: [pick.one, pick.other]),
    ("POST", "/v1/clusters/remove"): _post(cluster="ben", ids=lambda pick: [pick.one, pick.other]),
    ("GET", "/v1/traces"): _get(),
    ("GET", "/v1/traces/{trace}"): _get(),
    ("GET", "/v1/traces/{trace}/explain"): _get(memory_id="one"),
    ("POST", "/v1/feedback"): _post(trace_id=_trace, memory_id=_one, use="used"),
    ("POST", "/v1/unlearn"): _get(trace_id="trace"),
    ("POST", "/v1/replay"): _post(last=3, settings={"quality_threshold": 0.1}),
    ("GET", "/v1/projects"): _get(),
    ("DELETE", "/v1/projects"): lambda pick: {"params": {**pick.place, "project": "shared"}},
    ("POST", "/v1/projects/ingest"): _post(project="shared", paths=["/"]),
    ("POST", "/v1/projects/ingest-each"): _post(paths=["/"]),
    ("POST", "/v1/projects/connect"): _get(),
    ("GET", "/v1/spaces"): lambda pick: {},
    ("DELETE", "/v1/spaces"): _get(),
    ("GET", "/v1/spaces/stats"): _get(),
    ("POST", "/v1/spaces/fade"): _get(),
    ("GET", "/v1/export"): _get(),
    ("POST", "/v1/import"): _import,
    ("GET", "/health"): lambda pick: {},
    ("GET", "/ready"): lambda pick: {},
    ("GET", "/metrics"): lambda pick: {},
    ("GET", "/v1/version"): lambda pick: {},
    ("GET", "/openapi.json"): lambda pick: {},
}


def routes_of(service: Service) -> set[tuple[str, str]]:
    """Every method and path the service serves."""
    return {
        (method, each.path_format.replace("traces/{id}", "traces/{trace}"))
        for each in routes_in(service.app.routes)
        for method in (each.methods or set()) - {"HEAD", "OPTIONS"}
    }


@dataclass
class Town:
    """A service with both callers in it, and everything about the other that must not come out."""

    service: Service
    keys: dict[str, str]
    stolen: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)

    def plant(self, folder: Path) -> Town:
        """Fill both spaces: the other's with secrets in every place there is."""
        service, (first, second, *_) = self.service, SECRETS
        folder.mkdir()
        (folder / "quagga.py").write_text(FILE, encoding="utf-8")
        for number, amount in enumerate((100, 200)):
            text = f"Hesperus keeps {amount} grams of {first} beside the {second}."
            fields = {"title": "tourmaline", "author": "Hesperus", "project": "shared", "kind": "fact"}
            labels = {"tags": ("periwinkle",), "clusters": ("sarsaparilla",), "metadata": {"zeppelin": "quagga"}}
            key = KEY if number == 0 else None
            self.stolen.append(service.remember(text, space=THEIRS, key=key, **fields, **labels))
        service.run(service.engine.link(*self.stolen, "contradicts", space=THEIRS, evidence="says Hesperus"))
        service.run(service.engine.ingest(folder, project="shared", space=THEIRS))
        service.run(service.engine.connect(space=THEIRS))
        service.run(service.engine.retrieve_context(QUESTION, space=THEIRS, session=SESSION))
        self.ask_as_the_other()
        self.own += [service.remember(text, space=MINE) for text in ("Ben has a boat.", "The harbour is deep.")]
        service.run(service.engine.settle())
        return self

    def ask_as_the_other(self) -> None:
        """One more question of the other's, whose trace is one more thing to reach for."""
        answer = self.service.run(self.service.engine.retrieve(QUESTION, space=THEIRS))
        self.traces.append(answer.trace.id)

    def remember_as_the_other(self, number: int) -> None:
        """One more memory of the other's."""
        text = f"Hesperus paid {number} pearls for the marzipan."
        self.stolen.append(self.service.remember(text, space=THEIRS, title=f"tourmaline {number}"))

    def try_route(self, route: tuple[str, str], pick: Pick, *, key: str = MINE, **more: Any) -> httpx.Response:
        """One request through one route."""
        method, path = route
        made = {**TRIES[route](pick), **more}
        return self.service.ask(
            method, path.format(id=pick.one, trace=pick.trace), made.pop("json", None), key=self.keys[key], **made
        )

    def leaks(self, reply: httpx.Response) -> list[str]:
        """What of the other's is in a reply that was not in the request."""
        request = reply.request
        sent = "\n".join([unquote_plus(str(request.url)), request.content.decode(), str(request.headers)])
        told = reply.content.decode(errors="replace") + str(reply.headers)
        hidden = [*SECRETS, THEIRS, *self.stolen, *self.traces]
        return [
            each for each in hidden if each.casefold() in told.casefold() and each.casefold() not in sent.casefold()
        ]

    def theirs(self) -> list[str]:
        """All of the other's space, to see whether it changed."""
        engine = self.service.engine
        traces = self.service.run(engine.traces(space=THEIRS, limit=1000))
        known = self.service.run(engine.neighbours("Ocarina", space=THEIRS))
        return [*self.service.run(engine.export_space(space=THEIRS)), repr(traces), repr(known)]
