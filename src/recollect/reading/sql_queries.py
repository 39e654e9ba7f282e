"""Which tables a query names: after FROM, JOIN, INTO and UPDATE, less the names that the query itself introduces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.reading.sql_words import Word, inside, is_name, name_at

MOST_WORDS = 4_000  # of one statement that are looked at; beyond that, they are rows of data
TAKING = {"FROM", "JOIN"}
WITH_FROM = {"EXTRACT", "SUBSTRING", "TRIM", "OVERLAY", "POSITION"}  # functions with a FROM between their arguments
INTO_AFTER = {"INSERT", "REPLACE", "MERGE", "IGNORE", "OVERWRITE"}
UPDATE_AFTER = {"FOR", "ON", "DO", "KEY", "BEFORE", "AFTER", "OR", "OF", "NO"}
SKIPPED = {"ONLY", "LATERAL", "TABLE"}
QUERIES = {"SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE"}
NO_TABLES = {*QUERIES, "STDIN", "DUAL", "UNNEST", "SET", "WHERE", "ON", "JOIN", "FROM", "AS"}
NO_ALIAS = frozenset(
    "WHERE GROUP ORDER HAVING LIMIT OFFSET UNION INTERSECT EXCEPT JOIN LEFT RIGHT INNER OUTER FULL CROSS NATURAL ON "
    "USING SET VALUES RETURNING WINDOW FETCH FOR SELECT WHEN FROM TABLESAMPLE USE FORCE IGNORE PARTITION "
    "QUALIFY".split()
)


def tables_in(words: Sequence[Word]) -> list[tuple[tuple[str, ...], int]]:
    """The tables a statement names, each with its line, in the order of the text."""
    words = words[:MOST_WORDS]
    introduced = set(_introduced(words))
    found: list[tuple[tuple[str, ...], int]] = []
    for at in _places(words):
        parts, after = name_at(words, at)
        is_call = after < len(words) and words[after].text == "(" and not _is_target(words, at)
        if parts and not is_call and not (len(parts) == 1 and parts[0] in introduced):
            found.append((parts, words[at].line))
    return list(dict.fromkeys(found))


def _introduced(words: Sequence[Word]) -> Iterator[str]:
    """Names before `AS (SELECT ...)`, with or without a list of columns."""
    for at in range(1, len(words) - 1):
        if words[at].upper != "AS":
            continue
        after = at + 1
        while after < len(words) and words[after].upper in {"NOT", "MATERIALIZED"}:
            after += 1
        if after + 1 >= len(words) or words[after].text != "(" or words[after + 1].upper not in QUERIES:
            continue
        before = at - 1
        if words[before].text == ")":
            while before > 0 and words[before].text != "(":
                before -= 1
            before -= 1
        if before >= 0 and is_name(words[before]):
            yield words[before].text.lower()


def _places(words: Sequence[Word]) -> Iterator[int]:
    """Where names of tables stand."""
    functions: list[str] = []
    first = words[0].upper if words else ""
    for at, word in enumerate(words):
        before = words[at - 1].upper if at else ""
        if word.text == "(":
            functions.append(before)
        elif word.text == ")" and functions:
            functions.pop()
        elif word.upper in TAKING:
            is_argument = functions and functions[-1] in WITH_FROM
            if not is_argument and not (word.upper == "FROM" and before == "DISTINCT" and _compares(words, at)):
                yield from _listed(words, at + 1)
        elif (
            (word.upper == "INTO" and before in INTO_AFTER)
            or (word.upper == "UPDATE" and before not in UPDATE_AFTER)
            or (word.upper == "USING" and first in {"MERGE", "DELETE"})
        ):
            yield from _listed(words, at + 1)


def _compares(words: Sequence[Word], at: int) -> bool:
    """`IS DISTINCT FROM` and `IS NOT DISTINCT FROM`."""
    return at >= 2 and words[at - 2].upper in {"IS", "NOT"}


def _listed(words: Sequence[Word], at: int) -> Iterator[int]:
    """The places of tables in a list such as `a, b AS x, c y`."""
    while at < len(words):
        while at < len(words) and words[at].upper in SKIPPED:
            at += 1
        if at >= len(words):
            return
        if words[at].text == "(":
            at = inside(words, at)[1]
        elif is_name(words[at]) and words[at].upper not in NO_TABLES:
            yield at
            at = name_at(words, at)[1]
        else:
            return
        if at < len(words) and words[at].upper == "AS":
            at += 1
        if at < len(words) and is_name(words[at]) and words[at].upper not in NO_ALIAS:
            at += 1
        if at >= len(words) or words[at].text != ",":
            return
        at += 1


def _is_target(words: Sequence[Word], at: int) -> bool:
    """Whether a name is what is written to, where parentheses hold columns."""
    return at > 0 and words[at - 1].upper in {"INTO", "TABLE"}
