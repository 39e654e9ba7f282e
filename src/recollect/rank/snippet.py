"""The sentences of a text that best show why it was found, or best answer what was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from recollect.readings import remembered

LONGEST = 240
MOST_SENTENCES = 50
MOST_CHARACTERS = 20_000  # of a body that is read at all: fifty sentences are hardly ever longer
# Up to a mark that white space follows, or to the end of the line: "3.5" and ".env" stay whole. Found rather than split
# apart, which would look at every character twice.
SENTENCE = re.compile(r"\S[^.!?\n。！？]*(?:[.!?]+(?=[^\s.!?])[^.!?\n。！？]*)*[.!?。！？]*")
WORD = re.compile(r"\w+")
SHORTENED = re.compile(r"(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|e\.g|i\.e|[Nn]o|[A-Z])\.$")
LONGEST_SHORTENED = len("(Prof.")

# Words that any sentence shares with any question; a sentence is chosen by the others.
COMMON = frozenset(
    """
    a about after all also an and any are as at be been before but by can could did do does for from had has have he
    her him his how i if in into is it its just like me much many my no not of on one or our out over she so some than
    that the their them then there these they this those to too up us was we were what when where which who whom whose
    why will with would you your
    """.split()
)


def best_snippets(body: str, *, questions: Sequence[str], most: int = 1) -> tuple[str, ...]:
    """The sentences that share most words with the questions, best first, the earlier of equals; each cut to a
    readable length. The first is always given; another only if it shares a word that says something.

    >>> best_snippets("It rained. The SOL trade closed at 182. Then we left.", questions=["How did the SOL trade go?"])
    ('The SOL trade closed at 182.',)
    """
    sentences = sentences_of(body)
    if not sentences:
        return ()
    shared = _shared(questions, sentences) if len(sentences) > 1 else [0]
    best, *rest = sorted(range(len(sentences)), key=lambda place: (-shared[place], place))[:most]
    chosen = (best, *(place for place in rest if shared[place]))
    return tuple(dict.fromkeys(_readable(sentences[place]) for place in chosen))


def sentences_of(body: str) -> list[str]:
    """The first sentences of a text; a full stop after "Mrs" or an initial ends none.

    >>> sentences_of("Our landlord is Mrs. Hoffmann. She lives in J. S. Bach Street, no. 3. Call her!")
    ['Our landlord is Mrs. Hoffmann.', 'She lives in J. S. Bach Street, no. 3.', 'Call her!']
    """
    sentences: list[str] = []
    goes_on = False
    for match in islice(SENTENCE.finditer(body[:MOST_CHARACTERS]), 2 * MOST_SENTENCES):
        piece = match[0]
        if goes_on:
            sentences[-1] += f" {piece}"
        elif len(sentences) == MOST_SENTENCES:
            break
        else:
            sentences.append(piece)
        goes_on = piece[-1] == "." and SHORTENED.search(piece, max(0, len(piece) - LONGEST_SHORTENED)) is not None
    return sentences


def _shared(questions: Sequence[str], sentences: Sequence[str]) -> list[int]:
    """How many of the words that count each sentence has, as words; most words are in none even as letters."""
    lowered = [sentence.lower() for sentence in sentences]
    together = "\n".join(lowered)
    shared = [0] * len(lowered)
    for word in words_that_count(" ".join(questions)):
        if word in together:
            for place, sentence in enumerate(lowered):
                if word in sentence and _stands_alone(word, sentence):
                    shared[place] += 1
    return shared


def _stands_alone(word: str, sentence: str) -> bool:
    """Whether the letters are a word somewhere, and not only part of one."""
    start = sentence.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = sentence[start - 1 : start], sentence[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        start = sentence.find(word, end)
    return False


@remembered
def words_that_count(text: str) -> frozenset[str]:
    """The words of a question that say what it is about; all of them where none does.

    >>> sorted(words_that_count("Where is the key?")), sorted(words_that_count("What is it?"))
    (['key'], ['is', 'it', 'what'])
    """
    words = frozenset(WORD.findall(text.lower()))
    return words - COMMON or words


def _readable(sentence: str) -> str:
    """On one line, and cut at a word where it is long."""
    line = " ".join(sentence.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rsplit(" ", 1)[0] + "…"
