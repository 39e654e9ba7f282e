"""Values to plain dictionaries for JSON: what the doors show of a value is decided here and nowhere else.

One explicit function per value, keys in a fixed order, moments as ISO-8601, numbers rounded to six digits,
durations in seconds. Inner values are not the API; these shapes are. What is stored is in `wire_stored.py`, answers
are in `wire_answer.py`, traces in `wire_trace.py`, named things and conflicts in `wire_graph.py`, all re-exported here.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.citations import citation as citation
from recollect.doors.wire_answer import answer as answer
from recollect.doors.wire_answer import around as around
from recollect.doors.wire_answer import confidence as confidence
from recollect.doors.wire_answer import conflict as conflict
from recollect.doors.wire_answer import context as context
from recollect.doors.wire_answer import evidence as evidence
from recollect.doors.wire_answer import explanation as explanation
from recollect.doors.wire_answer import gain as gain
from recollect.doors.wire_answer import gap as gap
from recollect.doors.wire_answer import part as part
from recollect.doors.wire_answer import signals as signals
from recollect.doors.wire_graph import connection as connection
from recollect.doors.wire_graph import dispute as dispute
from recollect.doors.wire_graph import node as node
from recollect.doors.wire_graph import resolved as resolved
from recollect.doors.wire_graph import statement as statement
from recollect.doors.wire_stored import Json as Json
from recollect.doors.wire_stored import found, moment, number, optional
from recollect.doors.wire_stored import link as link
from recollect.doors.wire_stored import memory as memory
from recollect.doors.wire_stored import stats as stats
from recollect.doors.wire_trace import counters as counters
from recollect.doors.wire_trace import span as span
from recollect.doors.wire_trace import timings as timings
from recollect.doors.wire_trace import trace as trace
from recollect.doors.wire_trace import trace_line as trace_line
from recollect.doors.wire_trace import trace_record as trace_record
from recollect.errors import RecollectError
from recollect.questions import Part, Question, classic_view
from recollect.records import TimeRange
from recollect.values import Explained, Health, Hit, Recalled, Remembered, SearchResult

# --- what searching gives ------------------------------------------------------------------------


def hit(value: Hit) -> Json:
    """One thing a plain search found."""
    return {
        **found(value.memory),
        "source": value.source,
        "source_score": number(value.source_score),
        "relevance": number(value.relevance),
        "signals": signals(value.signals),
        "reached_by": list(value.reached_by),
        "explanation": explanation(value.explanation),
        "contradicts": list(value.contradicts),
        "supersedes": list(value.supersedes),
        "coexists": list(value.coexists),
        "around": around(value.around),
    }


def search_result(value: SearchResult) -> Json:
    """A plain search."""
    return {"hits": [hit(each) for each in value.hits], "degraded": list(value.degraded)}


def recalled(value: Recalled) -> Json:
    """Memories with the relevance they had, where something was asked."""
    return {
        "memories": [{**memory(each), "relevance": optional(value.relevance.get(each.id))} for each in value.memories],
        "verdict": value.verdict.value if value.verdict else None,
        "degraded": list(value.degraded),
        "trace_id": value.trace_id,
    }


def explained(value: Explained) -> Json:
    """Why one memory stands where it does, in sentences, and the numbers behind its score."""
    return {
        "trace_id": value.trace_id,
        "id": value.id,
        "sentences": list(value.sentences),
        "explanation": explanation(value.explanation) if value.explanation else None,
    }


def remembered(value: Remembered) -> Json:
    """What became of a text."""
    return {
        "id": value.id,
        "fate": value.fate.value,
        "similar": [{"id": id, "cosine": number(cosine)} for id, cosine in value.similar],
        "notes": list(value.notes),
    }


# --- the question ---------------------------------------------------------------------------------


def question(value: Question) -> Json:
    """What the words of a question show, and the classic one-category view of it."""
    classic = classic_view(value)
    return {
        "question": value.text,
        "rewritten": value.rewritten,
        "traits": sorted(trait.value for trait in value.traits),
        "type": value.type.value,
        "entities": list(value.entities),
        "parts": [part.text for part in value.parts],
        "parts_in_detail": [asked_part(each) for each in value.parts],
        "time": time_range(value.time),
        "disqualified": classic.disqualified,
        "category": classic.category,
        "reason": classic.reason,
        "query_type": classic.query_type,
        "confidence": number(classic.confidence),
        "entity": classic.entity,
        "attribute": classic.attribute,
    }


def asked_part(value: Part) -> Json:
    """One part as asked."""
    return {
        "number": value.number,
        "text": value.text,
        "type": value.type.value,
        "entities": list(value.entities),
        "time": time_range(value.time),
    }


def time_range(value: TimeRange | None) -> Json | None:
    """From `start` (included) to `end` (left out); an open side is null."""
    return None if value is None else {"start": moment(value.start), "end": moment(value.end)}


# --- upkeep and errors ---------------------------------------------------------------------------


def health(value: Health) -> Json:
    """One line of a check-up."""
    return {"what": value.what, "ok": value.ok, "seen": value.seen, "remedy": value.remedy}


def healths(values: Sequence[Health]) -> list[Json]:
    """A whole check-up."""
    return [health(each) for each in values]


def error(value: Exception) -> Json:
    """An error as a caller can act on it; `field` and `reason` where the class has them."""
    expected = isinstance(value, RecollectError)
    return {
        "error": {
            "type": type(value).__name__ if expected else "InternalError",
            "message": str(value) if expected else f"{type(value).__name__}: {value}",
            "field": getattr(value, "field", None) if expected else None,
            "reason": getattr(value, "reason", None) if expected else None,
        }
    }
