"""What speaks for a memory because it speaks of what a better one speaks of, and how far that may raise it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.joined import (
    FIRST_STAY,
    MOST_SPEAK,
    NOT_JOINED,
    Joined,
    joined_score,
    raised,
    reached_from,
)
from recollect.rank.model import shipped_model

ASKED = [("direct", 0.5), ("wife", 0.5)]


def told(**speak: str) -> dict[str, dict[str, list[str]]]:
    return {"ana ortiz": {memory: [said] for memory, said in speak.items()}}


def test_what_is_asked_of_the_shared_name_counts_where_it_was_found() -> None:
    names = {"film": ["ana ortiz"]}
    said = reached_from({"film": 1.0}, names, told(film="directed by ana ortiz", life="x"), ASKED)["life"]
    silent = reached_from({"film": 1.0}, names, told(film="", life="directed by ana ortiz"), ASKED)["life"]
    assert said.joined.said == 0.5 and silent.joined.said == 0.0
    assert said.by == ("film",)


def test_the_more_speak_of_a_name_the_less_it_joins_and_of_many_nothing() -> None:
    def joined(others: int) -> Joined:
        found = reached_from(
            {"film": 1.0}, {"film": ["ana ortiz"]}, told(**{f"m{n}": "" for n in range(others)}), ASKED
        )
        return found["m0"].joined if found else NOT_JOINED

    assert joined(1).rare > joined(3).rare > 0 and joined(1).alone > joined(3).alone > 0
    assert joined(MOST_SPEAK) == NOT_JOINED


def test_a_weaker_seed_says_less_and_the_strongest_comes_first() -> None:
    both = told(film="", play="", life="")
    names = {"film": ["ana ortiz"], "play": ["ana ortiz"]}
    found = reached_from({"film": 0.2, "play": 1.0}, names, both, ASKED)
    assert found["life"].by == ("play", "film")
    weak = reached_from({"film": 0.2}, names, both, ASKED)
    assert weak["life"].joined.rare < found["life"].joined.rare


def test_a_name_nobody_else_speaks_of_joins_nothing() -> None:
    assert reached_from({"film": 1.0}, {"film": ["ana ortiz"]}, told(film="x"), ASKED) == {}
    assert reached_from({"film": 1.0}, {"film": ["ben low"]}, told(life="x"), ASKED) == {}


def test_the_shipped_weights_are_for_all_that_joins_and_speak_for_it() -> None:
    for arms in (shipped_model().with_vectors, shipped_model().keyword_only):
        assert set(arms.joined) == set(Joined._fields)
        assert joined_score(Joined(0.5, 0.5, 0.5), arms.joined) > 0


SCORES = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.floats(-20, 20), max_size=12)


@given(SCORES, st.floats(0, 50))
def test_the_first_stay_nobody_falls_and_more_is_not_less(scores: dict[str, float], more: float) -> None:
    found = raised(scores, dict.fromkeys(scores, more))
    order = sorted(scores, key=lambda id: (-scores[id], id))
    for id in order[:FIRST_STAY]:
        assert found[id] == scores[id]
    for id in order[FIRST_STAY:]:
        assert found[id] >= min(scores[id], found[id])
        assert found[id] <= scores[order[FIRST_STAY - 1]]
    assert raised(scores, {}) == scores
