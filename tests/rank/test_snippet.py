from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.snippet import LONGEST, MOST_SENTENCES, SENTENCE, SHORTENED, best_snippets, sentences_of

CASES = {
    "the sentence with most of the words": ("It rained. The key is here. We left.", "my key here", "The key is here."),
    "the first of several": ("The key is red. The key is blue.", "key", "The key is red."),
    "nothing in common": ("It rained. We left.", "key", "It rained."),
    "lines are sentences too": ("Title\nThe key is here\nend", "key", "The key is here"),
    "one sentence": ("The key is here", "key", "The key is here"),
    "no question": ("The key is here", "", "The key is here"),
    "words every sentence has do not count": ("What is it to you? A key.", "What is the key to it?", "A key."),
    "a whole word, not a part of one": ("The current is strong. Pay the rent.", "rent", "Pay the rent."),
    "a number stays whole": ("It rained. It closed at 182.5 on Friday.", "closed", "It closed at 182.5 on Friday."),
    "a name that begins with a dot": ("We left. .env holds the key.", "key", ".env holds the key."),
    "Japanese": ("雨でした。東京に開きます。", "東京に開きます", "東京に開きます。"),
    "several spaces become one": ("The  key\tis   here", "key", "The key is here"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "question", "expected"), CASES.values(), ids=CASES)
def test_the_sentence_that_shows_why(body: str, question: str, expected: str) -> None:
    assert best_snippets(body, questions=[question]) == (expected,)


@pytest.mark.parametrize("body", ["", "  ", "\n\n"])
def test_nothing_has_no_sentence(body: str) -> None:
    assert best_snippets(body, questions=["key"]) == ()


@pytest.mark.parametrize("body", ["word " * 500, "x" * 5_000, "東" * 5_000], ids=["words", "one word", "no spaces"])
def test_a_long_sentence_is_cut(body: str) -> None:
    (snippet,) = best_snippets(body, questions=["word"])
    assert len(snippet) <= LONGEST
    assert snippet.endswith("…")


def test_a_sentence_is_cut_between_words() -> None:
    (snippet,) = best_snippets("harbour " * 100, questions=["harbour"])
    assert set(snippet.removesuffix("…").split()) == {"harbour"}


def test_several_come_best_first_and_only_if_they_share_a_word() -> None:
    body = "The key is red. It rained. The red key opens the red door. We left."
    assert best_snippets(body, questions=["Which red door?"], most=3) == (
        "The red key opens the red door.",
        "The key is red.",
    )


def test_several_questions_are_all_looked_for() -> None:
    body = "It rained. The rent is due. We left. The key is here."
    assert set(best_snippets(body, questions=["rent?", "key?"], most=2)) == {"The rent is due.", "The key is here."}


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab .!?\n。x", max_size=120), st.integers(1, 4))
def test_every_sentence_is_of_the_text_and_comes_once(body: str, most: int) -> None:
    chosen = best_snippets(body, questions=["a b"], most=most)
    whole = " ".join(body.split())
    assert all(each in whole for each in chosen)
    assert len(chosen) == len(set(chosen)) <= most
    assert bool(chosen) == bool(whole)


SHORT_FORMS = {
    "a title": ("Our landlord is Mrs. Hoffmann, phone 030-5551.", "Who is the landlord?"),
    "an initial": ("The piece is by J. S. Bach.", "Who is the piece by?"),
    "for example": ("Bring fruit, e.g. apples.", "What fruit?"),
}


@pytest.mark.parametrize(("body", "question"), SHORT_FORMS.values(), ids=SHORT_FORMS)
def test_a_short_form_ends_no_sentence(body: str, question: str) -> None:
    assert best_snippets(body, questions=[question]) == (body,)


def test_what_only_looks_like_a_short_form_does() -> None:
    assert best_snippets("We met at noon. Then we left.", questions=["When did we meet?"])[0] == "We met at noon."


def all_sentences(body: str) -> list[str]:
    """Every piece read, and looked at from its beginning for a short form at its end."""
    sentences: list[str] = []
    goes_on = False
    for piece in SENTENCE.findall(body)[: 2 * MOST_SENTENCES]:
        if goes_on:
            sentences[-1] += f" {piece}"
        else:
            sentences.append(piece)
        goes_on = piece.endswith(".") and SHORTENED.search(piece) is not None
    return sentences[:MOST_SENTENCES]


BITS = [
    "Mr.",
    "(Prof.",
    "Prof.",
    "J.",
    "e.g.",
    "no.",
    "noon.",
    "aMr.",
    "a",
    "3.5",
    "key",
    "。",
    "!",
    "?",
    "\n",
    "\t",
    " ",
    " ",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(BITS), max_size=40).map("".join), st.sampled_from([1, 60]))
def test_sentences_are_those_of_all_pieces(bits: str, times: int) -> None:
    assert sentences_of(bits * times) == all_sentences(bits * times)


def test_no_more_than_so_many_sentences_but_the_last_of_them_whole() -> None:
    body = "It rained. " * (MOST_SENTENCES - 1) + "Call Mr. J. Bach. We left."
    assert len(sentences_of(body)) == MOST_SENTENCES
    assert sentences_of(body)[-1] == "Call Mr. J. Bach."
