"""What whole texts give: entities by name, statements with their sentence, and names that stand together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.knowledge import Relation, Said
from recollect.reading.prose import LINKED, SAID, TOGETHER, statements_in
from recollect.records import name_key


def stated(text: str, *, title: str = "", subject: str = "") -> set[tuple[str, str, str]]:
    _, found = statements_in(text, title=title, subject=subject)
    return {
        (each.subject.removeprefix("name:"), each.relation, each.object.removeprefix("name:"))
        for each in found
        if each.weight == SAID
    }


def test_the_title_is_what_the_text_is_about() -> None:
    found = stated("Faro is a town in Alder County. It was founded by Ana Ortiz.", title="Faro, Westmark")
    assert ("faro westmark", "located_in", "alder county") in found
    assert ("faro westmark", "founded_by", "ana ortiz") in found


def test_a_bracketed_ending_of_a_title_is_no_part_of_the_name() -> None:
    assert ("blue boat", "is_a", "film") in stated("Blue Boat is a film.", title="Blue Boat (1998 film)")


@pytest.mark.parametrize(
    ("second", "fact"),
    [
        ("It stars Ben Low.", ("blue boat", "stars", "ben low")),
        ("The film stars Ben Low.", ("blue boat", "stars", "ben low")),
        ("This film was shot in Faro.", ("blue boat", "shot_in", "faro")),
    ],
)
def test_what_refers_to_the_subject_speaks_of_it(second: str, fact: tuple[str, str, str]) -> None:
    assert fact in stated(f"Blue Boat is a film. {second}", title="Blue Boat")


@pytest.mark.parametrize(
    "second",
    [
        "He stars Ben Low.",  # a film is no he
        "The company stars Ben Low.",  # nor a company
        "Ana Ortiz left the set. It stars Ben Low.",  # somebody else was spoken of in between
    ],
)
def test_what_may_refer_to_something_else_does_not(second: str) -> None:
    assert not {fact for fact in stated(f"Blue Boat is a film. {second}", title="Blue Boat") if fact[1] == "stars"}


def test_a_person_goes_by_the_full_name_and_by_the_last_one() -> None:
    text = "Ana Maria Ortiz (born 5 May 1901) was a poet. Ortiz married Ben Low. She lived in Faro."
    entities, _ = statements_in(text, title="Ana Ortiz")
    assert {("ana ortiz", "married", "ben low"), ("ana ortiz", "lived_in", "faro")} <= stated(text, title="Ana Ortiz")
    (ana,) = [each for each in entities if each.key == "name:ana ortiz"]
    assert "Ana Maria Ortiz" in ana.aliases and ana.kind == "poet" and ana.detail.startswith("Ana Maria Ortiz (born")


def test_another_person_of_the_same_last_name_is_another() -> None:
    facts = stated("Ana Ortiz was a poet. Carlos Ortiz married Eva Low.", title="Ana Ortiz")
    assert ("carlos ortiz", "married", "eva low") in facts and ("ana ortiz", "married", "eva low") not in facts


def test_every_statement_has_its_sentence_and_line() -> None:
    _, found = statements_in("Blue Boat is a film.\n\nIt stars Ben Low.", title="Blue Boat", start_line=7)
    assert [(each.line, each.sentence) for each in found if each.relation == "stars"] == [(9, "It stars Ben Low.")]


def test_links_are_references_of_what_the_text_is_about() -> None:
    _, found = statements_in("See [[harbour plan|the plan]] first.", title="Notes")
    assert (
        Said("name:notes", Relation.REFERENCES, "name:harbour plan", 1, "See [[harbour plan|the plan]] first.", LINKED)
        in found
    )


def test_names_of_one_sentence_stand_together_with_a_smaller_weight_the_more_there_are() -> None:
    _, two = statements_in("They saw Ana Ortiz near Ben Low.")
    _, four = statements_in("They saw Ana Ortiz near Ben Low near Eva Low near Tom Rowe.")
    assert [(each.relation, each.weight) for each in two] == [(Relation.RELATED, TOGETHER)]
    assert all(0 < each.weight < TOGETHER for each in four) and len(four) > 3


def test_what_is_stated_is_not_also_named_together() -> None:
    _, found = statements_in("Ana Ortiz married Ben Low.")
    assert [each.relation for each in found] == ["married"]


def test_names_of_a_long_list_are_not_related_to_each_other() -> None:
    _, found = statements_in("They saw " + ", ".join(f"Ana{letter} Ortiz" for letter in "abcdefghijklmnop") + ".")
    assert found == ()


@pytest.mark.parametrize("text", ["", "nothing is named here", "Is Ana Ortiz a poet?", "\n\n#\n-\n"])
def test_where_nothing_is_stated_nothing_is_found(text: str) -> None:
    assert stated(text) == set()


WORDS = st.sampled_from(
    "Ana Ortiz Faro is was a the capital of film It The directed by and , . \n in 1998 [[Low Point]] ( ) He born".split(
        " "
    )
)


@given(st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=40).map(" ".join)), st.sampled_from(["", "Ana Ortiz"]))
def test_any_text_can_be_read_and_every_end_is_an_entity(text: str, title: str) -> None:
    entities, found = statements_in(text, title=title)
    assert (entities, found) == statements_in(text, title=title)
    keys = {each.key for each in entities}
    assert len(keys) == len(entities) and all(key == f"name:{name_key(key.removeprefix('name:'))}" for key in keys)
    for said in found:
        assert {said.subject, said.object} <= keys and said.subject != said.object and said.sentence and said.line >= 1
