"""The groups of settings: store, embedder, writing, forgetting, spreading, signals, ranking, learning, confidence.

Each field carries what it does, where its number came from, and the bounds outside which it is refused. The tree they
hang on, and the settings of the path itself, are in `settings.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


def setting(default: Any, what: str, *, origin: str = "", low: float | None = None, high: float | None = None) -> Any:
    """One setting: default, what it does, where the number came from, and its bounds (included)."""
    return field(default=default, metadata={"what": what, "origin": origin, "low": low, "high": high})


def choice(default: str, what: str, *, among: tuple[str, ...], origin: str = "") -> Any:
    """One setting with a closed set of values."""
    return field(default=default, metadata={"what": what, "origin": origin, "among": among})


SECTIONS = "four groups of an earlier trading agent's memory"
HAND_SET = "hand-set: small against relevance, so that they decide among equals"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where and how memories are kept."""

    path: Path = setting(Path("~/.recollect"), "folder that holds the spaces", origin="one folder to back up or delete")
    open_spaces: int = setting(
        64,
        "spaces kept open at once; the least recently used is closed beyond that",
        origin="about 6 file handles each, well under the usual limit of 1024",
        low=1,
        high=10_000,
    )
    busy_seconds: float = setting(
        30.0,
        "how long a write waits for another process before it fails",
        origin="a bulk load commits every 1,000 rows, well under a second each",
        low=0.1,
        high=600,
    )
    exact_vectors: int = setting(
        5_000,
        "up to this many vectors every one is compared; above, a scan of sign bits picks the candidates",
        origin="benchmarks/store_scale.py: about where the two cost the same",
        low=0,
        high=10_000_000,
    )
    candidates: int = setting(
        400,
        "how many candidates the sign-bit scan hands to exact comparison, at least",
        origin="benchmarks/store_scale.py: recall@10 against exact at 100,000",
        low=50,
        high=100_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """Which model turns text into vectors."""

    name: str = setting("minilm", "minilm, static, hashing, openai, or one an installed package registers")
    folder: Path | None = setting(None, "folder with model.safetensors and tokenizer.json, used before the cache")
    cache: Path | None = setting(None, "where converted weights are kept; default: the user's cache folder")
    offline: bool = setting(False, "never fetch weights; use the folder and the cache only")
    precision: str = choice(
        "int8",
        "int8 is three times faster and a quarter of the size; fp32 is exact",
        among=("int8", "fp32"),
        origin="int8 keeps about 86 % of fp32's top ten among near ties",
    )
    base_url: str | None = setting(None, "for openai: address of the service, up to and including /v1")
    model: str | None = setting(None, "for openai: name of the model")
    api_key: str | None = setting(None, "for openai: the key, sent as a bearer token and never logged")
    dimensions: int | None = setting(None, "for openai: ask for vectors of this length", low=1, high=65_536)
    fallback: bool = setting(True, "use the static embedder, and say so, when the weights cannot be had")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteSettings:
    """What the write gate lets in, and what counts as the same."""

    max_characters: int = setting(
        200_000,
        "longest text of one memory",
        origin="a long document; beyond it, ingest splits",
        low=1,
        high=10_000_000,
    )
    min_characters: int = setting(
        3, "shortest text worth keeping", origin="'BTC' is a fact's shortest name", low=1, high=1_000
    )
    same_cosine: float = setting(
        0.95,
        "from here on a new text is the same as a stored one, unless numbers, names or negation differ",
        origin="specification D4",
        low=0,
        high=1,
    )
    similar_cosine: float = setting(
        0.90, "from here on it is stored and linked as similar", origin="specification D4", low=0, high=1
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingSettings:
    """The forgetting curve: retrievability = exp(-days since access / stability)."""

    active_above: float = setting(
        0.5,
        "retrievability above which a memory is active",
        origin="common to most kinds in an earlier trading agent's memory, see rank/forgetting.py",
        low=0,
        high=1,
    )
    weak_above: float = setting(
        0.1, "retrievability above which it is weak; below, dormant", origin="same", low=0, high=1
    )
    growth: float = setting(2.0, "each access by id multiplies stability by this", origin="same", low=1, high=10)
    cap_days: float = setting(365.0, "stability never exceeds this", origin="same", low=1, high=36_500)


def _share(default: float, what: str, origin: str) -> Any:
    return setting(default, what, origin=origin, low=0, high=1)


def _odds(default: float, what: str, origin: str = "benchmarks/fit_confidence.py") -> Any:
    return setting(default, what, origin=origin, low=-50, high=50)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadSettings:
    """How activation spreads from what matched to what is linked to it."""

    max_hops: int = setting(3, "links followed from a match, at most", origin="specification S3", low=0, high=10)
    hop_decay: float = _share(0.80, "what is passed on at each hop", "an earlier agent's memory")
    least: float = _share(0.02, "activation below this is not passed on", "hand-set: so little changes hardly a rank")
    budget: int = setting(
        200, "memories activated in one lookup, at most", origin="hand-set: bounds what is read", low=0, high=100_000
    )
    unmatched: int = setting(
        5,
        "memories that may enter a lookup's hits through links alone",
        origin="a fifth of its hits",
        low=0,
        high=1_000,
    )
    links_per_memory: int = setting(
        40,
        "links followed at one memory, the strongest first",
        origin="tames hubs at a bounded cost",
        low=1,
        high=10_000,
    )
    hub_links: int = setting(
        6,
        "links a memory may have before each of them passes on less",
        origin="more than most notes have; hand-set",
        low=1,
        high=10_000,
    )
    read_for_names: int = setting(
        5,
        "best matches read for names that are titles of other memories",
        origin="recollect eval --set, three sets of questions in two hops: 8 finds no more",
        low=0,
        high=100,
    )
    inbound_for_half: int = setting(
        4, "links to a memory that make its authority one half", origin="hand-set", low=1, high=10_000
    )
    recency_days: float = setting(
        30.0, "days after which recency has fallen to 1/e", origin="an earlier agent's memory", low=0.1, high=36_500
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalWeights:
    """What each signal counts for in the score of a memory of one group of kinds; divided by their sum."""

    semantic: float = _share(0.35, "nearness in meaning", SECTIONS)
    keyword: float = _share(0.15, "shared words", SECTIONS)
    graph: float = _share(0.20, "activation through links", SECTIONS)
    recency: float = _share(0.05, "how lately it happened or was used", SECTIONS)
    authority: float = _share(0.20, "how much points to it", SECTIONS)
    affinity: float = _share(0.05, "use and feedback", SECTIONS)


def _signal_weights(*shares: float) -> Any:
    names = ("semantic", "keyword", "graph", "recency", "authority", "affinity")
    return field(default_factory=lambda: SignalWeights(**dict(zip(names, shares, strict=True))))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSettings:
    """Weights per group of kinds; which kind is in which group is a table in rank/signals.py."""

    episodic: SignalWeights = _signal_weights(0.20, 0.15, 0.15, 0.30, 0.10, 0.10)
    signals: SignalWeights = _signal_weights(0.15, 0.10, 0.10, 0.45, 0.10, 0.10)
    knowledge: SignalWeights = _signal_weights(0.35, 0.15, 0.20, 0.05, 0.20, 0.05)
    procedural: SignalWeights = _signal_weights(0.25, 0.25, 0.20, 0.05, 0.15, 0.10)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSettings:
    """What each thing adds to the rank of a piece of evidence beside its relevance, whose weight is 1."""

    places: float = _share(0.05, "its places in all lists, fused", HAND_SET)
    agreement: float = _share(0.06, "others who say the same on their own account", HAND_SET)
    evidence: float = _share(0.02, "how many memories stand behind it", HAND_SET)
    novelty: float = _share(0.01, "that it was found in the first rounds", HAND_SET)
    recency: float = _share(0.03, "how lately it happened", HAND_SET)
    diversity: float = _share(0.02, "how many different lookups found it", HAND_SET)
    trust: float = _share(0.03, "the class of who said it", HAND_SET)
    authority: float = _share(0.02, "how much points to it", HAND_SET)
    affinity: float = _share(0.04, "use and feedback", HAND_SET)
    entity: float = _share(0.03, "that it names what the part names", HAND_SET)
    local: float = _share(0.02, "that it is of the project at hand", HAND_SET)
    time: float = _share(0.15, "that it lies within the time asked about", HAND_SET)
    length: float = _share(0.02, "taken off a very long text", HAND_SET)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningSettings:
    """What use teaches: bounded, wearing off, kept apart, undone by `unlearn`."""

    enabled: bool = setting(True, "off: nothing is learned, and nothing learned is used")
    automatic: float = _share(0.03, "added to links of memories injected together", "specification L1")
    explicit: float = _share(0.05, "added to links of memories recalled together", "specification L1")
    most: float = _share(0.30, "most that can be learned about one link", "an earlier agent's library")
    half_life_days: float = setting(
        30.0, "days after which half of what was learned has worn off", origin="hand-set", low=0.1, high=36_500
    )
    together: int = setting(
        4, "best pieces of one part that count as found together", origin="six pairs at most", low=2, high=20
    )
    used: float = _share(0.10, "favour gained when a piece was used", "specification L2; hand-set")
    not_used: float = _share(0.03, "favour lost when it was not", "specification L2; hand-set")
    wrong: float = _share(0.30, "favour lost when it was wrong", "specification L2; hand-set")
    most_favour: float = _share(0.60, "most favour a memory can gain or lose", "specification L2; hand-set")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSettings:
    """What each component adds to the log-odds of the confidence; relevance counts by its own log-odds."""

    bias: float = _odds(-2.69, "before anything is known")
    relevance: float = _odds(1.06, "the relevance of the best hit of each part, on average")
    evidence: float = _odds(
        0.0, "good facts, and others who say the same", "benchmarks/fit_confidence.py: -.07, which says nothing"
    )
    coverage: float = _odds(0.82, "parts and names that are covered, and rounds that brought news")
    reliability: float = _odds(2.0, "lookups that came back", "hand-set: even odds become one in eight when none does")
