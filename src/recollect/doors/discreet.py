"""The engine for callers of another trust: what a failed part said is left out of answers and traces, its kind is not.

An error may name files of this machine, or hold what is not the caller's to know. Whoever has the library or the
command line is told all of it; the doors that others come through use the engine by way of this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

from recollect.engine import Recollect
from recollect.records import TraceRecord
from recollect.values import Answer, Decision, Recalled, SearchResult, Span, Trace

T = TypeVar("T")

# What a failure says behind its kind, as `steps/search.py` writes it, and behind "failed" where there is no kind.
IN_BRACKETS = re.compile(r"^(embedding failed: keyword search only \(\w+): .*\)$", re.DOTALL)
BEHIND_KIND = re.compile(r"\bfailed: (\w+)(?:: .*)?$", re.DOTALL)
BEHIND_FAILED = re.compile(r"\bfailed: (?!\w+$|keyword search only).*$", re.DOTALL)
FILE = re.compile(r"(?<![\w:/.…\\])(?:~?/|[A-Za-z]:\\)[^\s'\",;)]+")
BEFORE_COLON = re.compile(r"\w+(?:: |$)")
HIDDEN = "…"


def discreet(engine: Recollect) -> Recollect:
    """The same engine, its answers and traces without what errors said."""
    return cast(Recollect, _Discreet(engine))


class _Discreet:
    """Stands for the engine: what these verbs give is gone over, everything else is the engine's own."""

    def __init__(self, engine: Recollect) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        over = OVER.get(name)
        return found if over is None else _then(found, over)


def _then(verb: Callable[..., Any], over: Callable[[Any], Any]) -> Callable[..., Any]:
    @wraps(verb)
    async def run(*args: Any, **kwargs: Any) -> Any:
        return over(await verb(*args, **kwargs))

    return run


def discreet_note(note: str) -> str:
    """A note without what an error said, and without paths of this machine.

    >>> discreet_note("source 'shelf' failed: OSError: /srv/a.db is gone")
    "source 'shelf' failed: OSError"
    """
    if IN_BRACKETS.match(note):
        return IN_BRACKETS.sub(r"\1)", note)
    if BEHIND_KIND.search(note):
        return BEHIND_KIND.sub(r"failed: \1", note)
    return FILE.sub(HIDDEN, BEHIND_FAILED.sub("failed", note))


def discreet_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Several of them, each once."""
    return tuple(dict.fromkeys(discreet_note(each) for each in notes))


def discreet_numbers(values: Mapping[str, T]) -> dict[str, T | str]:
    """The numbers of a decision: of an error its kind, and notes as above."""
    told: dict[str, T | str] = dict(values)
    if isinstance(error := values.get("error"), str):
        told["error"] = error.partition(":")[0] if BEFORE_COLON.match(error) else HIDDEN
    if isinstance(note := values.get("note"), str):
        told["note"] = discreet_note(note)
    return told


# --- what the verbs give ---------------------------------------------------------------------------


def _answer(value: Answer) -> Answer:
    return replace(value, degraded=discreet_notes(value.degraded), trace=_trace(value.trace))


def _trace(value: Trace) -> Trace:
    return replace(value, spans=tuple(_span(each) for each in value.spans))


def _span(value: Span) -> Span:
    inside = tuple(_span(each) for each in value.inside)
    return replace(value, decisions=tuple(_decision(each) for each in value.decisions), inside=inside)


def _decision(value: Decision) -> Decision:
    return replace(value, numbers=discreet_numbers(value.numbers))


def _noting(value: SearchResult | Recalled) -> SearchResult | Recalled:
    return replace(value, degraded=discreet_notes(value.degraded))


def _kept(value: TraceRecord) -> TraceRecord:
    """A kept trace; one that cannot be read is left for whoever opens it to say so."""
    try:
        told = json.loads(value.payload)
        told["degraded"] = discreet_notes(told["degraded"])
        _go_over(told["spans"])
    except (ValueError, KeyError, TypeError):
        return value
    return replace(value, payload=json.dumps(told, ensure_ascii=False))


def _go_over(spans: list[dict[str, Any]]) -> None:
    for span in spans:
        for decision in span["decisions"]:
            decision["numbers"] = discreet_numbers(decision["numbers"])
        _go_over(span["inside"])


OVER: dict[str, Callable[[Any], Any]] = {"retrieve": _answer, "search": _noting, "recall": _noting, "trace": _kept}
