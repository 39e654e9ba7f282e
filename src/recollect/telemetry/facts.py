"""What there is to say of an operation, in codes and numbers: the same for spans, metrics and logs.

Whatever comes from a question, a memory, a file or a stranger's error is content; only `contents` gives it, and only
those who were switched to content ask for it. Everything else here is a code from a closed set, a number, or an id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from recollect.knowledge import Ingested
from recollect.memories import Memory
from recollect.records import Draft
from recollect.values import Context, Fate, Operation, Recalled, Remembered, SearchResult, Span

LOOKUP = "lookup "  # how the name of a lookup's span begins

# Words of a decision that are codes of ours wherever they stand, and words that are ids. All others may be content.
CODES = frozenset({"kind", "origin", "source", "sources", "type"})
IDS = frozenset({"id", "ids", "one", "other", "preferred", "via"})
# Ids that were made here or are no more than a hash; what a stranger calls a thing, or a file its section, is content.
ID = re.compile(r"[0-9a-hjkmnp-tv-z]{26}|[\w-]{1,60}:[0-9a-f]{16,64}")
WORD = re.compile(r"[\w:.-]{1,100}")
BETWEEN = ", "
CODE = re.compile(r"[\w-]{1,60}(, [\w-]{1,60})*")
ERROR_TYPE = re.compile(r"([A-Za-z_]\w{0,60})(?=:|$)")
SKIPPED = frozenset({"deadline", "no_scope", "no_such_source"})  # why a lookup was never sent

# What an answer had to do without, by the sentence that says so.
DEGRADED = tuple(
    (re.compile(pattern), code)
    for pattern, code in (
        (r"embedding timed out", "embedding_timed_out"),
        (r"embedding failed", "embedding_failed"),
        (r"static embedder", "static_embedder"),
        (r"keyword search only", "keyword_only"),
        (r"source '.*' failed", "source_failed"),
        (r"source '.*' timed out", "source_timed_out"),
        (r"source '.*' was not asked", "source_not_asked"),
        (r"source '.*' is not there", "source_missing"),
        (r"source '.*' gave more", "source_gave_too_much"),
        (r"local: ", "local_incomplete"),
    )
)
OTHER = "other"
DEGRADED_CODES = (*(code for _, code in DEGRADED), OTHER)

# What became of what was written, for the verbs whose result does not say it.
FATES = {
    "archive": "archived",
    "forget": "forgotten",
    "link": "linked",
    "restore": "restored",
    "supersede": "superseded",
    "unlink": "unlinked",
    "update": "updated",
}
REFUSED = "refused"
EVERY_FATE = (*(fate.value for fate in Fate), *FATES.values(), REFUSED)
INGEST_FATES = ("read", "unchanged", "removed", "skipped")

OK, ERROR, CANCELLED = OUTCOMES = ("ok", "error", "cancelled")
LOOKUP_OUTCOMES = ("found", "empty", "failed", "timed_out", "skipped")


class Looked(NamedTuple):
    """One lookup as it went: whom it asked, for which part, where its text came from, and how it fared."""

    source: str
    part: int
    origin: str
    outcome: str
    hits: int
    seconds: float
    error: str = ""
    reason: str = ""


class Content(NamedTuple):
    """A memory that was given or found: its id where it has one, how relevant it was, its text."""

    id: str
    score: float | None
    text: str


def outcome_of(operation: Operation) -> str:
    """How it ended, in one word."""
    if not operation.error:
        return OK
    return CANCELLED if operation.error == "CancelledError" else ERROR


def looked(span: Span) -> Looked | None:
    """What a span says if it is that of a lookup."""
    if not span.name.startswith(LOOKUP) or not span.decisions:
        return None
    (decision,) = span.decisions
    said = decision.numbers
    reason = str(said.get("reason", ""))
    error = ERROR_TYPE.match(str(said.get("error", "")))
    return Looked(
        source=str(said.get("source", "")),
        part=int(said.get("part", 0)),
        origin=str(said.get("origin", "")),
        outcome=decision.because,
        hits=int(said.get("hits", 0)),
        seconds=span.seconds,
        error=error[1] if error else "",
        reason=reason if reason in SKIPPED else "",
    )


def lookups(operation: Operation) -> Iterator[Looked]:
    """All lookups, in the order they were sent."""
    for span in operation.trace.spans if operation.trace else ():
        for inside in span.inside:
            if (each := looked(inside)) is not None:
                yield each


def degraded(operation: Operation) -> tuple[str, ...]:
    """What the answer had to do without, as codes, each once."""
    said: Iterable[str] = ()
    if operation.answer is not None:
        said = operation.answer.degraded
    elif isinstance(operation.result, SearchResult):
        said = operation.result.degraded
    return tuple(dict.fromkeys(_degraded_code(note) for note in said))


def _degraded_code(note: str) -> str:
    """
    >>> _degraded_code("source 'wiki' failed: ConnectionError: no route"), _degraded_code("the moon is full")
    ('source_failed', 'other')
    """
    return next((code for pattern, code in DEGRADED if pattern.match(note)), OTHER)


def without_content(numbers: Mapping[str, float | int | str]) -> dict[str, float | int | str]:
    """The numbers of a decision or of a trace, and of their words those that are codes and ids.

    >>> without_content({"text": "secret", "origin": "related", "belief": 0.5})
    {'origin': 'related', 'belief': 0.5}
    """
    plain = {name: _plain(name, value) for name, value in numbers.items()}
    return {name: value for name, value in plain.items() if value != ""}


def _plain(name: str, value: float | int | str) -> float | int | str:
    if not isinstance(value, str):
        return value
    if name in IDS:
        return BETWEEN.join(filter(is_id, value.split(BETWEEN)))
    return value if name in CODES and CODE.fullmatch(value) else ""


def is_id(text: object) -> bool:
    """Whether a text is an id that says nothing of what it stands for."""
    return isinstance(text, str) and ID.fullmatch(text) is not None


def is_word(text: object) -> bool:
    """Whether a text is one word, and not a long one, as the name of a session is."""
    return isinstance(text, str) and WORD.fullmatch(text) is not None


# --- what was written --------------------------------------------------------------------------------


def fates(operation: Operation) -> dict[str, int]:
    """How many memories or links met which fate."""
    if operation.reason:
        return {REFUSED: 1}
    if operation.error:
        return {}
    found: dict[str, int] = {}
    for each in _listed(operation.result):
        if isinstance(each, Remembered):
            found[each.fate.value] = found.get(each.fate.value, 0) + 1
    if operation.name in FATES:
        count = operation.result if isinstance(operation.result, int) else 1
        found[FATES[operation.name]] = count
    return found


def files(operation: Operation) -> dict[str, int]:
    """How many files met which fate, where files were read."""
    done = [each for each in _listed(operation.result) if isinstance(each, Ingested)]
    counts = [(each.read, each.unchanged, each.removed, len(each.skipped)) for each in done]
    return {fate: sum(each) for fate, *each in zip(INGEST_FATES, *counts, strict=True)} if done else {}


def records(operation: Operation) -> tuple[int | None, str]:
    """How many memories it was about, and the id of the one where it was one; None where it was about none."""
    match operation.result:
        case Remembered(id=id) | Memory(id=id):
            return 1, id
        case Recalled(memories=found):
            return len(found), ""
        case SearchResult(hits=hits):
            return len(hits), ""
        case Context(memories=ids):
            return len(ids), ""
    if operation.name == "forget":
        named = [str(id) for id in _listed(operation.given.get("ids"))]
        return len(named), named[0] if len(named) == 1 else ""
    if operation.answer is not None:
        return len(operation.answer.evidence), ""
    many = [each for each in _listed(operation.result) if isinstance(each, Remembered | Memory)]
    return (len(many) if many else None), ""


# --- content -----------------------------------------------------------------------------------------


def question(operation: Operation) -> str:
    """The text that was looked for; half a character in it is a question mark. Content."""
    asked = operation.given.get("text") or operation.given.get("message")
    return asked.encode(errors="replace").decode() if isinstance(asked, str) else ""


def contents(operation: Operation) -> list[Content]:
    """The memories that were found, or the texts that were given to be kept. Content."""
    result = operation.result
    if isinstance(result, SearchResult):
        return [Content(hit.memory.id, hit.relevance, hit.memory.body) for hit in result.hits]
    if isinstance(result, Recalled):
        return [Content(each.id, result.relevance.get(each.id), each.body) for each in result.memories]
    if operation.answer is not None:
        return [Content(each.memory.id, each.relevance, each.memory.body) for each in operation.answer.evidence]
    if isinstance(body := operation.given.get("body"), str):
        return [Content(records(operation)[1], None, body)]
    drafts = [each for each in _listed(operation.given.get("drafts")) if isinstance(each, Draft)]
    ids = [each.id for each in _listed(result) if isinstance(each, Remembered)]
    return [Content(id, None, draft.body) for draft, id in zip(drafts, ids or [""] * len(drafts), strict=False)] or [
        Content(each.id, None, each.body) for each in _listed(result) if isinstance(each, Memory)
    ]


def _listed(value: object) -> list[object]:
    if isinstance(value, list | tuple) and not isinstance(value, Mapping):
        return list(value)
    return [value]
