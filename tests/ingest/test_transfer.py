from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from recollect.errors import InvalidInput
from recollect.ingest.transfer import EVERYTHING, export_lines, import_lines
from recollect.ports import Store
from recollect.records import Entity, Favour, Lifecycle, Link, PutEntity, PutLink, PutMemory, Strengthen
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
    counts = import_lines(other, SPACE, list(export_lines(filled, SPACE)))
    assert contents(other, SPACE) == contents(filled, SPACE)
    assert counts == {"memory": 41, "entity": 1, "link": 3}


def test_an_export_of_an_import_is_the_same_export(
    filled: SqliteStore, make_store: Callable[[str], SqliteStore]
) -> None:
    other, lines = make_store("other"), list(export_lines(filled, SPACE))
    import_lines(other, SPACE, lines)
    assert list(export_lines(other, SPACE)) == lines


def test_what_was_learned_goes_along(filled: SqliteStore, make_store: Callable[[str], SqliteStore]) -> None:
    other = make_store("other")
    import_lines(other, SPACE, list(export_lines(filled, SPACE)))
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
    assert import_lines(other, SPACE, old)["memory"] == 41
    assert {memory.favour for memory in other.browse(SPACE, EVERYTHING, limit=100)} == {0.0}
    assert [link.learned_at for link in other.links(SPACE, ["memory-0000"])] == [None]


def test_an_export_can_be_read_into_another_space(filled: SqliteStore) -> None:
    import_lines(filled, "copy", export_lines(filled, SPACE))
    assert contents(filled, "copy") == contents(filled, SPACE)
    assert {memory.space for memory in filled.browse("copy", EVERYTHING, limit=100)} == {"copy"}


def test_importing_twice_changes_nothing(filled: SqliteStore) -> None:
    before = contents(filled, SPACE)
    import_lines(filled, SPACE, list(export_lines(filled, SPACE)))
    assert contents(filled, SPACE) == before


def test_lines_may_end_with_line_breaks_and_blank_lines_are_skipped(
    filled: SqliteStore, make_store: Callable[[str], SqliteStore]
) -> None:
    other = make_store("other")
    import_lines(other, SPACE, ["\n", *(f"{line}\n\n" for line in export_lines(filled, SPACE)), "  \n"])
    assert contents(other, SPACE) == contents(filled, SPACE)


def test_an_imported_space_is_searched_like_the_first(
    filled: SqliteStore, make_store: Callable[[str], SqliteStore]
) -> None:
    from recollect.records import Filters

    other = make_store("other")
    import_lines(other, SPACE, list(export_lines(filled, SPACE)))
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


def test_a_line_with_the_least_there_can_be_is_read(store: SqliteStore) -> None:
    assert import_lines(store, SPACE, [HEADER, memory_line()])["memory"] == 1


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
    "link with a heavy weight": json.dumps(
        {"type": "link", "from_id": "a", "to_id": "b", "relation": "r", "created_at": START.isoformat(), "weight": "x"}
    ),
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_named_by_its_number_and_nothing_is_written(line: str, store: SqliteStore) -> None:
    with pytest.raises(InvalidInput) as raised:
        import_lines(store, SPACE, [HEADER, memory_line(id="fine"), line])
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
        import_lines(store, SPACE, lines)
    assert store.names() == []


def test_a_newer_version_says_to_upgrade(store: SqliteStore) -> None:
    with pytest.raises(InvalidInput, match="upgrade recollect"):
        import_lines(store, SPACE, BAD_HEADERS["a newer version"])
