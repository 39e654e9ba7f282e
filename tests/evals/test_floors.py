"""The project's own sets may not fall below their floors, and whoever lets one fall is told which questions did it."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recollect.errors import Unavailable
from recollect.evals.baselines import Scored
from recollect.evals.layout import Document, LabelledSet, Labels, Query, read_set
from recollect.evals.run import Manner, Outcome, Ran, run_set
from recollect.models.cached import cache_folder
from recollect.models.minilm import MiniLM
from recollect.models.weights import MODEL
from recollect.settings import EmbedderSettings, Settings

ROOT = Path(__file__).parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("floors", ROOT / "benchmarks" / "floors.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


floors = _load()
FLOORS: dict[str, dict[str, float]] = floors.read_floors()
FOLDERS: list[Path] = floors.own_sets()


@pytest.fixture(scope="module")
def weights() -> Path:
    """The folder MiniLM's weights are in."""
    try:
        asyncio.run(MiniLM().warm())
    except Unavailable as error:
        pytest.skip(f"THE FLOORS OF OUR OWN SETS ARE NOT TESTED HERE, FOR LACK OF MINILM: {error}")
    return cache_folder() / MODEL


@pytest.fixture
def own_cache(weights: Path, cache_of_its_own: None, tmp_path: Path) -> Path:
    """A cache with the weights in it and no vectors, so that nothing is left with whoever runs this."""
    folder = tmp_path / "own cache"
    (folder / "recollect").mkdir(parents=True)
    (folder / "recollect" / MODEL).symlink_to(weights, target_is_directory=True)
    return folder


@pytest.mark.weights
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_figure_is_below_its_floor(folder: Path, own_cache: Path) -> None:
    settings = Settings(embedder=EmbedderSettings(cache=own_cache, offline=True, fallback=False))
    ran = asyncio.run(run_set(read_set(folder), settings=settings, manner=Manner(), progress=lambda *_: None))
    fallen = [each for each in floors.hold(ran, FLOORS[folder.name]) if not each.holds]
    assert not fallen, "\n" + "\n".join(map(str, fallen))


def test_every_set_has_floors_and_every_floor_a_set() -> None:
    assert [folder.name for folder in FOLDERS] == sorted(FLOORS)
    assert len(FOLDERS) == 9
    assert all(0 < floor <= 1 for lines in FLOORS.values() for floor in lines.values())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_labels_name_what_there_is(folder: Path) -> None:
    given = read_set(folder)
    documents = {document.id: document for document in given.documents}
    asked = {query.id: query for query in given.queries}
    assert len(documents) == len(given.documents), "an id stands there twice"
    assert len({document.text for document in given.documents}) == len(given.documents)
    assert len({query.text for query in given.queries}) == len(given.queries)
    assert given.grades.keys() <= asked.keys()
    for query in given.queries:
        assert given.labels_of(query.id).answerable is bool(given.grades.get(query.id)), query
        for document in given.grades.get(query.id, ()):
            assert documents[document].group == query.group, query
            time = documents[document].time
            assert query.now is None or time is None or time <= query.now, "asked before it was said"
    places = {document: place for place, document in enumerate(documents)}
    for old, later in given.contradictions.items():
        assert all(places[old] < places[new] for new in later), "the later one contradicts the earlier"


# --- what is said when one falls -----------------------------------------------------------------

ASKED = (("q0", "Who built it?", True), ("q1", "When?", True), ("q2", "Why not?", False), ("q3", "Where?", False))
GIVEN = LabelledSet(
    "made up",
    tuple(Document(id, "", id) for id in "abc"),
    tuple(Query(id, text) for id, text, _ in ASKED),
    {id: Labels(answerable) for id, _, answerable in ASKED},
    {"q0": {"a": 1}, "q1": {"b": 1}},
    contradictions={"a": ("c",)},
)


def outcome(query: str, ranking: str, confidence: float, verdict: str) -> Outcome:
    ranked = tuple(Scored(id, 1 - place / 10) for place, id in enumerate(ranking))
    rest: dict[str, Any] = {"parts": (), "stop": "enough", "seconds": 0.01, "tokens": 10, "rounds": 1}
    return Outcome(query, ranked, tuple(ranking), len(ranking), confidence=confidence, verdict=verdict, **rest)


RAN = Ran(
    GIVEN,
    (
        outcome("q0", "ca", 0.9, "answerable"),
        outcome("q1", "acb", 0.3, "none"),
        outcome("q2", "a", 0.8, "partial"),
        outcome("q3", "", 0.1, "none"),
    ),
    0.0,
    "hashing",
)


def test_a_fallen_floor_names_set_measure_seen_floor_and_questions() -> None:
    (held,) = floors.hold(RAN, {"recall@2": 0.9})
    assert not held.holds
    assert str(held) == "made up: recall@2 is 0.500, its floor 0.900\n  q1 When?"


@pytest.mark.parametrize(
    ("measure", "seen", "missed"),
    [
        ("recall@2", 0.5, ["q1"]),
        ("MRR", (1 / 2 + 1 / 3) / 2, ["q0", "q1"]),
        ("answered", 0.5, ["q1"]),
        ("declined", 0.5, ["q2"]),
        ("newest first", 1.0, []),
        ("flagged", 0.0, ["q0"]),
        ("AUROC", 0.75, ["q1", "q2"]),
    ],
)
def test_what_is_seen_and_who_missed(measure: str, seen: float, missed: list[str]) -> None:
    (held,) = floors.hold(RAN, {measure: 1.1})
    assert held.seen == pytest.approx(seen)
    assert [each.split()[0] for each in held.missed] == missed


def test_at_the_floor_it_holds_and_nobody_is_named() -> None:
    (held,) = floors.hold(RAN, {"MRR": (1 / 2 + 1 / 3) / 2})
    assert held.holds
    assert held.missed == ()


@pytest.mark.parametrize(("measure", "earned"), [("recall@5", 0.5), ("declined", 0.0), ("newest first", 0.0)])
def test_a_floor_is_earned_one_question_below(measure: str, earned: float) -> None:
    (held,) = floors.hold(RAN, {measure: 0.0})
    assert held.earned == earned


def test_a_measure_nobody_knows_is_named() -> None:
    with pytest.raises(KeyError, match="made up has no recall@3; it has recall@2"):
        floors.hold(RAN, {"recall@3": 0.5})
