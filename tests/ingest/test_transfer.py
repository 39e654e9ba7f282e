from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect.ingest.transfer import EVERYTHING, export_lines, import_lines
from recollect.ports import Store
from recollect.records import Entity, Favour, Lifecycle, Link, PutEntity, PutLink, PutMemory, Strengthen
from recollect.settings import WriteSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import START
from recollect.testing.corpus import make_memories, make_memory
from recollect.testing.store_contract import vector

SPACE = "default"
HEADER = json.dumps({"type": "space", "format": "recollect-export", "version": 1, "space": SPACE, "memories": 0})


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    """A space with everything in it: archived, superseded, without vector, linked, with entities."""
    memories = [
        *make_memories(),
        make_memory(50, lifecycle=Lifecycle.ARCHIVED, access_count=3, last_access=START, stability_days=12.5),
        make_memory(51, valid_from=START - timedelta(days=2), valid_to=START - timedelta(days=1)),
        make_memory(52, metadata={"ü": [1, {"n": None}], "x": 0.5}, summary="s", author="Zoë", source_uri="u"),
        make_memory(54, favour=-0.25, favour_at=START - timedelta(days=3)),
    ]
    store.apply(SPACE, [PutMemory(memory, vector(1.0, n)) for n, memory in enumerate(memories)])
    store.apply(SPACE, [PutMemory(make_memory(53))])
    entity = Entity("entity-1", "Minka", "cat", START, ("the cat",), "office", {"age": 4})
    link = Link(
        "memory-0000", "memory-0001", "relates_to", START, 0.7, 0.1, "said so", START, START + timedelta(days=1)
    )
    store.apply(SPACE, [PutEntity(entity), PutLink(link), PutLink(Link("memory-0014", "entity-1", "mentions", START))])
    learned = {"amount": 0.05, "at": START - timedelta(days=1), "most": 0.3, "half_life_days": 30.0}
    store.apply(SPACE, [Strengthen("memory-0002", "memory-0003", **learned), Favour("memory-0004", **learned)])
    return store


def contents(store: Store, space: str) -> tuple[object, ...]:
    memories = store.browse(space, EVERYTHING, limit=1_000)
    ids = [memory.id for memory in memories]
    plain = [(memory.id, repr(memory).replace(f"space={space!r}", "")) for memory in memories]
    return plain, store.vectors(space, ids), store.links(space, [*ids, "entity-1"]), store.entities(space)


def test_a_round_trip_loses_nothing(filled: SqliteStore, make_store: Callable[[str], SqliteStore]) -> None:
    other = make_store("other")
    counts = import_lines(other, SPACE, list(export_lines(filled, SPACE)), settings=WriteSettings())
    assert contents(other, SPACE) == contents(filled, SPACE)
    assert counts == {"memory": 41, "entity": 1, "link": 3}


def test_an_export_of_an_import_is_the_same_export(
    filled: SqliteStore, make_store: Callable[[str], SqliteStore]
) -> None:
    other, lines = make_store("other"), list(export_lines(filled, SPACE))
    import_lines(other, SPACE, lines, settings=WriteSettings())
    assert list(export_lines(other, SPACE)) == lines


def test_what_was_learned_goes_along(filled: SqliteStore, make_store: Callable[[str], SqliteStore]) -> None:
    other = make_store("other")
    import_lines(other, SPACE, list(export_lines(filled, SPACE)), settings=WriteSettings())
    kept = {memory.id: (memory.favour, memory.favour_at) for memory in other.browse(SPACE, EVERYTHING, limit=100)}
    assert kept["memory-0054"] == (-0.25, START - timedelta(days=3))
    assert kept["memory-0004"] == (0.05, START - timedelta(days=1))
    assert kept["memory-0000"] == (0.0, None)
    (link,) = other.links(SPACE, ["memory-0002"])
    assert (link.weight, link.learned, link.learned_at) == (0.0, 0.05, START - timedelta(days=1))


def test_an_export_from_before_there_was_learning_is_read(
    filled: SqliteStore, make_store: Callable[[str], SqliteStore]
) -> None:
    later = {"favour", "favour_at", "learned_at"}
    old = []
    for line in export_lines(filled, SPACE):
        record = {name: value for name, value in json.loads(line).items() if name not in later}
        old.append(json.dumps(record | ({"version": 1} if record["type"] == "space" else {})))
    other = make_store("other")
    assert import_lines(other, SPACE, old, settings=WriteSettings())["memory"] == 41
    assert {memory.favour for memory in other.browse(SPACE, EVERYTHING, limit=100)} == {0.0}
    assert [link.learned_at for link in other.links(SPACE, ["memory-0000"])] == [None]


