"""The real store and the reference answer alike, whatever was written before.

Two open stores share the real one's folder and take turns, as two processes would; one of them compares every vector,
the other scans sign bits first.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.errors import RecollectError
from recollect.ports import Store
from recollect.records import (
    AdoptEmbedder,
    Entity,
    EraseLink,
    EraseMemory,
    Favour,
    Filters,
    Lifecycle,
    Link,
    Match,
    Memory,
    Once,
    PutEntity,
    PutLink,
    PutMemory,
    PutVector,
    Strengthen,
    TimeAxis,
    TimeRange,
    Touch,
    TraceRecord,
    Unlearn,
    Vector,
    Write,
    goes_by,
    name_key,
)
from recollect.settings import StoreSettings
from recollect.store.inmemory import InMemoryStore
from recollect.store.shelf import Shelf
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import EVERYTHING, memory, vector

SPACE = "congruence"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
IDS = ("a", "b", "c", "ä", "e", "f")
WORDS = ("alpha", "beta", "Betas", "gamma", "the", "getUserName", "user_name", "Zürich", "zurich", "世界", "x1")
ENOUGH = 1_000
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # many stores are made, and nothing is asked of the disk

moments = st.integers(0, 6).map(lambda days: NOW + timedelta(days=days - 3))
ids = st.sampled_from(IDS)
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
labels = st.lists(st.sampled_from("xyz"), max_size=2, unique=True).map(tuple)
places = st.tuples(*[st.integers(-4, 4)] * 3).filter(any)
vectors = st.builds(lambda place, by: vector(*place, identity=by), places, st.sampled_from(["m1", "m1", "m1", "m2"]))
memories = st.builds(
    memory,
    ids,
    texts,
    title=texts,
    author=st.none() | st.sampled_from(WORDS),
    kind=st.sampled_from(["fact", "note"]),
    project=st.sampled_from([None, "p", "q"]),
    source_uri=st.sampled_from([None, "a", "a/b.py", "a/b/c.py", "d/b.py"]),
    trust=st.sampled_from(["user", "web"]),
    lifecycle=st.sampled_from(Lifecycle),
    tags=labels,
    clusters=labels,
    created_at=moments,
    updated_at=moments,
    event_time=st.none() | moments,
    valid_from=st.none() | moments,
    valid_to=st.none() | moments,
    embedded_by=st.sampled_from([None, "m1"]),
    metadata=st.sampled_from([{}, {"b": (1, 2), "a": {"ü": None}}]),
    favour=st.sampled_from([0.0, 0.0, 0.25, -0.5]),
    favour_at=st.none() | moments,
)
links = st.builds(
    Link,
    ids,
    ids,
    st.sampled_from(["r", "s", "recalled_with"]),
    moments,
    st.sampled_from([0.0, 0.25, 0.5, 0.75]) | st.floats(0, 1),
    st.sampled_from([0.0, 0.25]) | st.floats(0, 1),
    valid_from=st.none() | moments,
    valid_to=st.none() | moments,
    learned_at=st.none() | moments,
)
amounts = st.sampled_from([0.03, 0.05, 0.5, -0.03, -1.0]) | st.floats(-1, 1)
learned = {"amount": amounts, "at": moments, "most": st.sampled_from([0.3, 1.0]), "half_life_days": st.floats(0.5, 90)}
touched = st.frozensets(st.sampled_from([*IDS, "never stored"]), max_size=2)
traces = st.builds(
    TraceRecord, st.sampled_from("tuvw"), moments, texts, st.sampled_from(["none", "answerable"]), st.floats(0, 1),
    st.just("enough"), st.floats(0, 9), texts, touched,
)  # fmt: skip


def putting(expected: st.SearchStrategy[datetime | None]) -> st.SearchStrategy[PutMemory]:
    return st.builds(PutMemory, memories, st.none() | vectors, expected)


writes: st.SearchStrategy[Write] = st.one_of(
    putting(st.none()),
    putting(st.none()),
    putting(st.none()),
    putting(st.none() | moments),
    st.builds(PutVector, ids, vectors),
    st.builds(Touch, ids, moments, st.floats(0, 9)),
    st.builds(EraseMemory, ids),
    st.builds(PutLink, links),
    links.map(lambda link: EraseLink(link.from_id, link.to_id, link.relation)),
    st.builds(PutEntity, st.builds(Entity, st.sampled_from(["a", "ent"]), texts, st.just("person"), moments, labels)),
    st.builds(AdoptEmbedder, st.sampled_from(["m1", "m1", "m2"])),
    st.builds(Strengthen, ids, ids, **learned),
    st.builds(Strengthen, ids, ids, **learned),
    st.builds(Favour, ids, **learned),
    st.builds(Unlearn),
)
fills = st.lists(putting(st.none()), min_size=3, max_size=8)
onces = st.none() | st.builds(Once, st.sampled_from("kl"), st.sampled_from("fg"), st.sampled_from("vw"))
ranges = st.builds(
    lambda start, length, axis, ends: TimeRange(
        start if ends != "end" else None, start + timedelta(days=length) if ends != "start" else None, axis
    ),
    moments, st.integers(1, 3), st.sampled_from(TimeAxis), st.sampled_from(["start", "end", "both"]),
)  # fmt: skip


def some(values: Sequence[Any]) -> st.SearchStrategy[frozenset[Any]]:
    return st.just(frozenset()) | st.frozensets(st.sampled_from(list(values)), max_size=2)


filterings = st.one_of(
    st.just(Filters()),
    st.just(EVERYTHING),
    st.builds(
        Filters,
        kinds=some(["fact", "note", "none"]),
        without_kinds=some(["fact", "note", "none"]),
        lifecycles=st.frozensets(st.sampled_from(Lifecycle), min_size=1),
        projects=some("pq"),
        paths=some(["a", "a/b.py", "a/*", "a/**", "**/b.py", "*", "?/**/?.py", "none"]),
        trusts=some(["user", "web"]),
        tags=some("xyz"),
        clusters=some("xyz"),
        time=st.none() | ranges,
        as_of=st.none() | moments,
        superseded=st.booleans(),
    ),
)


@dataclass(frozen=True)
class Apply:
    writes: tuple[Write, ...]
    once: Once | None
    turn: bool


@dataclass(frozen=True)
class Note:
    record: TraceRecord
    keep: int
    turn: bool


@dataclass(frozen=True)
class Show:
    session: str
    marks: dict[str, str]
    at: datetime
    turn: bool


@dataclass(frozen=True)
class Look:
    filters: Filters
    text: str
    place: Vector
    limit: int
    turn: bool


@dataclass(frozen=True)
class Rebuild:
    turn: bool


applies = st.builds(Apply, st.lists(writes, min_size=1, max_size=4).map(tuple) | fills.map(tuple), onces, st.booleans())
looks = st.builds(Look, filterings, texts, vectors, st.integers(0, 3), st.booleans())
notes = st.builds(Note, traces, st.sampled_from([0, 1, 2, 3, 3]), st.booleans())
shows = st.builds(
    Show, st.sampled_from("yz"), st.dictionaries(ids, st.sampled_from("12"), max_size=3), moments, st.booleans()
)
steps = st.lists(
    st.one_of(applies, applies, applies, looks, looks, notes, shows, st.builds(Rebuild, st.booleans())), max_size=14
)


@contextmanager
def both_stores() -> Iterator[tuple[InMemoryStore, list[SqliteStore]]]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        kinds = (StoreSettings(), StoreSettings(exact_vectors=0, candidates=50))
        real = [SqliteStore(Path(root), now=lambda: NOW, settings=each) for each in kinds]
        try:
            yield InMemoryStore(lambda: NOW), real
        finally:
            for each in real:
                each.close()


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(fills, steps, looks, looks)
def test_both_stores_answer_alike(first: list[PutMemory], taken: list[Any], last: Look, after: Look) -> None:
    with both_stores() as (reference, real):
        only_added = compare_step(Apply(tuple(first), None, False), reference, real, only_added=True)
        for step in (*taken, last, Rebuild(True), after):
            only_added = compare_step(step, reference, real, only_added=only_added)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(fills, st.lists(applies | looks, max_size=10), looks)
def test_a_shelf_answers_as_the_reference_does(first: list[PutMemory], taken: list[Any], last: Look) -> None:
    reference, shelf = InMemoryStore(lambda: NOW), Shelf(lambda: NOW)
    for step in (Apply(tuple(first), None, False), *taken, last):
        if isinstance(step, Apply):
            results = [outcome(partial(each.apply, SPACE, step.writes, once=step.once)) for each in (shelf, reference)]
            assert results[0] == results[1]
        else:
            compare_records(step, reference, shelf)
            compare_match(step, reference, shelf, scores_agree=True)
            compare_nearest(step, reference, shelf)


def compare_step(step: Any, reference: Store, real: list[SqliteStore], *, only_added: bool) -> bool:
    """Do the same to both; say whether the real index still holds nothing that was replaced or erased."""
    store = real[step.turn]
    match step:
        case Apply():
            known = {each.id for each in reference.browse(SPACE, EVERYTHING, limit=ENOUGH)}
            put = [write.memory.id for write in step.writes if isinstance(write, PutMemory)]
            assert outcome(lambda: store.apply(SPACE, step.writes, once=step.once)) == outcome(
                lambda: reference.apply(SPACE, step.writes, once=step.once)
            )
            erases = any(isinstance(write, EraseMemory) for write in step.writes)
            return only_added and not erases and len({*known, *put}) == len(known) + len(put)
        case Rebuild():
            store.rebuild(SPACE)
            return True
        case Note():
            for each in (store, reference):
                each.note(SPACE, step.record, keep=step.keep)
        case Show():
            for each in (store, reference):
                each.show(SPACE, step.session, step.marks, at=step.at)
        case Look():
            compare_records(step, reference, store)
            compare_ties(step, reference, store)
            compare_journals(step, reference, store)
            compare_match(step, reference, store, scores_agree=only_added)
            compare_nearest(step, reference, store)
    return only_added


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or the kind of error it raises."""
    try:
        return call()
    except RecollectError as error:
        return type(error)


