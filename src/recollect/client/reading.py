"""What the service tells of questions and answers -> values: the way back of `doors/wire.py` and `wire_answer.py`.

Written out field by field like the writing; a test holds the two against each other. What the wire leaves out is
empty here: an answer's trace has its steps and their seconds, and `Client.trace` the whole of it.
"""

from __future__ import annotations

from math import nan
from typing import Any

from recollect.client.reading_stored import found, memory, moment, optional_moment
from recollect.questions import Target
from recollect.records import TimeRange
from recollect.values import (
    Answer,
    Around,
    Confidence,
    Conflict,
    ConflictKind,
    Context,
    Decision,
    Evidence,
    Explained,
    Explanation,
    Gap,
    Happening,
    Hit,
    Label,
    Part,
    PartState,
    Question,
    QuestionType,
    Recalled,
    RoundGain,
    SearchResult,
    Shown,
    Signal,
    Span,
    Stop,
    Strategy,
    Trace,
    Trait,
    VerdictKind,
)

Json = dict[str, Any]
SEARCHING = "search"  # the step whose lookups take the time of sources


# --- answers -------------------------------------------------------------------------------------


def answer(said: Json) -> Answer:
    """The whole answer."""
    states = tuple(part_state(each) for each in said["parts"])
    return Answer(
        question=Question(
            said["question"],
            frozenset(Trait(each) for each in said["traits"]),
            tuple(state.part for state in states),
            QuestionType(said["type"]),
            rewritten=said["rewritten"],
        ),
        parts=states,
        verdict=VerdictKind(said["verdict"]),
        confidence=confidence(said["confidence"]),
        evidence=tuple(evidence(each) for each in said["evidence"]),
        conflicts=tuple(conflict(each) for each in said["conflicts"]),
        gaps=tuple(Gap(each["part"], each["text"], each["reason"]) for each in said["gaps"]),
        degraded=tuple(said["degraded"]),
        stop=Stop(said["stop_reason"]),
        context=said["context"],
        trace=trace(said),
        text=said["answer"],
        gains=tuple(gain(each) for each in said["rounds"]),
    )


def confidence(said: Json) -> Confidence:
    """How sure."""
    return Confidence(said["score"], Label(said["label"]), said["components"])


def part_state(said: Json) -> PartState:
    """How one part of the question fared."""
    part = Part(said["number"], said["text"], tuple(said["entities"]), QuestionType(said["type"]))
    return PartState(part, said["best"], said["passed"], said["strong"], said["coverage"], said["served"])


def evidence(said: Json) -> Evidence:
    """One piece of evidence."""
    return Evidence(
        memory=found(said),
        score=said["score"],
        relevance=said["relevance"],
        parts=tuple(said["parts"]),
        sources=tuple(said["sources"]),
        rounds=tuple(said["rounds"]),
        explanation=explanation(said["explanation"]),
        snippets=tuple(said["snippets"]),
        fact_key=said["fact_key"],
        evidence_key=said["evidence_key"],
        lookups=tuple(said["lookups"]),
        absorbed=tuple(said["absorbed"]),
        corroborated_by=tuple(said["corroborated_by"]),
        novelty_added=said["novelty_added"],
        supporting_evidence_count=said["supporting_evidence_count"],
        query_coverage_count=said["query_coverage_count"],
        signals=signals(said["signals"]),
        reached_by=tuple(said["reached_by"]),
        contradicted_by=tuple(said["contradicted_by"]),
        superseded=said["superseded"],
        flags=tuple(said["flags"]),
        around=around(said["around"]),
    )


def explanation(said: Json) -> Explanation:
    """The tree behind a number."""
    value = nan if said["value"] is None else said["value"]
    return Explanation(value, said["what"], tuple(explanation(each) for each in said["details"]), said["sums"])


def signals(said: Json) -> tuple[Signal, ...]:
    """What speaks for something."""
    return tuple(Signal(name, each["value"], each["raw"]) for name, each in said.items())


def around(said: Json | None) -> Around:
    """What stands beside a piece of a file."""
    return Around() if said is None else Around(said["before"], said["after"], said["first"], said["last"])


