"""Which language a path is, and what becomes of code that nobody reads."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from recollect.reading.code import READERS, language_of, plain, read_code
from recollect.reading.outline import Layout

LAYOUT = Layout("p", frozenset(), 1500)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("a/b.pyi", "python"),
        ("A.PY", "python"),
        ("wscript", "python"),
        ("web/app.test.tsx", "typescript"),
        ("web/app.mjs", "javascript"),
        ("cmd/main.go", "go"),
        ("src/Main.java", "java"),
        ("src/lib.rs", "rust"),
        ("db/001.sql", "sql"),
        ("src/x.cpp", "c++"),
        ("ops/Makefile", "make"),
        ("README.md", ""),
        ("data.json", ""),
        ("go", ""),
        (".py/notes", ""),
        ("", ""),
    ],
)
def test_the_language_follows_from_the_name(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize("language", sorted(READERS))
def test_every_reader_in_the_table_is_there(language: str) -> None:
    module, _, function = READERS[language].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_code_without_a_reader_is_cut() -> None:
    reading = read_code("src/x.rb", b"def a\n  1\nend\n", LAYOUT)
    assert [(each.start, each.end, each.about) for each in reading.chunks] == [(1, 3, "file:src/x.rb")]
    assert not reading.entities and not reading.notes


def test_bytes_that_are_no_text_are_cut_too() -> None:
    assert plain("x.c", b"\xff\xfe\x00\r\nint a;\r\n", LAYOUT).chunks[0].end == 2


def test_without_the_extra_code_is_cut_and_a_note_names_it() -> None:
    """In a process of its own, in which the grammars cannot be imported."""
    script = (
        "import sys\n"
        "sys.modules['tree_sitter'] = None\n"
        "from recollect.reading.code import read_code\n"
        "from recollect.reading.outline import Layout\n"
        "layout = Layout('p', frozenset(), 1500)\n"
        "other = read_code('a.go', b'package a\\n', layout)\n"
        "print(len(other.chunks), 'recollect[code]' in other.notes[0])\n"
        "print(read_code('a.py', b'def f(): ...\\n', layout).entities[1].key)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "True", "py:a.f"]