def compare_records(look: Look, reference: Store, store: Store) -> None:
    assert store.read(SPACE, [*IDS, "missing"]) == reference.read(SPACE, [*IDS, "missing"])
    for limit, after in ((ENOUGH, None), (look.limit, None), (look.limit, "b")):
        asked = {"limit": limit, "after": after}
        assert outcome(partial(store.browse, SPACE, look.filters, **asked)) == outcome(
            partial(reference.browse, SPACE, look.filters, **asked)
        )
    for id in IDS:
        assert store.same_content(SPACE, f"hash-{id}") == reference.same_content(SPACE, f"hash-{id}")
    assert store.links(SPACE, IDS) == reference.links(SPACE, IDS)
    assert store.links(SPACE, IDS[:2]) == reference.links(SPACE, IDS[:2])
    assert store.entities(SPACE) == reference.entities(SPACE)
    held = reference.browse(SPACE, EVERYTHING, limit=ENOUGH)
    keys = sorted({name_key(goes_by(each.title, each.body)) for each in held} | {"nobody"})
    assert store.titled(SPACE, keys) == reference.titled(SPACE, keys)
    assert list(store.around(SPACE, [*IDS, "no"]).items()) == list(reference.around(SPACE, [*IDS, "no"]).items())
    assert store.vectors(SPACE, IDS) == reference.vectors(SPACE, IDS)
    assert replace(store.stats(SPACE), bytes_on_disk=0) == reference.stats(SPACE)
    for identity in ("m1", "m2"):
        assert store.unembedded(SPACE, identity, limit=4) == reference.unembedded(SPACE, identity, limit=4)
    assert store.check(SPACE) == []