def test_an_export_can_be_read_into_another_space(filled: SqliteStore) -> None:
    import_lines(filled, "copy", export_lines(filled, SPACE), settings=WriteSettings())
    assert contents(filled, "copy") == contents(filled, SPACE)
    assert {memory.space for memory in filled.browse("copy", EVERYTHING, limit=100)} == {"copy"}


def test_importing_twice_changes_nothing(filled: SqliteStore) -> None:
    before = contents(filled, SPACE)
    import_lines(filled, SPACE, list(export_lines(filled, SPACE)), settings=WriteSettings())
    assert contents(filled, SPACE) == before


def test_lines_may_end_with_line_breaks_and_blank_lines_are_skipped(
    filled: SqliteStore, make_store: Callable[[str], SqliteStore]
) -> None:
    other = make_store("other")
    import_lines(
        other, SPACE, ["\n", *(f"{line}\n\n" for line in export_lines(filled, SPACE)), "  \n"], settings=WriteSettings()
    )
    assert contents(other, SPACE) == contents(filled, SPACE)


def test_an_imported_space_is_searched_like_the_first(
    filled: SqliteStore, make_store: Callable[[str], SqliteStore]
) -> None:
    from recollect.records import Filters

    other = make_store("other")
    import_lines(other, SPACE, list(export_lines(filled, SPACE)), settings=WriteSettings())
    for store in (filled, other):
        store.rebuild(SPACE)
    one, two = (store.match(SPACE, "rent of the office", filters=Filters(), limit=5)[0] for store in (filled, other))
    assert [match.id for match in one] == [match.id for match in two]


def memory_line(**changes: object) -> str:
    plain = {
        "type": "memory", "id": "a", "kind": "fact", "title": "", "body": "The rent is due.", "content_hash": "h",
        "created_at": START.isoformat(), "updated_at": START.isoformat(),
    }  # fmt: skip
    return json.dumps({name: value for name, value in {**plain, **changes}.items() if value != "LEFT OUT"})


def entity_line(**changes: object) -> str:
    plain = {"type": "entity", "id": "e", "name": "Minka", "kind": "cat", "created_at": START.isoformat()}
    return json.dumps({**plain, **changes})


def link_line(**changes: object) -> str:
    plain = {"type": "link", "from_id": "fine", "to_id": "b", "relation": "near", "created_at": START.isoformat()}
    return json.dumps({**plain, **changes})


def vector_of(*values: float, identity: str = "m") -> dict[str, str]:
    data = struct.pack(f"<{len(values)}f", *values)
    return {"identity": identity, "data": base64.b64encode(data).decode()}


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


def test_a_line_with_the_least_there_can_be_is_read(store: SqliteStore) -> None:
    assert import_lines(store, SPACE, [HEADER, memory_line()], settings=WriteSettings())["memory"] == 1


