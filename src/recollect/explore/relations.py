"""Which words of a question speak of which relations of a graph.

Takes the relations a graph has and the words of a question; gives mentions: where, of which relations, and as what. A
relation is known by the table of `relation_words`, or else by the stems of its own name, so that any graph can be
asked. Leaves to `chains` in which order mentions are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.explore.relation_words import ALSO, BY_NAME, CLASS_WORDS, ROWS, Expect, Form, Meaning, meanings_of
from recollect.explore.wording import PIECE, Token, is_function_word, stem
from recollect.knowledge import RelationUse

LONGEST_PHRASE = 4  # words of the table's longest phrase
FILLERS = frozenset("has have is was are of in by at on to for from with as the a an and be been".split())
# Verbs whose subject is not the doer's end: who works somewhere is employed, who lives somewhere has a residence.
OTHER_ACTS = frozenset(
    """
    work works worked working live lives lived reside resides resided die dies died born join joins joined belong
    belongs belonged study studies studied graduate graduated attend attends attended lie lies lay located based set
    premiere premiered release releases released come out came out comes out speak speaks spoke concern concerns
    about cover covers deal with deals with
    """.split()
) | {"come out", "came out", "comes out", "deal with", "deals with", "fall under", "falls under", "falls into"}
VALUES = frozenset({Expect.TIME, Expect.PLACE, Expect.NUMBER, Expect.THING})
IDENTIFIER = re.compile(r"[^\W_]+")


class End(NamedTuple):
    """A relation a word speaks of, whether its object is the doer's end, and how surely the word means it."""

    relation: str
    doer_is_object: bool
    belief: float = 1.0


class Mention(NamedTuple):
    """Words of a question (first, and one past the last) that speak of relations."""

    start: int
    end: int
    form: Form
    ends: tuple[End, ...]
    words: str
    row: str = ""
    together: bool = False  # "costar", "coauthor"

    @property
    def strict(self) -> bool:
        """Whether only the order of words tells which end is meant."""
        return bool(self.row) and BY_NAME[self.row].strict

    @property
    def relations(self) -> frozenset[str]:
        return frozenset(end.relation for end in self.ends)

    def within(self, relations: frozenset[str]) -> Mention:
        """The same, of these relations alone."""
        return self._replace(ends=tuple(end for end in self.ends if end.relation in relations))


class Lexicon(NamedTuple):
    """The relations of one graph, by row of the table and by stem of their names."""

    rows: dict[str, tuple[End, ...]]
    stems: dict[str, tuple[tuple[str, bool], ...]]  # (relation, whether its object is the doer's end)
    relations: frozenset[str]


def words_in(relation: str) -> list[str]:
    """The words a relation's name is made of.

    >>> words_in("starred_actors"), words_in("worksAt"), words_in("place of birth")
    (['starred', 'actors'], ['works', 'at'], ['place', 'of', 'birth'])
    """
    pieces = (piece for word in IDENTIFIER.findall(relation) for piece in PIECE.findall(word) or [word])
    return [piece.casefold() for piece in pieces]


def read_lexicon(uses: Iterable[RelationUse]) -> Lexicon:
    """How the relations of a graph can be spoken of."""
    rows: dict[str, list[End]] = {}
    stems: dict[str, list[tuple[str, bool]]] = {}
    names = [use.relation for use in uses]
    for relation in names:
        words = words_in(relation)
        for row, form in _rows_of(words).items():
            rows.setdefault(row, []).append(End(relation, _doer_is_object(words, row, form)))
        for word in words:
            if word not in FILLERS:
                stems.setdefault(stem(word), []).append((relation, _object_is_named(words)))
    for row, others in ALSO.items():
        own = [end.relation for end in rows.get(row, [])]
        also = [end._replace(belief=belief) for other, belief in others.items() for end in rows.get(other, [])]
        rows.setdefault(row, []).extend(end for end in also if end.relation not in own)
    kept = {row: tuple(dict.fromkeys(ends)) for row, ends in rows.items() if ends}
    return Lexicon(kept, {key: tuple(ends) for key, ends in stems.items()}, frozenset(names))


