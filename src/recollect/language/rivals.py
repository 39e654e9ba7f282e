"""Two short texts of which only one can be right, or of which the later takes the place of the earlier.

Takes frames; gives for two of them why they do not go together and whether that is sure. Sure: one denies or undoes
what the other says, or they say the same at length but for one thing. Not sure: they are about the same thing and
differ, as two things that can both be may do. Leaves to `reconcile` what follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from recollect.language.frames import DATED, stem
from recollect.language.frames import Frame as Frame
from recollect.language.frames import frame_of as frame_of
from recollect.language.objects import DATES_DIFFER, NUMBERS_DIFFER, OBJECTS_DIFFER, POLARITY_DIFFERS
from recollect.language.opposites import ONCE, SHARED, SIDES_OF

# How alike two texts must be: (so many words the same, and such a share of the longer one) in any row.
SAME_BUT_ONE = ((4, 0.45), (3, 0.5))  # of one subject
ABOUT_THE_SAME = ((3, 0.25), (2, 0.25), (1, 0.33))
LIMITED = ((2, 0.25), (1, 0.15))  # one says "only"
OF_ANOTHER = ((3, 0.7), (5, 0.6))  # of another subject, or of two of whom one is another
WITH_ANOTHER = ((3, 0.5), (2, 0.65))
# and such a share of the shorter one
HELD_BY_THE_OTHER = 0.75
FEWEST_HELD = 2
WORD_FOR_WORD = 0.9
SHARE_EXCLUDED = 0.5  # of what is said of whom the other excludes
LEAST_DENIED = 2  # words of what is denied that the other says
SHARE_DENIED = 0.5  # of the words of what is denied, or of what is said
SURELY_DENIED = 3  # from here on the verb may be another
MOSTLY_DENIED = 0.6  # of the words of what is denied: the verb may be another too
VAGUE = frozenset("many several some few people others someone various multiple numerous".split())
SHARED_STEMS = frozenset(map(stem, SHARED))
ONCE_STEMS = frozenset(map(stem, ONCE))


class Rival(NamedTuple):
    """Why two texts do not go together, and whether that is sure."""

    reason: str
    sure: bool


class Alike(NamedTuple):
    """What two texts share: how many words, and their share of the longer and of the shorter one."""

    same: int
    of_longer: float
    of_shorter: float

    def reaches(self, rows: Sequence[tuple[int, float]]) -> bool:
        """Whether it is as much as any of the rows asks for."""
        return any(self.same >= least and self.of_longer >= share for least, share in rows)


def rival(one: Frame, other: Frame) -> Rival | None:
    """Why two texts do not go together, or None.

    >>> ours = frame_of("Ana sold the old blue boat to Ben in Porto")
    >>> rival(ours, frame_of("Ana sold the old blue boat to Carl in Porto"))
    Rival(reason='objects_differ', sure=True)
    """
    if one.said.isdisjoint(other.said) and not (one.denied or other.denied):
        return None  # nearly all pairs
    found = _rival(*_with_full_names(one, other))
    return found._replace(sure=False) if found and (one.hedged or other.hedged) else found


def _rival(one: Frame, other: Frame) -> Rival | None:
    for denying, saying in ((one, other), (other, one)):
        if _denies(denying, saying):
            return Rival(POLARITY_DIFFERS, sure=not denying.guesses)  # "she may" does not outlive "she does not"
    alike = _alike(one, other)
    if not alike.same:
        return None
    found = _differ(one, other, alike)
    return found._replace(sure=False) if found and (one.guesses or other.guesses) else found


def _differ(one: Frame, other: Frame, alike: Alike) -> Rival | None:
    if _excludes(one, other, alike) or _excludes(other, one, alike):
        return Rival(OBJECTS_DIFFER, sure=True)
    if one.subject == other.subject:
        return _of_one_subject(one, other, alike)
    return _of_two_subjects(one, other, alike) if one.named and other.named else None


def _of_one_subject(one: Frame, other: Frame, alike: Alike) -> Rival | None:
    if _undo_each_other(one, other):
        rest = min(len(one.said), len(other.said)) - 1
        return Rival(POLARITY_DIFFERS, alike.same >= HELD_BY_THE_OTHER * rest and not _at_other_times(one, other))
    mine, yours = one.said - other.said, other.said - one.said
    if not mine or not yours or _is_time(mine) != _is_time(yours):
        return None  # one only says more, or when
    reason = _what_differs(one, other)
    if not VAGUE.isdisjoint(one.written ^ other.written):
        return Rival(reason, sure=False)
    if alike.reaches(SAME_BUT_ONE) and one.verb == other.verb:
        return Rival(reason, sure=reason != DATES_DIFFER or one.verb in ONCE_STEMS)  # it may have happened twice
    limits = (one.limits or other.limits) and alike.reaches(LIMITED)
    if limits and one.verb == other.verb:
        return Rival(reason, sure=alike.same >= FEWEST_HELD or one.verb == "is" or one.verb not in SHARED_STEMS)
    same_deed = one.verb == other.verb and one.verb not in SHARED_STEMS
    about_the_same = alike.reaches(ABOUT_THE_SAME) and one.said & other.said != {one.verb}
    return Rival(reason, sure=False) if limits or same_deed or about_the_same else None


def _of_two_subjects(one: Frame, other: Frame, alike: Alike) -> Rival | None:
    """The same deed of another: one of them did it, unless it is one that many do."""
    partly = not one.subject.isdisjoint(other.subject)
    if alike.reaches(WITH_ANOTHER if partly else OF_ANOTHER) and one.verb == other.verb:
        if one.verb not in SHARED_STEMS:
            return Rival(OBJECTS_DIFFER, sure=True)
        return Rival(OBJECTS_DIFFER, sure=False) if alike.of_longer >= WORD_FOR_WORD else None
    held = alike.same > FEWEST_HELD and alike.of_shorter >= HELD_BY_THE_OTHER
    return Rival(OBJECTS_DIFFER, sure=False) if held else None


def _denies(denying: Frame, saying: Frame) -> bool:
    """Whether the one says "not" to what the other says of somebody it speaks of."""
    if not denying.denied or (denying.subject | denying.names | denying.not_of).isdisjoint(saying.subject):
        return False
    covered = saying.said | {stem(word) for name in saying.names for word in name.split()}
    same = len(denying.denied & covered)
    only_a_part = saying.said < denying.denied and "any" not in denying.written  # "tea", and "no green tea"
    if same < LEAST_DENIED or only_a_part:
        return False
    if same >= MOSTLY_DENIED * len(denying.denied):
        return True
    to_the_point = same >= SURELY_DENIED or saying.verb in denying.denied
    return to_the_point and same >= SHARE_DENIED * min(len(denying.denied), len(saying.said))


def _excludes(telling: Frame, told: Frame, alike: Alike) -> bool:
    """Whether the one names somebody of the other only to say that it is not so: "Ben, not Ana, …", "while Ana …"."""
    people = told.subject | told.names
    if not telling.not_of.isdisjoint(people):
        whole, asked = telling.said | telling.subject, told.said - telling.not_of
        same = len(whole & asked)
        return same >= FEWEST_HELD and same >= SHARE_EXCLUDED * len(asked)
    others = telling.contrasts and not telling.names.isdisjoint(told.subject)
    set_apart = others and telling.subject.isdisjoint(told.subject)
    return set_apart and alike.same >= FEWEST_HELD and alike.of_shorter >= HELD_BY_THE_OTHER


def _with_full_names(one: Frame, other: Frame) -> tuple[Frame, Frame]:
    """Both with a name written as the fuller one of them has it: "Ben" as "Ben Reis"."""
    mine, yours = one.subject | one.names, other.subject | other.names
    full = {
        short: long
        for shorts, longs in ((mine - yours, yours), (yours - mine, mine))
        for short in shorts
        for long in sorted(longs)
        if " " in long and set(short.split()) < set(long.split())
    }
    return (_renamed(one, full), _renamed(other, full)) if full else (one, other)


def _renamed(frame: Frame, full: Mapping[str, str]) -> Frame:
    subject, said, names, not_of = (
        frozenset(full.get(word, word) for word in words)
        for words in (frame.subject, frame.said, frame.names, frame.not_of)
    )
    return frame._replace(subject=subject, said=said, names=names, not_of=not_of)


def _is_time(words: Set[str]) -> bool:
    return all(word[0].isdigit() or word in DATED for word in words)


def _undo_each_other(one: Frame, other: Frame) -> bool:
    for word in one.written - other.written:
        against = SIDES_OF.get(word)
        if against and not against.isdisjoint(other.written - one.written):
            return True
    return False


def _alike(one: Frame, other: Frame) -> Alike:
    same = len(one.said & other.said)
    sizes = len(one.said), len(other.said)
    return Alike(same, same / max(sizes), same / min(sizes)) if same else Alike(0, 0.0, 0.0)


def _what_differs(one: Frame, other: Frame) -> str:
    if _at_other_times(one, other):
        return DATES_DIFFER
    return NUMBERS_DIFFER if one.figures and other.figures and one.figures != other.figures else OBJECTS_DIFFER


def _at_other_times(one: Frame, other: Frame) -> bool:
    first, second = dict(one.dates), dict(other.dates)
    return any(first[piece] != second[piece] for piece in first.keys() & second.keys())
