"""Reading a labelled set: all of it, plain or zipped, and a wrong line by its number."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.evals.layout import Labels, Query, halved, read_set, spread_out
from recollect.evals.split import Half, half_of, in_fit_half
from recollect.values import Message

from .small import CORPUS, QRELS, QUERIES, as_lines, write_set


@pytest.mark.parametrize("zipped", [True, False])
def test_a_set_is_read_whole(tmp_path: Path, zipped: bool) -> None:
    found = read_set(write_set(tmp_path / "island", zipped=zipped))
    assert found.name == "island"
    assert [document.id for document in found.documents] == [line["id"] for line in CORPUS]
    assert [query.text for query in found.queries] == [line["text"] for line in QUERIES]
    assert found.grades["q1"] == {"d1": 2, "d6": 1}
    assert found.labels["q4"] == Labels(answerable=False, category="what")


def test_meta_is_read(tmp_path: Path) -> None:
    said = [{"author": "Ana", "text": "I saw the crane."}, "And then?", {"role": "assistant", "content": "Yes."}]
    corpus = [{"id": 1, "title": None, "text": "x", "meta": {"group": 3, "author": "Ana", "time": "2023/05/20 02:21"}}]
    meta = {"group": "3", "now": "2023-05-21", "messages": said, "parts": ["one", "two"]}
    found = read_set(write_set(tmp_path, corpus=corpus, queries=[{"id": "q", "text": "so?", "meta": meta}], qrels=[]))
    (document,), (query,) = found.documents, found.queries
    assert (document.id, document.title, document.group, document.author) == ("1", "", "3", "Ana")
    assert document.time == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    assert query.group == "3"
    assert query.now == datetime(2023, 5, 21, tzinfo=UTC)
    assert query.messages == (
        Message("Ana", "I saw the crane."),
        Message("user", "And then?"),
        Message("assistant", "Yes."),
    )
    assert found.labels["q"].parts == ("one", "two")


def test_a_query_has_no_room_for_labels() -> None:
    assert not set(Query._fields) & set(Labels._fields)


def test_gold_is_what_is_judged_good_of_what_can_be_answered(tmp_path: Path) -> None:
    qrels = [*QRELS, {"query_id": "q4", "doc_id": "d4", "grade": 1}, {"query_id": "q2", "doc_id": "d3", "grade": 0}]
    found = read_set(write_set(tmp_path, qrels=qrels))
    assert found.gold("q2") == {"d2": 1}
    assert found.gold("q4") == {}
    assert found.gold("unknown") == {}


def test_times_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    corpus = [
        {"id": str(n), "text": "x", "meta": {"time": time}} for n, time in enumerate(("soon", "2023-01-01", None))
    ]
    assert read_set(write_set(tmp_path, corpus=corpus)).unread_times == 1


def test_contradictions_are_read_where_there_are_any(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    assert read_set(folder).contradictions == {}
    pairs = [{"a": "d1", "b": "d2"}, {"a": "d1", "b": "d3"}, {"a": "d4", "b": "d5"}]
    (folder / "contradictions.jsonl.gz").write_bytes(gzip.compress(as_lines(pairs).encode()))
    assert read_set(folder).contradictions == {"d1": ("d2", "d3"), "d4": ("d5",)}


def test_half_characters_do_not_get_in(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    (folder / "queries.jsonl").write_text('{"id": "q", "text": "half \\ud83d?"}\n')
    assert read_set(folder).queries[0].text == "half ??"


WRONG: list[tuple[str, str, str]] = [
    ("queries", "{", "queries.jsonl' line 2 is not JSON"),
    ("queries", "[1]", "queries.jsonl' line 2: this is a list"),
    ("queries", '{"id": "q9"}', "line 2: text is missing"),
    ("queries", '{"id": "q9", "text": "  "}', "line 2: text is empty"),
    ("queries", '{"id": "q9", "text": 7.5}', "line 2: text is 7.5"),
    ("queries", '{"id": "q9", "text": "a", "meta": [1]}', "line 2: this is a list"),
    ("queries", '{"id": "q9", "text": "a", "meta": {"now": "soon"}}', "line 2: meta.now is 'soon'"),
    ("queries", '{"id": "q9", "text": "a", "meta": {"answerable": "yes"}}', "line 2: meta.answerable is 'yes'"),
    ("queries", '{"id": "q9", "text": "a", "meta": {"parts": "a"}}', "line 2: meta.parts is a str"),
    ("queries", '{"id": "q9", "text": "a", "meta": {"messages": [3]}}', "line 2: this is a int"),
    ("queries", '{"id": "q1", "text": "a"}', "two queries with the id 'q1'"),
    ("qrels", '{"query_id": "q1", "doc_id": "d1", "grade": "high"}', "qrels.jsonl' line 2: grade is 'high'"),
    ("qrels", '{"query_id": "q1", "grade": 1}', "line 2: doc_id is missing"),
]


@pytest.mark.parametrize(("file", "line", "said"), WRONG)
def test_a_wrong_line_is_named(tmp_path: Path, file: str, line: str, said: str) -> None:
    first: dict[str, Any] = {"queries": QUERIES[0], "qrels": QRELS[0]}[file]
    folder = write_set(tmp_path)
    (folder / f"{file}.jsonl").write_text(as_lines([first]) + line + "\n")
    with pytest.raises(InvalidInput) as caught:
        read_set(folder)
    assert said in str(caught.value)


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    (folder / "qrels.jsonl").unlink()
    with pytest.raises(InvalidInput, match=r"has no qrels\.jsonl or qrels\.jsonl\.gz"):
        read_set(folder)
    with pytest.raises(InvalidInput, match="is empty"):
        read_set(write_set(tmp_path / "other", queries=[]))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    whole = gzip.compress(as_lines(CORPUS).encode())
    for damaged in (whole[: len(whole) // 2], b"not gzip at all", gzip.compress(b"\xff\xfe{}")):
        (folder / "corpus.jsonl.gz").write_bytes(damaged)
        with pytest.raises(InvalidInput, match=r"corpus\.jsonl\.gz"):
            read_set(folder)


@given(st.integers(1, 200), st.integers(1, 250))
def test_a_limit_spreads_over_the_whole_file(length: int, count: int) -> None:
    chosen = spread_out(range(length), count)
    assert len(chosen) == min(count, length)
    assert list(chosen) == sorted(set(chosen))
    gaps = {later - earlier for earlier, later in pairwise(chosen)}
    assert max(gaps, default=0) - min(gaps, default=0) <= 1
    assert length - chosen[-1] <= max(length // count + 1, 1)


def test_the_halves_are_the_whole_and_share_nothing(tmp_path: Path) -> None:
    queries = [{"id": f"q{number}", "text": f"What is in box {number}?"} for number in range(40)]
    whole = read_set(write_set(tmp_path, queries=queries))
    fit, held_out = (halved(whole, half) for half in (Half.FIT, Half.HELD_OUT))
    assert {query.id for query in (*fit.queries, *held_out.queries)} == {query.id for query in whole.queries}
    assert len(fit.queries) + len(held_out.queries) == len(whole.queries)
    assert all(in_fit_half(query.text) for query in fit.queries)
    assert min(len(fit.queries), len(held_out.queries)) > 10
    assert fit.documents == held_out.documents == whole.documents
    assert halved(whole, None) == whole


def test_the_half_is_told_by_the_question_alone(tmp_path: Path) -> None:
    queries = [{"id": "q1", "text": "Who built it?"}, {"id": "q2", "text": " who  BUILT it?"}]
    same = read_set(write_set(tmp_path, queries=queries))
    half = half_of("who built it?")
    other = Half.FIT if half is Half.HELD_OUT else Half.HELD_OUT
    assert [query.id for query in halved(same, half).queries] == ["q1", "q2"]
    with pytest.raises(InvalidInput, match=f"no question in the {other} half"):
        halved(same, other)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_spaces_and_capitals_do_not_move_a_question(words: list[str]) -> None:
    plain = " ".join(" ".join(words).lower().split())
    assert in_fit_half("\n " + plain.replace(" ", " \t ")) is in_fit_half(plain)


def test_no_limit_takes_all() -> None:
    assert spread_out("abc", None) == ("a", "b", "c")
