"""What texts state and where they disagree; each line of the case tables is one test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.frames import stem
from recollect.language.opposites import DENYING, SIDES, SIDES_OF, TURNING
from recollect.language.relations import VERBS
from recollect.language.rivals import frame_of, rival
from recollect.language.statements import FUNCTIONAL, LOOKED_AT, MOST, Statement, disagree, find_statements, fold

from .loading import listed, load


def _id(value: object) -> str:
    return str(value)[:60]


def told(statement: Statement) -> str:
    return f"{statement.subject} | {'not ' if statement.negated else ''}{statement.relation} | {statement.object}"


def reason(one: str, other: str) -> str | None:
    pairs = ((first, second) for first in find_statements(one) for second in find_statements(other))
    return next((found for pair in pairs if (found := disagree(*pair))), None)


@pytest.mark.parametrize(("text", "expected"), load("statements"), ids=_id)
def test_statements(text: str, expected: str | None) -> None:
    assert [told(each) for each in find_statements(text)] == listed(expected, " / ")


@pytest.mark.parametrize(("texts", "expected"), load("disagreements"), ids=_id)
def test_disagreements_hold_both_ways(texts: str, expected: str | None) -> None:
    one, other = listed(texts, " / ")
    assert find_statements(one) or find_statements(other), "a case nobody reads proves nothing"
    assert reason(one, other) == expected
    assert reason(other, one) == expected


def outcome(one: str, other: str) -> str | None:
    first, second = frame_of(one), frame_of(other)
    found = rival(first, second) if first and second else None
    return found and (found.reason if found.sure else "later_first")


@pytest.mark.parametrize(("texts", "expected"), load("rivals"), ids=_id)
def test_rivals_hold_both_ways(texts: str, expected: str | None) -> None:
    one, other = listed(texts, " / ")
    assert outcome(one, other) == expected
    assert outcome(other, one) == expected


def test_a_denial_ends_with_its_clause_and_an_aside_with_its_comma() -> None:
    clause = frame_of("Ana never sailed to Faro but rows to the island")
    assert clause and (clause.denied, clause.said) == ({"sail", "faro"}, {"row", "island"})
    aside = frame_of("Ben, not Ana, sailed to Faro")
    assert aside and (aside.subject, aside.not_of, aside.said) == ({"ben"}, {"ana"}, {"sail", "faro"})
    replaced = frame_of("Ana took the ferry instead of the train to Faro")
    assert replaced and replaced.said == {stem("take"), stem("ferry")} and "train" in replaced.denied


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Ana Silva and Ben Reis sold the boat", {"ana silva", "ben reis"}),
        ("Both Ana and Ben sold the boat", {"ana", "ben"}),
        ("In May 2020, Ana sold the boat", {"ana"}),
        ("The rent of the office is high in winter", {"rent", "offic"}),
        ("Ana's old boat was sold to Ben", {"ana", "old", "boat"}),
        ("I sold the old boat", {"i"}),
    ],
)
def test_of_whom_a_text_speaks(text: str, subject: set[str]) -> None:
    frame = frame_of(text)
    assert frame and frame.subject == subject


def test_opposites_lie_on_two_sides_and_find_each_other() -> None:
    assert all(one and other and one.isdisjoint(other) for one, other in SIDES)
    assert all(word in SIDES_OF[opposite] for word, against in SIDES_OF.items() for opposite in against)
    assert DENYING.isdisjoint(TURNING)


@pytest.mark.parametrize(
    "words",
    ["photographed photography photographer", "taught teaches teach", "sailed sailing sails", "receive received"],
)
def test_forms_of_a_word_have_one_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


def test_the_tables_are_large_enough_both_ways() -> None:
    for name in ("statements", "disagreements", "rivals"):
        expected = [right for _, right in load(name)]
        assert min(sum(each is None for each in expected), sum(each is not None for each in expected)) >= 20
    assert len(load("statements")) + len(load("disagreements")) >= 80


def test_the_title_says_whose_a_bare_value_is() -> None:
    assert find_statements("Port: 8080", title="The Proxy") == (Statement("proxy's port", "is", "8080"),)
    assert find_statements("The deadline is Friday", title="Audit") == (Statement("audit's deadline", "is", "friday"),)
    assert find_statements("Ana lives in Porto", title="Notes") == (Statement("ana", "lives_in", "porto"),)
    assert find_statements("Deploy target: eu-west-1", title="Notes")[0].subject == "deploy target"


def test_of_two_sayings_in_one_text_the_later_counts() -> None:
    assert find_statements("Ana lives in Porto. Since May, Ana lives in Lisbon.") == (
        Statement("ana", "lives_in", "lisbon"),
    )


def test_only_the_beginning_is_read_and_only_so_much_found() -> None:
    assert find_statements(f"{'x' * LOOKED_AT}. Ana lives in Porto") == ()
    many = " ".join(f"Ana{number} lives in Porto." for number in range(40))
    assert len(find_statements(many)) == MOST


@pytest.mark.parametrize(
    "text", ["been " * 300, "Ana now " * 200, "- " * 700, "Ana is " * 200, "x " * 700, "a: " * 500]
)
def test_text_made_to_be_slow_is_read_all_the_same(text: str) -> None:
    assert find_statements(text) == find_statements(text)
    assert frame_of(text) == frame_of(text)


def test_functional_relations_are_relations() -> None:
    assert {name for name, _ in VERBS} >= FUNCTIONAL
    assert not FUNCTIONAL & {"likes", "uses", "has", "described_as"}


@pytest.mark.parametrize("relation", ["likes", "uses", "has", "win", "described_as", "prefers"])
def test_of_what_can_be_many_two_are_no_contradiction(relation: str) -> None:
    assert disagree(Statement("ana", relation, "porto wine"), Statement("ana", relation, "green tea")) is None


def test_subjects_fold_to_one_form() -> None:
    assert fold("  The  Blue Boat. ") == "blue boat"


WORDS = st.sampled_from(
    "Ana Ben the my lives in Porto Lisbon is not no longer works at Acme and , . costs 900 950 euros on Friday 12 May "
    "uses from to Port: 80 = never won prefers tea over ? if".split(" ")
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=20).map(" ".join))


@given(TEXTS, TEXTS)
def test_any_text_can_be_read_and_disagreement_goes_both_ways(one: str, other: str) -> None:
    first, second = find_statements(one), find_statements(other)
    assert first == find_statements(one)
    assert all(each.subject and each.relation and each.object for each in (*first, *second))
    for mine in first:
        assert disagree(mine, mine) is None
        for yours in second:
            assert disagree(mine, yours) == disagree(yours, mine)
            assert disagree(mine, yours) is None or (mine.subject, mine.relation) == (yours.subject, yours.relation)


@given(TEXTS, TEXTS)
def test_rivals_are_the_same_both_ways_and_nothing_is_its_own(one: str, other: str) -> None:
    first, second = frame_of(one), frame_of(other)
    if first and second:
        assert rival(first, second) == rival(second, first)
        assert rival(first, first) is None
