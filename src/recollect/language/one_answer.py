"""Whether a question expects one answer: who won, where it is kept, in which year it was built.

Takes a question; gives what it asks for, or None where several answers add up: which languages, what Ana likes, who
was there. A table of question forms and tables of words, no grammar, and cautious: a form that is not among them
expects nothing. Whether two texts answer it differently is left to `answers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from recollect.language.content import content_words
from recollect.language.forms import IRREGULAR, PAST, VERBS
from recollect.language.frames import BESIDE, IS, stem
from recollect.language.lazily import lazily
from recollect.language.opposites import SHARED
from recollect.language.words import DETERMINERS, HELPING, straighten, words_pattern

# --- where the question stands --------------------------------------------------------------------

LEAD_IN = lazily(
    r"^(?:(?:please|so|and|but|ok|okay|hey|hi)[\s,]+)*"
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:tell|remind|show)\s+(?:me|us)\s+"
    r"|do(?:es)?\s+(?:you|anyone|anybody)\s+(?:know|remember|recall)\s+|(?:tell|remind)\s+(?:me|us)\s+(?!about)"
    r"|i\s+(?:want|need|would\s+like)\s+to\s+know\s+)?",
    re.IGNORECASE,
)
MEASURED = "many much long old far tall big large high heavy fast deep wide often late early soon expensive".split()
ASKING = lazily(
    rf"(?<![\w'-])(?:what|which|whom|whose|who|where|when|how\s+(?:{'|'.join(MEASURED)}))(?![\w-])", re.IGNORECASE
)
# Before it: nothing, what ends in a comma, or a preposition; "Ana founded what kind of club?" has its verb there.
BEFORE = lazily(r"^(?:.*,)?\s*(?:in|at|on|for|to|from|by|with|of|about|since|until|under|near|and)?\s*$", re.IGNORECASE)
ASKED_BEHIND = lazily(r"^[A-Z].*\s(?P<verb>\S+)\s*$")
RELATIVE = lazily(r"\s(?:that|who|which|where|when)\s.*$")  # what only says which one is meant

# --- the tables ------------------------------------------------------------------------------------

# Several are asked for, or something that comes again and again.
OPEN = words_pattern(
    "some", "any", "all", "several", "various", "different", "else", "other", "others", "another", "also", "besides",
    "ever", "usually", "often", "sometimes", "typically", "generally", "normally", "every", "each", "list",
    "(?:one|two|three|many|most|none|either|part)\\s+of\\s+(?!the\\s+two\\b)", "examples?", "e\\.g", "such\\s+as",
)  # fmt: skip
ONCE = words_pattern("first", "originally", "final", "finally", "born")
TOGETHER = words_pattern("both", "together", "same")
# One of those it names: "who of the two", "who among Ana, Ben and Eve", "which boat, Stella or Aurora,".
AMONG = lazily(
    r"^\s*(?:out\s+)?of\s+the\s+two\b|\bamong\s+(?=[A-Z])|^\s*(?:\w+\s*)?,\s+[A-Z][^,?]+\s+or\s+[A-Z][^,?]+,"
)
# Deeds done again and again: a singular in the question does not make them happen once. Of SHARED, some happen once to
# two people, or to one and a school or a club.
ONE_EACH = frozenset("graduate graduated study studied join joined meet met".split())
AGAIN = frozenset("do discuss support collect perform exhibit donate invite help talk sing tell mention say".split())
REPEATED = (SHARED | AGAIN) - ONE_EACH
DONE_TO_ONE = frozenset("marry hire choose appoint elect succeed replace pick".split())
# What lasts, one at a time: who does it, where, for whom.
HELD_BY_ONE = frozenset("runs leads owns heads chairs manages captains coaches directs edits represents holds".split())
HELD_AT_ONE = frozenset("live work sit keep store stay park belong study sleep lie stand hang".split())
HELD_FOR_ONE = frozenset("work report belong".split())
IN_OFFICE = frozenset("responsible head captain president chair director ceo cto cfo boss owner".split())
SCHOOLS = frozenset("university college school institution".split())
FIELDS = frozenset("field area subject discipline profession".split())  # one can be known for one of these
# What many can be true of: "which language is she fluent in".
OF_MANY = frozenset("fluent interested passionate allergic good afraid fond into learning involved used".split())
# What is told at length rather than named, or what one has many of: two texts about it add up.
TOLD = frozenset(
    """
    plan story way difference history news idea reason cause problem issue advice feedback opinion agenda summary thing
    stuff point meaning effect impact relationship connection background view experience situation matter update latest
    gist takeaway lesson hobby interest skill friend colleague member brother sister cousin neighbour neighbor uncle
    aunt child son daughter example step option part feature people information content
    """.split()
)
A_KIND = frozenset("type kind sort form genre style brand".split())
TIMES = frozenset("year date day month time week century decade season weekday hour".split())
NUMBERS = frozenset("number percentage percent amount age price cost population height weight size length".split())
PEOPLE = frozenset("person individual man woman author player artist scientist".split())
NO_PLURAL = frozenset("series species bus gas lens campus address business class process basis analysis thesis".split())
PLURAL = frozenset("people children men women media criteria data".split())
ENDS_NOUN = frozenset(
    "in at on near to from by under over about between during for that who which with and or as than".split()
)
LONGEST_NOUN = 6  # words
OWNER_WITHIN = 6


class Sort(StrEnum):
    """What the one answer is: a doer by name, a place, a time, a number, one of those named, or anything else."""

    DOER = "doer"
    PLACE = "place"
    TIME = "time"
    NUMBER = "number"
    CHOICE = "choice"
    THING = "thing"


class Asked(NamedTuple):
    """A question that expects one answer: of which sort, its words and names by their stems.

    `noun` are the words that only say what is asked for ("which university"): an answer need not repeat them. It is of
    something that happens `once` ("first"), or asks what two have `together`.
    """

    sort: Sort
    words: frozenset[str]
    names: frozenset[str]
    noun: frozenset[str]
    once: bool
    together: bool


class _Form(NamedTuple):
    sort: Sort
    noun: Sequence[str] = ()


def expects_one(question: str) -> bool:
    """Whether only one answer to a question can be right.

    >>> expects_one("Where did Ana and Ben first meet?"), expects_one("Which languages does Ana speak?")
    (True, False)
    """
    return asked_once(question) is not None


def asked_once(question: str) -> Asked | None:
    """What a question asks for, where it expects one answer.

    >>> asked_once("In which year did Ana join Acme?").sort.value, asked_once("What does Ana like?")
    ('time', None)
    """
    plain = LEAD_IN.sub("", " ".join(straighten(question).split()))
    for match in ASKING.finditer(plain):
        word, before, rest = match.group().lower(), plain[: match.start()], plain[match.end() :].rstrip(" ?!.")
        words = rest.replace("'s ", " 's ").split()
        if not words or (word in {"where", "when"} and words[0].lower() not in {*HELPING, "'s"}):
            continue  # "When it rains, who …"
        if BEFORE.match(before):
            form = _form(word, rest, words)
        elif (behind := ASKED_BEHIND.match(before)) and plain.endswith("?") and word in {"what", "which"}:
            form = _sort_of(list(_noun(words))) if _happened_once(behind["verb"].lower()) else None
        else:
            continue
        return _asked(form, f"{before} {rest}") if form else None
    return None


def _asked(form: _Form, asked: str) -> Asked | None:
    if form.sort is not Sort.NUMBER and OPEN.search(RELATIVE.sub("", asked)):
        return None
    words = [word for word in content_words(asked) if word.lower() not in BESIDE]
    return Asked(
        form.sort,
        frozenset(stem(word.lower()) for word in words),
        frozenset(stem(word.lower()) for word in words if word[0].isupper()),
        frozenset(map(stem, form.noun)),
        ONCE.search(asked) is not None,
        TOGETHER.search(asked) is not None,
    )


# --- by the word it asks with ----------------------------------------------------------------------


def _form(word: str, rest: str, words: Sequence[str]) -> _Form | None:
    first, after = words[0].lower(), words[1:]
    once = ONCE.search(rest) is not None
    if word.startswith("how"):
        return _Form(Sort.NUMBER)
    if AMONG.search(rest):
        return _Form(Sort.CHOICE)
    match word:
        case "who" | "whom":
            return _Form(Sort.DOER) if _one_person(first, after, once=once) else None
        case "whose":
            return None if not {"has", "have", "had", "can"}.isdisjoint(words) else _Form(Sort.DOER)
        case "where":
            return _Form(Sort.PLACE) if _one_place(first, after, once=once) else None
        case "when":
            return _Form(Sort.TIME) if _one_time(first, after, once=once) else None
    if first in {"is", "was", "'s"}:
        return _attribute(after)
    return None if first in HELPING else _of_noun(words, once=once)


def _one_person(first: str, after: Sequence[str], *, once: bool) -> bool:
    if first in {"is", "was", "'s"}:
        return bool(after) and (_attribute(after) is not None or after[0].lower() in IN_OFFICE or "married" in after)
    if ONCE.match(first) and after:
        first = after[0]
    if first == "did":
        return once or _verb_of(after) in DONE_TO_ONE
    if first == "does":
        return _verb_of(after) in HELD_FOR_ONE
    return first not in HELPING and (first in HELD_BY_ONE or _happened_once(first, once=once))


def _one_place(first: str, after: Sequence[str], *, once: bool) -> bool:
    if first in {"does", "do"}:
        return _verb_of(after) in HELD_AT_ONE
    if first == "did":
        return once or _verb_of(after) not in REPEATED
    return first in {*IS, "'s", "will"} and after[:1] not in (["a"], ["an"])


def _one_time(first: str, after: Sequence[str], *, once: bool) -> bool:
    if first == "did":
        return once or _verb_of(after) not in REPEATED
    return first in {*IS, "'s", "will", "does", "do", "must"}


def _attribute(words: Sequence[str]) -> _Form | None:
    """What is, or who is: "the captain of the Stella", "Ana's job"; not "Ana", nor "a stoat"."""
    if "'s" in words[:OWNER_WITHIN]:
        return _sort_of(list(_noun(words[words.index("'s") + 1 :])))
    has_one = words and words[0].lower() in DETERMINERS and words[0].lower() not in {"a", "an"}
    return _sort_of(list(_noun(words[1:]))) if has_one else None


def _of_noun(words: Sequence[str], *, once: bool) -> _Form | None:
    """Which university did Ana attend, what type of boat won."""
    place = next((n for n, word in enumerate(words) if word.lower() in HELPING or word == "'s"), len(words))
    form = _sort_of(list(_noun(words[:place])))
    if not form:
        return None
    if place == len(words):
        verb = next((word for word in words[1:] if word in VERBS or word in HELD_BY_ONE or word.endswith("ed")), "")
        return form._replace(sort=Sort.DOER) if verb in HELD_BY_ONE or _happened_once(verb, once=once) else None
    helper, after = words[place].lower(), words[place + 1 :]
    verb, states = _verb_of(after), {word.lower() for word in after}
    match helper:
        case "did":
            at_school = verb == "attend" and form.noun[-1] in SCHOOLS
            repeats = verb in REPEATED or (verb == "join" and form.sort is not Sort.TIME)
            one = once or at_school or not repeats
        case "does" | "do":
            one = verb in HELD_AT_ONE or verb not in REPEATED
        case _:
            known = "known" in states and form.noun[-1] not in FIELDS
            one = helper in {*IS, "'s", "will"} and OF_MANY.isdisjoint(states) and not known
    return form if one else None


# --- words -----------------------------------------------------------------------------------------


def _noun(words: Sequence[str]) -> Iterator[str]:
    """The words of a noun, up to where something is said of it; "type of boat" is one."""
    for word in words[:LONGEST_NOUN]:
        low = word.lower().rstrip(",")
        said_of_it = low.endswith("ed") and not word[0].isupper()
        if low in HELPING or low in ENDS_NOUN or said_of_it:
            return
        if low != "of":
            yield low
        elif A_KIND.isdisjoint(each.lower() for each in words[:2]):
            return


def _sort_of(noun: Sequence[str]) -> _Form | None:
    """What a noun asks for, where it is one."""
    if not noun or noun[-1] in TOLD or _is_plural(noun[-1]):
        return None
    sorts = ((TIMES, Sort.TIME), (NUMBERS, Sort.NUMBER), (PEOPLE, Sort.DOER))
    return _Form(next((sort for nouns, sort in sorts if noun[-1] in nouns), Sort.THING), noun)


def _verb_of(words: Sequence[str]) -> str:
    """The verb behind "did" and its subject; nothing where none is known."""
    start = 2 if words and words[0].lower() in DETERMINERS else 1
    known = (word for word in words[start:] if word in PAST or word in REPEATED or word in DONE_TO_ONE)
    return next((word for word in known if word not in HELPING), "")


def _happened_once(verb: str, *, once: bool = False) -> bool:
    is_past = verb.endswith("ed") or verb in IRREGULAR.values()
    return is_past and (once or verb not in SHARED)


def _is_plural(word: str) -> bool:
    ends = word.endswith("s") and not word.endswith(("ss", "us", "ics"))
    return word in PLURAL or (ends and word not in NO_PLURAL)
