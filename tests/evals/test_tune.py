"""Tuning: parts told apart by the text, settings fitted on one, kept only when the other agrees."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.configure import configure
from recollect.errors import InvalidInput
from recollect.evals import tune_measure as measure
from recollect.evals.layout import LabelledSet, Labels, Query, read_set
from recollect.evals.load import loaded
from recollect.evals.logistic import fit_logistic, solved
from recollect.evals.split import Half, half_of
from recollect.evals.tune import Manner, Tuned, best_bounds, best_threshold, in_fit_part, tune
from recollect.evals.tune_ask import Asked, Variant, value_of, with_changes
from recollect.evals.tune_report import as_json, settings_text
from recollect.models.hashing import HashingEmbedder
from recollect.settings import EmbedderSettings, Settings

from .small import write_set

SETTINGS = Settings(embedder=EmbedderSettings(name="hashing"))
DAY = datetime(2026, 5, 1, tzinfo=UTC)
TOWNS = ("Brenn", "Olm", "Kern", "Vara", "Tesk", "Mirn", "Pelt", "Husk", "Dorn", "Falk", "Grund", "Holm")


def towns(folder: Path) -> LabelledSet:
    """A set with a fact and a question about each town, and as many questions about nothing stored."""
    corpus = [
        {"id": f"d{n}", "title": town, "text": f"The mayor of {town} is a baker."} for n, town in enumerate(TOWNS)
    ]
    known = [
        {"id": f"q{n}", "text": f"Who is the mayor of {town}?", "meta": {"answerable": True}}
        for n, town in enumerate(TOWNS)
    ]
    unknown = [
        {"id": f"u{n}", "text": f"Which quark decays {n} times into a muon?", "meta": {"answerable": False}}
        for n in range(len(TOWNS))
    ]
    qrels = [{"query_id": f"q{n}", "doc_id": f"d{n}", "grade": 1} for n in range(len(TOWNS))]
    return read_set(write_set(folder, corpus=corpus, queries=[*known, *unknown], qrels=qrels))


def run(given: LabelledSet, settings: Settings = SETTINGS, **manner: Any) -> Tuned:
    return asyncio.run(tune(given, settings=settings, manner=Manner(**manner), progress=lambda *_: None))


def test_settings_are_tried_with_the_sources_any_question_has(tmp_path: Path) -> None:
    async def ask() -> tuple[list[str], list[str]]:
        given, embedder = towns(tmp_path / "set"), HashingEmbedder()
        async with (
            loaded(given, settings=SETTINGS, embedder=embedder, progress=lambda *_: None) as ready,
            Recollect.open(tmp_path / "usual", embedder="hashing", environment={}) as usual,
        ):
            tried = Variant(ready, with_changes(SETTINGS, {"rank.time": 0.5}))
            return sorted(tried._means.sources), sorted(usual._means.sources)

    tried, usual = asyncio.run(ask())
    assert tried == usual
    assert "graph" in usual


def asked(query: str, **changes: Any) -> Asked:
    plain = Asked(query, (), (), (0.5,), "answerable", "high", 0.5, {})
    return plain._replace(**changes)


def labelled(*labels: bool, gold: Sequence[str] = ()) -> LabelledSet:
    names = [str(number) for number in range(len(labels))]
    return LabelledSet(
        "set",
        (),
        tuple(Query(name, f"question {name}") for name in names),
        {name: Labels(label) for name, label in zip(names, labels, strict=True)},
        {name: dict.fromkeys(gold, 1) for name in names} if gold else {},
    )


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Tuned:
    """What becomes of a threshold that lets nothing pass."""
    folder = tmp_path_factory.mktemp("mended")
    embedder = EmbedderSettings(name="hashing", cache=folder / "cache")
    return run(towns(folder / "towns"), replace(SETTINGS, answerable_threshold=0.99, embedder=embedder))


# --- parts ---------------------------------------------------------------------------------------


def test_half_of_the_questions_is_the_half_others_fit_on() -> None:
    texts = [f"question {number}" for number in range(200)]
    assert [in_fit_part(text, 0.5) for text in texts] == [half_of(text) is Half.FIT for text in texts]


def test_a_larger_share_holds_the_smaller_one() -> None:
    texts = [f"question {number}" for number in range(500)]
    parts = [{text for text in texts if in_fit_part(text, share)} for share in (0.2, 0.5, 0.8)]
    assert parts[0] < parts[1] < parts[2]
    assert 0.7 < len(parts[2]) / len(texts) < 0.9
    assert in_fit_part("What?", 0.6) is in_fit_part("  what? ", 0.6)


def test_a_part_without_questions_is_refused(tmp_path: Path) -> None:
    given = towns(tmp_path / "towns")
    with pytest.raises(InvalidInput) as caught:
        run(given._replace(queries=given.queries[:1]))
    assert "has no question" in str(caught.value)


# --- logistic ------------------------------------------------------------------------------------


def test_a_fitted_model_finds_the_weights_the_cases_were_made_with() -> None:
    cases, labels = [], []
    for number in range(400):
        signs = {"a": (number % 20) / 20, "noise": (number * 7 % 11) / 11}
        cases.append(signs)
        labels.append((number * 37 % 100) / 100 < 1 / (1 + 2.718281828 ** (3 - 6 * signs["a"])))
    fitted = fit_logistic(cases, labels, ridge=1e-6)
    assert fitted.bias == pytest.approx(-3, abs=0.6)
    assert fitted.weights["a"] == pytest.approx(6, abs=1.0)
    assert abs(fitted.weights["noise"]) < 1.0
    assert sum(fitted.chance(each) for each in cases) == pytest.approx(sum(labels), abs=1e-3), "right on average"


def test_cases_that_can_be_told_apart_do_not_run_away() -> None:
    fitted = fit_logistic([{"x": -1.0}, {"x": 1.0}] * 10, [False, True] * 10)
    assert 0.5 < fitted.chance({"x": 1.0}) < 0.999


def test_one_label_alone_gives_its_share_and_a_sign_that_never_varies_is_harmless() -> None:
    fitted = fit_logistic([{"x": 1.0}] * 4, [True, True, True, False], ridge=1.0)
    assert fitted.chance({"x": 1.0}) == pytest.approx(0.75, abs=0.01)


def test_equations_are_solved_whatever_their_order() -> None:
    assert solved([[0.0, 2.0], [4.0, 0.0]], [6.0, 8.0]) == [2.0, 3.0]


# --- measures ------------------------------------------------------------------------------------


def test_verdicts_count_both_sorts_alike() -> None:
    given = labelled(True, True, True, False)
    said = [asked(str(number)) for number in range(4)]
    assert measure.verdicts(said, given) == 0.5
    assert measure.verdicts([*said[:3], asked("3", verdict="none")], given) == 1.0
    assert measure.verdicts(said[:3], labelled(True, True, True)) is None


def test_to_miss_an_answer_costs_more_than_to_show_too_much() -> None:
    given = labelled(True, gold=("a", "b"))
    missing = measure.cut_off([asked("0", evidence=("a",))], given)
    too_much = measure.cut_off([asked("0", evidence=("a", "b", "c", "d"))], given)
    assert missing and too_much and missing < too_much < 1
    assert measure.cut_off([asked("0", evidence=())], given) == 0.0


def test_the_table_has_the_difference_question_by_question() -> None:
    given = labelled(True, True, False, False, gold=("a",))
    before = [asked(str(number), confidence=0.5) for number in range(4)]
    after = [asked(str(n), confidence=c, verdict=v) for n, (c, v) in enumerate([(0.9, "answerable")] * 2)]
    after += [asked(str(n), confidence=0.1, verdict="none") for n in (2, 3)]
    found = measure.table(before, after, given)
    assert found["AUROC"].change.value == 0.5
    assert found["Brier"].change.value == pytest.approx(0.01 - 0.25)
    assert found["verdicts"].after.value == 1.0
    assert found["ECE"].before.value == 0.0 and found["ECE"].after.value == pytest.approx(0.1)
    assert found["recall@5"].questions == 2, "what is labelled unanswerable has no gold"


def test_a_gain_that_hangs_on_one_question_is_not_sure() -> None:
    given = labelled(*[True] * 20, gold=("a",))
    before = [asked(str(number), ranking=("x",)) for number in range(20)]
    one = [*before[:19], asked("19", ranking=("a",))]
    all_of_them = [asked(str(number), ranking=("a",)) for number in range(20)]
    assert measure.chance_of_gain(measure.ranking, before, before, given) == 0.0
    assert 0.4 < measure.chance_of_gain(measure.ranking, before, one, given) < 0.8
    assert measure.chance_of_gain(measure.ranking, before, all_of_them, given) == 1.0


def test_what_is_surely_lost_is_named() -> None:
    given = labelled(*[True] * 20, gold=("a",))
    before = [asked(str(number), ranking=("a",), evidence=("a",), confidence=0.9) for number in range(20)]
    after = [asked(str(number), ranking=("a",), evidence=(), confidence=0.2) for number in range(20)]
    assert measure.costs(measure.table(before, after, given)) == ["cut-off recall", "Brier"]
    assert measure.costs(measure.table(after, before, given)) == []


# --- settings ------------------------------------------------------------------------------------


def test_settings_are_changed_by_their_dotted_names() -> None:
    changed = with_changes(SETTINGS, {"rank.time": 1.0, "relevance_ratio": 0.3})
    assert (value_of(changed, "rank.time"), changed.relevance_ratio) == (1.0, 0.3)
    assert replace(changed, rank=SETTINGS.rank, relevance_ratio=SETTINGS.relevance_ratio) == SETTINGS


def test_a_bad_threshold_is_mended_and_what_is_fine_is_left(mended: Tuned) -> None:
    tuned = mended
    stages = {each.stage: each for each in tuned.tried}
    assert list(stages) == ["weights", "gate", "cut-off", "verdict", "confidence", "labels"]
    assert not stages["verdict"].refused
    assert 0 < tuned.changes["answerable_threshold"] < 0.99
    assert "rank.time" not in tuned.changes, "every mayor is found already"
    assert tuned.lines["verdicts"].before.value < tuned.lines["verdicts"].after.value == 1.0
    assert tuned.fit + tuned.held_out == 2 * len(TOWNS)
    assert any("rough" in note for note in tuned.notes)


def test_what_does_not_help_on_the_held_out_questions_is_refused(tmp_path: Path) -> None:
    given = towns(tmp_path / "towns")
    turned = {
        query.id: Labels(not given.labels_of(query.id).answerable)
        for query in given.queries
        if in_fit_part(query.text, 0.5)
    }
    misled = given._replace(labels={**given.labels, **turned})
    tuned = run(misled, replace(SETTINGS, answerable_threshold=0.99))
    refused = {each.stage: each.refused for each in tuned.tried}
    assert refused["verdict"]
    assert "answerable_threshold" not in tuned.changes


def test_without_labels_there_is_nothing_to_fit_the_verdict_by(tmp_path: Path) -> None:
    given = towns(tmp_path / "towns")._replace(labels={})
    tuned = run(given, limit=10)
    refused = {each.stage: each.refused for each in tuned.tried}
    assert (refused["verdict"], refused["confidence"]) == ("not labelled", "not labelled")
    assert "AUROC" not in tuned.lines


def test_the_same_twice_is_the_same(tmp_path: Path) -> None:
    given = towns(tmp_path / "towns")
    one, other = (as_json(run(given, limit=10), made={}) for _ in range(2))
    assert one == other


def test_the_same_settings_are_asked_once(tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    given = towns(tmp_path / "towns")
    manner = Manner(limit=10)
    asyncio.run(tune(given, settings=SETTINGS, manner=manner, progress=lambda *step: steps.append(step)))
    asked_plainly = [done for what, done, _ in steps if what == "asking"]
    assert len(asked_plainly) == 10, "the settings as they are, for both parts"


def test_label_bounds_move_to_where_they_tell_most() -> None:
    given = labelled(False, False, True, True)
    answers = [asked(str(n), confidence=sure) for n, sure in enumerate((0.5, 0.52, 0.6, 0.62))]
    found = best_bounds(answers, given, now=(0.45, 0.7))
    assert found == {"high_confidence": 0.6}, "one bound between the two sorts is enough, and the nearest is taken"


def test_the_threshold_lies_between_the_sorts_and_the_weakest_part_counts() -> None:
    given = labelled(True, True, False, False)
    bests = [(0.7,), (0.9, 0.8), (0.4,), (0.9, 0.3)]
    answers = [asked(str(n), bests=each) for n, each in enumerate(bests)]
    assert best_threshold(answers, given, now=0.25) == {"answerable_threshold": 0.41}
    assert best_threshold(answers, given, now=0.5) == {}, "what is right already stays"


# --- files ---------------------------------------------------------------------------------------


def test_the_file_is_one_that_config_takes_and_says_where_it_comes_from(mended: Tuned, tmp_path: Path) -> None:
    settings = replace(mended.settings, embedder=EmbedderSettings(name="hashing", api_key="secret"))
    tuned = mended._replace(changes={**mended.changes, "rank.time": 0.4}, settings=settings)
    text = settings_text(tuned, by="recollect 1", at=DAY)
    assert "# Fitted by recollect 1 on 2026-05-01 to 'towns'" in text
    assert "verdicts" in text and "secret" not in text
    assert tomllib.loads(text)["rank"] == {"time": 0.4}
    path = tmp_path / "tuned.toml"
    path.write_text(text, encoding="utf-8")
    found = configure(file=path)
    assert found.answerable_threshold == tuned.changes["answerable_threshold"]
    assert (found.rank.time, found.embedder.name) == (0.4, "hashing"), "what it was fitted with is written too"
