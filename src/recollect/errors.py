"""Everything Recollect raises, one base, each saying what happened and what to do next.

RecollectError
├── InvalidInput        the caller's mistake: a wrong type, an unknown field, a value over a limit
│   ├── UnknownName     a source, recipe, embedder, space or setting nobody registered
│   └── Refused         the write gate said no, with a reason code
├── NotFound            no memory, link or space of that name in this space
├── WriteConflict       an idempotency key reused for something else, or the memory changed meanwhile
├── StoreError          the store cannot serve: disk full, file damaged, schema newer than this program
├── EmbedderMismatch    vectors in the space were made by another embedder; `reindex` mends it
├── Unavailable         an outside part cannot be reached: weights, a model service
└── MissingExtra        an optional dependency is not installed; names the extra
"""

from __future__ import annotations


class RecollectError(Exception):
    """Base of all errors raised on purpose; `remedy` is what to do, where a service said that apart."""

    remedy: str | None = None


class InvalidInput(RecollectError, ValueError):
    """The caller passed something that cannot be used; `field` names it."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class UnknownName(InvalidInput):
    """A name that is not registered; the message lists the known ones."""


class Refused(InvalidInput):
    """The write gate refused a text; `reason` is its code."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message, field="body")
        self.reason = reason


class NotFound(RecollectError, LookupError):
    """Nothing of that name in this space."""


class WriteConflict(RecollectError):
    """The write contradicts one that was already acknowledged."""


class StoreError(RecollectError):
    """The store cannot serve this call; the message names the file and the remedy."""


class EmbedderMismatch(RecollectError):
    """The space holds vectors of another embedder than the one in use."""


class Unavailable(RecollectError):
    """Something outside this process cannot be reached or is not what it should be."""


class MissingExtra(RecollectError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, *, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'recollect[{extra}]'")
        self.extra = extra