def _rows_of(words: Sequence[str]) -> dict[str, Form]:
    """The rows a relation belongs to: "mentions" by what its subject does, "starred_actors" by what its object is."""
    found: dict[str, Form] = {}
    for row, form in (meaning for phrase in _phrases(words) for meaning in meanings_of(phrase)):
        if row not in found or (form is Form.VERB) is BY_NAME[row].strict:
            found[row] = form
    return found


def _phrases(words: Sequence[str]) -> list[str]:
    """Longest first, and no single word that only fills."""
    spans = [(length, at) for length in range(len(words), 0, -1) for at in range(len(words) - length + 1)]
    phrases = [" ".join(words[at : at + length]) for length, at in spans]
    return [phrase for phrase in phrases if phrase not in FILLERS or phrase in words == [phrase]]


def _doer_is_object(words: Sequence[str], row: str, form: Form) -> bool:
    """Which end of a relation is the doer's: of "written_by" and "has_genre" the object, of "calls" the subject."""
    if words[-1] == "by":
        return True
    named = form is Form.DOER
    if words[-1] == "of":
        return not named if form in (Form.DOER, Form.OTHER) else False
    if form is Form.VERB and not BY_NAME[row].strict:
        verb = next((word for word in _phrases(words) if Meaning(row, Form.VERB) in meanings_of(word)), "")
        return verb in OTHER_ACTS or BY_NAME[row].doer in VALUES
    return named or form is Form.SIGN


def _object_is_named(words: Sequence[str]) -> bool:
    """Whether an unknown relation names its object ("capital", "sponsored_by"), not what its subject does."""
    if words[-1] in ("by", "of"):
        return words[-1] == "by"
    acting = words[0].endswith(("s", "ed", "ing")) and words[0] not in ("has", "is", "was")
    return not acting or words[0].endswith("ss")


def find_mentions(tokens: Sequence[Token], taken: range, lexicon: Lexicon) -> list[Mention]:
    """What of a question speaks of relations, outside the words that name the entity; in order of place."""
    mentions: list[Mention] = []
    at = 0
    while at < len(tokens):
        if at in taken:
            at = taken.stop
            continue
        room = (taken.start if at < taken.start else len(tokens)) - at
        found = next(
            (each for size in range(min(LONGEST_PHRASE, room), 0, -1) if (each := _mention(tokens, at, size, lexicon))),
            None,
        )
        if found:
            mentions.append(found)
        at = found.end if found else at + 1
    return mentions


def _mention(tokens: Sequence[Token], at: int, size: int, lexicon: Lexicon) -> Mention | None:
    words = " ".join(token.low for token in tokens[at : at + size])
    if words in ("have", "has", "had") and any(token.low in NOT_HAVING for token in tokens[at + 1 : at + 3]):
        return None
    for row, form in _likeliest(tokens, at, size, meanings_of(words)):
        if ends := lexicon.rows.get(row):
            return Mention(at, at + size, form, ends, words, row)
    if size == 1 and words.startswith("co"):
        for row, form in meanings_of(words.removeprefix("co")):
            if ends := lexicon.rows.get(row):
                return Mention(at, at + 1, form, ends, words, row, together=True)
    known = size > 1 or is_function_word(words) or len(words) < len("tag")
    if known or words in CLASS_WORDS or (named := lexicon.stems.get(stem(words))) is None:
        return None
    noun = words.endswith(("er", "or", "ers", "ors", "ist")) or all(is_object for _, is_object in named)
    form = Form.DOER if noun and not words.endswith(("ed", "ing")) else Form.VERB
    return Mention(at, at + 1, form, tuple(End(relation, is_object) for relation, is_object in named), words)


def _likeliest(tokens: Sequence[Token], at: int, size: int, meanings: Sequence[Meaning]) -> list[Meaning]:
    """A word that is verb and noun ("star", "release", "call") is a noun behind "the" or "which", else a verb."""
    before = tokens[at - 1].low if at else ""
    after = tokens[at + size].low if at + size < len(tokens) else ""
    if before in ("to", "does", "did", "do", "not"):
        first = Form.VERB
    elif before in ARTICLES or after in ("of", "date", "year", "dates", "years"):
        first = Form.DOER
    else:
        first = Form.VERB
    order = {row.name: place for place, row in enumerate(ROWS)}
    return sorted(meanings, key=lambda each: (each.form is not first, order[each.row]))


NOT_HAVING = frozenset("same been to".split())
ARTICLES = frozenset("the a an which what whose same its their share shares co".split())
