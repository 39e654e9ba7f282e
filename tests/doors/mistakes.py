"""The same mistakes in the words of every door. `ID` stands for a memory that is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recollect import Draft, Filters, Message
from recollect.records import TimeRange
from recollect.values import Resolution

ID = "ID"
LONG = "x" * 1_001
HALF = "half a \ud800 character"
EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
NONSENSE = "xkcdqwrtz plmnbvghj wrtzpsdf"
TEXT = "The crane of the harbour is green."
NESTED: list[Any] = []
for _ in range(120):
    NESTED = [NESTED]


@dataclass(frozen=True)
class Mistake:
    """One thing wrong. `library` is given what has the verbs and an id; a door without an argument for it has none.

    `tool_field` is what the tool calls the field.
    """

    library: Callable[[Any, str], Any]
    http: tuple[str, str, Any]
    command: tuple[str, ...] | None = None
    tool: tuple[str, dict[str, Any]] | None = None
    tool_field: str | None = None


def asked(text: str, **body: Any) -> tuple[str, str, Any]:
    return "POST", "/v1/retrieve", {"text": text, **body}


def stored(text: str, **body: Any) -> tuple[str, str, Any]:
    return "POST", "/v1/memories", {"text": text, **body}


def regrouped(cluster: str, *ids: str) -> tuple[str, str, Any]:
    return "POST", "/v1/clusters/add", {"cluster": cluster, "ids": list(ids)}


def resolved(**body: Any) -> tuple[str, str, Any]:
    return "POST", "/v1/conflicts/resolve", {"one": ID, "other": "b", **body}


def linked(**body: Any) -> tuple[str, str, Any]:
    return "POST", "/v1/links", {"from_id": ID, "to_id": "b", **body}


ASKING = {
    "no question": Mistake(
        lambda memory, id: memory.retrieve(" "),
        asked(" "),
        ("ask", " "),
        ("retrieve", {"question": " "}),
        "question",
    ),
    "an empty question": Mistake(
        lambda memory, id: memory.search(""),
        ("POST", "/v1/search", {"text": ""}),
        ("search", ""),
        ("search", {"query": ""}),
        "query",
    ),
    "a question too long": Mistake(
        lambda memory, id: memory.retrieve("why? " * 50_000),
        asked("why? " * 50_000),
        tool=("retrieve", {"question": "why? " * 50_000}),
        tool_field="question",
    ),
    "half a character asked": Mistake(lambda memory, id: memory.retrieve(HALF), asked(HALF)),
    "nothing to understand": Mistake(
        lambda memory, id: memory.classify(""), ("POST", "/v1/classify-query", {"text": ""}), ("classify", "")
    ),
    "no message": Mistake(
        lambda memory, id: memory.retrieve_context(" "), ("POST", "/v1/context", {"message": " "}), ("context", " ")
    ),
    "a limit below zero": Mistake(
        lambda memory, id: memory.search("harbour", limit=-1),
        ("POST", "/v1/search", {"text": "harbour", "limit": -1}),
        ("search", "harbour", "--limit", "-1"),
        ("search", {"query": "harbour", "limit": -1}),
        "limit",
    ),
    "too many": Mistake(
        lambda memory, id: memory.search("harbour", limit=1_001),
        ("POST", "/v1/search", {"text": "harbour", "limit": 1_001}),
        ("search", "harbour", "--limit", "1001"),
        ("search", {"query": "harbour", "limit": 1_001}),
        "limit",
    ),
    "too many recalled": Mistake(
        lambda memory, id: memory.recall(limit=1_001),
        ("POST", "/v1/recall", {"limit": 1_001}),
        ("recall", "--limit", "1001"),
        ("recall", {"limit": 1_001}),
        "limit",
    ),
    "a page below zero": Mistake(
        lambda memory, id: memory.browse(limit=-1), ("GET", "/v1/memories?limit=-1", None), ("browse", "--limit", "-1")
    ),
    "no time": Mistake(
        lambda memory, id: memory.retrieve("harbour?", deadline=0),
        asked("harbour?", deadline=0),
        ("ask", "harbour?", "--deadline", "0"),
    ),
    "no time to recall nothing in": Mistake(
        lambda memory, id: memory.recall(deadline=-1),
        ("POST", "/v1/recall", {"deadline": -1}),
        ("recall", "--deadline", "-1"),
    ),
    "fewer tokens than none": Mistake(
        lambda memory, id: memory.retrieve("harbour?", max_tokens=-1),
        asked("harbour?", max_tokens=-1),
        ("ask", "harbour?", "--max-tokens", "-1"),
        ("retrieve", {"question": "harbour?", "max_tokens": -1}),
        "max_tokens",
    ),
    "a recipe nobody knows": Mistake(
        lambda memory, id: memory.retrieve("harbour?", recipe="hasty"),
        asked("harbour?", recipe="hasty"),
        ("ask", "harbour?", "--recipe", "hasty"),
        ("retrieve", {"question": "harbour?", "recipe": "hasty"}),
        "recipe",
    ),
    "a recipe without a name": Mistake(
        lambda memory, id: memory.retrieve("harbour?", recipe=""),
        asked("harbour?", recipe=""),
        tool=("retrieve", {"question": "harbour?", "recipe": ""}),
        tool_field="recipe",
    ),
    "a recipe nobody knows, nothing asked": Mistake(
        lambda memory, id: memory.recall(recipe="hasty"),
        ("POST", "/v1/recall", {"recipe": "hasty"}),
        ("recall", "--recipe", "hasty"),
    ),
    "too many messages": Mistake(
        lambda memory, id: memory.retrieve("harbour?", messages=[Message("user", "And the harbour?")] * 1_001),
        asked("harbour?", messages=[{"text": "And the harbour?"}] * 1_001),
    ),
    "a session without a name": Mistake(
        lambda memory, id: memory.retrieve_context("harbour?", session=""),
        ("POST", "/v1/context", {"message": "harbour?", "session": ""}),
        ("context", "harbour?", "--session", ""),
    ),
    "a session with a long name": Mistake(
        lambda memory, id: memory.retrieve_context("harbour?", session=LONG),
        ("POST", "/v1/context", {"message": "harbour?", "session": LONG}),
        ("context", "harbour?", "--session", LONG),
    ),
    "a space without a name": Mistake(
        lambda memory, id: memory.retrieve("harbour?", space=""),
        asked("harbour?", space=""),
        ("ask", "harbour?", "--space", ""),
    ),
    "a space with a long name": Mistake(
        lambda memory, id: memory.retrieve("harbour?", space=LONG),
        asked("harbour?", space=LONG),
        ("ask", "harbour?", "--space", LONG),
    ),
    "a long name of a space to look in": Mistake(
        lambda memory, id: memory.clusters(space=LONG), ("GET", f"/v1/clusters?space={LONG}", None)
    ),
    "a time that ends before it starts": Mistake(
        lambda memory, id: memory.search("harbour", filters=Filters(time=TimeRange(LATE, EARLY))),
        asked("harbour", filters={"time": {"start": LATE.isoformat(), "end": EARLY.isoformat()}}),
        ("search", "harbour", "--since", "2026-02-01", "--until", "2026-01-01"),
    ),
    "a lifecycle nobody knows": Mistake(
        lambda memory, id: memory.search("harbour", filters=Filters(lifecycles=frozenset({"gone"}))),  # type: ignore[arg-type]
        ("POST", "/v1/search", {"text": "harbour", "filters": {"lifecycles": ["gone"]}}),
    ),
    "a time nobody knows": Mistake(
        lambda memory, id: memory.search("harbour", filters=Filters(time=TimeRange(EARLY, None, "sideways"))),  # type: ignore[arg-type]
        asked("harbour", filters={"time": {"start": EARLY.isoformat(), "axis": "sideways"}}),
    ),
}  # fmt: skip

STORING = {
    "an empty text": Mistake(
        lambda memory, id: memory.remember(""), stored(""), ("add", ""), ("remember", {"text": ""}), "text"
    ),
    "a text not worth keeping": Mistake(
        lambda memory, id: memory.remember("ok"), stored("ok"), ("add", "ok"), ("remember", {"text": "ok"}), "text"
    ),
    "a pleasantry": Mistake(
        lambda memory, id: memory.remember("Good morning!"),
        stored("Good morning!"),
        ("add", "Good morning!"),
        ("remember", {"text": "Good morning!"}),
        "text",
    ),
    "nonsense": Mistake(
        lambda memory, id: memory.remember(NONSENSE),
        stored(NONSENSE),
        ("add", NONSENSE),
        ("remember", {"text": NONSENSE}),
        "text",
    ),
    "half a character stored": Mistake(lambda memory, id: memory.remember(HALF), stored(HALF)),
    "a text too long": Mistake(lambda memory, id: memory.remember(f"{TEXT} " * 9_000), stored(f"{TEXT} " * 9_000)),
    "a long title": Mistake(
        lambda memory, id: memory.remember(TEXT, title=LONG),
        stored(TEXT, title=LONG),
        ("add", TEXT, "--title", LONG),
        ("remember", {"text": TEXT, "title": LONG}),
        "title",
    ),
    "half a character in a title": Mistake(
        lambda memory, id: memory.remember(TEXT, title=HALF), stored(TEXT, title=HALF)
    ),
    "no kind": Mistake(
        lambda memory, id: memory.remember(TEXT, kind=""),
        stored(TEXT, kind=""),
        ("add", TEXT, "--kind", ""),
        ("remember", {"text": TEXT, "kind": ""}),
        "kind",
    ),
    "a tag without a name": Mistake(
        lambda memory, id: memory.remember(TEXT, tags=("port", "")),
        stored(TEXT, tags=["port", ""]),
        ("add", TEXT, "--tag", "port", "--tag", ""),
        ("remember", {"text": TEXT, "tags": ["port", ""]}),
        "tags",
    ),
    "a tag with a long name": Mistake(
        lambda memory, id: memory.remember(TEXT, tags=(LONG,)),
        stored(TEXT, tags=[LONG]),
        ("add", TEXT, "--tag", LONG),
        ("remember", {"text": TEXT, "tags": [LONG]}),
        "tags",
    ),
    "too many clusters": Mistake(
        lambda memory, id: memory.remember(TEXT, clusters=tuple(f"c{number}" for number in range(101))),
        stored(TEXT, clusters=[f"c{number}" for number in range(101)]),
    ),
    "a source with a long name": Mistake(
        lambda memory, id: memory.remember(TEXT, source_uri=LONG),
        stored(TEXT, source_uri=LONG),
        ("add", TEXT, "--source", LONG),
        ("remember", {"text": TEXT, "source": LONG}),
        "source",
    ),
    "a kind that is blank": Mistake(
        lambda memory, id: memory.remember(TEXT, kind="\n"), stored(TEXT, kind="\n"), ("add", TEXT, "--kind", "\n")
    ),
    "a field nobody knows": Mistake(
        lambda memory, id: memory.remember(TEXT, colour="red"), stored(TEXT, colour="red")
    ),
    "a change of a field nobody knows": Mistake(
        lambda memory, id: memory.update(id, colour="red"), ("PATCH", "/v1/memories/ID", {"colour": "red"})
    ),
    "metadata that nests without end": Mistake(
        lambda memory, id: memory.remember(TEXT, metadata={"a": NESTED}), stored(TEXT, metadata={"a": NESTED})
    ),
    "an interval the wrong way round": Mistake(
        lambda memory, id: memory.remember(TEXT, valid_from=LATE, valid_to=EARLY),
        stored(TEXT, valid_from=LATE.isoformat(), valid_to=EARLY.isoformat()),
    ),
    "one bad text of several": Mistake(
        lambda memory, id: memory.remember_many([Draft(body=TEXT), Draft(body="")]),
        ("POST", "/v1/memories/batch", {"memories": [{"text": TEXT}, {"text": ""}]}),
    ),
    "a change to an empty text": Mistake(
        lambda memory, id: memory.update(id, body=""),
        ("PATCH", "/v1/memories/ID", {"text": ""}),
        ("update", ID, "--text", ""),
    ),
    "a change to no kind": Mistake(
        lambda memory, id: memory.update(id, kind=""),
        ("PATCH", "/v1/memories/ID", {"kind": ""}),
        ("update", ID, "--kind", ""),
    ),
    "a change both ways": Mistake(
        lambda memory, id: memory.update(id, body=TEXT, append=TEXT),
        ("PATCH", "/v1/memories/ID", {"text": TEXT, "append": TEXT}),
        ("update", ID, "--text", TEXT, "--append", TEXT),
    ),
    "a change of nothing": Mistake(
        lambda memory, id: memory.update(id), ("PATCH", "/v1/memories/ID", {}), ("update", ID)
    ),
    "a newer version that says nothing": Mistake(
        lambda memory, id: memory.supersede(id, ""),
        ("POST", "/v1/memories/ID/supersede", {"text": ""}),
        ("supersede", ID, ""),
    ),
    "nobody of that id": Mistake(
        lambda memory, id: memory.get("nobody"),
        ("GET", "/v1/memories/nobody", None),
        ("get", "nobody"),
        ("fetch", {"id": "nobody"}),
        "id",
    ),
    "nobody to change": Mistake(
        lambda memory, id: memory.update("nobody", body=TEXT),
        ("PATCH", "/v1/memories/nobody", {"text": TEXT}),
        ("update", "nobody", "--text", TEXT),
    ),
}  # fmt: skip

CONNECTING = {
    "a link from nowhere": Mistake(
        lambda memory, id: memory.link("", id), linked(from_id="", to_id=ID), ("link", "", ID)
    ),
    "a link to nowhere": Mistake(lambda memory, id: memory.link(id, ""), linked(to_id=""), ("link", ID, "")),
    "a link to nobody": Mistake(lambda memory, id: memory.link(id, LONG), linked(to_id=LONG), ("link", ID, LONG)),
    "a link to itself": Mistake(lambda memory, id: memory.link(id, id), linked(to_id=ID), ("link", ID, ID)),
    "a relation nobody can write": Mistake(
        lambda memory, id: memory.link(id, "b", "Is Near"),
        linked(relation="Is Near"),
        ("link", ID, "b", "Is Near"),
    ),
    "a relation nobody can remove": Mistake(
        lambda memory, id: memory.unlink(id, "b", "Is Near"),
        ("DELETE", "/v1/links?from_id=ID&to_id=b&relation=Is%20Near", None),
        ("unlink", ID, "b", "Is Near"),
    ),
    "a link with a field nobody knows": Mistake(
        lambda memory, id: memory.link(id, "b", colour="red"), linked(colour="red")
    ),
    "half a character said of a link": Mistake(
        lambda memory, id: memory.link(id, "b", evidence=HALF), linked(evidence=HALF)
    ),
    "a weight above one": Mistake(
        lambda memory, id: memory.link(id, "b", weight=2.0), linked(weight=2.0), ("link", ID, "b", "--weight", "2")
    ),
    "a weight beyond all numbers": Mistake(
        lambda memory, id: memory.link(id, "b", weight=10**400), linked(weight=10**400)
    ),
    "a cluster without a name": Mistake(lambda memory, id: memory.add_to_cluster("", id), regrouped("", ID)),
    "a cluster with a long name": Mistake(lambda memory, id: memory.add_to_cluster(LONG, id), regrouped(LONG, ID)),
    "nobody for a cluster": Mistake(lambda memory, id: memory.add_to_cluster("c"), regrouped("c")),
    "somebody without an id for a cluster": Mistake(
        lambda memory, id: memory.add_to_cluster("c", id, ""), regrouped("c", ID, "")
    ),
    "a ruling nobody knows": Mistake(lambda memory, id: memory.resolve_conflict(id, "b", "toss"), resolved(how="toss")),
    "a ruling nobody knows among several": Mistake(
        lambda memory, id: memory.resolve_conflicts([Resolution(id, "b", "toss")]),
        ("POST", "/v1/conflicts/resolve-many", {"resolutions": [{"one": ID, "other": "b", "how": "toss"}]}),
    ),
    "too many rulings": Mistake(
        lambda memory, id: memory.resolve_conflicts([Resolution(id, "b", "keep_both")] * 1_001),
        ("POST", "/v1/conflicts/resolve-many", {"resolutions": [resolved(how="keep_both")[2]] * 1_001}),
    ),
    "a merge without a text": Mistake(
        lambda memory, id: memory.resolve_conflict(id, "b", "merge"), resolved(how="merge")
    ),
    "a text without a merge": Mistake(
        lambda memory, id: memory.resolve_conflict(id, "b", "keep_both", text=TEXT),
        resolved(how="keep_both", text=TEXT),
    ),
    "a merge into nothing": Mistake(
        lambda memory, id: memory.resolve_conflict(id, id + "x", "merge", text=""),
        resolved(other="IDx", how="merge", text=""),
    ),
    "a conflict with itself": Mistake(
        lambda memory, id: memory.resolve_conflict(id, id, "keep_both"), resolved(other=ID, how="keep_both")
    ),
    "a conflict with nobody": Mistake(
        lambda memory, id: memory.resolve_conflict(id, "", "keep_both"), resolved(other="", how="keep_both")
    ),
    "a use nobody knows": Mistake(
        lambda memory, id: memory.feedback("last", id, "maybe"),
        ("POST", "/v1/feedback", {"trace_id": "last", "memory_id": ID, "use": "maybe"}),
        ("feedback", "last", ID, "maybe"),
    ),
    "a trace nobody kept": Mistake(
        lambda memory, id: memory.trace("nobody"), ("GET", "/v1/traces/nobody", None), ("trace", "nobody")
    ),
    "an entity without a name": Mistake(lambda memory, id: memory.entities(""), ("GET", "/v1/entities?name=", None)),
    "neighbours of nobody": Mistake(
        lambda memory, id: memory.neighbours(""), ("GET", "/v1/entities/neighbours?entity=", None)
    ),
    "fewer hops than none": Mistake(
        lambda memory, id: memory.neighbours("crane", hops=-1),
        ("GET", "/v1/entities/neighbours?entity=crane&hops=-1", None),
    ),
    "a project without a name": Mistake(
        lambda memory, id: memory.forget_project(""), ("DELETE", "/v1/projects?project=", None)
    ),
    "a space that is not there": Mistake(
        lambda memory, id: memory.stats(space="nowhere"), ("GET", "/v1/spaces/stats?space=nowhere", None)
    ),
}  # fmt: skip

MISTAKES = {**ASKING, **STORING, **CONNECTING}
