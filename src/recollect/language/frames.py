"""A short text as what is compared of it: of whom it speaks, what it says, and what it denies.

Takes a text; gives a `Frame`, or None where it asks, only points, or says too little or too much. No grammar: names by
their capitals, the subject by what stands before the first verb, words cut to their stems so that "photographed" and
"photography" are one. Whether two frames contradict each other is left to `rivals`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS
from recollect.language.content import STOP_WORDS
from recollect.language.forms import IRREGULAR, NOUNS_TOO, VERBS
from recollect.language.lazily import lazily
from recollect.language.objects import NUMBER_WORDS, value_of
from recollect.language.opposites import DENYING, LIMITING, TURNING
from recollect.language.relations import POINTING, UNSURE
from recollect.language.words import DETERMINERS, HELPING, straighten

LOOKED_AT = 400  # characters
FEWEST, LONGEST = 3, 60  # words
LONGEST_SUBJECT = 6

TOKEN = lazily(r"[$€£]?\d[\d,.:]*\d%?|\d%?|[^\W_](?:[\w'&/@+.-]*\w)?|[;.,!?\n]")
SPEAKERS = frozenset("i we my our".split())
WITHIN_NAME = frozenset("of de da van von der".split())
JOINING = frozenset("and or & either".split())
REPLACED = frozenset({("instead", "of"), ("rather", "than")})
GATHERING = frozenset("all both".split())  # "Both Ana and Ben …"
SHORTENED = frozenset("mr mrs ms dr jr sr st prof".split())
GUESSING = frozenset("may might could maybe perhaps probably possibly likely".split())
# How often something is so, and "planning" as a trade, say nothing against a sentence as a whole.
HEDGING = UNSURE - GUESSING - frozenset("often sometimes when whenever every planning".split())
LEADING = frozenset("in on since after before during by from at as until".split())  # "In May, Ana …"
DATED = frozenset([*MONTH_NUMBERS, *WEEKDAY_NUMBERS])
NOT_NAMES = STOP_WORDS | VERBS | DATED
# Weightless beside what is said: how often, how much, how well, and words any sentence can do without.
BESIDE = frozenset(
    """
    once both together often frequently latest various numerous well known including first regularly currently recently
    really multiple different new many several usually always sometimes never later also still now primarily mainly
    longer particularly especially officially respectively separate separately jointly co-
    """.split()
)
PAST_OF = {past: base for base, past in IRREGULAR.items()} | {
    "written": "write", "taken": "take", "given": "give", "chosen": "choose", "known": "know", "grown": "grow",
    "drawn": "draw", "spoken": "speak", "sung": "sing", "driven": "drive", "held": "hold", "studies": "study",
    "studied": "study", "speech": "speak", "speeches": "speak",
}  # fmt: skip
ENDINGS = (
    "ational", "ations", "ation", "ically", "ical", "ists", "ist", "ians", "ian", "ments", "ment", "ions", "ion",
    "ings", "ing", "ers", "er", "ors", "or", "ances", "ance", "ies", "ied", "es", "ed", "ly", "al", "ic", "y", "s",
    "e",
)  # fmt: skip
SHORTEST_STEM = 4
SHORTER_STEM = frozenset({"ing", "ed", "es", "s", "e"})  # endings that may leave one letter less
# The last letter of a word: the endings that can be its own, in their order, and the shortest word each may end.
BY_LAST_LETTER = {
    letter: tuple(
        (each, len(each) + SHORTEST_STEM - (each in SHORTER_STEM)) for each in ENDINGS if each.endswith(letter)
    )
    for letter in {ending[-1] for ending in ENDINGS}
}
YEARS = range(1900, 2101)  # a bare figure among these is one
IS = frozenset("is are was were am".split())


class Frame(NamedTuple):
    """What a text says: stems and names in lower case.

    `subject` is of whom, by names or by its words; `verb` the first word said of it, by its stem. `said` are stems,
    names and figures asserted after the subject, `denied` those that are denied, `not_of` names of whom it is denied;
    `written` the words as they stand. It `limits` where it says "only", `contrasts` where it says "while" or "instead",
    `guesses` where it says "may", and is `hedged` where it is wished, reported or conditional.
    """

    subject: frozenset[str]
    named: bool
    verb: str
    said: frozenset[str]
    names: frozenset[str]
    denied: frozenset[str]
    not_of: frozenset[str]
    written: frozenset[str]
    dates: tuple[tuple[str, int], ...]
    figures: frozenset[float]
    limits: bool
    contrasts: bool
    guesses: bool
    hedged: bool


class Token(NamedTuple):
    """A word or name as it stands, in lower case: whether it is a name, owns what follows, is denied, in an aside."""

    text: str
    is_name: bool = False
    owns: bool = False
    is_denied: bool = False
    is_aside: bool = False


def frame_of(text: str) -> Frame | None:
    """A text ready to be compared.

    >>> frame = frame_of("Ana never sailed the old boat.")
    >>> sorted(frame.subject), sorted(frame.denied), frame_of("Did Ana sail?") is None
    (['ana'], ['boat', 'old', 'sail'], True)
    """
    plain = straighten(text[:LOOKED_AT]).strip()
    found = TOKEN.findall(plain)
    if not FEWEST <= len(found) <= LONGEST or plain.endswith(("?", "!")):
        return None
    if found[0].lower() in LEADING and "," in found[:6]:
        found = found[found.index(",") + 1 :]
    if found and found[0].lower() in GATHERING and any(word[0].isupper() for word in found[1:5]):
        found = found[next(place for place, word in enumerate(found) if place and word[0].isupper()) :]
    if not found or found[0].lower() in POINTING or found[0].lower() in HELPING:
        return None
    tokens = list(_tokens(found))
    place = _verb_place(tokens)
    return _framed(tokens[:place], tokens[place:]) if 0 < place < len(tokens) else None


def _framed(before: Sequence[Token], after: Sequence[Token]) -> Frame | None:
    names = frozenset(each.text for each in before if each.is_name and not each.is_denied)
    things = frozenset(stem(each.text) for each in before if not each.is_name and _counts(each.text))
    speaks = frozenset(each.text for each in before[:1] if each.text in SPEAKERS)
    if not (names or things or speaks):
        return None
    written = [each.text for each in after]
    verb = next((word for word in written if _counts(word)), "")
    content = [each for each in after if each.is_name or _counts(each.text)]
    dated = [word for word in written if word != "may"]  # a guess rather than a month
    told = any(word[-1].isdigit() or word in DATED or word in NUMBER_WORDS for word in dated)
    value = value_of(" ".join(dated)) if told else None
    years = [number for number in sorted(value.numbers) if number in YEARS] if value else []
    ends_denied = after[-1].text in DENYING or after[-1].text.endswith("n't")
    elliptic = frozenset([each.text for each in after if each.is_name][-1:] if ends_denied else ())
    return Frame(
        names | things | speaks,
        bool(names),
        "is" if _describes(written, verb) else stem(verb),
        frozenset(_key(each) for each in content if not each.is_denied),
        frozenset(each.text for each in content if each.is_name and not each.is_denied),
        frozenset(_key(each) for each in content if each.is_denied),
        elliptic | frozenset(each.text for each in (*before, *after) if each.is_name and each.is_denied),
        frozenset(each.text for each in (*before, *after)),
        tuple(sorted((({"year": int(years[0])} if years else {}) | value.dates).items())) if value else (),
        frozenset(number for number in value.numbers if number not in YEARS) if value else frozenset(),
        not LIMITING.isdisjoint(written),
        not TURNING.isdisjoint(written),
        not GUESSING.isdisjoint(written),
        not HEDGING.isdisjoint(written),
    )


def _describes(written: Sequence[str], verb: str) -> bool:
    """Whether it says what something is: "is a boat built in Porto", not "is built in Porto"."""
    is_class = len(written) > 1 and written[1] in DETERMINERS
    return written[0] in IS and (is_class or not verb.endswith(("ed", "ing")))


def _tokens(found: Sequence[str]) -> Iterator[Token]:
    """Words in order, names in one piece; what follows a denial is denied up to the end of its clause.

    An aside ends at the next comma: in "Ben, not Ana, sold it" only Ana is denied.
    """
    denied = aside = False
    opens = True
    name: list[str] = []
    for place, seen in enumerate(found):
        low = seen.lower()
        follows = found[place + 1] if place + 1 < len(found) else ""
        if low in SHORTENED:
            continue
        joins = low in WITHIN_NAME and name and follows[:1].isupper()
        if joins or _is_name(seen, follows, opens=opens):
            name.append(low.removesuffix("'s").rstrip("'"))
            if low.endswith(("'s", "'")) or not (follows[:1].isupper() or follows.lower() in WITHIN_NAME):
                yield Token(" ".join(name), True, low.endswith(("'s", "'")), denied)
                name = []
            opens = False
            continue
        if name:
            yield Token(" ".join(name), True, False, denied)
            name = []
        if low in {";", ".", ",", "\n", "!", "?"}:
            ends = low == ";" or (low in {".", "\n", "!"} and found[place - 1].lower() not in SHORTENED)
            denied, aside, opens = denied and not (ends or aside), aside and not ends and low != ",", ends
            continue
        opens = False
        if low in DENYING or low.endswith("n't"):
            denied, aside = True, place > 0 and found[place - 1] == ","
        elif (low, follows) in REPLACED:
            denied = aside = True
        elif low in TURNING or (low == "and" and _goes_on(follows)):
            denied = aside = False
        yield Token(low, is_denied=denied, is_aside=aside)
    if name:
        yield Token(" ".join(name), True, False, denied)


def _goes_on(word: str) -> bool:
    """Whether a new verb begins after "and": "has no car and takes the tram"."""
    return word in HELPING or (word in VERBS and word.endswith("s"))


def _is_name(seen: str, follows: str, *, opens: bool) -> bool:
    """A capital means a name, but at the beginning of a sentence only where the word is no other."""
    if not seen[0].isupper() or seen == "I":
        return False
    low = seen.lower()
    if low in DATED or low in SHORTENED:
        return False
    plain = low in NOT_NAMES or low in BESIDE or low.endswith(("ed", "ing"))
    return not opens or not plain or (low not in STOP_WORDS and follows[:1].isupper())


def _verb_place(tokens: Sequence[Token]) -> int:
    """Where the verb stands: the word after a name, or the first that is known as one; 0 where none is."""
    names = False  # whether a name that can act stands right before
    for place, each in enumerate(tokens[: 3 * LONGEST_SUBJECT]):
        if each.is_name or not place:
            names = (each.is_name and not each.owns) or each.text in {"i", "we"}
            continue
        if each.text in HELPING or (each.text in DENYING and not each.is_aside):
            return place
        if each.text in JOINING or each.text in DETERMINERS or each.text in WITHIN_NAME:
            names = False
            continue
        if each.text in BESIDE or each.text in GATHERING or each.is_denied:
            continue
        known = each.text in VERBS and each.text not in NOUNS_TOO
        done = each.text.endswith("ed") and len(each.text) > SHORTEST_STEM
        if names or ((known or done) and tokens[place - 1].text not in DETERMINERS):
            return place
    return 0


def _counts(word: str) -> bool:
    return (
        word not in STOP_WORDS
        and word not in BESIDE
        and word not in DENYING
        and word not in TURNING
        and word not in LIMITING
    )


def _key(token: Token) -> str:
    return token.text if token.is_name else stem(token.text)


def stem(word: str) -> str:
    """A word without its endings, roughly: both sides lose the same. Dates stay what they are.

    >>> stem("photographed"), stem("photography"), stem("taught"), stem("monday")
    ('photograph', 'photograph', 'teach', 'monday')
    """
    if word in DATED or not word[:1].isalpha():
        return word
    word = word.removesuffix("'s").rstrip("'")
    word = PAST_OF.get(word, word)
    for _ in range(2):
        ending = _ending(word)
        if not ending or (ending == "s" and word.endswith("ss")):
            break
        word = word.removesuffix(ending)
    return word


def _ending(word: str) -> str:
    """The first of the endings that leaves enough of a word."""
    for ending, shortest in BY_LAST_LETTER.get(word[-1:], ()):
        if len(word) >= shortest and word.endswith(ending):
            return ending
    return ""
