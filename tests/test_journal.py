"""What is kept of an answer, and what a kept trace says of one memory."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from math import inf, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import StoreError
from recollect.journal import explain, opened, trace_record
from recollect.records import Lifecycle, TraceRecord
from recollect.values import Answer, Conflict, ConflictKind, Decision, Explanation, Span, Strategy

from .doors.answers import BRIDGE, DROPPED, GATE, LINKED, NOON, OLD_GATE, SECRET, TWIN, answer, memory, piece, score

PAYLOAD = [
    "version", "space", "question", "rewritten", "traits", "type", "parts", "verdict", "confidence", "stop", "gaps",
    "degraded", "gains", "spans", "counters", "conflicts", "evidence",
]  # fmt: skip
PIECE = [
    "id", "score", "relevance", "parts", "sources", "rounds", "lookups", "fact_key", "evidence_key", "absorbed",
    "corroborated_by", "novelty_added", "supporting_evidence_count", "query_coverage_count", "signals", "reached_by",
    "contradicted_by", "superseded", "flags", "explanation",
]  # fmt: skip


@pytest.fixture
def record() -> TraceRecord:
    return trace_record(answer(), space="port")


def said(record: TraceRecord, id: str) -> str:
    return " ".join(explain(record, id).sentences)


# --- keeping -------------------------------------------------------------------------------------


def test_the_line_about_an_answer_is_what_a_list_shows(record: TraceRecord) -> None:
    assert (record.id, record.started_at) == ("01trace", NOON)
    assert record.question == answer().question.text
    assert (record.verdict, record.confidence, record.stop) == ("partial", 0.512346, "no_novelty")
    assert record.seconds == round(answer().trace.seconds, 6)


def test_the_payload_has_its_keys_in_order_and_says_which_schema_it_is(record: TraceRecord) -> None:
    told = json.loads(record.payload)
    assert list(told) == PAYLOAD
    assert list(told["evidence"][0]) == PIECE
    assert (told["version"], told["space"]) == (1, "port")
    assert told["traits"] == ["compound", "lookup"]
    assert [part["coverage"] for part in told["parts"]] == [1.0, 0.0]
    assert [gain["new_facts"] for gain in told["gains"]] == [2, 0]
    assert told["confidence"] == {
        "score": 0.512346,
        "label": "medium",
        "components": {"relevance": 0.45, "coverage": 0.5},
    }
    assert told["conflicts"] == [
        {
            "preferred": GATE,
            "other": OLD_GATE,
            "reason": "numbers_differ",
            "kind": "temporal",
            "strategy": "latest_wins",
            "settled": True,
        }
    ]


def test_no_text_of_a_memory_is_kept(record: TraceRecord) -> None:
    assert SECRET not in record.payload
    assert "4471" not in record.payload
    assert f"Title of {GATE}" not in record.payload


def test_spans_keep_their_decisions_and_what_ran_inside(record: TraceRecord) -> None:
    spans = opened(record)["spans"]
    assert [span["name"] for span in spans] == [span.name for span in answer().trace.spans]
    first = next(span for span in spans if span["name"] == "search")
    assert first["decisions"] == [{"what": "go on without", "because": "degraded", "numbers": {"note": "messages"}}]
    assert [inner["began"] for inner in first["inside"]] == [0.001, 0.001]
    assert first["inside"][1]["decisions"][0]["because"] == "timed_out"


def test_numbers_have_six_digits_and_no_spaces_are_kept(record: TraceRecord) -> None:
    assert json.loads(record.payload)["counters"] == {"queries_executed": 3, "top_score": 0.81}
    assert json.dumps(json.loads(record.payload), separators=(",", ":")) == record.payload


def test_the_same_answer_is_kept_the_same_way() -> None:
    assert trace_record(answer(), space="port") == trace_record(answer(), space="port")


def test_every_memory_the_record_speaks_of_is_touched(record: TraceRecord) -> None:
    assert record.touched == {GATE, OLD_GATE, TWIN, "01repeat", BRIDGE, DROPPED, LINKED}


def test_ids_in_a_list_are_touched_and_words_are_not() -> None:
    decision = Decision("seen", "window", {"ids": "01a, 01b", "text": "Albatross", "source": "memory", "via": ""})
    inside = Span("lookup memory", 0.0, (Decision("lookup", "found", {"one": "01c", "other": "01d"}),))
    empty = replace(answer(), evidence=(), conflicts=())
    spans = (Span("rewrite", 0.0, (decision,), 0.0, (inside,)),)
    record = trace_record(replace(empty, trace=replace(empty.trace, spans=spans)), space="port")
    assert record.touched == {"01a", "01b", "01c", "01d"}


def test_an_answer_with_nothing_in_it_can_be_kept() -> None:
    empty = replace(answer(), parts=(), evidence=(), conflicts=(), gaps=(), gains=())
    record = trace_record(replace(empty, trace=replace(empty.trace, spans=())), space="port")
    assert opened(record)["evidence"] == []
    assert record.touched == frozenset()


# --- reading -------------------------------------------------------------------------------------

numbers = st.floats(-100, 100).map(lambda value: round(value, 6))
names = st.text(max_size=20)
trees = st.recursive(
    st.tuples(numbers, names).map(lambda each: Explanation(*each)),
    lambda inner: st.tuples(numbers, names, st.lists(inner, max_size=4).map(tuple), st.booleans()).map(
        lambda each: Explanation(*each)
    ),
    max_leaves=20,
)


@given(tree=trees)
def test_an_explanation_comes_back_as_it_was(tree: Explanation) -> None:
    kept = trace_record(replace(answer(), evidence=(piece(GATE, 0.5, explanation=tree),), conflicts=()), space="port")
    assert explain(kept, GATE).explanation == tree


def test_what_json_has_no_number_for_is_kept_as_none() -> None:
    tree = Explanation(0.5, "score", (Explanation(inf, "log-odds of relevance"),))
    kept = trace_record(replace(answer(), evidence=(piece(GATE, 0.5, explanation=tree),)), space="port")
    again = explain(kept, GATE).explanation
    assert again
    assert isnan(again.details[0].value)


def test_opening_writes_the_shorthand_out(record: TraceRecord) -> None:
    first = opened(record)["evidence"][0]
    assert first["signals"]["keyword"] == {"value": 0.5, "raw": 11.2}
    assert list(first["explanation"]) == ["value", "what", "sums", "details"]
    assert first["explanation"]["details"][1] == {"value": 0.02, "what": "recency", "sums": False, "details": []}


@pytest.mark.parametrize("payload", ["", "{", "[]", "{}", "null"])
def test_a_damaged_record_is_refused_with_its_name(record: TraceRecord, payload: str) -> None:
    with pytest.raises(StoreError, match="'01trace' is damaged"):
        explain(replace(record, payload=payload), GATE)


def test_a_record_of_a_newer_program_is_refused(record: TraceRecord) -> None:
    with pytest.raises(StoreError, match="schema 2, this program reads 1"):
        opened(replace(record, payload='{"version": 2}'))


# --- explaining ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "It is number 1 of 2 in the evidence, with a score of 0.81.",
        "It serves part 1, “What is the harbour gate code?”; nothing stands above it there.",
        "It was found in round 1 and round 2 by “memory part: harbour gate code” and “memory entity: harbour”.",
        "Its relevance is 0.80, in log-odds cosine (+2.000) and constant (-0.500).",
        "Its signals: semantic 0.70 and keyword 0.50.",
        "Its score was raised by recency (+0.020).",
        "Its score was lowered by length (-0.010).",
        f"Others say the same on their own account: {TWIN}.",
        "It also stands for what only repeats it: 01repeat.",
        f"It contradicts {OLD_GATE} (numbers differ, temporal): this one is preferred.",
        f"It was reached through links from {LINKED}.",
        "Its text looks like an instruction rather than a fact (gives orders); it is shown as data.",
    ],
)
def test_a_piece_is_explained_in_sentences(record: TraceRecord, sentence: str) -> None:
    assert sentence in explain(record, GATE).sentences


def test_the_other_side_of_a_conflict_says_what_it_cost(record: TraceRecord) -> None:
    text = said(record, OLD_GATE)
    assert f"It contradicts {GATE} (numbers differ, temporal): {GATE} is preferred." in text
    assert "lowered by length (-0.010) and superseded: halved (-0.355)." in text
    assert "A later piece supersedes it" in text
    assert "nothing stands above it" not in text
    assert "In answer: skip in context, because of over budget (tokens 90)." in text


def test_an_open_conflict_names_no_winner() -> None:
    open_one = Conflict(GATE, OLD_GATE, "objects_differ", ConflictKind.FACTUAL, Strategy.ASK_USER, settled=False)
    text = said(trace_record(replace(answer(), conflicts=(open_one,)), space="port"), GATE)
    assert f"It contradicts {OLD_GATE} (objects differ, factual): the conflict is open." in text


def test_a_score_that_is_only_relevance_has_nothing_else_to_say() -> None:
    bare = piece(GATE, 0.5, explanation=Explanation(0.5, "relevance"))
    text = said(trace_record(replace(answer(), evidence=(bare,), conflicts=()), space="port"), GATE)
    assert "Its relevance is 0.50." in text
    assert "raised" not in text
    assert "lowered" not in text


def test_a_long_list_of_lookups_is_cut_and_counted() -> None:
    busy = piece(GATE, 0.5, lookups=tuple(f"memory keyword: word {number}" for number in range(9)))
    text = said(trace_record(replace(answer(), evidence=(busy,)), space="port"), GATE)
    assert "“memory keyword: word 3” and 5 more." in text
    assert "word 4" not in text


def test_what_was_merged_names_where_it_went(record: TraceRecord) -> None:
    assert explain(record, TWIN).sentences == (
        f"It was merged into {GATE}, which says the same on its own account and is number 1 of 2.",
    )
    assert "on its own account" not in said(record, "01repeat")
    assert explain(record, TWIN).explanation is None


def test_what_was_dropped_says_by_which_decision(record: TraceRecord) -> None:
    assert "In replace: drop, because of replacement floor (relevance 0.21)." in explain(record, DROPPED).sentences


def test_what_led_to_a_lookup_or_a_link_says_so(record: TraceRecord) -> None:
    assert "It led to a bridge lookup in memory, “Albatross captain”, which brought 1 hit." in said(record, BRIDGE)
    assert f"Links from it led to {GATE}." in said(record, LINKED)


def test_what_the_trace_does_not_name_is_said_to_be_unknown(record: TraceRecord) -> None:
    text = said(record, "01stranger")
    assert "nothing in this trace names it: 2 pieces were kept" in text
    assert "Either no lookup found it" in text


def test_how_it_is_stored_now_can_be_the_reason(record: TraceRecord) -> None:
    def now(**fields: object) -> str:
        stored = replace(memory("01stranger"), **fields)  # type: ignore[arg-type]
        return " ".join(explain(record, "01stranger", memory=stored).sentences)

    assert "stored after this question" in now(created_at=NOON + timedelta(seconds=1))
    assert "archived" in now(lifecycle=Lifecycle.ARCHIVED)
    assert "superseded by then" in now(valid_to=NOON)
    assert not any(word in now() for word in ("stored after", "archived", "superseded"))


@given(relevance=st.floats(0, 1), halved=st.booleans())
def test_every_piece_of_an_answer_can_be_explained(relevance: float, halved: bool) -> None:
    whole: Answer = replace(answer(), evidence=(piece(GATE, relevance, explanation=score(relevance, halved=halved)),))
    explained = explain(trace_record(whole, space="port"), GATE)
    assert explained.sentences[0].startswith("It is number 1 of 1")
    assert explained.explanation
    assert abs(explained.explanation.total() - whole.evidence[0].score) < 1e-5
