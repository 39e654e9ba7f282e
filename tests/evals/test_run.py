"""A set through the engine: documents by their own ids, groups apart, times as given, labels unseen."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from recollect.evals.layout import LabelledSet, Labels, read_set
from recollect.evals.load import TIMELESS, Loaded, loaded
from recollect.evals.run import Manner, Outcome, Ran, run_set
from recollect.evals.split import Half, half_of
from recollect.models.hashing import HashingEmbedder
from recollect.records import Filters
from recollect.settings import EmbedderSettings, Settings

from .small import CORPUS, QUERIES, write_set

SETTINGS = Settings(embedder=EmbedderSettings(name="hashing"))
Steps = list[tuple[str, int, int]]


def run(given: LabelledSet, *, seen: Steps | None = None, **manner: Any) -> Ran:
    steps: Steps = [] if seen is None else seen
    return asyncio.run(
        run_set(given, settings=SETTINGS, manner=Manner(**manner), progress=lambda *step: steps.append(step))
    )


def without_time(outcomes: tuple[Outcome, ...]) -> list[Outcome]:
    return [each._replace(seconds=0.0) for each in outcomes]


@pytest.fixture
def island(tmp_path: Path) -> LabelledSet:
    return read_set(write_set(tmp_path / "island"))


def test_rankings_are_of_the_documents_own_ids(island: LabelledSet) -> None:
    ran = run(island)
    assert [each.query for each in ran.outcomes] == [query.id for query in island.queries]
    assert ran.outcomes[0].ranking[0].id == "d1"
    assert ran.outcomes[1].ranking[0].id == "d2"
    for each in ran.outcomes:
        ids = [found.id for found in each.ranking]
        assert len(ids) == len(set(ids))
        assert set(each.evidence) <= set(ids) <= {line["id"] for line in CORPUS}
        scores = [found.score for found in each.ranking]
        assert scores == sorted(scores, reverse=True)
    answered = ran.outcomes[0]
    assert answered.verdict == "answerable"
    assert answered.tokens > 0
    assert answered.rounds >= 1
    assert answered.seconds > 0
    assert [state.part.text for state in answered.parts] == [QUERIES[0]["text"]]
    assert ran.embedder == HashingEmbedder().identity


def test_the_ranking_goes_on_after_the_cut_off(island: LabelledSet) -> None:
    for each in run(island).outcomes:
        assert len(each.ranking) == len(CORPUS)
        assert [found.id for found in each.ranking[: len(each.evidence)]] == list(each.evidence)


def test_labels_change_nothing(island: LabelledSet) -> None:
    turned = {id: Labels(not labels.answerable, "x", ("a", "b")) for id, labels in island.labels.items()}
    blind = island._replace(labels=turned, grades={})
    assert without_time(run(island).outcomes) == without_time(run(blind).outcomes)


def test_the_same_twice_is_the_same(island: LabelledSet) -> None:
    assert without_time(run(island, baselines=True).outcomes) == without_time(run(island, baselines=True).outcomes)


def test_a_limit_and_a_recipe_are_kept_to(island: LabelledSet) -> None:
    ran = run(island, limit=2, recipe="fast")
    assert [each.query for each in ran.outcomes] == ["q1", "q3"]
    assert all(each.rounds == 1 for each in ran.outcomes)


@pytest.mark.parametrize("half", Half)
def test_a_half_is_asked_and_a_limit_counts_within_it(island: LabelledSet, half: Half) -> None:
    wanted = [query.id for query in island.queries if half_of(query.text) is half]
    assert [each.query for each in run(island, half=half).outcomes] == wanted
    assert [each.query for each in run(island, half=half, limit=1).outcomes] == wanted[:1]


def test_progress_is_told_to_the_end(island: LabelledSet) -> None:
    seen: Steps = []
    run(island, seen=seen)
    assert ("loading", len(CORPUS), len(CORPUS)) in seen
    assert seen[-1] == ("asking", len(QUERIES), len(QUERIES))


def test_nothing_is_left_behind(
    island: LabelledSet, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    run(island)
    assert not list(folder.iterdir())


def test_a_query_searches_its_group_only(tmp_path: Path) -> None:
    corpus = [{**line, "id": f"{line['id']}-{group}", "meta": {"group": group}} for group in "AB" for line in CORPUS]
    queries = [{"id": group, "text": QUERIES[0]["text"], "meta": {"group": group}} for group in "ABC"]
    ran = run(read_set(write_set(tmp_path, corpus=corpus, queries=queries)), baselines=True)
    first, second, nowhere = ran.outcomes
    assert {found.id[-1] for found in first.ranking} == {"A"}
    assert {found.id[-1] for found in second.ranking} == {"B"}
    assert nowhere.ranking == ()
    assert nowhere.verdict == "none"
    assert {found.id[-1] for found in ran.baselines["dense"][1]} == {"B"}


def test_groups_nobody_asks_about_are_not_loaded(tmp_path: Path) -> None:
    corpus = [{**line, "meta": {"group": group}} for group in "AB" for line in CORPUS]
    queries = [{"id": group, "text": QUERIES[0]["text"], "meta": {"group": group}} for group in "AB"]
    given = read_set(write_set(tmp_path, corpus=corpus, queries=queries))
    seen: Steps = []
    ran = run(given, seen=seen, limit=1)
    assert [len(each.ranking) for each in ran.outcomes] == [len(CORPUS)]
    assert len(ran.given.documents) == len(CORPUS)
    assert {total for what, _, total in seen if what == "loading"} == {len(CORPUS)}


def test_a_document_that_stands_there_twice_is_one(tmp_path: Path) -> None:
    longer = {**CORPUS[0], "text": "The lighthouse on Brenn island, built by Ada Kern, is white."}
    ran = run(read_set(write_set(tmp_path, corpus=[*CORPUS, CORPUS[0], longer])))
    ids = [found.id for found in ran.outcomes[0].ranking]
    assert ids.count("d1") == 1


def inside(given: LabelledSet, look: Any) -> Any:
    async def looked() -> Any:
        made = loaded(given, settings=SETTINGS, embedder=HashingEmbedder(), progress=lambda *_: None)
        async with made as ready:
            return look(ready)

    return asyncio.run(looked())


def test_documents_are_stored_in_file_order_before_they_are_asked_about(tmp_path: Path) -> None:
    times = ["8 May 2023", "6 July 2023", None, None, None, None]
    corpus = [{**line, "meta": {"time": time, "author": "Ana"}} for line, time in zip(CORPUS, times, strict=True)]
    given = read_set(write_set(tmp_path, corpus=corpus))

    def look(ready: Loaded) -> Any:
        space = ready.space_of(given.queries[0])
        return space, ready.store.browse(space.name, Filters(), limit=10)

    space, newest_first = inside(given, look)
    memories = newest_first[::-1]
    assert [memory.metadata["document"] for memory in memories] == [line["id"] for line in CORPUS]
    assert {(later.created_at - one.created_at).seconds for one, later in pairwise(memories)} == {1}
    assert space.moment == datetime(2023, 7, 6, tzinfo=UTC) > memories[-1].created_at
    assert memories[0].event_time == datetime(2023, 5, 8, tzinfo=UTC)
    assert {(memory.kind, memory.author) for memory in memories} == {("message", "Ana")}
    assert all(memory.embedded_by for memory in memories)


def test_without_authors_they_are_documents_and_without_times_the_moment_is_fixed(island: LabelledSet) -> None:
    def look(ready: Loaded) -> Any:
        space = ready.space_of(island.queries[0])
        return space.moment, {memory.kind for memory in ready.store.browse(space.name, Filters(), limit=10)}

    assert inside(island, look) == (TIMELESS, {"document"})


def test_a_question_is_asked_at_its_own_moment(tmp_path: Path) -> None:
    corpus = [
        {"id": "old", "text": "Ana moved the crane to the north pier.", "meta": {"time": "2023-05-02"}},
        {"id": "new", "text": "Ana moved the crane to the south pier.", "meta": {"time": "2023-05-20"}},
    ]
    text = "Where did Ana move the crane yesterday?"
    queries = [{"id": now, "text": text, "meta": {"now": now}} for now in ("2023-05-03", "2023-05-21")]
    ran = run(read_set(write_set(tmp_path, corpus=corpus, queries=queries, qrels=[])))
    periods = [each.parts[0].part.time for each in ran.outcomes]
    assert [period.start.date().isoformat() for period in periods if period and period.start] == [
        "2023-05-02",
        "2023-05-20",
    ]


def test_conflicts_are_of_documents(tmp_path: Path) -> None:
    corpus = [
        {"id": "old", "text": "The standup is at 9:30.", "meta": {"time": "2023-05-02"}},
        {"id": "new", "text": "The standup is at 10:15.", "meta": {"time": "2023-05-20"}},
    ]
    queries = [{"id": "q", "text": "When is the standup?"}]
    (outcome,) = run(read_set(write_set(tmp_path, corpus=corpus, queries=queries, qrels=[]))).outcomes
    assert outcome.conflicts == {frozenset({"old", "new"})}


def test_messages_reach_the_question(tmp_path: Path) -> None:
    said = [{"author": "user", "text": "Tell me about Ada Kern."}]
    queries = [{"id": "q", "text": "What did she design?", "meta": {"messages": said}}]
    (outcome,) = run(read_set(write_set(tmp_path, queries=queries, qrels=[]))).outcomes
    assert "Ada Kern" in outcome.parts[0].part.text


def test_baselines_are_computed_on_the_same_store(island: LabelledSet) -> None:
    ran = run(island, baselines=True)
    assert list(ran.baselines) == ["bm25", "dense", "rrf", "linear"]
    assert all(len(rankings) == len(island.queries) for rankings in ran.baselines.values())
    assert all(rankings[0][0].id == "d1" for rankings in ran.baselines.values())
    linear = ran.baselines["linear"][0]
    cosine = {found.id: found.score for found in ran.baselines["dense"][0]}
    words = {found.id: found.score for found in ran.baselines["bm25"][0]}
    best = max(words.values())
    for found in linear:
        assert found.score == pytest.approx(0.5 * words.get(found.id, 0.0) / best + 0.5 * cosine[found.id], abs=1e-6)