BAD_LINES = {
    "not JSON": "{",
    "a list": "[1]",
    "a number": "5",
    "a text": '"x"',
    "null": "null",
    "no type": '{"id": "a"}',
    "unknown type": '{"type": "dream"}',
    "type is no text": '{"type": ["memory"]}',
    "unknown field": memory_line(colour="red"),
    "field missing": memory_line(body="LEFT OUT"),
    "body is a number": memory_line(body=5),
    "title is null": memory_line(title=None),
    "time is a number": memory_line(created_at=5),
    "time is no time": memory_line(created_at="yesterday"),
    "time without zone": memory_line(created_at="2030-01-01T00:00:00"),
    "tags are one text": memory_line(tags="work"),
    "tags are numbers": memory_line(tags=[1]),
    "metadata is a list": memory_line(metadata=[1]),
    "unknown lifecycle": memory_line(lifecycle="lively"),
    "count is text": memory_line(access_count="3"),
    "stability is text": memory_line(stability_days="3"),
    "stability is not a number": memory_line(stability_days=float("nan")),
    "stability is infinite": memory_line(stability_days=float("inf")),
    "stability is beyond all floats": memory_line(stability_days=10**400),
    "count is beyond what is stored": memory_line(access_count=2**63),
    "favour is text": memory_line(favour="much"),
    "favour is too much": memory_line(favour=1.5),
    "favour is not a number": memory_line(favour=float("nan")),
    "favour as of no zone": memory_line(favour=0.5, favour_at="2030-01-01T00:00:00"),
    "vector is a list": memory_line(vector=[1.0]),
    "vector is not base64": memory_line(vector={"identity": "m", "data": "???"}),
    "vector without identity": memory_line(vector={"data": ""}),
    "link without an end": '{"type": "link", "from_id": "a"}',
    "link with a heavy weight": link_line(weight="x"),
}
# What is wrong, and the field the message has to name.
BAD_VALUES = {
    "metadata that is no number": (memory_line(metadata={"a": [float("nan")]}), "metadata"),
    "metadata without an end": (memory_line(metadata={"a": float("inf")}), "metadata"),
    "metadata beyond all floats": (memory_line(metadata={"a": 1}).replace("1}", "1e999}"), "metadata"),
    "metadata with half a character": (memory_line(metadata={"\ud800": 1}), "metadata"),
    "metadata nested without end": (memory_line(metadata={"a": nested(500)}), "metadata"),
    "a time outside the calendar": (memory_line(created_at="9999-12-31T23:59:59-23:00"), "created_at"),
    "a time before the calendar": (memory_line(event_time="0001-01-01T00:00:00+01:00"), "event_time"),
    "an access outside the calendar": (memory_line(last_access="9999-12-31T23:59:59-23:00"), "last_access"),
    "half a character in the text": (memory_line(body="a \ud800 b"), "body"),
    "half a character in the id": (memory_line(id="a\ud800"), "id"),
    "half a character in the title": (memory_line(title="\udfff"), "title"),
    "half a character in the hash": (memory_line(content_hash="\ud800"), "content_hash"),
    "half a character in a tag": (memory_line(tags=["\ud800"]), "tags"),
    "no text": (memory_line(body=" \n"), "body"),
    "a text too long": (memory_line(body="word " * 50_000), "body"),
    "no kind": (memory_line(kind=""), "kind"),
    "a kind that is a line break": (memory_line(kind="\n"), "kind"),
    "a long kind": (memory_line(kind="x" * 1_001), "kind"),
    "a long author": (memory_line(author="x" * 1_001), "author"),
    "a long path": (memory_line(source_uri="x" * 4_097), "source_uri"),
    "too many tags": (memory_line(tags=[f"t{number}" for number in range(101)]), "tags"),
    "a tag without a name": (memory_line(tags=[""]), "tags"),
    "no id": (memory_line(id=""), "id"),
    "a long id": (memory_line(id="x" * 100_000), "id"),
    "an id that ends with a slash": (memory_line(id="docs/"), "id"),
    "an id that is a folder": (memory_line(id=".."), "id"),
    "an id that leads elsewhere": (memory_line(id="docs/../plan"), "id"),
    "fewer accesses than none": (memory_line(access_count=-1), "access_count"),
    "more accesses than can be counted on": (memory_line(access_count=2**63 - 1), "access_count"),
    "stability below zero": (memory_line(stability_days=-1.0), "stability_days"),
    "a vector of somebody without a name": (memory_line(vector=vector_of(0.6, 0.8, identity="")), "vector"),
    "a vector of a number": (memory_line(vector={"identity": 5, "data": ""}), "vector"),
    "a vector of nothing": (memory_line(vector=vector_of()), "vector"),
    "a vector cut off": (memory_line(vector={"identity": "m", "data": "AAA="}), "vector"),
    "a vector that is no number": (memory_line(vector=vector_of(float("nan"), 1.0)), "vector"),
    "a vector of another length than one": (memory_line(vector=vector_of(3.0, 4.0)), "vector"),
    "a vector of other dimensions": (memory_line(vector=vector_of(1.0)), "vector"),
    "an entity without a name": (entity_line(name=""), "name"),
    "an entity with half a name": (entity_line(name="\ud800"), "name"),
    "an entity with half an alias": (entity_line(aliases=["\ud800"]), "aliases"),
    "an entity without a kind": (entity_line(kind=" "), "kind"),
    "an entity whose id leads elsewhere": (entity_line(id="a//b"), "id"),
    "an entity with a vector": (entity_line(vector=vector_of(1.0)), "vector"),
    "an entity whose metadata is no number": (entity_line(metadata={"a": float("nan")}), "metadata"),
    "a link to itself": (link_line(to_id="fine"), "to_id"),
    "a link to nobody": (link_line(to_id="nobody"), "to_id"),
    "a link of a relation nobody can write": (link_line(relation="Is Near"), "relation"),
    "a link with a weight above one": (link_line(weight=1.5), "weight"),
    "a link with half a character said": (link_line(evidence="\ud800"), "evidence"),
    "a link that learned too much": (link_line(learned=2.0), "learned"),
    "a link as of no calendar": (link_line(learned_at="9999-12-31T23:59:59-23:00"), "learned_at"),
}


