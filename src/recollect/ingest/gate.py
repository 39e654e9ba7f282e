"""The write gate: refuses what is not worth remembering, with a reason code and a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput, Refused
from recollect.language.pleasantries import is_pleasantry
from recollect.records import Draft, Memory
from recollect.settings import WriteSettings

RELATION = re.compile(r"[a-z][a-z0-9_]{0,63}")
LONGEST_FIELD = 1_000
LONGEST_ID = 200
MOST_LABELS = 100
MOST_NESTED = 100  # tables within tables: whoever reads them again has a stack that ends

WORD = re.compile(r"[^\W\d_]+")
RUN = re.compile(r"(\S)\1{10,}")
CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5,}")
VOWEL = re.compile(r"[aeiouy]")
HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # of a pair that was cut apart; no file can hold it

TEXT_FIELDS = ("title", "kind", "trust")
OPTIONAL_TEXT_FIELDS = ("summary", "project", "author", "source_uri", "source_position")

FILLER = frozenset({"test", "testing", "asdf", "foo", "foo bar"})  # typed to see whether it works


def check_text(text: str, *, settings: WriteSettings) -> None:
    """Raise Refused, with the first reason that applies."""
    for reason, applies, sentence in _rules(settings):
        if applies(text):
            raise Refused(sentence, reason=reason)


def _rules(settings: WriteSettings) -> list[tuple[str, Callable[[str], bool], str]]:
    return [
        ("empty", lambda text: not text.strip(), "the text is empty; give it something to remember"),
        (
            "too_long",
            lambda text: len(text) > settings.max_characters,
            f"the text is over {settings.max_characters:,} characters; split it, or use ingest for documents",
        ),
        (
            "too_short",
            lambda text: len(text.strip()) < settings.min_characters,
            f"the text is under {settings.min_characters} characters; say what it is about",
        ),
        (
            "half_character",
            lambda text: bool(HALF_CHARACTER.search(text)),
            "the text holds half a character (a lone surrogate); decode it as a whole",
        ),
        ("no_words", lambda text: not re.search(r"\w", text), "the text has no words, only signs"),
        ("repeated", _is_repetition, "the text is one character over and over"),
        ("pleasantry", _says_nothing, "the text is a pleasantry; it says nothing to remember"),
        ("gibberish", is_gibberish, "the text does not look like any language; put it into metadata if it is a key"),
    ]


def check_draft(draft: Draft, *, settings: WriteSettings) -> None:
    """The text by the gate, the other fields by their types and limits."""
    if not isinstance(draft, Draft):
        raise InvalidInput(f"expected a Draft, not {type(draft).__name__}", field="drafts")
    if not isinstance(draft.body, str):
        raise InvalidInput(f"body must be text, not {type(draft.body).__name__}", field="body")
    check_text(draft.body, settings=settings)
    check_fields(draft, settings=settings)
    check_interval(draft.valid_from, draft.valid_to)
    check_moment("event_time", draft.event_time)


def check_fields(given: Draft | Memory, *, settings: WriteSettings, longest_uri: int = LONGEST_FIELD) -> None:
    """What is said about a text, whoever wrote it: types, lengths, whole characters, metadata that JSON can hold."""
    longest = {"summary": settings.max_characters, "source_uri": longest_uri}
    for name in TEXT_FIELDS:
        check_field(name, getattr(given, name))
    for name in OPTIONAL_TEXT_FIELDS:
        if getattr(given, name) is not None:
            check_field(name, getattr(given, name), most=longest.get(name, LONGEST_FIELD))
    if not given.kind.strip():
        raise InvalidInput("kind is empty; say what it is, for instance 'fact'", field="kind")
    for name in ("tags", "clusters"):
        check_labels(name, getattr(given, name))
    check_metadata(given.metadata)


def check_new_id(name: str, id: str) -> None:
    """An id something may be stored under: short, and one that leads nowhere else in the path of an address."""
    check_field(name, id, most=LONGEST_ID)
    if not {"", ".", ".."}.isdisjoint(id.split("/")):
        message = f"{name} is {id!r}; give a text that is not empty, also not between slashes, and neither '.' nor '..'"
        raise InvalidInput(message, field=name)


def check_interval(valid_from: datetime | None, valid_to: datetime | None) -> None:
    """Both ends by `check_moment`, and in order."""
    check_moment("valid_from", valid_from)
    check_moment("valid_to", valid_to)
    if valid_from and valid_to and valid_from >= valid_to:
        raise InvalidInput("valid_to is not after valid_from; swap them", field="valid_to")


def check_moment(name: str, moment: datetime | None) -> None:
    """A moment needs a time zone."""
    if moment is None:
        return
    if not isinstance(moment, datetime):
        raise InvalidInput(f"{name} must be a datetime, not {type(moment).__name__}", field=name)
    if moment.tzinfo is None:
        raise InvalidInput(f"{name} {moment.isoformat()!r} has no time zone; add one", field=name)


def check_relation(relation: str) -> str:
    """The relation's name, if a link may be called that."""
    if not isinstance(relation, str) or not RELATION.fullmatch(relation):
        raise InvalidInput(
            f"relation {relation!r} cannot be used; write it like 'relates_to': small letters, digits, underscores",
            field="relation",
        )
    return relation


