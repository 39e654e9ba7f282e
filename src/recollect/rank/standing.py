"""Where a piece of evidence stands among the others: its relevance first, then small things that decide among equals.

Each component is within 0 and 1 and counts by its weight in `settings.rank`, relevance by 1; the sum is divided by
what it could be at most, so that a score is within 0 and 1, and the details of its explanation add up to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import exp, floor
from typing import NamedTuple

from recollect.language.told import Told, said_at, told_times
from recollect.rank.fuse import RRF_K
from recollect.readings import remembered
from recollect.records import Memory, TimeAxis, TimeRange
from recollect.settings import Settings
from recollect.values import Explanation, Part, Signal

# How far each class of speaker is taken at its word; a class not listed is an unknown one.
TRUST = {"user": 1.0, "agent": 0.7, "tool": 0.6, "document": 0.6, "web": 0.3}
UNKNOWN_TRUST = 0.5

READABLE_CHARACTERS = 2_000  # up to here a text costs its reader nothing extra
TIRING_CHARACTERS = 20_000  # beyond those, so many more make it as tiring as can be
TELLING_CHARACTERS = 1_900  # the times told further down are not what a text is about; and no more is remembered

GRAIN = 2**30  # shares are cut to about nine digits, in binary, so that they add up to the last bit in any order


class Standing(NamedTuple):
    """What is known about a piece: its best hit, and what stands behind it.

    `places` are its ranks in the lists of `lists` lookups; `asked` are the parts it serves; `at_hand` says whether it
    is of the project at hand, None where no project is.
    """

    memory: Memory
    relevance: float
    places: Sequence[int]
    lists: int
    agreeing: int
    evidences: int
    first_round: int
    texts: int
    asked: Sequence[Part]
    at_hand: bool | None = None
    merits: Sequence[Signal] = ()


class Share(NamedTuple):
    """One component's share of a score."""

    name: str
    value: float
    share: float


def shares(standing: Standing, *, now: datetime, settings: Settings) -> list[Share]:
    """What the score is made of, relevance first; it is their sum."""
    weights = settings.rank
    values = _components(standing, now=now, settings=settings)
    weighed = [(name, value, weight) for name, value in values if (weight := getattr(weights, name))]
    most = 1 + sum([weight for _, _, weight in weighed])
    made = [Share("relevance", standing.relevance, _cut(standing.relevance / most))]
    made += [Share(name, value, _cut(weight * value / most)) for name, value, weight in weighed]
    return made


def score(made: Sequence[Share]) -> float:
    """The sum of the shares."""
    return sum([each.share for each in made])


def explained(made: Sequence[Share], *, because: Explanation) -> Explanation:
    """The score and what it is made of; `because` is why it is relevant, on a scale of its own."""
    relevance, *others = made
    details = [Explanation(relevance.share, f"relevance {relevance.value:.3f}", (because,))]
    details += [Explanation(each.share, f"{each.name} {each.value:.3f}") for each in others]
    return Explanation(score(made), "score", tuple(details), sums=True)


def _cut(share: float) -> float:
    return floor(share * GRAIN) / GRAIN


def _components(standing: Standing, *, now: datetime, settings: Settings) -> list[tuple[str, float]]:
    """Only those that can apply to it: a part that names nothing asks for no name."""
    memory = standing.memory
    happened = memory.event_time or memory.created_at
    days = max(0, (now - happened).days)  # whole days, so that a day's answers agree
    components = [
        ("places", fused(standing.places, lists=standing.lists)),
        ("agreement", 1 - 0.5**standing.agreeing),
        ("evidence", 1 - 0.5 ** (standing.evidences - 1)),
        ("novelty", 1 / standing.first_round),
        ("recency", exp(-days / settings.spread.recency_days)),
        ("diversity", 1 - 1 / standing.texts),
        ("trust", TRUST.get(memory.trust, UNKNOWN_TRUST)),
        ("length", 1 - min(1.0, max(0, len(memory.body) - READABLE_CHARACTERS) / TIRING_CHARACTERS)),
    ]
    naming = [part.entities for part in standing.asked if part.entities]
    if naming:
        text = f"{memory.title}\n{memory.body}".casefold()
        named = max(sum(name.casefold() in text for name in names) / len(names) for names in naming)
        components.append(("entity", named))
    components += [(each.name, each.value) for each in standing.merits]
    if standing.at_hand is not None:
        components.append(("local", float(standing.at_hand)))
    times = [part.time for part in standing.asked if part.time]
    if times:
        components.append(("time", float(any(time.covers(memory) or _tells_of(time, memory) for time in times))))
    return components


def _tells_of(time: TimeRange, memory: Memory) -> bool:
    """Whether its text tells of a time in the range: what was said on Monday may be about "yesterday"."""
    if time.axis is TimeAxis.STORED:
        return False
    return any(
        (time.start is None or told.end > time.start) and (time.end is None or told.start < time.end)
        for told in times_told(memory.body[:TELLING_CHARACTERS], by=memory)
    )


def times_told(text: str, *, by: Memory) -> tuple[Told, ...]:
    """The times told in a text of a memory, against when it was said."""
    moment = said_at(by)
    return _times_told(text, moment.isoformat() if moment else "")


@remembered
def _times_told(text: str, moment: str) -> tuple[Told, ...]:
    return told_times(text, datetime.fromisoformat(moment) if moment else None)


def fused(places: Sequence[int], *, lists: int) -> float:
    """Reciprocal ranks summed, as a share of the sum for the first place in every list.

    >>> fused([1, 1], lists=2), fused([1], lists=2), fused([], lists=0)
    (1.0, 0.5, 0.0)
    """
    return sum((RRF_K + 1) / (RRF_K + place) for place in places) / lists if lists else 0.0
