from __future__ import annotations

from dataclasses import replace

from recollect.rank.ranking import whole_ranking

from ..steps.build import evidence, findings, found, hit


def test_what_was_kept_comes_first_and_the_rest_by_relevance() -> None:
    seen = [findings(found(hit("a", 0.9), hit("c", 0.3), hit("b", 0.8))), findings(found(hit("c", 0.5)), round=2)]
    assert [id for id, _ in whole_ranking([evidence("b", 0.8)], seen)] == ["b", "a", "c"]


def test_scores_never_rise() -> None:
    ranking = whole_ranking([evidence("b", 0.4)], [findings(found(hit("a", 0.9), hit("b", 0.4), hit("c", 0.2)))])
    scores = [score for _, score in ranking]
    assert scores == sorted(scores, reverse=True)


def test_what_was_merged_stands_behind_what_it_was_merged_into() -> None:
    pieces = [replace(evidence("a", 0.9), absorbed=("z",)), evidence("b", 0.5)]
    assert [id for id, _ in whole_ranking(pieces, [findings(found(hit("z", 0.7), hit("y", 0.1)))])] == [
        "a",
        "z",
        "b",
        "y",
    ]


def test_nothing_found_is_an_empty_ranking() -> None:
    assert whole_ranking([], [findings(found())]) == ()


def test_where_parts_take_turns_scores_still_never_rise() -> None:
    ranking = whole_ranking([evidence("a", 0.9), evidence("b", 0.3), evidence("c", 0.8)], [])
    assert ranking == (("a", 0.9), ("b", 0.3), ("c", 0.3))
