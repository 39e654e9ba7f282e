"""Recollect: retrieval for agents and people that returns a verdict, not a list."""

from recollect.engine import Recollect
from recollect.errors import (
    EmbedderMismatch,
    InvalidInput,
    MissingExtra,
    NotFound,
    RecollectError,
    Refused,
    StoreError,
    Unavailable,
    UnknownName,
    WriteConflict,
)
from recollect.records import Draft, Entity, Filters, Lifecycle, Link, Memory, TimeAxis, TimeRange
from recollect.settings import Settings
from recollect.sync import BlockingRecollect
from recollect.trace import watching
from recollect.values import (
    Answer,
    Context,
    Evidence,
    Explained,
    Happening,
    Hit,
    Message,
    Question,
    Recalled,
    Remembered,
    SearchResult,
    VerdictKind,
)

__all__ = [
    # the two ways in
    "Recollect",
    "BlockingRecollect",
    "Settings",
    # what is stored
    "Memory",
    "Draft",
    "Link",
    "Entity",
    "Lifecycle",
    "Filters",
    "TimeRange",
    "TimeAxis",
    # what was said before a question
    "Message",
    # what comes back
    "Answer",
    "Question",
    "VerdictKind",
    "Evidence",
    "Hit",
    "SearchResult",
    "Recalled",
    "Remembered",
    "Context",
    "Explained",
    # what happens meanwhile
    "watching",
    "Happening",
    # what can go wrong
    "RecollectError",
    "InvalidInput",
    "UnknownName",
    "Refused",
    "NotFound",
    "WriteConflict",
    "StoreError",
    "EmbedderMismatch",
    "Unavailable",
    "MissingExtra",
]