def conflict(said: Json) -> Conflict:
    """Two memories that cannot both hold."""
    kind, strategy = ConflictKind(said["kind"]), Strategy(said["strategy"])
    return Conflict(said["preferred"], said["other"], said["reason"], kind, strategy, said["settled"])


def gain(said: Json) -> RoundGain:
    """What one round brought."""
    return RoundGain(**{name: said[name] for name in RoundGain.__dataclass_fields__})


def trace(said: Json) -> Trace:
    """The trace of an answer as far as the answer tells it; each source's time is one span in the first search."""
    steps = [Span(each["name"], each["seconds"]) for each in said["timings"]["steps"]]
    lookups = tuple(_lookup(source, seconds) for source, seconds in said["timings"]["sources"].items())
    at = next((place for place, step in enumerate(steps) if step.name == SEARCHING), 0)
    if lookups:
        steps[at] = Span(steps[at].name, steps[at].seconds, inside=lookups)
    return Trace(said["trace_id"], moment(said["started_at"]), tuple(steps), said["counters"])


def context(said: Json) -> Context:
    """The block for a prompt, or why there is none."""
    shown = tuple(said["already_shown"])
    verdict = VerdictKind(said["verdict"])
    return Context(said["context"], tuple(said["memories"]), shown, said["reason"], verdict, said["trace_id"])


def explained(said: Json) -> Explained:
    """Why one memory stands where it does."""
    tree = said["explanation"]
    return Explained(
        said["trace_id"], said["id"], tuple(said["sentences"]), None if tree is None else explanation(tree)
    )


def happening(said: Json) -> Happening:
    """Something that happened to a question."""
    return Happening(said["what"], said["name"], said["at"], said["numbers"])


# --- what the other verbs give -------------------------------------------------------------------


def hit(said: Json) -> Hit:
    """One thing a plain search found."""
    return Hit(
        memory=found(said),
        source=said["source"],
        source_score=said["source_score"],
        relevance=said["relevance"],
        reasons=Shown(explanation(said["explanation"]), signals(said["signals"])),
        reached_by=tuple(said["reached_by"]),
        contradicts=tuple(said["contradicts"]),
        supersedes=tuple(said["supersedes"]),
        around=around(said["around"]),
        coexists=tuple(said["coexists"]),
    )


def searched(said: Json) -> SearchResult:
    """A plain search, as the route for it tells one."""
    return SearchResult(tuple(hit(each) for each in said["data"]), tuple(said["metrics"]["degraded"]))


def recalled(said: Json) -> Recalled:
    """Memories with the relevance they had, where something was asked."""
    relevance = {each["id"]: each["relevance"] for each in said["memories"] if each["relevance"] is not None}
    verdict = None if said["verdict"] is None else VerdictKind(said["verdict"])
    memories = tuple(memory(each) for each in said["memories"])
    return Recalled(memories, relevance, verdict, tuple(said["degraded"]), said["trace_id"])


def question(said: Json) -> Question:
    """What the words of a question show."""
    named = said["query_type"] == "LOOKUP"
    return Question(
        said["question"],
        frozenset(Trait(each) for each in said["traits"]),
        tuple(_asked_part(each) for each in said["parts_in_detail"]),
        QuestionType(said["type"]),
        tuple(said["entities"]),
        time_range(said["time"]),
        said["rewritten"],
        Target(said["entity"], said["attribute"], said["confidence"]) if named else None,
    )


def time_range(said: Json | None) -> TimeRange | None:
    """From `start` to `end`; an open side is null."""
    return None if said is None else TimeRange(optional_moment(said["start"]), optional_moment(said["end"]))


def _asked_part(said: Json) -> Part:
    type, time = QuestionType(said["type"]), time_range(said["time"])
    return Part(said["number"], said["text"], tuple(said["entities"]), type, time)


def _lookup(source: str, seconds: float) -> Span:
    what = f"lookup {source}"
    return Span(what, seconds, (Decision(what, "all_lookups", {"source": source}),))
