"""A folder of labelled questions as values: documents, queries, labels and judgements.

Takes a folder with corpus, queries and qrels as JSON lines, plain or gzipped; gives a `LabelledSet`. A line that is not
what it should be is named by file and number. What the engine may not see is apart, in `Labels`. Running it is in
`run.py`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from recollect.errors import InvalidInput
from recollect.evals.moments import read_moment
from recollect.evals.split import Half, half_of
from recollect.knowledge import Relation, Triple
from recollect.records import EMPTY
from recollect.values import Message

T = TypeVar("T")
ENDINGS = (".jsonl", ".jsonl.gz")
MESSAGE_NAMES = (("text", "content"), ("author", "role", "speaker"))  # in the order they are looked for
UNKNOWN_AUTHOR = "user"  # of a message that does not say who spoke


class Document(NamedTuple):
    """One text that can be found."""

    id: str
    title: str
    text: str
    group: str | None = None
    time: datetime | None = None
    author: str | None = None


class Query(NamedTuple):
    """One question, with all that may be used to answer it and nothing else."""

    id: str
    text: str
    group: str | None = None
    now: datetime | None = None
    messages: tuple[Message, ...] = ()


class Labels(NamedTuple):
    """What is known about a question's answer; for measuring only, never for answering."""

    answerable: bool | None = None
    category: str | None = None
    parts: tuple[str, ...] = ()


UNLABELLED = Labels()


class LabelledSet(NamedTuple):
    """A whole set. `grades` are by query and document; `contradictions` name for a document the later ones that
    contradict it; `unread_times` counts the times nobody could make sense of."""

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    labels: Mapping[str, Labels] = EMPTY
    grades: Mapping[str, Mapping[str, int]] = EMPTY
    contradictions: Mapping[str, tuple[str, ...]] = EMPTY
    unread_times: int = 0
    triples: Mapping[str, tuple[Triple, ...]] = EMPTY  # by document, where the set has them and they were asked for

    def labels_of(self, query: str) -> Labels:
        """What is known about a query; nothing, where it has no labels."""
        return self.labels.get(query, UNLABELLED)

    def gold(self, query: str) -> dict[str, int]:
        """The documents that answer a query, with their grades; none where it is labelled unanswerable."""
        if self.labels_of(query).answerable is False:
            return {}
        return {document: grade for document, grade in self.grades.get(query, EMPTY).items() if grade > 0}


def read_set(folder: Path) -> LabelledSet:
    """The set in a folder."""
    corpus, queries, qrels = (_find(folder, name) for name in ("corpus", "queries", "qrels"))
    documents = list(_lines(corpus, _document))
    asked = list(_lines(queries, _query))
    if not documents or not asked:
        empty = corpus if not documents else queries
        raise InvalidInput(f"{str(empty)!r} is empty; there is nothing to evaluate", field="folder")
    _refuse_twins(queries, [query.id for query, _ in asked])
    grades: dict[str, dict[str, int]] = {}
    for query_id, document_id, grade in _lines(qrels, _judgement):
        grades.setdefault(query_id, {})[document_id] = grade
    return LabelledSet(
        folder.resolve().name,
        tuple(document for document, _ in documents),
        tuple(query for query, _ in asked),
        {query.id: labels for query, labels in asked},
        grades,
        _contradictions(folder),
        sum(unread for _, unread in documents),
    )


def read_triples(folder: Path) -> dict[str, tuple[Triple, ...]]:
    """What documents state, as the set says: {doc_id, triples, entities}, each triple subject, relation and object.

    An entity that no triple names is only mentioned.
    """
    return dict(_lines(_find(folder, "triples"), _stated))


def halved(given: LabelledSet, half: Half | None) -> LabelledSet:
    """The set with the questions of one half, or all of them; the documents stay."""
    queries = tuple(query for query in given.queries if half is None or half_of(query.text) is half)
    if not queries:
        raise InvalidInput(f"{given.name!r} has no question in the {half} half; ask the whole set", field="half")
    return given._replace(queries=queries)


def limited(given: LabelledSet, count: int | None) -> LabelledSet:
    """The set with so many of its questions, and without groups that none of them searches."""
    queries = spread_out(given.queries, count)
    asked = {query.group for query in queries}
    return given._replace(queries=queries, documents=tuple(each for each in given.documents if each.group in asked))


