from __future__ import annotations

import re
import unicodedata
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.rank.identity import NEGATION, content_hash, details, details_agree, evidence_key, fact_key
from recollect.testing.clock import START
from recollect.testing.corpus import TEXTS, make_memories, make_memory

SAME_HASH = {
    "white space": ("The rent  is\n due", "The rent is due"),
    "around it": ("  The rent is due\n", "The rent is due"),
    "Unicode form": (unicodedata.normalize("NFD", "Zürich"), unicodedata.normalize("NFC", "Zürich")),
}
OTHER_HASH = {
    "case": ("the rent", "The rent"),
    "punctuation": ("The rent.", "The rent!"),
    "number": ("The rent is 1", "The rent is 2"),
    "order": ("a b", "b a"),
}


@pytest.mark.parametrize(("one", "other"), SAME_HASH.values(), ids=SAME_HASH)
def test_texts_that_look_the_same_have_one_hash(one: str, other: str) -> None:
    assert content_hash("", one) == content_hash("", other)


@pytest.mark.parametrize(("one", "other"), OTHER_HASH.values(), ids=OTHER_HASH)
def test_texts_that_differ_have_two_hashes(one: str, other: str) -> None:
    assert content_hash("", one) != content_hash("", other)


def test_title_and_body_are_not_run_together() -> None:
    assert content_hash("a", "b c") != content_hash("a b", "c")


def test_every_text_of_the_corpus_has_its_own_hash() -> None:
    assert len({content_hash(title, body) for _, title, body in TEXTS}) == len(TEXTS)


AGREE = {
    "other words": ("The office rent is 4,200", "4,200 is what the office costs"),
    "first word is no name": ("Rent is due", "The rent is due"),
    "both deny": ("It was not paid", "Nobody paid it"),
    "nothing to compare": ("", ""),
}
DISAGREE = {
    "numbers": ("The rent is 4,200", "The rent is 4,500"),
    "one has a number": ("The rent is due", "The rent is due on 5"),
    "dates": ("Due on 2026-01-05", "Due on 2026-01-06"),
    "names": ("We met Ana Weber", "We met Ben Weber"),
    "tickers": ("BTC is up", "ETH is up"),
    "not": ("It was paid", "It was not paid"),
    "contraction": ("It was paid", "It wasn't paid"),
    "typographic contraction": ("It was paid", "It wasn’t paid"),
    "never": ("She drinks tea", "She never drinks tea"),
    "without": ("Tea with milk", "Tea without milk"),
}


@pytest.mark.parametrize(("one", "other"), AGREE.values(), ids=AGREE)
def test_details_agree(one: str, other: str) -> None:
    assert details_agree(one, other)


@pytest.mark.parametrize(("one", "other"), DISAGREE.values(), ids=DISAGREE)
def test_details_differ(one: str, other: str) -> None:
    assert not details_agree(one, other)


@settings(max_examples=100, deadline=None)
@given(st.text(), st.text())
def test_agreement_works_both_ways_and_holds_for_itself(one: str, other: str) -> None:
    assert details_agree(one, other) == details_agree(other, one)
    assert details_agree(one, one)


def plainly_read(text: str) -> tuple[set[str], set[str], bool]:
    """The same details, word by word."""
    names = set()
    for match in re.finditer(r"\b[A-Z][\w-]*", text):
        opens = match.start() == 0 or re.fullmatch(r"[.!?]\s", text[max(0, match.start() - 2) : match.start()])
        if not opens or re.match(r"[A-Z][A-Z0-9]+\b", match[0]):
            names.add(match[0].lower())
    return set(re.findall(r"\d+(?:[.,:/-]\d+)*", text)), names, NEGATION.search(text) is not None


WORDS = """
    Ana BTC A I Foo-Bar foo-Bar fooBar GPT-4 GPT4-Turbo X1 3 3.5 10:30 1/2/24 -7 2nd ٣ No not NOT never none nobody
    nothing neither nor without WITHOUT cannot Cannot can not n't don't DON’T knot noted another nothıng wİthout
    withoutn't é É Éa ſ _ _A ’ “Ana” . ! ? .. , - '
    """.split()
BLANKS = [" ", " ", " ", "\n", "\t", "\x1c", "\u00a0", ". ", "! ", "?\n"]
DETAILED = st.lists(st.sampled_from([*WORDS, *BLANKS]), max_size=12).map("".join)


@settings(max_examples=400, deadline=None)
@given(st.one_of(DETAILED, st.text(max_size=40)))
@example("Here.\x1cAna left")
def test_details_are_those_read_word_by_word(text: str) -> None:
    numbers, names, denies = details(text)
    assert (set(numbers), set(names), denies) == plainly_read(text)


# --- what is said, and who says it ---------------------------------------------------------------


def fact(body: str = "The rent of the office is due.", **fields: Any) -> str:
    return fact_key(make_memory(12, **{"body": body, **fields}))


