"""Code is cut along its definitions, and nothing of it is lost or doubled."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.knowledge import Chunk
from recollect.reading.code import read_code
from recollect.reading.outline import Layout, Piece, clean, cut


def chunks_of(text: str, pieces: Sequence[Piece], characters: int) -> tuple[Chunk, ...]:
    return cut(text, pieces, heading=("m",), about="py:m", characters=characters)


def check(text: str, chunks: Sequence[Chunk], characters: int) -> None:
    """Every line that is not blank is in one chunk, in order; a longer line than a chunk is there in slices."""
    lines = text.split("\n")
    covered: dict[int, str] = {}
    for chunk in chunks:
        assert chunk.text.strip()
        if chunk.start == chunk.end and len(lines[chunk.start - 1]) > characters:
            covered[chunk.start] = covered.get(chunk.start, "") + chunk.text
            continue
        assert chunk.text == "\n".join(lines[chunk.start - 1 : chunk.end])
        assert len(chunk.text) <= characters
        for line in range(chunk.start, chunk.end + 1):
            assert line not in covered
            covered[line] = lines[line - 1]
    assert {line for line, text in covered.items() if text.strip()} == {
        number for number, text in enumerate(lines, 1) if text.strip()
    }
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)


# --- where it is cut

CLASS = """import os

# why
class C:
    x = 1

    def a(self):
        return 1

    def b(self):
        return 2
"""
PIECES = (Piece("C", "py:m.C", 4, 11, (Piece("a", "py:m.C.a", 7, 8), Piece("b", "py:m.C.b", 10, 11))),)


def test_what_fits_is_one_chunk_with_the_head() -> None:
    (chunk,) = chunks_of(CLASS, PIECES, 1500)
    assert (chunk.start, chunk.end, chunk.heading, chunk.about) == (1, 11, ("m",), "py:m")


def test_a_class_that_fits_by_itself_stays_whole_with_the_comment_above_it() -> None:
    head, whole = chunks_of(CLASS, PIECES, 100)
    assert (head.start, head.end, head.about) == (1, 1, "py:m")
    assert (whole.start, whole.end, whole.heading, whole.about) == (3, 11, ("m", "C"), "py:m.C")


def test_a_class_that_does_not_fit_is_cut_between_its_methods() -> None:
    found = [(each.start, each.end, each.heading, each.about) for each in chunks_of(CLASS, PIECES, 40)]
    assert found == [
        (1, 1, ("m",), "py:m"),
        (3, 5, ("m", "C"), "py:m.C"),
        (7, 8, ("m", "C", "a"), "py:m.C.a"),
        (10, 11, ("m", "C", "b"), "py:m.C.b"),
    ]


def test_small_methods_of_a_long_class_share_a_chunk_that_is_about_the_class() -> None:
    found = [(each.start, each.end, each.about) for each in chunks_of(CLASS, PIECES, 90)]
    assert found == [(1, 1, "py:m"), (3, 8, "py:m.C"), (10, 11, "py:m.C.b")]


def test_a_long_function_is_cut_at_blank_lines_and_every_part_is_about_it() -> None:
    code = "def f():\n    a()\n    b()\n\n    c()\n    d()\n"
    found = [(each.start, each.end, each.about) for each in chunks_of(code, [Piece("f", "py:m.f", 1, 6)], 30)]
    assert found == [(1, 3, "py:m.f"), (5, 6, "py:m.f")]


def test_a_long_paragraph_is_cut_between_lines() -> None:
    found = [(each.start, each.end) for each in chunks_of("aaaa\nbbbb\ncccc\ndddd", [], 9)]
    assert found == [(1, 2), (3, 4)]


def test_a_line_longer_than_a_chunk_is_in_several() -> None:
    found = [(each.text, each.start) for each in chunks_of("a\n" + "x" * 25 + "\nb", [], 10)]
    assert found == [("a", 1), ("x" * 10, 2), ("x" * 10, 2), ("x" * 5, 2), ("b", 3)]


def test_definitions_on_one_line_are_not_doubled() -> None:
    code = "function a(){} function b(){}\nfunction c(){}"
    pieces = [Piece("a", "a", 1, 1), Piece("b", "b", 1, 1), Piece("c", "c", 2, 2)]
    found = [(each.start, each.end, each.about) for each in chunks_of(code, pieces, 30)]
    assert found == [(1, 1, "a"), (2, 2, "c")]


# --- for any text and any pieces

LINES = st.lists(st.sampled_from(["", "  ", "x", "    y = 1", "# note", "z" * 30, "w" * 90]), max_size=40)
SPANS = st.lists(st.tuples(st.integers(-2, 45), st.integers(-2, 45)), max_size=8)


@given(LINES, SPANS, SPANS, st.integers(1, 120))
def test_no_line_is_lost_or_doubled(
    lines: list[str], spans: list[tuple[int, int]], inner: list[tuple[int, int]], characters: int
) -> None:
    members = tuple(Piece("b", "b", *each) for each in inner)
    pieces = [Piece("a", "a", *each, members) for each in spans]
    text = "\n".join(lines)
    check(text, chunks_of(text, pieces, characters), characters)


@given(st.text(max_size=400), st.integers(1, 50))
def test_any_text_is_cut(text: str, characters: int) -> None:
    clear = clean(text.encode("utf-8", errors="replace"))
    check(clear, chunks_of(clear, [], characters), characters)


def test_members_within_members_without_end_are_cut_all_the_same() -> None:
    piece = Piece("p", "p", 1, 3000)
    for _ in range(2000):
        piece = Piece("p", "p", 1, 3000, (piece,))
    text = "\n".join(["line"] * 3000)
    check(text, chunks_of(text, [piece], 100), 100)


# --- real code

LIBRARY = sorted(Path(ast.__file__).parent.glob("*.py"))[::9]


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_real_modules_are_cut_without_loss(path: Path) -> None:
    source = path.read_bytes()
    reading = read_code(path.name, source, Layout("std", frozenset(), 1500))
    check(clean(source), reading.chunks, 1500)
    known = {each.key for each in reading.entities}
    assert {chunk.about for chunk in reading.chunks} <= known
    assert all(chunk.heading[0] == path.stem for chunk in reading.chunks)