def compare_ties(look: Look, reference: Store, store: Store) -> None:
    for most in (look.limit, ENOUGH):
        found = store.ties(SPACE, [*IDS, "ent", "missing"], most=most)
        expected = reference.ties(SPACE, [*IDS, "ent", "missing"], most=most)
        assert list(found.items()) == list(expected.items())


def compare_journals(look: Look, reference: Store, store: Store) -> None:
    for asked in ({"limit": ENOUGH}, {"limit": look.limit}, {"limit": look.limit, "before": "u"}):
        assert outcome(partial(store.traces, SPACE, **asked)) == outcome(partial(reference.traces, SPACE, **asked))
    for id in "tuvw":
        assert store.trace(SPACE, id) == reference.trace(SPACE, id)
    for session in "yz":
        assert list(store.shown(SPACE, session).items()) == list(reference.shown(SPACE, session).items())


def compare_match(look: Look, reference: Store, store: Store, *, scores_agree: bool) -> None:
    found, terms = store.match(SPACE, look.text, filters=look.filters, limit=ENOUGH)
    expected, expected_terms = reference.match(SPACE, look.text, filters=look.filters, limit=ENOUGH)
    assert [term.text for term in terms] == [term.text for term in expected_terms]
    assert {match.id for match in found} == {match.id for match in expected}
    assert found == sorted(found, key=lambda match: (-match.source_score, match.id))
    assert store.match(SPACE, look.text, filters=look.filters, limit=look.limit)[0] == found[: look.limit]
    if scores_agree:  # what is replaced or erased counts in the real index's statistics until it is rebuilt
        assert [term.idf for term in terms] == pytest.approx([term.idf for term in expected_terms], rel=1e-6)
        compare_scores(found, expected, tolerance=1e-5)