@pytest.mark.parametrize(("line", "field"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_what_could_not_be_used_again_is_refused(line: str, field: str, store: SqliteStore) -> None:
    before = [memory_line(id="fine", vector=vector_of(0.6, 0.8)), memory_line(id="b")]
    with pytest.raises(InvalidInput, match=rf"line 4: .*{field}") as raised:
        import_lines(store, SPACE, [HEADER, *before, line], settings=WriteSettings())
    assert raised.value.field == "line 4"
    assert len(str(raised.value)) < 500
    assert store.read(SPACE, ["fine"]) == []


def test_times_are_kept_in_utc(store: SqliteStore) -> None:
    given = memory_line(created_at="9999-12-31T23:59:59+23:00", event_time="0001-01-01T00:00:00-23:00")
    import_lines(store, SPACE, [HEADER, given], settings=WriteSettings())
    (memory,) = store.browse(SPACE, EVERYTHING, limit=1)
    assert (memory.created_at.isoformat(), str(memory.event_time)) == (
        "9999-12-31T00:59:59+00:00",
        "0001-01-01 23:00:00+00:00",
    )


def test_a_link_may_lead_to_what_is_there_already(store: SqliteStore) -> None:
    import_lines(store, SPACE, [HEADER, memory_line(id="fine"), entity_line(id="b")], settings=WriteSettings())
    assert import_lines(store, SPACE, [HEADER, link_line()], settings=WriteSettings())["link"] == 1


def test_a_vector_has_to_be_as_long_as_those_that_are_there(store: SqliteStore) -> None:
    import_lines(store, SPACE, [HEADER, memory_line(vector=vector_of(0.6, 0.8))], settings=WriteSettings())
    lines = [HEADER, memory_line(id="b"), memory_line(id="c", vector=vector_of(1.0))]
    with pytest.raises(InvalidInput, match="line 3: vector") as raised:
        import_lines(store, SPACE, lines, settings=WriteSettings())
    assert raised.value.field == "line 3"
    assert store.read(SPACE, ["b", "c"]) == []


def test_a_text_that_is_replaced_keeps_no_vector_of_the_one_before(store: SqliteStore) -> None:
    import_lines(store, SPACE, [HEADER, memory_line(vector=vector_of(0.6, 0.8))], settings=WriteSettings())
    other = memory_line(body="The lease is over.", embedded_by="m")
    import_lines(store, SPACE, [HEADER, other], settings=WriteSettings())
    assert store.vectors(SPACE, ["a"]) == [None]


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_named_by_its_number_and_nothing_is_written(line: str, store: SqliteStore) -> None:
    with pytest.raises(InvalidInput) as raised:
        import_lines(store, SPACE, [HEADER, memory_line(id="fine"), line], settings=WriteSettings())
    assert raised.value.field == "line 3"
    assert "line 3" in str(raised.value)
    assert store.read(SPACE, ["fine"]) == []


BAD_HEADERS = {
    "nothing at all": [],
    "no header": [memory_line()],
    "another format": ['{"type": "space", "format": "else", "version": 1}'],
    "a newer version": [HEADER.replace('"version": 1', '"version": 3')],
    "a version that is no number": [HEADER.replace('"version": 1', '"version": "1"')],
    "no version": [HEADER.replace('"version": 1, ', "")],
    "binary": ["\x00\x01"],
}


@pytest.mark.parametrize("lines", BAD_HEADERS.values(), ids=BAD_HEADERS)
def test_something_that_is_no_export_is_refused(lines: list[str], store: SqliteStore) -> None:
    with pytest.raises(InvalidInput):
        import_lines(store, SPACE, lines, settings=WriteSettings())
    assert store.names() == []


def test_a_newer_version_says_to_upgrade(store: SqliteStore) -> None:
    with pytest.raises(InvalidInput, match="upgrade recollect"):
        import_lines(store, SPACE, BAD_HEADERS["a newer version"], settings=WriteSettings())