def check_field(name: str, value: str, *, most: int | None = LONGEST_FIELD) -> None:
    """A field is text of whole characters, and not too long where there is a `most`."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {type(value).__name__}", field=name)
    if most is not None and len(value) > most:
        raise InvalidInput(f"{name} is over {most:,} characters; shorten it", field=name)
    if HALF_CHARACTER.search(value):
        raise InvalidInput(f"{name} holds half a character (a lone surrogate); decode it as a whole", field=name)


def check_labels(name: str, labels: Collection[str]) -> None:
    """Labels are a list of texts, none of them empty or long, and not too many."""
    listed = isinstance(labels, tuple | list | set | frozenset)
    if not listed or not all(isinstance(label, str) and label for label in labels):
        raise InvalidInput(f"{name} must be a list of texts", field=name)
    if len(labels) > MOST_LABELS:
        raise InvalidInput(f"{name} has over {MOST_LABELS} entries; use fewer", field=name)
    for label in labels:
        check_field(name, label)


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Metadata is a table that JSON can hold and that does not nest without end."""
    try:
        if _depth(metadata) > MOST_NESTED:
            raise ValueError(f"it nests more than {MOST_NESTED} deep")
        json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"metadata cannot be kept ({error}); give a table that JSON can hold", field="metadata"
        ) from error


def _depth(value: Any) -> int:
    """How deep tables and lists nest, level by level; no deeper than one beyond what is allowed.

    >>> _depth({"a": [1, {"b": 2}]}), _depth({})
    (3, 1)
    """
    depth, level = 0, [value]
    while depth <= MOST_NESTED:
        holders = {id(each): each for each in level if isinstance(each, Mapping | list | tuple)}  # each but once
        if not holders:
            break
        level = [inner for each in holders.values() for inner in (each.values() if isinstance(each, Mapping) else each)]
        depth += 1
    return depth


def is_gibberish(text: str) -> bool:
    """Whether most letters stand in words nobody could say. Only Latin script can be judged so.

    >>> [is_gibberish(text) for text in ("xkcdqwrtz plmnbvghj wrtzpsdf", "The funding rate flipped", "東京に行った")]
    [True, False, False]
    """
    words = [word.lower() for word in WORD.findall(text) if word.isascii()]
    letters = sum(map(len, words))
    if letters < 12 or letters < len(text.strip()) / 3:
        return False
    odd = sum(len(word) for word in words if len(word) > 3 and (CONSONANTS.search(word) or not VOWEL.search(word)))
    return odd / letters > 0.7


def _is_repetition(text: str) -> bool:
    return sum(len(match.group()) for match in RUN.finditer(text)) > len(text.strip()) * 0.8


def _says_nothing(text: str) -> bool:
    return is_pleasantry(text) or " ".join(re.findall(r"\w+", text.lower())) in FILLER