def compare_nearest(look: Look, reference: Store, store: Store) -> None:
    arguments = {"filters": look.filters, "limit": ENOUGH}
    found = outcome(lambda: store.nearest(SPACE, look.place, **arguments))
    expected = outcome(lambda: reference.nearest(SPACE, look.place, **arguments))
    if isinstance(expected, type):
        assert found == expected
        return
    compare_scores(found, expected, tolerance=1e-6)
    assert store.nearest(SPACE, look.place, filters=look.filters, limit=look.limit) == found[: look.limit]


def compare_scores(found: list[Match], expected: list[Match], *, tolerance: float) -> None:
    """The same ids with the same scores, in the same order except where scores cannot be told apart."""
    scores = {match.id: match.source_score for match in expected}
    assert {match.id: match.source_score for match in found} == pytest.approx(scores, rel=tolerance, abs=tolerance)
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert scores[one.id] == pytest.approx(other.source_score, rel=tolerance, abs=tolerance), f"place {place}"


def test_more_memories_than_candidates_are_still_all_ranked(tmp_path: Path) -> None:
    """With as many candidates as memories the two-stage scan is exact; with fewer it still finds its own."""

    random = Random(5)
    count = 400
    puts = [PutMemory(memory(f"{n:03}"), vector(*(random.gauss(0, 1) for _ in range(70)))) for n in range(count)]
    reference = InMemoryStore(lambda: NOW)
    reference.apply(SPACE, puts)
    for candidates in (50, count):
        root = tmp_path / f"{candidates}"
        store = SqliteStore(root, now=lambda: NOW, settings=StoreSettings(exact_vectors=0, candidates=candidates))
        store.apply(SPACE, puts)
        for put in puts[::40]:
            found = store.nearest(SPACE, put.vector, filters=Filters(), limit=5)
            exact = reference.nearest(SPACE, put.vector, filters=Filters(), limit=5)
            assert found[0].id == put.memory.id
            if candidates == count:
                compare_scores(found, exact, tolerance=1e-6)
        store.close()


@pytest.mark.parametrize("count", [63, 64, 65, 80])
def test_a_pasted_page_is_searched_by_its_rarest_words(count: int, tmp_path: Path) -> None:
    real = SqliteStore(tmp_path, now=lambda: NOW, settings=StoreSettings())
    stores: list[Store] = [real, InMemoryStore(lambda: NOW)]
    page = " ".join(f"word{number}" for number in range(count))
    bodies: list[Memory] = [memory(f"{n}", " ".join(page.split()[:n])) for n in (5, 10, 20, 38)]
    answers = []
    for store in stores:
        store.apply(SPACE, [PutMemory(each) for each in bodies])
        found, terms = store.match(SPACE, page, filters=Filters(), limit=9)
        answers.append((found, [term.text for term in terms]))
    assert answers[0][1] == answers[1][1] and len(answers[0][1]) == min(count, 64)
    compare_scores(answers[0][0], answers[1][0], tolerance=1e-5)
    real.close()


def test_what_holds_changes_with_the_clock_and_nothing_else(tmp_path: Path) -> None:
    """Also when the clock goes back: what was worked out for one moment must not serve another."""

    moment = [NOW]
    real = SqliteStore(tmp_path, now=lambda: moment[0], settings=StoreSettings())
    reference = InMemoryStore(lambda: moment[0])
    bounds = [None, *(NOW + timedelta(days=days) for days in range(-3, 4))]
    spans = [(begin, end) for begin in bounds for end in bounds]
    puts = [
        PutMemory(memory(f"{number:02}", "alpha", valid_from=begin, valid_to=end), vector(1, number))
        for number, (begin, end) in enumerate(spans)
    ]
    asked = {"filters": Filters(), "limit": ENOUGH}
    for store in (real, reference):
        store.apply(SPACE, puts)
    for half_days in [*range(-9, 10), *Random(2).choices(range(-9, 10), k=20)]:
        moment[0] = NOW + timedelta(days=half_days / 2)
        expected = [match.id for match in reference.match(SPACE, "alpha", **asked)[0]]
        assert [match.id for match in real.match(SPACE, "alpha", **asked)[0]] == expected
        assert {match.id for match in real.nearest(SPACE, vector(1, 1), **asked)} == set(expected)
        assert {each.id for each in real.browse(SPACE, **asked)} == set(expected)
    real.close()
