"""What the statements of others say for a memory: it and one of the best speak of the same thing, which few others do.

"Who is the wife of the director of that film?" is answered by a text that names the director and shares no other word
with the question. Takes what is stated of the names in the best texts; gives for each memory reached over them what
speaks for it, and scores raised by that. Who is asked, and which may be seen, is decided by the lineup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from recollect.rank.clues import Wanted

MOST_SPEAK = 40  # memories that speak of a name; one that more speak of joins none of them
FIRST_STAY = 2  # best ones of a list that nothing passes only because of what it is joined with
APART = 1e-3  # below the last of them


class Joined(NamedTuple):
    """The most that any shared name says: how rare it is, what of the question is said of it where it was found, and
    how few others there are; each times how far to go by the text it was found in."""

    rare: float = 0.0
    said: float = 0.0
    alone: float = 0.0


class Reached(NamedTuple):
    """A memory with what joins it, and the memories it is joined with, the strongest first."""

    joined: Joined
    by: tuple[str, ...] = ()


NOT_JOINED = Joined()
Told = Mapping[str, Mapping[str, Sequence[str]]]  # by name: the memories that speak of it, with what they say of it


def reached_from(
    seeds: Mapping[str, float], names: Mapping[str, Sequence[str]], told: Told, asked: Wanted
) -> dict[str, Reached]:
    """By memory, what joins it with the seeds; `names` are those in each seed's text that the question does not have.

    >>> told = {"ana ortiz": {"film": ["film directed by ana ortiz"], "life": ["ana ortiz married ben low"]}}
    >>> reached_from({"film": 1.0}, {"film": ["ana ortiz"]}, told, [("direct", 0.5), ("wife", 0.5)])["life"].joined
    Joined(rare=0.813, said=0.5, alone=1.0)
    """
    found: dict[str, Joined] = {}
    ways: dict[str, dict[str, float]] = {}
    for seed, far in seeds.items():
        for name in names.get(seed, ()):
            speak = told.get(name, {})
            count = len(speak) + (seed not in speak)
            if not 1 < count <= MOST_SPEAK:
                continue
            said = max((_share(asked, each, without=name) for each in speak.get(seed, ())), default=0.0)
            rare = round(1 - log(count) / log(MOST_SPEAK + 1), 3)
            each_joined = (far * rare, far * said, far / (count - 1))
            for other in speak:
                if other != seed:
                    found[other] = Joined(*map(max, found.get(other, NOT_JOINED), each_joined))
                    strongest = ways.setdefault(other, {})
                    strongest[seed] = max(strongest.get(seed, 0.0), sum(each_joined))
    return {
        id: Reached(joined, tuple(sorted(ways[id], key=lambda seed: (-ways[id][seed], seed))))
        for id, joined in found.items()
    }


def _share(asked: Wanted, said: str, *, without: str) -> float:
    return sum([share for word, share in asked if word in said and word not in without])


def joined_score(joined: Joined, weights: Mapping[str, float]) -> float:
    """What it is worth.

    >>> joined_score(Joined(rare=0.5, alone=1.0), {"rare": 2.0, "said": 4.0, "alone": 2.0})
    3.0
    """
    return sum([weights.get(name, 0.0) * value for name, value in zip(Joined._fields, joined, strict=True)])


def raised(scores: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """The scores with what each is raised by; what would pass the first few comes right behind them.

    >>> found = raised({"1": 5.0, "2": 4.0, "3": 1.0, "4": 0.0}, {"3": 1.0, "4": 9.0})
    >>> {id: round(score, 4) for id, score in found.items()}
    {'1': 5.0, '2': 4.0, '3': 2.0, '4': 3.9998}
    """
    best = sorted(scores.values(), reverse=True)
    limit = best[FIRST_STAY - 1] if len(best) >= FIRST_STAY else best[-1] if best else 0.0
    found = dict(scores)
    for id, value in more.items():
        wanted = scores[id] + value
        if scores[id] < limit:
            found[id] = wanted if wanted < limit - APART else limit - APART / (1 + wanted - limit + APART)
    return found
