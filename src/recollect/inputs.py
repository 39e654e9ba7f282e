"""What callers give, checked before any work: a mistake raises at once and names the field and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import inf

from recollect.errors import InvalidInput
from recollect.ingest.gate import HALF_CHARACTER
from recollect.records import Filters
from recollect.values import Message

MOST = 1_000  # items one call returns, at most
LONGEST_QUESTION = 200_000  # characters, as much as one memory may have
MOST_MESSAGES = 1_000
LONGEST_SESSION = 200


def check_ids(*ids: str, field: str = "id") -> None:
    """Ids are texts, none of them empty."""
    for id in ids:
        if not isinstance(id, str) or not id or HALF_CHARACTER.search(id):
            raise InvalidInput(f"{field} is {id!r}; give a text that is not empty", field=field)


def check_filters(filters: Filters | None) -> None:
    """Filters are a Filters value, or left out."""
    if filters is not None and not isinstance(filters, Filters):
        raise InvalidInput(f"filters must be Filters, not {type(filters).__name__}", field="filters")


def check_limit(limit: int, *, field: str = "limit") -> None:
    """A limit is a whole number; zero is one."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MOST:
        raise InvalidInput(f"{field} is {limit!r}; give a whole number from 0 to {MOST:,}", field=field)


def check_question(text: str) -> None:
    """A question is text with something in it."""
    if not isinstance(text, str):
        raise InvalidInput(f"the question must be text, not {type(text).__name__}", field="text")
    if not text.strip():
        raise InvalidInput("the question is empty; ask something", field="text")
    if len(text) > LONGEST_QUESTION:
        raise InvalidInput(f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,}", field="text")
    if HALF_CHARACTER.search(text):
        raise InvalidInput("the question holds half a character (a lone surrogate); decode it as a whole", field="text")


def check_messages(messages: Sequence[Message]) -> None:
    """Messages are a sequence of Message values whose text is text."""
    if isinstance(messages, str) or not isinstance(messages, Sequence):
        raise InvalidInput(f"messages must be a sequence of Message, not {type(messages).__name__}", field="messages")
    if len(messages) > MOST_MESSAGES:
        raise InvalidInput(f"{len(messages):,} messages were given; at most {MOST_MESSAGES:,}", field="messages")
    for message in messages:
        if not isinstance(message, Message) or not isinstance(message.text, str):
            raise InvalidInput(f"messages holds {message!r}; give Message(author, text)", field="messages")


def check_moment(now: datetime | None) -> None:
    """A moment carries its zone."""
    if now is not None and (not isinstance(now, datetime) or now.tzinfo is None):
        raise InvalidInput(f"now is {now!r}; give a datetime with a time zone", field="now")


def check_deadline(seconds: float) -> float:
    """A deadline is a number of seconds above zero."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < inf:
        raise InvalidInput(f"deadline is {seconds!r}; give a number of seconds above zero", field="deadline")
    return seconds


def check_tokens(tokens: int | None) -> None:
    """A budget of tokens is a whole number, zero included, or left out."""
    if tokens is not None and (isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0):
        raise InvalidInput(f"max_tokens is {tokens!r}; give a whole number, 0 or more", field="max_tokens")


def check_session(session: str | None) -> None:
    """A session has a short name, or is left out."""
    if session is None:
        return
    if not isinstance(session, str) or not 0 < len(session) <= LONGEST_SESSION or HALF_CHARACTER.search(session):
        raise InvalidInput(f"session is {session!r}; give a name of 1 to {LONGEST_SESSION} characters", field="session")