LIVES = {"subject": "Ana", "relation": "lives_in", "object": "Berlin"}
SAME_FACT = {
    "case": (fact("The rent of the office is due"), fact("THE RENT OF THE OFFICE IS DUE")),
    "white space": (fact("The rent of the  office\nis due"), fact("The rent of the office is due")),
    "the mark at the end": (fact("The rent of the office is due"), fact("The rent of the office is due!")),
    "Unicode form": (
        fact(unicodedata.normalize("NFD", "Das Büro ist in der Straße")),
        fact(unicodedata.normalize("NFC", "Das Büro ist in der STRASSE.")),
    ),
    "title": (fact(title="Rent"), fact(title="Office")),
    "everything else": (fact(kind="lesson", trust="web", id="x"), fact(author="Ana", source_uri="a.md")),
    "one statement in two texts": (fact("Ana is in Berlin.", metadata=LIVES), fact("Ana moved!", metadata=LIVES)),
    "one statement in two cases": (fact(metadata=LIVES), fact(metadata=LIVES | {"subject": "ana ", "seen": 3})),
}
OTHER_FACT = {
    "words": (fact("The rent of the office is due"), fact("The rent of the warehouse is due")),
    "number": (fact("The rent of the office is 1"), fact("The rent of the office is 2")),
    "asked and said": (fact("The rent of the office is due?"), fact("The rent of the office is due")),
    "a short text under two titles": (fact("4,200 euros", title="Rent"), fact("4,200 euros", title="Deposit")),
    "another object": (fact(metadata=LIVES), fact(metadata=LIVES | {"object": "Porto"})),
    "no whole statement": (
        fact("Ana is here.", metadata={"subject": "Ana"}),
        fact("Ben is.", metadata={"subject": "Ana"}),
    ),
    "a statement that is not text": (
        fact("One.", metadata=LIVES | {"object": 3}),
        fact("Two.", metadata=LIVES | {"object": 3}),
    ),
    "parts that run together": (
        fact(metadata={"subject": "a b", "relation": "c", "object": "d"}),
        fact(metadata={"subject": "a", "relation": "b c", "object": "d"}),
    ),
    "nothing at all, twice": (fact("", title="", id="a"), fact("", title="", id="b")),
    "only titles": (fact("", title="Rent"), fact("", title="Deposit")),
}


@pytest.mark.parametrize(("one", "other"), SAME_FACT.values(), ids=SAME_FACT)
def test_what_says_the_same_is_one_fact(one: str, other: str) -> None:
    assert one == other


@pytest.mark.parametrize(("one", "other"), OTHER_FACT.values(), ids=OTHER_FACT)
def test_what_says_something_else_is_another_fact(one: str, other: str) -> None:
    assert one != other


def test_every_text_of_the_corpus_is_a_fact_and_an_evidence_of_its_own() -> None:
    memories = make_memories()
    assert len({fact_key(memory) for memory in memories}) == len(memories)
    assert len({evidence_key(memory) for memory in memories}) == len(memories)


def evidence(**fields: Any) -> str:
    return evidence_key(make_memory(12, **fields))


SAME_EVIDENCE = {
    "two places of one file": (
        evidence(source_uri="a.md", source_position="1"),
        evidence(source_uri="a.md", source_position="9", body="Something else.", author="Ana"),
    ),
    "two sections of one file": (evidence(source_uri="a.md#rent"), evidence(source_uri="a.md#deposit")),
    "one text, twice": (evidence(id="a"), evidence(id="b")),
    "one moment in two zones": (
        evidence(created_at=START),
        evidence(created_at=START.astimezone(timezone(timedelta(hours=5)))),
    ),
}
OTHER_EVIDENCE = {
    "files": (evidence(source_uri="a.md"), evidence(source_uri="b.md")),
    "people": (evidence(author="Ana"), evidence(author="Ben")),
    "moments": (evidence(event_time=START), evidence(event_time=START + timedelta(seconds=1))),
    "moments of storing": (evidence(created_at=START), evidence(created_at=START + timedelta(seconds=1))),
    "words": (evidence(body="The rent is due"), evidence(body="The rent is not due")),
}


@pytest.mark.parametrize(("one", "other"), SAME_EVIDENCE.values(), ids=SAME_EVIDENCE)
def test_one_speaker_is_one_evidence(one: str, other: str) -> None:
    assert one == other


@pytest.mark.parametrize(("one", "other"), OTHER_EVIDENCE.values(), ids=OTHER_EVIDENCE)
def test_another_speaker_is_another_evidence(one: str, other: str) -> None:
    assert one != other


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80), st.text(max_size=20))
def test_keys_are_short_and_the_same_every_time_whatever_the_text(body: str, title: str) -> None:
    memory = make_memory(0, body=body, title=title, content_hash="h")
    assert fact_key(memory) == fact_key(memory)
    assert len(fact_key(memory)) == len(evidence_key(memory)) == 16


def test_files_of_one_name_in_two_projects_are_two_evidences() -> None:
    one, other, again = (
        evidence_key(make_memory(12, source_uri=uri, project=project))
        for uri, project in (("README.md", "billing"), ("README.md", "crm"), ("README.md#usage", "billing"))
    )
    assert one != other
    assert one == again