def spread_out(items: Sequence[T], count: int | None) -> tuple[T, ...]:
    """So many of the items, evenly over all of them and in their order; all when no count is given.

    >>> spread_out("abcdefghij", 4)
    ('a', 'c', 'f', 'h')
    """
    if count is None or count >= len(items):
        return tuple(items)
    return tuple(items[number * len(items) // count] for number in range(count))


def _contradictions(folder: Path) -> dict[str, tuple[str, ...]]:
    """What later documents contradict, where the set says so."""
    path = _present(folder, "contradictions")
    later: dict[str, tuple[str, ...]] = {}
    for old, new in _lines(path, lambda line: (_text(line, "a"), _text(line, "b"))) if path else ():
        later[old] = (*later.get(old, ()), new)
    return later


def _present(folder: Path, name: str) -> Path | None:
    return next((path for ending in ENDINGS if (path := folder / f"{name}{ending}").is_file()), None)


def _find(folder: Path, name: str) -> Path:
    path = _present(folder, name)
    if path:
        return path
    wanted = " or ".join(f"{name}{ending}" for ending in ENDINGS)
    raise InvalidInput(f"{str(folder)!r} has no {wanted}; give a folder that holds a labelled set", field="folder")


def _lines(path: Path, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
    """Each line read; whatever is wrong with one names the file and the line."""
    for number, line in enumerate(_raw_lines(path), start=1):
        if not line.strip():
            continue
        try:
            yield read(_object(json.loads(line)))
        except InvalidInput as error:
            raise InvalidInput(f"{str(path)!r} line {number}: {error}", field=error.field) from error
        except ValueError as error:
            raise InvalidInput(f"{str(path)!r} line {number} is not JSON: {error}", field="folder") from error


def _raw_lines(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8") as file:
            yield from file
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{str(path)!r} is not UTF-8: {error.reason}", field="folder") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}", field="folder") from error


def _document(line: Mapping[str, Any]) -> tuple[Document, bool]:
    """The document, and whether it has a time that cannot be read."""
    meta = _meta(line)
    time = meta.get("time")
    moment = read_moment(time)
    document = Document(
        _text(line, "id"), _text(line, "title", default=""), _text(line, "text"), _group(meta), moment,
        _text(meta, "author", default="") or None,
    )  # fmt: skip
    return document, bool(time) and moment is None


def _query(line: Mapping[str, Any]) -> tuple[Query, Labels]:
    meta = _meta(line)
    now = read_moment(meta.get("now"))
    if meta.get("now") and now is None:
        raise InvalidInput(f"meta.now is {meta['now']!r}; give a time such as 2026-03-01T14:30", field="now")
    text = _text(line, "text")
    if not text.strip():
        raise InvalidInput("text is empty; there is nothing to ask", field="text")
    answerable = meta.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise InvalidInput(f"meta.answerable is {answerable!r}; give true or false", field="answerable")
    labels = Labels(
        answerable,
        _text(meta, "category", default="") or None,
        tuple(_as_text(part, "parts") for part in _list(meta, "parts")),
    )
    messages = tuple(_message(each) for each in _list(meta, "messages"))
    return Query(_text(line, "id"), text, _group(meta), now, messages), labels


def _stated(line: Mapping[str, Any]) -> tuple[str, tuple[Triple, ...]]:
    whole = [[_as_text(part, "triples") for part in each[:3]] for each in _list(line, "triples") if len(each) >= 3]
    stated = [
        Triple(subject, relation, object, f"{subject} {relation} {object}") for subject, relation, object in whole
    ]
    mentions = [Triple("", Relation.MENTIONS, _as_text(each, "entities")) for each in _list(line, "entities")]
    return _text(line, "doc_id"), (*stated, *mentions)


def _judgement(line: Mapping[str, Any]) -> tuple[str, str, int]:
    grade = line.get("grade", 1)
    if isinstance(grade, bool) or not isinstance(grade, int | float) or grade != int(grade):
        raise InvalidInput(f"grade is {grade!r}; give a whole number", field="grade")
    return _text(line, "query_id"), _text(line, "doc_id"), int(grade)


def _message(given: Any) -> Message:
    """A message as text, or as an object with its text and who said it."""
    if isinstance(given, str):
        return Message(UNKNOWN_AUTHOR, _clean(given))
    said = _object(given)
    text, author = (next((said[name] for name in names if said.get(name)), None) for names in MESSAGE_NAMES)
    time = read_moment(said.get("at") or said.get("time"))
    return Message(_as_text(author or UNKNOWN_AUTHOR, "messages"), _as_text(text or "", "messages"), time)


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"this is a {type(value).__name__}; give a JSON object", field="folder")
    return value


def _meta(line: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(line.get("meta") or {})


def _group(meta: Mapping[str, Any]) -> str | None:
    group = meta.get("group")
    return None if group is None else _as_text(group, "group")


def _list(meta: Mapping[str, Any], name: str) -> list[Any]:
    value = meta.get(name) or []
    if not isinstance(value, list):
        raise InvalidInput(f"meta.{name} is a {type(value).__name__}; give a list", field=name)
    return value


def _text(line: Mapping[str, Any], name: str, *, default: str | None = None) -> str:
    value = line.get(name)
    if value is None:
        if default is None:
            raise InvalidInput(f"{name} is missing", field=name)
        return default
    return _as_text(value, name)


def _as_text(value: Any, name: str) -> str:
    """Text as it is; a number, such as an id may be, as its digits."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInput(f"{name} is {value!r}; give text", field=name)
    return _clean(str(value))


def _clean(text: str) -> str:
    """Half characters, which JSON can carry and nothing else, become '?'."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _refuse_twins(path: Path, ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            raise InvalidInput(f"{str(path)!r} has two queries with the id {id!r}; give each its own", field="id")
        seen.add(id)
