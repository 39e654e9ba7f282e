"""Every setting and its default, once. `configure.py` fills this tree from file, environment and arguments.

Each field carries what it does, where its number came from, and the bounds outside which it is refused.
Frozen dataclasses rather than a settings library: importing one costs more than the whole budget for
`import recollect` (docs/decisions/002).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput


def setting(default: Any, what: str, *, origin: str = "", low: float | None = None, high: float | None = None) -> Any:
    """One setting: default, what it does, where the number came from, and its bounds (included)."""
    return field(default=default, metadata={"what": what, "origin": origin, "low": low, "high": high})


def choice(default: str, what: str, *, among: tuple[str, ...], origin: str = "") -> Any:
    """One setting with a closed set of values."""
    return field(default=default, metadata={"what": what, "origin": origin, "among": among})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole tree."""

    enabled: bool = setting(True, "off: one plain search, same result shape")
    recipe: str = choice("balanced", "how hard to search", among=("fast", "balanced", "deep"))
    quality_threshold: float = setting(
        0.20,
        "a part passes its gate when its best hit's relevance is at least this",
        origin="specification J1; refit with the relevance model",
        low=0,
        high=1,
    )
    answerable_threshold: float = setting(
        0.35,
        "a part counts as covered when its best hit's relevance is at least this",
        origin="benchmarks/fit_relevance.py: .25 to .40 judge off-topic and conversation questions best",
        low=0,
        high=1,
    )
    relevance_ratio: float = setting(
        0.4, "evidence below this share of the best score is cut", origin="specification M3", low=0, high=1
    )
    max_results: int = setting(20, "most pieces of evidence returned", origin="specification M3", low=0, high=1_000)
    max_sub_queries: int = setting(4, "most parts a question is split into", origin="specification U4", low=1, high=16)
    timeout_seconds: float = setting(3.0, "deadline of a whole call", origin="specification P4", low=0.01, high=600)
    lookup_timeout: float = setting(2.0, "deadline of one lookup", origin="specification P4", low=0.01, high=600)
    search_limit_per_query: int = setting(
        25,
        "hits fetched per lookup, more than are returned, so that fusion has something to fuse",
        origin="specification P4",
        low=0,
        high=1_000,
    )
    novelty_patience: int = setting(
        2, "rounds without anything new before the search stops", origin="specification J3", low=1, high=20
    )
    max_context_tokens: int = setting(
        4_000, "size of the context block", origin="specification A1", low=0, high=1_000_000
    )
    weight_relevance: float = setting(
        0.35, "share of relevance in the confidence", origin="specification W1", low=0, high=1
    )
    weight_evidence: float = setting(
        0.20, "share of the number of good pieces", origin="specification W1", low=0, high=1
    )
    weight_coverage: float = setting(0.25, "share of covered parts", origin="specification W1", low=0, high=1)
    weight_reliability: float = setting(
        0.20, "share of lookups that came back", origin="specification W1", low=0, high=1
    )
    high_confidence: float = setting(
        0.70, "confidence labelled high from here", origin="hand-set until calibrated", low=0, high=1
    )
    medium_confidence: float = setting(
        0.45, "confidence labelled medium from here", origin="hand-set until calibrated", low=0, high=1
    )
    store: StoreSettings = field(default_factory=StoreSettings)
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    write: WriteSettings = field(default_factory=WriteSettings)
    forgetting: ForgettingSettings = field(default_factory=ForgettingSettings)

    def __post_init__(self) -> None:
        check(self)
        _ordered(self, "medium_confidence", "high_confidence")
        _ordered(self.write, "similar_cosine", "same_cosine")
        _ordered(self.forgetting, "weak_above", "active_above")


def _ordered(tree: Any, lower: str, upper: str) -> None:
    if getattr(tree, lower) > getattr(tree, upper):
        raise InvalidInput(
            f"setting {lower!r} ({getattr(tree, lower)}) must not exceed {upper!r} ({getattr(tree, upper)})",
            field=lower,
        )


def check(tree: Any, *, prefix: str = "") -> None:
    """Refuse a value outside its bounds, naming the setting and what is allowed."""
    for each in fields(tree):
        value, name = getattr(tree, each.name), prefix + each.name
        if is_dataclass(value):
            check(value, prefix=f"{name}.")
            continue
        low, high, among = (each.metadata.get(key) for key in ("low", "high", "among"))
        if among and value not in among:
            raise InvalidInput(f"setting {name!r} is {value!r}; choose one of {', '.join(among)}", field=name)
        if value is not None and low is not None and not low <= value:
            raise InvalidInput(f"setting {name!r} is {value!r}; the least allowed is {low}", field=name)
        if value is not None and high is not None and not value <= high:
            raise InvalidInput(f"setting {name!r} is {value!r}; the most allowed is {high}", field=name)
