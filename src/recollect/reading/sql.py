"""SQL: tables with their columns and foreign keys, views, functions, and which tables a statement touches.

Goes by words rather than by a syntax tree: the grammar that is to be had loses columns and keys as soon as a dialect
shows (`AUTOINCREMENT`, `ON UPDATE`, names in brackets), and what is asked of SQL here stands in a few fixed places.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from recollect.knowledge import Named, Relation, Said
from recollect.reading.noting import Notes, lines_in
from recollect.reading.outline import CodeReading, Layout, clean
from recollect.reading.sql_queries import tables_in
from recollect.reading.sql_words import Word, inside, is_name, name_at, parts_of, statements

KINDS = {"TABLE": "table", "VIEW": "view", "FUNCTION": "function", "PROCEDURE": "function", "TRIGGER": "trigger"}
BEFORE_KIND = frozenset(
    "CREATE OR REPLACE ALTER TEMP TEMPORARY UNLOGGED GLOBAL LOCAL EXTERNAL FOREIGN VIRTUAL MATERIALIZED RECURSIVE "
    "TRANSIENT FORCE NO DEFINER ALGORITHM UNDEFINED MERGE TEMPTABLE SQL SECURITY INVOKER CONSTRAINT".split()
)
BEFORE_NAME = frozenset({"IF", "NOT", "EXISTS", "ONLY"})
# A part of a table that starts so is no column.
CONSTRAINTS = frozenset("CONSTRAINT PRIMARY FOREIGN UNIQUE CHECK EXCLUDE FULLTEXT SPATIAL LIKE PERIOD".split())
INDEXES = frozenset({"KEY", "INDEX"})  # unless it is a column of that name
AFTER_TYPE = frozenset(
    "NOT NULL DEFAULT PRIMARY UNIQUE REFERENCES CHECK CONSTRAINT COLLATE GENERATED AUTO_INCREMENT AUTOINCREMENT "
    "COMMENT ON IDENTITY AS ENCODE CHARSET STORED VIRTUAL INVISIBLE SPARSE FOREIGN KEY AFTER FIRST".split()
)
ADDED = frozenset({"ADD", "COLUMN", *BEFORE_NAME})


def read_sql(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a file of SQL gives."""
    text = clean(source)
    notes = Notes(path, f"file:{path}")
    notes.define(Named(notes.module, path.rpartition("/")[2], "file", 1, lines_in(text)))
    for words in statements(text):
        _statement(notes, words, text)
    return notes.reading(text, layout)


def _statement(notes: Notes, words: Sequence[Word], text: str) -> None:
    first = words[0].upper
    at = 1
    if first in {"CREATE", "ALTER"}:
        while at < len(words) and words[at].upper in BEFORE_KIND | {"=", "@", "`"}:
            at += 1
        kind = words[at].upper if at < len(words) else ""
        if first == "ALTER" and kind == "TABLE":
            _alter(notes, words, at + 1, text)
            return
        if kind in KINDS:
            _create(notes, words, at, text)
            return
        if kind in {"INDEX", "UNIQUE"}:
            return
    _uses(notes, notes.module, words)


def _named(words: Sequence[Word], at: int) -> tuple[str, int]:
    while at < len(words) and words[at].upper in BEFORE_NAME:
        at += 1
    parts, at = name_at(words, at)
    return ".".join(parts), at


def _create(notes: Notes, words: Sequence[Word], at: int, text: str) -> None:
    kind = KINDS[words[at].upper]
    name, at = _named(words, at + 1)
    if not name:
        return
    key = f"sql:{name}"
    entity = Named(key, name.rpartition(".")[2], kind, words[0].line, _last_line(words, text))
    notes.define(entity, relation=Relation.DEFINES)
    notes.lay(entity)
    if kind == "table" and at < len(words) and words[at].text == "(":
        body, at = inside(words, at)
        _columns(notes, key, parts_of(body), text)
    _uses(notes, key, words[at:])


def _last_line(words: Sequence[Word], text: str) -> int:
    return words[-1].line + text.count("\n", words[-1].start, words[-1].end)


def _columns(notes: Notes, table: str, parts: Sequence[Sequence[Word]], text: str) -> None:
    """The columns and keys of a table, each a part between commas."""
    keys = {word.text.lower() for part in parts for word in _primary(part)}
    for part in parts:
        if _is_constraint(part):
            _foreign_key(notes, table, part)
        elif is_name(part[0]):
            _column(notes, table, part, text, is_key=part[0].text.lower() in keys)


def _is_constraint(part: Sequence[Word]) -> bool:
    word = part[0].upper
    if word in INDEXES:
        opened = next((at for at, each in enumerate(part) if each.text == "("), None)
        return opened is not None and opened + 1 < len(part) and not part[opened + 1].text[:1].isdigit()
    return word in CONSTRAINTS


