"""Where a text may tell a time: the sentences with a cue, such as a year, "week" or "Friday", and the places in them.

The first test of `told`: nothing in its tables does without a cue, and few sentences have one. Cues are looked for in
one pass over the text in lower case, by what they begin with. What an expression means is left to `told`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from recollect.language.alternatives import one_of
from recollect.language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS
from recollect.language.lazily import lazily

SHORT = r"(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b\.?"
CUE = lazily(
    r"\b(?:[12]\d\d\d|y(?:est|ear)|to(?:da|ni|mo)|week|month|days?\b|quarter|hour|night|morning|afternoon|evening|q[1-4]\b"
    rf"|{'|'.join(WEEKDAY_NUMBERS)}|{SHORT}|(?:{'|'.join(MONTH_NUMBERS)})\b)"
)
# Whatever comes before a cue, and the first letters of all of them.
CUE_BEGINS = lazily(
    r"[^a-z0-9_](?:[12]\d\d\d|y(?:est|ear)|t(?:o(?:da|ni|mo)|ue|hu)|we(?:ek|d)|m(?:o|ar|ay)|d(?:ay|ec)|q(?:uarter|[1-4])"
    r"|hour|n(?:ight|ov)|a(?:pr|ug|fternoon)|evening|f(?:ri|eb)|s(?:at|un|ep)|j(?:an|u[nl])|oct)"
)
# Whatever comes before an expression, and the words any of them begins with.
FIRST_WORDS = (
    "the this these last next past previous coming current very first second third a an couple few one two three four"
    " five six seven eight nine ten eleven twelve in on at by over during throughout from between ever since until till"
    " spring summer autumn fall winter end start beginning middle half rest course day days week weeks weekend night"
    " yesterday today tonight tomorrow recently lately"
).split()
BEGINS = lazily(rf"[^a-z0-9_'/-](?:\d|q[1-4]|(?:{one_of([*FIRST_WORDS, *MONTH_NUMBERS])})(?![a-z]))")
# Marks that end a sentence, or line breaks; by their first character, so that a text is passed over quickly.
BREAK = lazily(r"[.!?…\n](?:(?<=\n)\n*|(?<!\n)[.!?…]*[\"”')]*\s+(?=[\"“(]?[A-Z]))")


def has_cue(text: str) -> bool:
    """Whether a text has a cue at all.

    >>> has_cue("We met on Fri."), has_cue("We fried fish.")
    (True, False)
    """
    return next(_cues(text.lower()), None) is not None


def cued_sentences(text: str) -> Iterator[tuple[str, int]]:
    """The sentences that have a cue, and where the last one in each stands.

    >>> list(cued_sentences("It rained. We left on Friday. Bye."))
    [('We left on Friday. ', 11)]
    """
    low = text.lower()
    same_places = len(low) == len(text)  # not where a letter becomes two
    cues = _cues(low) if same_places else iter(())
    cue, start = next(cues, None), 0
    for end in (*(match.end() for match in BREAK.finditer(text)), len(text)):
        last = None
        while cue is not None and cue < end:
            last, cue = cue - start, next(cues, None)
        if not same_places and has_cue(text[start:end]):
            last = end - start
        if last is not None:
            yield text[start:end], last
        start = end


def beginnings(sentence: str, last_cue: int) -> Iterator[int]:
    """Where an expression of a plain sentence can begin: at certain words, and not behind the last cue.

    >>> list(beginnings("We left on a Friday in a hurry", 13))
    [8, 11]
    """
    places = (match.start() for match in BEGINS.finditer(f" {sentence.lower()}"))  # one further on, as with cues
    return takewhile(lambda place: place <= last_cue, places)


def _cues(low: str) -> Iterator[int]:
    """Where the cues of a text in lower case stand."""
    places = (match.start() for match in CUE_BEGINS.finditer(f" {low}"))  # one further on, as is what comes before
    return (place for place in places if CUE.match(low, place))
