"""What a marked sentence states of the things it names: definitions, "the Y of Z", who did what, asides to a name.

Takes a `Marked`; gives clauses between names, by the tables in `phrases`. Cautious: what a phrase belongs to is only
taken for sure right behind the subject's verb, behind a comma or behind an "and". Which sentence speaks of whom is
left to the reader of the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from recollect.language import phrases as table
from recollect.language.marked import FIRST_DATE as DATES
from recollect.language.marked import NAME, Marked

FIRST_DATE = chr(DATES)
LONGEST_NOUN = 3  # words of a class: "silent drama film"
LISTING = frozenset({"stars", "features", "contains", "includes"})  # their objects may be listed without an "and"
LIFE = frozenset({"born_on", "died_on"})  # of anything but a person, two years in brackets may mean anything
FARTHEST = 120  # characters of a sentence before its verb


class How(StrEnum):
    """How a clause was read."""

    DEFINED = "defined"  # X is a Y
    OF = "of"  # X is the Y of Z
    DONE = "done"  # X was founded by Z
    DOES = "does"  # X founded Z
    BESIDE = "beside"  # X, the Y of Z; Z's Y X
    PLACED = "placed"  # in X, Z
    DATED = "dated"  # X (1901 - 1977)
    CALLED = "called"  # X, also known as Z


class Clause(NamedTuple):
    """One statement between two names, or between a name and what it is a sort of."""

    subject: str
    relation: str
    object: str
    how: How


def clauses_in(marked: Marked) -> list[Clause]:
    """All clauses of a sentence, in order and each once.

    >>> from recollect.language.marked import mark
    >>> found = clauses_in(mark("The Blue Boat is a silent film directed by Ana Ortiz.", title="The Blue Boat"))
    >>> [tuple(each)[:3] for each in found]
    [('The Blue Boat', 'is_a', 'silent film'), ('The Blue Boat', 'directed_by', 'Ana Ortiz')]
    """
    text = marked.text
    if text.rstrip().endswith("?"):
        return []
    found = list(_in_brackets(marked, text))
    text = table.BRACKETS.sub("", text)
    found += _beside(marked, text)
    if (start := table.SUBJECT.match(text)) and start.end() < FARTHEST:
        subjects = table.ANY_MARK.findall(start["subject"])
        found += _of_subject(marked, subjects, text[start.end() :])
    if not any(each.how is How.DEFINED and each.object.split()[-1] in table.PEOPLE for each in found):
        found = [each for each in found if each.relation not in LIFE or not each.object.isdigit()]
    return list(dict.fromkeys(each for each in found if each.subject != each.object))


def subject_of(marked: Marked) -> str:
    """The name a sentence begins with; empty where it begins with none."""
    start = table.SUBJECT.match(marked.text)
    return marked.name(start["subject"][0]) if start else ""


# --- what the subject is and does --------------------------------------------------------------------


def _of_subject(marked: Marked, subjects: list[str], rest: str) -> Iterator[Clause]:
    rest = _without_aside(rest)
    if len(subjects) > 1 and re.match(r"\s(?:is|was|has)\s", rest):
        return  # one name with an "and" inside
    passive = table.PASSIVE.match(rest)
    if passive and not _is_untrue(rest[: passive.end()]):
        other = table.OTHER_VERB.match(rest, passive.end())
        if other:  # "written and directed by"
            yield from _phrases(marked, subjects, passive["verb"], rest[other.end() :], further=False)
        verb, end = (other["verb"], other.end()) if other else (passive["verb"], passive.end())
        yield from _phrases(marked, subjects, verb, rest[end:])
        return
    copula = table.COPULA.match(rest)
    if copula and not _is_untrue(rest[: copula.end()]):
        yield from _defined(marked, subjects, rest[copula.end() :], article=copula["article"] or "")
        return
    yield from _active(marked, subjects, rest)


def _without_aside(rest: str) -> str:
    """What follows a subject, without what stands between two commas right behind it."""
    aside = re.match(r",[^,]{3,80},(?=\s(?:is|was|are|were|has|had|became|[a-z]+ed)\s)", rest)
    return rest[aside.end() :] if aside else rest


def _defined(marked: Marked, subjects: list[str], rest: str, *, article: str) -> Iterator[Clause]:
    """ "is a silent film by Z, directed by W and starring V": what it is, of whom, and what was done with it."""
    nouns, after = _nouns(rest)
    head = nouns[-1] if nouns else ""
    if not head or head in table.NO_NOUNS:
        return
    if article in {"a", "an"} and head not in table.VAGUE:
        for subject in subjects:
            for sort in _sorts(nouns):
                yield Clause(marked.name(subject), "is_a", sort, How.DEFINED)
    phrase = table.PHRASE.match(after)
    if phrase and phrase["objects"] and not _is_untrue(rest[: len(rest) - len(after)]):
        relation = _noun_relation(nouns, phrase["word"])
        if relation:
            yield from _each(marked, subjects, relation, phrase, How.OF)
        after = f".{after[phrase.end() :]}"  # what follows a name without a comma is said of that name
    who = table.WHO.match(after)
    if who and not table.ANY_MARK.search(rest[: len(rest) - len(after)]):
        yield from _of_subject(marked, subjects, after[who.end() :])
        return
    yield from _further(marked, subjects, after)


def _nouns(rest: str) -> tuple[list[str], str]:
    """The words of a noun phrase in small letters, and what follows it."""
    words: list[str] = []
    place = 0
    for match in re.finditer(r"\s?(\S+?)(?=[\s,.;:]|$)", rest):
        word = match[1]
        follows = rest[match.end() : match.end() + 24]
        if table.ANY_MARK.fullmatch(word) and (word >= FIRST_DATE or re.match(rf"\s{table.PLAIN_WORD}\b", follows)):
            place = match.end()
            continue
        if word in table.ENDS_NOUNS:
            break
        if not re.fullmatch(table.PLAIN_WORD, word) or _is_participle(word, follows):
            if word in {"and", "or"} and words and re.match(rf"\s{table.PLAIN_WORD}\b", follows):
                words, place = [*words, word], match.end()
                continue
            break
        place = match.end()
        words.append(word)
        if rest[place : place + 1] in {",", ".", ";", ":"}:
            break
    if words and words[-1][0].isupper():  # "a practising Catholic"
        return [], rest[place:]
    nouns = [word for word in words if word[0].islower()]
    while nouns and nouns[-1] in {"and", "or"}:
        nouns.pop()
    if nouns and nouns[-1] == "one":
        return [], ""
    return nouns, rest[place:]


def _sorts(nouns: list[str]) -> Iterator[str]:
    """What is said to be: "film director and actor" is both, "fantasy and adventure film" is one sort of film."""
    parts = " ".join(nouns).replace(" or ", " and ").split(" and ")
    sorts = parts if all(part.split()[-1] in table.PEOPLE for part in parts) else parts[-1:]
    return (" ".join(part.split()[-LONGEST_NOUN:]) for part in sorts)


def _is_participle(word: str, follows: str) -> bool:
    """Whether a word begins "directed by Z", rather than standing before a noun: "a retired player"."""
    if re.fullmatch(table.ADVERB, f"{word} "):
        return bool(re.match(rf"\s{table.PARTICIPLE}\b", follows))
    if word in {"starring", "featuring", "containing", "including", "based", "located", "situated"}:
        return True
    if word.endswith("ing"):
        return bool(re.match(rf"\s(?:{table.PREPOSITION})\s", follows))
    if not re.fullmatch(table.PARTICIPLE, word):
        return False
    return bool(re.match(rf"\s(?:{table.PREPOSITION}\s|and\s\w+ed\s|{table.ADVERB})", follows))


def _noun_relation(nouns: list[str], word: str) -> str:
    head = nouns[-1]
    if head in table.VAGUE or not head.isascii():
        return ""
    if word in {"in", "within", "at"} and head in table.PLACES:
        return "located_in"
    pair = " ".join(nouns[-2:])
    noun = pair if pair in table.TWO_WORDS else head
    return _relation(f"{noun} {word}")


def _further(marked: Marked, subjects: list[str], rest: str) -> Iterator[Clause]:
    """Participles behind a definition, a comma or an "and": all of the subject, up to where another clause begins."""
    rest = rest[: cut.start()] if (cut := table.CUT.search(rest)) else rest
    if _is_untrue(rest):
        return
    for star in table.STARRING.finditer(rest):
        verb = {"starring": "stars", "featuring": "features", "containing": "contains", "including": "includes"}
        yield from _each(marked, subjects, verb[star["verb"]], star, How.DONE)
    for match in table.CLAUSE.finditer(rest):
        for verb in filter(None, (match["verb"], match["other"])):
            yield from _phrases(marked, subjects, verb, rest[match.end() :], further=False)


def _phrases(marked: Marked, subjects: list[str], verb: str, rest: str, *, further: bool = True) -> Iterator[Clause]:
    """ "founded in 1998 by Z in W": each phrase right behind the other."""
    rest = rest[: cut.start()] if (cut := table.CUT.search(rest)) else rest
    place = 0
    if dated := re.match(table.WHEN, rest):
        mark = table.ANY_MARK.search(dated[0])
        if mark:
            word = dated[0].split()[0]
            for subject in subjects:
                yield Clause(marked.name(subject), _relation(f"{verb} {word}"), marked.name(mark[0]), How.DATED)
    while match := table.PHRASE.match(rest, place):
        place = match.end()
        relation = _relation(f"{verb} {match['word']}")
        if match["objects"]:
            yield from _each(marked, subjects, relation, match, How.DONE)
        else:
            for subject in subjects:
                yield Clause(marked.name(subject), relation, marked.name(match["date"]), How.DATED)
        if match["word"] == "as":
            return
    if further:
        after = rest[place:]
        yield from _further(marked, subjects, f".{after}" if place else after)
        yield from _also(marked, subjects, after)


def _active(marked: Marked, subjects: list[str], rest: str) -> Iterator[Clause]:
    match = table.ACTIVE.match(rest)
    if not match or match["verb"] in table.SAYING or _is_untrue(rest[: match.end()]):
        return
    verb = match["pair"] or f"{match['verb']}{match['word'] or ''}"
    yield from _each(marked, subjects, _relation(verb), match, How.DOES)
    yield from _also(marked, subjects, rest[match.end() :])


def _also(marked: Marked, subjects: list[str], rest: str) -> Iterator[Clause]:
    """ "… and later joined Z": the same subject goes on."""
    rest = rest[: cut.start()] if (cut := table.CUT.search(rest)) else rest
    joint = table.AND_ACTIVE.match(rest)
    if joint:
        yield from _active(marked, subjects, rest[joint.end() :])


def _each(marked: Marked, subjects: list[str], relation: str, match: re.Match[str], how: How) -> Iterator[Clause]:
    """The relation to each object of a list; a place and the place around it are one object."""
    objects = table.ANY_MARK.findall(match["objects"])
    if relation.endswith("_to") and re.match(r"(?!the|an?|his|her|its|their)\w", match["fill"]):
        return  # "continued to dominate Z"
    around = relation not in LISTING and " and " not in match["objects"]
    for subject in subjects:
        for thing in objects[:1] if around else objects:
            yield Clause(marked.name(subject), relation, marked.name(thing), how)


# --- beside a name -----------------------------------------------------------------------------------


def _in_brackets(marked: Marked, text: str) -> Iterator[Clause]:
    """ "X (born 1901 in Z)", "X (1901 - 1977)", "Big Example Corporation (BEC)"."""
    for match in table.SHORT.finditer(text):
        one, other = marked.name(match["one"]), marked.name(match["other"])
        if other.isupper() and _is_short_for(other, one):
            yield Clause(one, "also_called", other, How.CALLED)
    first = re.search(rf"^(?:The\s)?(?P<subject>{NAME}),?\s?\((?P<said>[^()]*)\)", text)
    if not first:
        return
    subject, said = marked.name(first["subject"]), first["said"].split(";")[-1]
    if lived := table.LIVED.match(said):
        yield Clause(subject, "born_on", marked.name(lived["born"]), How.DATED)
        yield Clause(subject, "died_on", marked.name(lived["died"]), How.DATED)
    elif born := table.BORN.match(said) or table.BORN_IN.match(said):
        parts = born.groupdict()
        if parts.get("date"):
            yield Clause(subject, "born_on", marked.name(parts["date"]), How.DATED)
        if parts.get("place"):
            yield Clause(subject, "born_in", marked.name(parts["place"]), How.DONE)


def _is_short_for(short: str, name: str) -> bool:
    """Whether the letters begin the words of the name, small ones left out or not."""
    words = [word for word in re.findall(r"\w+", name)]
    return short in {
        "".join(word[0] for word in words).upper(),
        "".join(word[0] for word in words if word[0].isupper()),
    }


def _beside(marked: Marked, text: str) -> Iterator[Clause]:
    for match in table.APPOSITION.finditer(text):
        nouns = [word for word in match["words"].split() if word[0].islower()]
        relation = _noun_relation(nouns, "of") if nouns else ""
        if relation and not _is_untrue(match[0]):
            yield Clause(marked.name(match["one"]), relation, marked.name(match["other"]), How.BESIDE)
    for match in table.WITHIN.finditer(text):
        for one, other in pairwise(table.ANY_MARK.findall(match["places"])):
            yield Clause(marked.name(one), "located_in", marked.name(other), How.PLACED)
    for match in table.ALSO_CALLED.finditer(text):
        yield Clause(marked.name(match["one"]), "also_called", marked.name(match["other"]), How.CALLED)


def _is_untrue(text: str) -> bool:
    return not table.UNTRUE.isdisjoint(re.findall(r"[a-z']+", text))


def _relation(words: str) -> str:
    """The words of a relation as its name.

    >>> _relation("prime minister of")
    'prime_minister_of'
    """
    return "_".join(re.findall(r"\w+", words.lower()))