def _primary(part: Sequence[Word]) -> Sequence[Word]:
    """The columns of a `PRIMARY KEY (a, b)` that stands by itself."""
    if not _is_constraint(part):
        return ()
    for at in range(len(part) - 1):
        if part[at].upper == "PRIMARY" and part[at + 1].upper == "KEY":
            opened = next((each for each in range(at, len(part)) if part[each].text == "("), None)
            return [word for word in inside(part, opened)[0] if is_name(word)] if opened is not None else ()
    return ()


def _column(notes: Notes, table: str, part: Sequence[Word], text: str, *, is_key: bool) -> None:
    name = part[0].text.lower()
    key = f"{table}.{name}"
    typed = _type(part, text)
    uppers = [word.upper for word in part]
    is_key = is_key or ("PRIMARY", "KEY") in pairwise(uppers)
    detail = f"{typed} primary key".strip() if is_key else typed
    entity = Named(key, name, "column", part[0].line, part[-1].line, detail)
    notes.define(entity, within=table, relation=Relation.CONTAINS)
    if "REFERENCES" in uppers:
        _referenced(notes, table, [name], part, uppers.index("REFERENCES"))


def _type(part: Sequence[Word], text: str) -> str:
    """The type of a column as it is written, on one line."""
    end = depth = 0
    for at, word in enumerate(part[1:], 1):
        if depth == 0 and at > 1 and word.upper in {*AFTER_TYPE, "CHARACTER"}:
            break
        if depth == 0 and word.upper in AFTER_TYPE:
            break
        depth += (word.text == "(") - (word.text == ")")
        end = at
    return " ".join(text[part[1].start : part[end].end].split()) if end else ""


def _foreign_key(notes: Notes, table: str, part: Sequence[Word]) -> None:
    """`FOREIGN KEY (a, b) REFERENCES other (c, d)`, with or without a name before it."""
    uppers = [word.upper for word in part]
    if "FOREIGN" not in uppers or "REFERENCES" not in uppers:
        return
    opened = next((at for at in range(uppers.index("FOREIGN"), len(part)) if part[at].text == "("), len(part))
    to = uppers.index("REFERENCES")
    if opened < to:
        names = [word.text.lower() for word in inside(part, opened)[0] if is_name(word)]
        _referenced(notes, table, names, part, to)


def _referenced(notes: Notes, table: str, names: Sequence[str], part: Sequence[Word], to: int) -> None:
    """Statements for a reference from columns of a table to what stands after the word at a place."""
    parts, at = name_at(part, to + 1)
    if not parts:
        return
    other, line = f"sql:{'.'.join(parts)}", part[to].line
    notes.statements.setdefault(Said(table, Relation.REFERENCES, other, line))
    if at < len(part) and part[at].text == "(":
        targets = [word.text.lower() for word in inside(part, at)[0] if is_name(word)]
        for name, target in zip(names, targets, strict=False):
            notes.statements.setdefault(Said(f"{table}.{name}", Relation.REFERENCES, f"{other}.{target}", line))


def _alter(notes: Notes, words: Sequence[Word], at: int, text: str) -> None:
    """Columns and keys that are added to a table."""
    name, at = _named(words, at)
    if not name:
        return
    notes.statements.setdefault(Said(notes.module, Relation.USES, f"sql:{name}", words[0].line))
    is_adding = False
    for part in parts_of(words[at:]):
        adds = [place for place, word in enumerate(part) if word.upper == "ADD"]
        is_adding = bool(adds) or (is_adding and part[0].upper not in {"DROP", "ALTER", "RENAME", "MODIFY", "CHANGE"})
        rest = list(part[adds[0] :]) if adds else list(part)
        while rest and rest[0].upper in ADDED:
            rest = rest[1:]
        if not is_adding or not rest:
            continue
        inner = parts_of(inside(rest, 0)[0]) if rest[0].text == "(" else [rest]
        _columns(notes, f"sql:{name}", inner, text)


def _uses(notes: Notes, subject: str, words: Sequence[Word]) -> None:
    """The tables a statement reads or writes; also those in the body of a function, which is a text of its own."""
    for parts, line in tables_in(words):
        other = f"sql:{'.'.join(parts)}"
        if other != subject:
            notes.statements.setdefault(Said(subject, Relation.USES, other, line))
    for word in words:
        if word.text.startswith("$") and word.text.endswith("$") and len(word.text) > 4:
            inner = word.text.split("$", 2)[2].rpartition("$")[0].rpartition("$")[0]
            for each in statements(inner):
                for parts, line in tables_in(each):
                    said = Said(subject, Relation.USES, f"sql:{'.'.join(parts)}", word.line + line - 1)
                    notes.statements.setdefault(said)
