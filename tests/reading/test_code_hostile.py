"""Whatever a file holds, a reader gives something sound: no exception, lines within the file, whole chunks."""

from __future__ import annotations

import random

import pytest

from recollect.reading.code import read_code
from recollect.reading.manifests import declared_names
from recollect.reading.outline import CodeReading, Layout, clean

from . import test_go, test_java, test_rust, test_sql, test_typescript
from .code_notation import Case

PATHS = ("a.ts", "a.tsx", "a.js", "a.go", "A.java", "src/a.rs", "a.sql", "docker-compose.yml")
DEEP = 3_000
HOSTILE = {
    "nothing": "",
    "blank lines": "\n\n\n",
    "no line end": "x",
    "no text": "\x00\x01\ufeff\ud7ff\U0010ffff",
    "carriage returns": "class A {\r\n  b() {}\r\n}\r\nfn f() {}\r",
    "other line ends": "class A {\u2028 b() {}\x0c}\x85fn f() {}\n",
    "open parentheses": "f(" * DEEP,
    "closing parentheses": ")" * DEEP,
    "open braces": "{" * DEEP,
    "nested classes": "class A { " * DEEP,
    "nested functions": "function f() { fn g() { func h() { " * (DEEP // 3),
    "nested namespaces": "namespace N { mod m { " * (DEEP // 2),
    "a long chain": "x" + ".y()" * DEEP,
    "long unions": "type T = A " + "| null " * DEEP + ";",
    "nested generics": "type T = A" + "<A" * DEEP,
    "open string": "const x = 'abc\nCREATE TABLE t (a int",
    "open comment": "/* class A {\nCREATE TABLE t (a int);",
    "open body": "CREATE FUNCTION f() AS $x$ SELECT FROM ",
    "nested queries": "SELECT * FROM (" * DEEP,
    "nested use": "use a::{" * DEEP,
    "colons": "services:\n" + "".join(f"{' ' * at}a:\n" for at in range(300)),
    "words": "class interface struct enum trait impl for extends implements import use from package mod type func fn "
    * 50,
}


def sound(path: str, data: bytes) -> CodeReading:
    """Reads, and checks what holds for every file."""
    reading = read_code(path, data, Layout("p", frozenset({path}), 400))
    last = clean(data).count("\n") + 1
    for entity in reading.entities:
        assert entity.key and entity.name and 1 <= entity.line <= entity.end <= last, entity
    for said in reading.statements:
        assert said.subject and said.object and 1 <= said.line <= last, said
        assert "\n" not in said.subject + said.object, said
    for chunk in reading.chunks:
        assert chunk.text.strip() and 1 <= chunk.start <= chunk.end <= last, chunk
    assert len({each.key for each in reading.entities}) == len(reading.entities)
    assert len(set(reading.statements)) == len(reading.statements)
    return reading


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read(text: str, path: str) -> None:
    sound(path, text.encode("utf-8", "replace"))


def test_bytes_that_are_no_text_are_read() -> None:
    noise = random.Random(7).randbytes(4_000)
    for path in PATHS:
        sound(path, noise)


SNIPPETS = {
    "a.ts": [*test_typescript.CASES.values(), *test_typescript.JAVASCRIPT.values()],
    "a.go": [*test_go.CASES.values()],
    "A.java": [*test_java.CASES.values()],
    "src/a.rs": [*test_rust.CASES.values()],
    "a.sql": [*test_sql.CASES.values()],
}


@pytest.mark.parametrize(("path", "cases"), SNIPPETS.items(), ids=SNIPPETS)
def test_broken_code_is_read(path: str, cases: list[Case]) -> None:
    """Every snippet cut off at some place, and with a stretch of it gone."""
    chance = random.Random(11)
    for case in cases:
        data = case.text.encode()
        for _ in range(12):
            at, length = chance.randrange(len(data) + 1), chance.randrange(12)
            sound(path, data[:at])
            sound(path, data[:at] + data[at + length :])


@pytest.mark.parametrize("path", PATHS[:6])
def test_a_broken_file_still_gives_its_sound_parts(path: str) -> None:
    texts = {
        "go": "package a\nfunc f() { g( }\n\nfunc good() {}\n",
        "java": "class A { void f( { }\n void good() {} }\n",
        "rs": "fn f( { }\n\nfn good() {}\n",
    }
    text = texts.get(path.rpartition(".")[2], "function f( { }\n\nfunction good() {}\n")
    reading = sound(path, text.encode())
    assert any(each.name == "good" for each in reading.entities)
    assert reading.notes


def test_readings_are_the_same_every_time() -> None:
    for path, cases in SNIPPETS.items():
        for case in cases:
            data = case.text.encode()
            assert sound(path, data) == sound(path, data)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("go.mod", "// nothing"),
        ("package.json", "{"),
        ("package.json", "[1]"),
        ("package.json", '{"name": 3}'),
        ("Cargo.toml", "[package"),
        ("Cargo.toml", "[workspace]\n"),
        ("Cargo.toml", 'package = "x"'),
        ("package.json", "[" * 50_000),
    ],
)
def test_a_manifest_without_a_name_declares_none(path: str, text: str) -> None:
    assert declared_names([(path, text.encode())]) == ()
