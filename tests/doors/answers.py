"""An answer made by hand that has everything an answer can have: two parts, two rounds, failures, a conflict."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from recollect.records import Memory
from recollect.values import (
    Answer,
    Confidence,
    Conflict,
    ConflictKind,
    Decision,
    Evidence,
    Explanation,
    Gap,
    Label,
    Part,
    PartState,
    Question,
    QuestionType,
    RoundGain,
    Signal,
    Span,
    Stop,
    Strategy,
    Trace,
    Trait,
    VerdictKind,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
GATE, OLD_GATE, TWIN, BRIDGE, DROPPED, LINKED = "01gate", "01oldgate", "01twin", "01bridge", "01dropped", "01linked"
SECRET = "The harbour gate code is 4471"


def memory(id: str, **fields: Any) -> Memory:
    given: dict[str, Any] = {"kind": "fact", "title": f"Title of {id}", "body": SECRET, **fields}
    return Memory(id=id, space="default", created_at=NOON, updated_at=NOON, content_hash=f"hash {id}", **given)


def score(relevance: float, *, halved: bool = False) -> Explanation:
    """A score that is a sum, the relevance in it with log-odds of its own."""
    odds = Explanation(
        1.5, "log-odds of relevance", (Explanation(2.0, "cosine"), Explanation(-0.5, "constant")), sums=True
    )
    details = (
        Explanation(relevance, "relevance", (odds,)),
        Explanation(0.02, "recency"),
        Explanation(0.0001, "trust"),
        Explanation(-0.01, "length"),
    )
    whole = Explanation(sum(each.value for each in details), "score", details, sums=True)
    if not halved:
        return whole
    half = Explanation(-whole.value / 2, "superseded: halved")
    return Explanation(whole.value / 2, "score after conflicts", (whole, half), sums=True)


def piece(id: str, relevance: float, **fields: Any) -> Evidence:
    explanation = fields.pop("explanation", None) or score(relevance)
    given: dict[str, Any] = {"parts": (0,), "sources": ("memory",), "rounds": (1,), **fields}
    return Evidence(memory(id), explanation.value, relevance, explanation=explanation, **given)


def lookup(source: str, text: str, *, began: float, seconds: float, because: str = "found", **numbers: Any) -> Span:
    said = {"source": source, "part": 0, "origin": "part", "text": text, **numbers}
    return Span(f"lookup {source}", seconds, (Decision(f"lookup {source}", because, said),), began)


def spans() -> tuple[Span, ...]:
    first = (
        lookup("memory", "harbour gate code", began=0.001, seconds=0.004, hits=25),
        lookup("messages", "harbour gate code", began=0.001, seconds=0.009, because="timed_out"),
    )
    second = (
        lookup("memory", "Albatross captain", began=0.011, seconds=0.003, hits=1, part=1, origin="bridge", via=BRIDGE),
    )
    return (
        Span("understand", 0.0005, (Decision("split", "structure", {"parts": 2}),)),
        Span("plan", 0.0001, (Decision("look up", "routing", {"lookups": 2}),), 0.0006),
        Span("search", 0.009, (Decision("go on without", "degraded", {"note": "messages"}),), 0.001, first),
        Span("judge", 0.0002, (Decision("go on", "weak_parts", {"round": 1, "passed": 1}),), 0.0101),
        Span("rewrite", 0.0002, (Decision("bridge", "found_name", {"part": 1, "text": "Albatross captain"}),), 0.0105),
        Span("search", 0.003, (), 0.011, second),
        Span("judge", 0.0002, (Decision("stop", "no_novelty", {"round": 2, "passed": 1}),), 0.0141),
        Span("merge", 0.0004, (Decision("merge", "by_identity", {"hits": 26, "distinct": 4}),), 0.0145),
        Span("replace", 0.0001, (Decision("drop", "replacement_floor", {"id": DROPPED, "relevance": 0.21}),), 0.015),
        Span("reconcile", 0.0001, (Decision("prefer", "latest", {"preferred": GATE, "other": OLD_GATE}),), 0.0152),
        Span("weigh", 0.0001, (Decision("partial", "parts_covered", {"missing": 1}),), 0.0154),
        Span("answer", 0.0003, (Decision("skip in context", "over_budget", {"id": OLD_GATE, "tokens": 90}),), 0.0156),
    )  # fmt: skip


def answer() -> Answer:
    """What a search for two things at once might have come to."""
    gate, captain = Part(0, "What is the harbour gate code?", ("harbour",)), Part(1, "who is the captain?")
    question = "What is the harbour gate code and who is the captain?"
    evidence = (
        piece(
            GATE,
            0.8,
            lookups=("memory part: harbour gate code", "memory entity: harbour"),
            rounds=(1, 2),
            snippets=(SECRET,),
            fact_key="f1",
            evidence_key="e1",
            absorbed=(TWIN, "01repeat"),
            corroborated_by=(TWIN,),
            supporting_evidence_count=2,
            query_coverage_count=2,
            signals=(Signal("semantic", 0.7, 0.65), Signal("keyword", 0.5, 11.2)),
            reached_by=(LINKED,),
            contradicted_by=(OLD_GATE,),
            flags=("gives_orders",),
        ),
        piece(OLD_GATE, 0.7, contradicted_by=(GATE,), superseded=True, explanation=score(0.7, halved=True)),
    )
    return Answer(
        question=Question(
            question, frozenset({Trait.COMPOUND, Trait.LOOKUP}), (gate, captain), QuestionType.ENTITY_LOOKUP
        ),
        parts=(PartState(gate, 0.8, True, True, 1.0), PartState(captain, 0.1, False)),
        verdict=VerdictKind.PARTIAL,
        confidence=Confidence(0.5123456789, Label.MEDIUM, {"relevance": 0.45, "coverage": 0.5}),
        evidence=evidence,
        conflicts=(
            Conflict(GATE, OLD_GATE, "numbers_differ", ConflictKind.TEMPORAL, Strategy.LATEST_WINS, settled=True),
        ),
        gaps=(Gap(1, captain.text, "nothing relevant is stored"),),
        degraded=("source 'messages' timed out",),
        stop=Stop.NO_NOVELTY,
        context=f"data: {SECRET}",
        trace=Trace("01trace", NOON, spans(), {"queries_executed": 3, "top_score": 0.8100001234}),
        text=f"{gate.text}\n- “{SECRET}” [memory:{GATE}], also in [{TWIN}]\nMissing: {captain.text}",
        gains=(RoundGain(1, 2, 0, 0.5, 0), RoundGain(2, 0, 1, 0.5, 1)),
    )
