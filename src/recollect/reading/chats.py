"""Chat exports: lists of messages in the layouts that are about, each message a chunk with author and moment.

JSON: a list of messages, an object with one, one such object per conversation, or the tree of nodes that ChatGPT
exports. Text: lines that begin with a date and a name, as WhatsApp writes them. `messages_in` gives None for what is no
chat; a moment without zone is taken as UTC.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from recollect.knowledge import Chunk, Named
from recollect.reading.records import sound
from recollect.reading.sections import Block, Contents, Sheet, pack

MESSAGE = "message"
# In order of trust: the first field that is there decides.
AUTHORS = ("author", "sender", "from", "user", "username", "user_name", "name", "role", "speaker", "actor")
TEXTS = ("text", "content", "message", "body", "msg")
MOMENTS = tuple("timestamp time ts date datetime created_at create_time createdAt sent_at date_unixtime".split())
SURE_AUTHORS = frozenset({"author", "sender", "from", "speaker", "role"})
LISTS = ("messages", "conversation", "turns", "chat", "history")
TITLES = ("title", "name", "subject", "channel", "id")
MOST_STRANGE = 0.2  # of the items of a list may be none and it still is a chat

STAMP = r"(\d{1,4})[./-](\d{1,2})[./-](\d{2,4}),?\s+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?\s?([AaPp]\.?[Mm]\.?)?"
LINE = re.compile(rf"[‎‏]?\[?{STAMP}\]?\s*(?:[-–]\s+)?([^:\n]{{1,60}}):\s(.*)")
NOTICE = re.compile(rf"[‎‏]?\[?{STAMP}\]?\s*(?:[-–]\s+)?")
SURE_LINES = 2


class Message(NamedTuple):
    """One message, and its first and last line where the file shows them."""

    author: str | None
    text: str
    at: datetime | None
    start: int = 0
    end: int = 0
    title: str = ""


def read_chat(sheet: Sheet, messages: Sequence[Message]) -> Contents:
    """The contents of a chat: a message each, a long one in several pieces."""
    chunks: list[Chunk] = []
    for number, message in enumerate(messages, 1):
        start, end = (message.start, message.end) if message.start else (number, number)
        heading = (sheet.stem, message.title) if message.title and message.title != sheet.stem else (sheet.stem,)
        for piece in pack([Block(message.text, start, end)], size=sheet.size, heading=heading, about=sheet.key):
            author = message.author[:200] if message.author else None
            chunks.append(piece._replace(author=author, at=message.at, kind=MESSAGE))
    last = max((chunk.end for chunk in chunks), default=0)
    people = ", ".join(dict.fromkeys(message.author for message in messages if message.author))
    entity = Named(sheet.key, sheet.stem, "conversation", 1, last, people[:200], (sheet.path, sheet.name))
    return Contents("chat", tuple(chunks), (entity,))


def messages_in(value: Any) -> list[Message] | None:
    """The messages of a JSON value, or None when it is no chat."""
    if isinstance(value, dict):
        return _conversation(value)
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(each, dict) and _inner(each) is not None for each in value):
        found = [_conversation(each) for each in value]
        if any(each is None for each in found):
            return None
        return [message for each in found for message in each or ()]
    return _messages(value)


def messages_in_lines(text: str) -> list[Message] | None:
    """The messages of JSON lines, with their lines, or None when they are no chat."""
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        values = [json.loads(line) for _, line in numbered]
    except (ValueError, RecursionError):
        return None
    if not values or not _is_chat(values):
        return None
    found = [(number, _message(value)) for (number, _), value in zip(numbered, values, strict=True)]
    return [message._replace(start=number, end=number) for number, message in found if message]


def messages_in_text(text: str) -> list[Message] | None:
    """The messages of a text that is written line by line, or None when it is not."""
    lines = text.split("\n")
    matched = [LINE.match(line) for line in lines]
    stamps = [match.groups()[:3] for match in matched if match]
    filled = sum(bool(line.strip()) for line in lines)
    if len(stamps) < SURE_LINES or not lines or not NOTICE.match(lines[0]) or len(stamps) * 20 < filled:
        return None
    order = _order(stamps, has_halves=any(match[7] for match in matched if match))
    found: list[Message] = []
    for number, (line, match) in enumerate(zip(lines, matched, strict=True), 1):
        if match:
            found.append(Message(match[8].strip(), match[9], _moment(match, order), number, number))
        elif found and line.strip() and not NOTICE.match(line):
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}", end=number)
        elif line.strip():  # who joined, what is encrypted: said by nobody
            stamp = NOTICE.match(line)
            found.append(Message(None, line, _moment(stamp, order) if stamp else None, number, number))
    return found


def moment_of(value: Any) -> datetime | None:
    """A moment as exports write it: seconds or milliseconds since 1970, or ISO 8601.

    >>> moment_of("2026-03-01T10:00:00Z").isoformat(), moment_of(1_600_000_000_000).year, moment_of("soon")
    ('2026-03-01T10:00:00+00:00', 2020, None)
    """
    if isinstance(value, bool) or value is None:
        return None
    try:
        if isinstance(value, str) and not re.fullmatch(r"\d+(?:\.\d+)?", value):
            moment = datetime.fromisoformat(value.strip())
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        seconds = float(value)
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        return None


def _inner(value: dict[str, Any]) -> Any:
    """What holds the messages of a conversation: a list of them, or a tree of nodes."""
    if isinstance(value.get("mapping"), dict):
        return value["mapping"]
    return next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)


def _conversation(value: dict[str, Any]) -> list[Message] | None:
    inner = _inner(value)
    if inner is None:
        return None
    title = next((sound(str(value[name])) for name in TITLES if isinstance(value.get(name), str)), "")
    found = _tree(inner) if isinstance(inner, dict) else _messages(inner)
    return None if found is None else [message._replace(title=title) for message in found]


def _tree(mapping: dict[str, Any]) -> list[Message] | None:
    """The messages of nodes that name their parents, in order of time, and as they stand where there is none."""
    nodes = [node.get("message") for node in mapping.values() if isinstance(node, dict)]
    found = [message for node in nodes if isinstance(node, dict) and (message := _message(node))]
    if not found and mapping:
        return None
    begin = datetime.min.replace(tzinfo=UTC)
    return sorted(found, key=lambda message: message.at or begin)


def _messages(values: list[Any]) -> list[Message] | None:
    if not values or not _is_chat(values):
        return None
    return [message for value in values if (message := _message(value))]


def _is_chat(values: list[Any]) -> bool:
    """Whether these are messages: nearly all have author and text, and a moment or a field that only chats have."""
    looks = [
        isinstance(value, dict)
        and _text(value) is not None
        and _author(value) is not None
        and (any(name in value for name in MOMENTS) or not SURE_AUTHORS.isdisjoint(value))
        for value in values
    ]
    return sum(looks) >= len(looks) * (1 - MOST_STRANGE)


def _message(value: Any) -> Message | None:
    text = _text(value) if isinstance(value, dict) else None
    if text is None or not text.strip():
        return None
    moment = next((found for name in MOMENTS if (found := moment_of(value.get(name)))), None)
    return Message(_author(value), sound(text), moment)


def _author(value: dict[str, Any]) -> str | None:
    profile = value.get("user_profile")
    if isinstance(profile, dict):
        named = next((profile[name] for name in ("real_name", "display_name", "name") if profile.get(name)), None)
        if isinstance(named, str):
            return sound(named)
    for name in AUTHORS:
        found = value.get(name)
        if isinstance(found, dict):
            found = next((found[key] for key in ("name", "role", "id") if isinstance(found.get(key), str)), None)
        if isinstance(found, str) and found.strip():
            return sound(found.strip())
    return None


def _text(value: dict[str, Any]) -> str | None:
    for name in TEXTS:
        if name in value and (found := _flat(value[name])) is not None:
            return found
    return None


def _flat(value: Any) -> str | None:
    """A text that may be spread over parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        inner = value.get("parts", value.get("text"))
        return _flat(inner) if inner is not None else None
    if isinstance(value, list):
        parts = [found for each in value if (found := _flat(each)) is not None]
        return "".join(parts) if parts or not value else None
    return None


def _order(stamps: Sequence[tuple[str | Any, ...]], *, has_halves: bool) -> str:
    """Which of the three numbers of a date is which: "ymd", "dmy" or "mdy"."""
    if any(len(first) == 4 for first, _, _ in stamps):
        return "ymd"
    if any(int(first) > 12 for first, _, _ in stamps):
        return "dmy"
    if any(int(second) > 12 for _, second, _ in stamps):
        return "mdy"
    return "mdy" if has_halves else "dmy"  # hours counted twice to twelve go with the month first


def _moment(match: re.Match[str], order: str) -> datetime | None:
    numbers = dict(zip(order, (int(match[place]) for place in (1, 2, 3)), strict=True))
    year = numbers["y"] + 2000 if numbers["y"] < 100 else numbers["y"]
    hour = int(match[4])
    if half := match[7]:
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    try:
        return datetime(year, numbers["m"], numbers["d"], hour, int(match[5]), int(match[6] or 0), tzinfo=UTC)
    except ValueError:
        return None
