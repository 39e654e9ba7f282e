"""Every setting and its default, once. `configure.py` fills this tree from file, environment and arguments.

Each field carries what it does, where its number came from, and the bounds outside which it is refused; the groups
are in `setting_groups.py`, re-exported. Frozen dataclasses rather than a settings library: importing one costs more
than the whole budget for `import recollect` (docs/decisions/002).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from recollect.errors import InvalidInput
from recollect.project_settings import GraphSettings as GraphSettings
from recollect.project_settings import LocalSettings as LocalSettings
from recollect.project_settings import ReadSettings as ReadSettings
from recollect.remote_settings import RemoteSettings as RemoteSettings
from recollect.service_settings import ServiceSettings as ServiceSettings
from recollect.setting_groups import ConfidenceSettings as ConfidenceSettings
from recollect.setting_groups import EmbedderSettings as EmbedderSettings
from recollect.setting_groups import ForgettingSettings as ForgettingSettings
from recollect.setting_groups import LearningSettings as LearningSettings
from recollect.setting_groups import RankSettings as RankSettings
from recollect.setting_groups import SignalSettings as SignalSettings
from recollect.setting_groups import SignalWeights as SignalWeights
from recollect.setting_groups import SpreadSettings as SpreadSettings
from recollect.setting_groups import StoreSettings as StoreSettings
from recollect.setting_groups import WriteSettings as WriteSettings
from recollect.setting_groups import choice, setting
from recollect.telemetry_settings import TelemetrySettings as TelemetrySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole tree."""

    enabled: bool = setting(True, "off: one plain search, same result shape")
    recipe: str = choice("balanced", "how hard to search", among=("fast", "balanced", "deep"))
    quality_threshold: float = setting(
        0.20,
        "a part passes its gate when its best hit's relevance is at least this",
        origin="specification J1",
        low=0,
        high=1,
    )
    answerable_threshold: float = setting(
        0.50,
        "a part counts as covered when its best hit's relevance is at least this",
        origin="even odds: relevance is a calibrated chance",
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
    strong_threshold: float = setting(
        0.50,
        "a part whose best hit is at least this relevant needs no second round",
        origin="specification J3; even odds. recollect eval, five sets: .8 takes twice as long, only musique gains",
        low=0,
        high=1,
    )
    max_retries: int = setting(
        1, "reworded lookups for a weak part before fallback queries", origin="specification J1", low=0, high=10
    )
    early_stop_min_rounds: int = setting(
        2, "rounds before a search that is not strong may stop as enough", origin="specification J3", low=1, high=20
    )
    novelty_min_new_facts: int = setting(
        1, "new facts that make a round worth it", origin="specification J3", low=0, high=100
    )
    novelty_patience: int = setting(
        2, "rounds without anything new before the search stops", origin="specification J3", low=1, high=20
    )
    max_facts: int = setting(
        30, "distinct good facts at which the search stops", origin="specification J3", low=1, high=1_000
    )
    fallback_max_queries: int = setting(
        12, "fallback queries made for one part, at most", origin="specification J4", low=0, high=100
    )
    fallback_max_query_length: int = setting(
        120, "characters of one fallback query, at most", origin="specification J4", low=10, high=1_000
    )
    fallback_on_timeout: bool = setting(
        True, "ask the next of `fallback_order` when the sources of a part fail or time out"
    )
    fallback_order: str = setting("local, graph, vector", "which sources stand in, in order", origin="specification S2")
    lookups_per_round: int = setting(
        4,
        "lookups of one later round, at most",
        origin="each costs about one search; hand-set",
        low=1,
        high=100,
    )
    secondary_limit: int = setting(
        10, "hits fetched from a source that is secondary to a part", origin="hand-set", low=0, high=1_000
    )
    max_observations_per_source: int = setting(
        10, "observations of one source that later lookups read", origin="specification S4", low=1, high=1_000
    )
    max_total_observations: int = setting(
        25, "observations that later lookups read, in all", origin="specification section 8", low=1, high=10_000
    )
    attention_decay: float = setting(
        0.9, "what is left of an observation's attention after a round", origin="specification S4", low=0, high=1
    )
    attention_boost: float = setting(
        0.2, "attention gained when it is found again", origin="specification S4", low=0, high=1
    )
    similarity_threshold: float = setting(
        0.85,
        "from this cosine on two pieces of evidence are the same, unless numbers, names or negation differ",
        origin="specification M1",
        low=0,
        high=1,
    )
    replacement_floor: float = setting(
        0.25, "evidence less relevant than this is replaced or dropped", origin="specification M4", low=0, high=1
    )
    max_replacements: int = setting(
        2, "searches for something better than weak evidence", origin="specification M4", low=0, high=20
    )
    conflict_strategy: str = choice(
        "by_kind",
        "what to do about contradictions; by_kind: temporal the latest, factual the source, scope both",
        among=("by_kind", "latest_wins", "highest_confidence", "source_priority", "ask_user", "include_both"),
        origin="specification M5",
    )
    enable_memory: bool = setting(True, "search what was remembered")
    enable_messages: bool = setting(True, "search the messages of conversations")
    enable_local: bool = setting(True, "search the instruction files and docs of the project at hand")
    enable_graph: bool = setting(True, "search the entities and statements read from projects")
    enable_vector: bool = setting(True, "search the pieces of files read from projects")
    graph_scopes_vector: bool = setting(
        True, "let the projects and files the graph points at narrow the search of pieces", origin="specification P2"
    )
    scope_mode: str = choice(
        "parallel_then_rescope",
        "when the graph's scope is used: ask at once and again within it, wait for it, or not at all",
        among=("parallel_then_rescope", "sequential", "independent"),
        origin="specification P2",
    )
    keep_traces: int = setting(1_000, "traces kept per space; 0 keeps none", origin="hand-set", low=0, high=10_000_000)
    max_context_tokens: int = setting(
        4_000, "size of the context block", origin="specification A1", low=0, high=1_000_000
    )
    high_confidence: float = setting(
        0.70, "confidence labelled high from here", origin="hand-set: a chance of seven in ten", low=0, high=1
    )
    medium_confidence: float = setting(
        0.45, "confidence labelled medium from here", origin="hand-set: about even odds", low=0, high=1
    )
    store: StoreSettings = field(default_factory=StoreSettings)
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    write: WriteSettings = field(default_factory=WriteSettings)
    forgetting: ForgettingSettings = field(default_factory=ForgettingSettings)
    spread: SpreadSettings = field(default_factory=SpreadSettings)
    signals: SignalSettings = field(default_factory=SignalSettings)
    rank: RankSettings = field(default_factory=RankSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    read: ReadSettings = field(default_factory=ReadSettings)
    local: LocalSettings = field(default_factory=LocalSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    confidence: ConfidenceSettings = field(default_factory=ConfidenceSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    remote: RemoteSettings = field(default_factory=RemoteSettings)

    def __post_init__(self) -> None:
        check(self)
        _ordered(self, "medium_confidence", "high_confidence")
        _ordered(self.write, "similar_cosine", "same_cosine")
        _ordered(self.forgetting, "weak_above", "active_above")
        _ordered(self, "quality_threshold", "strong_threshold")


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
