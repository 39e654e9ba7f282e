"""Six signals that speak for a memory, each 0..1, and the score they give together.

Takes a memory and what a search knows about it; gives the signals with the raw numbers behind them, and a score whose
explanation adds up. The weights come from the settings, by the group its kind belongs to. How likely it is that the
memory helps is another question: that is `relevance`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import exp, tanh
from operator import mul
from typing import NamedTuple

from recollect.records import Memory, worn_off
from recollect.settings import Settings, SignalSettings, SignalWeights
from recollect.values import Explanation, Signal

NAMES = ("semantic", "keyword", "graph", "recency", "authority", "affinity")

# Which weights a kind is scored by. Episodes are what happened once; signals are true for hours; procedures are how
# something is done; knowledge is what holds until something else does, and whatever is not named here.
KIND_GROUPS: Mapping[str, str] = {
    "episode": "episodic",
    "event": "episodic",
    "market_event": "episodic",
    "message": "episodic",
    "session_summary": "episodic",
    "trade": "episodic",
    "trade_close": "episodic",
    "trade_entry": "episodic",
    "trade_modify": "episodic",
    "turn_summary": "episodic",
    "signal": "signals",
    "watchpoint": "signals",
    "chunk": "knowledge",
    "curiosity": "knowledge",
    "document": "knowledge",
    "entity": "knowledge",
    "fact": "knowledge",
    "lesson": "knowledge",
    "preference": "knowledge",
    "thesis": "knowledge",
    "good_pass": "procedural",
    "missed_opportunity": "procedural",
    "playbook": "procedural",
    "procedure": "procedural",
}
DEFAULT_GROUP = "knowledge"
MERITS = (4, 5)  # authority and affinity: they say something about a memory, not about the question
ACCESSES_FOR_MOST = 10  # accesses at which use counts for three quarters of what it can: tanh(1)


class Sighting(NamedTuple):
    """What one lookup knows about a memory: the cosine where they were compared, its keyword score as a share of the
    highest possible and as it is (BM25), what reached it over links, and how many links point to it."""

    cosine: float | None = None
    strength: float = 0.0
    bm25: float = 0.0
    received: float = 0.0
    inbound: int = 0


def measure(memory: Memory, sighting: Sighting, *, settings: Settings, now: datetime) -> tuple[Signal, ...]:
    """The six signals of a memory, in the order of `NAMES`."""
    return tuple(map(Signal, NAMES, *_measured(memory, sighting, settings=settings, now=now)))


def score_alone(
    memory: Memory, sighting: Sighting, *, settings: Settings, now: datetime
) -> tuple[float, tuple[Signal, ...]]:
    """The signals together, as `score` gives it, without saying why; and those about the memory itself."""
    values, raw = _measured(memory, sighting, settings=settings, now=now)
    shares, _ = _shares(weights_for(memory.kind, settings.signals))
    merits = tuple(Signal(NAMES[place], values[place], raw[place]) for place in MERITS)
    return sum(map(mul, shares, values)), merits


def _measured(
    memory: Memory, sighting: Sighting, *, settings: Settings, now: datetime
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The six values, and the raw numbers they were made from."""
    cosine = sighting.cosine or 0.0
    days = _days_since(memory, now=now)
    recency = exp(-days / settings.spread.recency_days)
    inbound = sighting.inbound
    fondness = tanh(memory.access_count / ACCESSES_FOR_MOST) * recency + _favour(memory, settings=settings, now=now)
    authority = inbound / (inbound + settings.spread.inbound_for_half)
    received, affinity = sighting.received, _clipped((1 + fondness) / 2)
    values = (_clipped(cosine), _clipped(sighting.strength), received, recency, authority, affinity)
    return values, (cosine, sighting.bm25, received, days, inbound, fondness)


def weights_for(kind: str, settings: SignalSettings) -> SignalWeights:
    """The weights of the group a kind belongs to.

    >>> weights_for("message", SignalSettings()).recency, weights_for("whatever", SignalSettings()).recency
    (0.3, 0.05)
    """
    weights: SignalWeights = getattr(settings, KIND_GROUPS.get(kind, DEFAULT_GROUP))
    return weights


def score(signals: Sequence[Signal], weights: SignalWeights) -> Explanation:
    """The signals together, 0..1: each times its share of the weights; the details add up to it.

    >>> why = score([Signal(name, 1.0, 1.0) for name in NAMES], SignalWeights())
    >>> round(why.value, 9), why.details[0].what
    (1.0, 'semantic, weight 0.35')
    """
    shares, labels = _shares(weights)
    values = [share * signal.value for share, signal in zip(shares, signals, strict=True)]
    return Explanation(sum(values), "six signals", tuple(map(Explanation, values, labels)), sums=True)


@lru_cache(maxsize=64)  # four groups per settings; worked out for each hit they would cost more than the scoring
def _shares(weights: SignalWeights) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Each weight divided by their sum, and what to call what it gives."""
    given = [getattr(weights, name) for name in NAMES]
    shares = tuple(weight / (sum(given) or 1.0) for weight in given)
    return shares, tuple(f"{name}, weight {share:.2f}" for name, share in zip(NAMES, shares, strict=True))


def _days_since(memory: Memory, *, now: datetime) -> int:
    """Whole days since it happened, was last fetched or was changed, so that all of a day's answers agree."""
    since = memory.event_time or memory.last_access or memory.updated_at
    return max(0, (now - since).days)


def _favour(memory: Memory, *, settings: Settings, now: datetime) -> float:
    if not (settings.learning.enabled and memory.favour):
        return 0.0
    half_life = settings.learning.half_life_days
    return worn_off(memory.favour, memory.favour_at, now=now, half_life_days=half_life)


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
