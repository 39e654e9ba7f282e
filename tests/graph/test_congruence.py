"""The graph on disk and the reference answer alike, whatever was put, replaced, removed and settled before."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.graph.inmemory import InMemoryKnowledge
from recollect.graph.sqlite import SqliteKnowledge
from recollect.knowledge import Alias, Chunk, FileMark, Named, Reading, Said, Triple, Way, kept_of
from recollect.ports import Knowledge
from recollect.settings import StoreSettings

SPACE = "congruence"
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
PROJECTS = ("p", "q", "a-b")
PATHS = ("x.py", "y.py", "z.md")
KEYS = (
    "py:a", "py:a.B", "py:a.B.run", "py:a.b.B", "py:a.b.B.run", "py:a_b.B", "py:c", "py:c.B.run", "py:c.D",
    "py:c.D.run", "py:os", "py:os.B", "py:os.B.run",
    "ts:u.ts#B.run", "rs:a::B", "sql:b", "sql:b.id", "http:GET /b", "name:b", "name:the run", "name:ä",
)  # fmt: skip
NAMES = ("B", "b", "run", "The Run", "Ä", "the b (old)", "D", "b_run", "?!")
RELATIONS = ("inherits", "inherits", "calls", "imports", "mentions")

keys = st.sampled_from(KEYS)
names = st.sampled_from(NAMES)
lines = st.integers(0, 3)
entities = st.builds(
    Named, keys, names, st.sampled_from(["class", "method", "module", "column", "function"]), lines, lines,
    st.sampled_from(["", "detail"]), st.lists(names, max_size=2).map(tuple),
)  # fmt: skip
said = st.builds(
    Said, keys, st.sampled_from(RELATIONS), keys, lines, st.sampled_from(["", "s"]), st.sampled_from([0.5, 1])
)
plain_aliases = st.builds(Alias, keys, keys)
star_aliases = st.builds(lambda one, two: Alias(f"{one}.*", f"{two}.*"), keys, keys)
starts = st.sampled_from(["", *KEYS[:3]])
chunks = st.tuples(lines, lines, starts).map(lambda each: Chunk("t", each[0], each[1], about=each[2]))
readings = st.builds(
    Reading,
    st.sampled_from(PROJECTS),
    st.sampled_from(PATHS),
    st.builds(FileMark, st.sampled_from("de"), st.just(1), st.just(2)),
    st.just("python"),
    st.lists(chunks, max_size=2).map(tuple),
    st.lists(entities, max_size=5).map(tuple),
    st.lists(said, max_size=6).map(tuple),
    st.lists(plain_aliases | star_aliases, max_size=3).map(tuple),
    st.sampled_from(["", "", "", "binary"]),
    st.just(()),
)
kept = st.builds(
    lambda reading, mark: kept_of(reading, tuple(f"m{mark}{n}" for n in range(len(reading.chunks)))),
    readings,
    st.integers(0, 9),
)
sentences = st.sampled_from(["", "s"])
triples = st.builds(
    Triple, names, st.sampled_from(["r", "calls"]), names, sentences, st.sampled_from(["", "m1"]), st.just(0.5)
)

Step = Callable[[Knowledge], None]
steps = st.one_of(
    st.lists(kept, min_size=1, max_size=3).map(lambda each: lambda graph: graph.put(SPACE, each)),
    st.tuples(st.sampled_from(PROJECTS), st.lists(st.sampled_from(PATHS), max_size=2)).map(
        lambda each: lambda graph: graph.remove(SPACE, *each)
    ),
    st.tuples(st.sampled_from(["one", "two"]), st.lists(triples, max_size=3)).map(
        lambda each: lambda graph: graph.state(SPACE, *each)
    ),
    st.lists(st.sampled_from(["m1", "m00", "m10", "m21", "m30"]), max_size=4).map(
        lambda each: lambda graph: graph.erase(SPACE, each)
    ),
    st.just(lambda graph: graph.settle(SPACE)),
    st.sampled_from([None, *PROJECTS]).map(lambda project: lambda graph: graph.forget(SPACE, project)),
)


@contextmanager
def both() -> Iterator[tuple[InMemoryKnowledge, SqliteKnowledge]]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        graph = SqliteKnowledge(Path(folder), settings=StoreSettings())
        try:
            yield InMemoryKnowledge(), graph
        finally:
            graph.close()


def everything(graph: Knowledge, narrow: frozenset[str], limit: int) -> dict[str, Any]:
    """All that a graph says of itself."""
    ids = [f"{project}::{key}" for project in ("", *PROJECTS) for key in (*KEYS, "name:run", "name:d", "name:?!")]
    words = ["b", "run", "b run", "a b run", "the run", "ä", "a", "d run", "get b", "id", "d", "a b b run"]
    relations = frozenset({"calls", "inherits"})
    return {
        "files": [graph.files(SPACE, project) for project in ("", *PROJECTS)],
        "chunks": [graph.chunks_of(SPACE, project, PATHS) for project in PROJECTS],
        "projects": graph.projects(SPACE),
        "nodes": graph.nodes(SPACE, ids),
        "named": graph.named(SPACE, words),
        "narrowed": graph.named(SPACE, words, projects=narrow),
        "alike": [graph.resembling(SPACE, word, limit=limit) for word in ("bb", "Runs", "th run")],
        "alike narrowed": graph.resembling(SPACE, "run", limit=limit, projects=narrow),
        "about": [graph.about(SPACE, ids, way=way) for way in Way],
        "about narrowed": graph.about(SPACE, ids, relations=relations, projects=narrow),
        "about few": [graph.about(SPACE, ids[::3], way=way, limit=limit) for way in Way],
        "relations": graph.relations(SPACE),
    }


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, max_size=6), st.frozensets(st.sampled_from(PROJECTS), max_size=2), st.integers(0, 4))
def test_the_two_graphs_say_the_same(done: list[Step], narrow: frozenset[str], limit: int) -> None:
    with both() as (reference, graph):
        for step in done:
            step(reference)
            step(graph)
        unsettled = [everything(each, narrow, limit) for each in (reference, graph)]
        assert unsettled[0] == unsettled[1]
        for each in (reference, graph):
            each.settle(SPACE)
        settled = [everything(each, narrow, limit) for each in (reference, graph)]
        assert settled[0] == settled[1]
