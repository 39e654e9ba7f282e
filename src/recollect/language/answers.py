"""Whether two short texts answer a question that expects one answer, each in its own way.

Takes the question as `one_answer` read it, and two frames. Both must speak of what was asked, and each must bring what
neither the question nor the other has: what only adds, contradicts nothing. Cautious, as `rivals` is: where two texts
are of other times, or differ in something of another sort than was asked for, both may be right.
"""

from __future__ import annotations

from recollect.language.frames import DATED, Frame, stem
from recollect.language.one_answer import Asked, Sort

LEAST_COVERED = 0.5  # of the question's words, without those that only say what is asked for
FEWEST_BESIDE = 3  # words beside the subject: where both texts have them all, they may differ in their verb
MOST_NAMES = 2  # words of new names where the question has none: with more, each speaks of its own
SETS_APART = frozenset("while whereas separately individually".split())
AT = frozenset("in at on near to from by under behind inside outside above below between opposite through into".split())


def answers_differ(asked: Asked, one: Frame, other: Frame) -> bool:
    """Whether two texts give the question two answers.

    >>> from recollect.language.frames import frame_of
    >>> from recollect.language.one_answer import asked_once
    >>> first, second = (frame_of(f"Ana and Ben first met {where}") for where in ("in Porto", "at a fair in Lisbon"))
    >>> answers_differ(asked_once("Where did Ana and Ben first meet?"), first, second)
    True
    """
    if any(side.hedged or side.guesses for side in (one, other)):
        return False
    if not _of_the_same(asked, one, other) or not _to_the_point(asked, one, other):
        return False
    match asked.sort:
        case Sort.TIME:
            return _at_other_times(one, other) or (not one.dates and not other.dates and _figures_differ(one, other))
        case Sort.NUMBER:
            return _figures_differ(one, other) and not _at_other_times(one, other)
        case Sort.CHOICE:
            return one.dates == other.dates
    return (asked.once or one.dates == other.dates) and _each_brings_an_answer(asked, one, other)


def _of_the_same(asked: Asked, one: Frame, other: Frame) -> bool:
    """Whether both are about what the question names; where it asks for a doer, that is another in each."""
    if asked.sort is Sort.CHOICE:
        return one.named and other.named and one.subject.isdisjoint(other.subject)
    if asked.names & _words(one) != asked.names & _words(other):
        return False
    if asked.sort is Sort.DOER:
        return bool(asked.names) or all(len(_names(side) - asked.words) <= MOST_NAMES for side in (one, other))
    return one.subject == other.subject or _parts_them(asked, one, other)


def _to_the_point(asked: Asked, one: Frame, other: Frame) -> bool:
    """Whether both say what was asked, in the same verb, and do not only speak of the same subject."""
    wanted = asked.words - asked.noun - (asked.names if asked.sort is Sort.CHOICE else frozenset())
    both = asked.words & _words(one) & _words(other)
    if len(both & wanted) < LEAST_COVERED * len(wanted):
        return False
    by_doers = asked.sort in {Sort.DOER, Sort.CHOICE}
    beside = wanted - (asked.names if by_doers else _subject(one) | _subject(other))
    if one.verb != other.verb and not {one.verb, other.verb} <= asked.words:
        return len(beside - asked.names) >= FEWEST_BESIDE and beside <= both
    if not both.isdisjoint(beside):
        return True
    names_it = not both.isdisjoint(asked.noun) and (not beside or one.verb == other.verb != "is")
    return names_it or (asked.sort is Sort.PLACE and not one.named and not beside)


def _each_brings_an_answer(asked: Asked, one: Frame, other: Frame) -> bool:
    mine, yours = _words(one), _words(other)
    new, new_too = mine - asked.words - yours, yours - asked.words - mine
    if _parts_them(asked, one, other):
        return bool(new if _sets_apart(one) else new_too)
    if not new or not new_too or _is_time(new) != _is_time(new_too):
        return False
    if asked.sort is Sort.DOER:
        return not _names(one).isdisjoint(new) and not _names(other).isdisjoint(new_too)
    return asked.sort is not Sort.PLACE or not (AT.isdisjoint(one.written) or AT.isdisjoint(other.written))


def _parts_them(asked: Asked, one: Frame, other: Frame) -> bool:
    """Whether it is asked what two have together, and one text tells them apart: "Ana in Porto, while Ben in Rome"."""
    return asked.together and _sets_apart(one) != _sets_apart(other)


def _sets_apart(frame: Frame) -> bool:
    return not frame.written.isdisjoint(SETS_APART)


def _at_other_times(one: Frame, other: Frame) -> bool:
    first, second = dict(one.dates), dict(other.dates)
    return any(first[piece] != second[piece] for piece in first.keys() & second.keys())


def _figures_differ(one: Frame, other: Frame) -> bool:
    return bool(one.figures - other.figures and other.figures - one.figures)


def _is_time(words: frozenset[str]) -> bool:
    return all(word[0].isdigit() or word in DATED for word in words)


# --- a frame word by word --------------------------------------------------------------------------


def _words(frame: Frame) -> frozenset[str]:
    return _stems(frame.subject | frame.said)


def _subject(frame: Frame) -> frozenset[str]:
    return _stems(frame.subject)


def _names(frame: Frame) -> frozenset[str]:
    return _stems(frame.subject | frame.names if frame.named else frame.names)


def _stems(tokens: frozenset[str]) -> frozenset[str]:
    return frozenset(stem(word) for token in tokens for word in token.split())
