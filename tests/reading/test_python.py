"""Python code: each case of cases/python.txt is one test; beside it lines, details, broken files and hostile ones."""

from __future__ import annotations

import ast
import gc
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.knowledge import Relation
from recollect.reading.code import read_code
from recollect.reading.outline import CodeReading, Layout
from recollect.reading.python import read_python
from recollect.reading.python_modules import module_of

LAYOUT = Layout("p", frozenset({"pkg/__init__.py", "pkg/m.py"}), 1500)
KINDS = ("module", "class", "function", "method", "variable", "endpoint", "table", "column")
MEANS = "means"


class Case(NamedTuple):
    title: str
    code: str
    expected: list[str]


def cases() -> list[Case]:
    text = (Path(__file__).parent / "cases" / "python.txt").read_text(encoding="utf-8")
    found = []
    for block in text.split("\n## ")[1:]:
        title, _, rest = block.partition("\n")
        code, _, expected = rest.partition("\n---\n")
        found.append(Case(title, code, [line for line in expected.splitlines() if line]))
    return found


def read(code: str, path: str = "pkg/m.py", layout: Layout = LAYOUT) -> CodeReading:
    return read_python(path, code.encode(), layout)


def _spoken(reading: CodeReading) -> list[tuple[str, str]]:
    """All that was read, as lines of the case file, each with the word that sorts it."""
    said = [(each.relation, f"{each.subject} {each.relation} {each.object}") for each in reading.statements]
    said += [(MEANS, f"{each.key} {MEANS} {each.target}") for each in reading.aliases]
    said += [(each.kind, f"{each.kind} {each.key}") for each in reading.entities]
    return [(word, line.replace("py:", "")) for word, line in said]


def _word(line: str) -> str:
    """The relation or kind an expected line is about."""
    words = line.split()
    if words[0] in KINDS or words[0] == "nothing":
        return words[1] if words[0] == "nothing" else words[0]
    return next(word for word in words if word in {*Relation, MEANS})


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_what_is_read(case: Case) -> None:
    spoken = _spoken(read(case.code))
    words = {_word(line) for line in case.expected}
    expected = {line for line in case.expected if not line.startswith("nothing ") and not line.endswith(" none")}
    assert {line for word, line in spoken if word in words} == expected


def test_there_are_cases_for_and_against() -> None:
    expected = [line for case in cases() for line in case.expected]
    against = [line for line in expected if line.startswith("nothing ") or line.endswith(" none")]
    assert len(cases()) >= 60 and len(against) >= 20
    assert {_word(line) for line in expected} >= {"calls", "imports", "inherits", "uses", "means", *KINDS}


# --- lines and details

CODE = '''"""Orders.

More."""
import os

@deco
def pay(order: "Order", *,
        amount=3,  # in cents
        ) -> int:
    """Pays it.

    More."""
    return os.stat(
        "ä"), os.stat("b")


class Order(Base, table=True):
    def total(self): "Sum"; return self.pay()

Ä = "ö"; SIZE: int = 4
'''


def test_lines_are_those_of_the_text() -> None:
    reading = read(CODE)
    lines = {each.key.removeprefix("py:pkg.m"): (each.line, each.end) for each in reading.entities}
    assert lines[""] == (1, 20)
    assert (lines[".pay"], lines[".Order"], lines[".Order.total"]) == ((7, 14), (17, 18), (18, 18))
    calls = [(each.object, each.line) for each in reading.statements if each.relation == Relation.CALLS]
    assert calls == [("py:os.stat", 13), ("py:os.stat", 14)]


def test_details_are_the_signature_and_the_first_line_of_the_docstring() -> None:
    detail = {each.name: each.detail for each in read(CODE).entities}
    assert detail["m"] == "Orders."
    assert detail["pay"] == 'def pay(order: "Order", *, amount=3, ) -> int: Pays it.'
    assert detail["Order"] == "class Order(Base, table=True)"
    assert detail["total"] == "def total(self): Sum"
    assert (detail["Ä"], detail["SIZE"]) == ('Ä = "ö"', "SIZE: int = 4")


def test_a_statement_is_made_once_per_line_and_a_use_once() -> None:
    reading = read("def a(): ...\ndef b(): a(); a()\ndef c(x): x(a, a)\ndef d(x):\n    x(a)\n    x(a)\n")
    assert len(reading.statements) == len(set(reading.statements))
    uses = [(each.subject, each.line) for each in reading.statements if each.relation == Relation.USES]
    assert uses == [("py:pkg.m.c", 3), ("py:pkg.m.d", 5)]


# --- names of modules

FILES = (
    "src/shop/__init__.py src/shop/cart.py tools/run.py tools/paths.py tools/deep/x.py "
    "google/cloud/store/__init__.py app/models.py setup.py back/src/core.py back/tests/test_core.py"
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/shop/cart.py", "shop.cart"),
        ("src/shop/__init__.py", "shop"),
        ("tools/run.py", "tools.run"),
        ("src/loose.py", "loose"),
        ("setup.py", "setup"),
        ("__init__.py", "__init__"),
        ("google/cloud/store/__init__.py", "store"),
        ("stubs/x.pyi", "stubs.x"),
    ],
)
def test_the_name_of_a_module_follows_from_the_files_beside_it(path: str, name: str) -> None:
    layout = Layout("p", frozenset(FILES.split()), 1500)
    assert read("", path, layout).entities[0].key == f"py:{name}"


@pytest.mark.parametrize(
    ("path", "code", "target"),
    [
        ("tools/run.py", "from paths import root", "tools.paths.root"),
        ("tools/deep/x.py", "import paths", "tools.paths"),
        ("setup.py", "from shop import cart", "shop.cart"),
        ("src/shop/cart.py", "import paths", "paths"),
        ("src/shop/__init__.py", "from .cart import Cart", "shop.cart.Cart"),
        ("src/shop/__init__.py", "from . import cart", "shop.cart"),
        ("setup.py", "from . import cart", "cart"),
        ("back/tests/test_core.py", "from core import run", "back.src.core.run"),
    ],
)
def test_an_import_means_the_file_that_would_be_found(path: str, code: str, target: str) -> None:
    layout = Layout("p", frozenset(FILES.split()), 1500)
    imports = [each.object for each in read(code, path, layout).statements if each.relation == Relation.IMPORTS]
    assert f"py:{target}" in imports


def test_a_package_under_folders_goes_by_both_names() -> None:
    layout = Layout("p", frozenset(FILES.split()), 1500)
    aliases = read("", "google/cloud/store/__init__.py", layout).aliases
    assert ("py:google.cloud.store", "py:store") in aliases
    assert ("py:google.cloud.store.*", "py:store.*") in aliases
    assert not read("", "src/shop/__init__.py", layout).aliases


# --- files that are not valid

GOOD = "def good():\n    return os.stat('x')\n\nimport os\n"
BROKEN = {
    "an unfinished line": "x = (1,\n\n",
    "another version of Python": "print 'x'\nexec 'y'\n",
    "a stray bracket": ")\n",
    "a broken function": "def bad(:\n    return 1\n\n",
    "wrong indentation": "if x:\nreturn 1\n\n",
    "an unclosed text": "x = '''never\n",
    "null characters": "x = 1\0\n",
    "a template": "{% if x %}\nx = {{ y }}\n{% endif %}\n",
    "a conflict": "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n",
}


@pytest.mark.parametrize("bad", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_valid_before_a_fault_is_read_and_a_note_says_the_rest(bad: str) -> None:
    reading = read(GOOD + bad)
    assert "py:pkg.m.good" in {each.key for each in reading.entities}
    assert ("py:pkg.m.good", "calls", "py:os.stat", 2) in {each[:4] for each in reading.statements}
    if "\0" not in bad:
        assert "not valid Python" in reading.notes[0]


def test_what_is_valid_after_a_fault_is_read_with_its_own_lines() -> None:
    reading = read("def bad(:\n    return 1\n\n" + GOOD)
    assert {each.key: each.line for each in reading.entities}["py:pkg.m.good"] == 4
    assert reading.notes == ("not valid Python at line 1: 2 lines left out of the graph",)


def test_a_fault_within_a_class_leaves_its_other_methods() -> None:
    reading = read("class C:\n    def a(self):\n        print 'x'\n        self.b()\n\n    def b(self): ...\n")
    assert ("py:pkg.m.C.a", "calls", "py:pkg.m.C.b", 4) in {each[:4] for each in reading.statements}


def test_a_broken_method_leaves_the_others() -> None:
    reading = read("class C:\n    def a(self:\n        if x:\n            y()\n\n    def b(self): ...\n")
    assert {each.name for each in reading.entities} == {"m", "C", "b"}
    assert reading.notes == ("not valid Python at line 2: 3 lines left out of the graph",)


def test_the_encoding_a_file_names_is_the_one_it_is_read_in() -> None:
    reading = read_python("pkg/m.py", "# -*- coding: latin-1 -*-\ndef f():\n    'Gr\xfcn'\n".encode("latin-1"), LAYOUT)
    assert reading.entities[1].detail == "def f(): Grün"
    unknown = read_python("pkg/m.py", b"# coding: nonsense\ndef f(): ...\n", LAYOUT)
    assert unknown.entities[1].name == "f"


HOSTILE = {
    "deep brackets": "(" * 5000 + ")" * 5000,
    "a long sum": "x = " + "+".join(["1"] * 5000),
    "a long chain": "x = a" + ".b" * 3000,
    "a chain of calls": "x = a" + ".b()" * 1500,
    "deep functions": "\n".join(" " * n + f"def f{n}():" for n in range(90)) + "\n" + " " * 90 + "pass",
    "too deep functions": "\n".join(" " * n + f"class C{n}:" for n in range(300)) + "\n" + " " * 300 + "pass",
    "a long union": "def f(x: " + " | ".join(["A", *["None"] * 2500]) + "): x.y()",
    "a long or": "x = " + " or ".join(["A()"] * 3000) + "\nx.y()",
    "nested conditions": "x = " + "1 if a else " * 900 + "A()",
    "lambdas": "x = " + "lambda: " * 800 + "1",
    "a long line": "x = '" + "a" * 1_000_000 + "'",
    "names of names": "def f(a0):\n" + "".join(f"    a{n} = a{n - 1}\n" for n in range(1, 900)) + "    a899.x()",
    "nested wrappers": "def f(x: " + "Optional[" * 150 + "A" + "]" * 150 + "): x.y()",
    "faults on every line": "x = = 1\n" * 3_000,
    "one fault in a long block": "if x:\n" + "    y = 1\n" * 3_000 + "    z = = 1\n",
    "one fault in many lines": "y = 1\n" * 3_000 + "z = = 1\n" + "y = 1\n" * 3_000,
    "only blanks": " \n\t\n\f\n",
    "carriage returns": "def a(): ...\r\rdef b():\r  a()\r",
    "classes of each other": "class A(B): ...\nclass B(A):\n  def f(self): self.g(); super().g()",
}


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_file_is_too_odd_to_be_read(code: str) -> None:
    reading = read(code)
    assert reading.entities[0].key == "py:pkg.m"
    assert bool(reading.chunks) is bool(code.strip())


@given(st.binary(max_size=300))
def test_no_bytes_are_too_odd_to_be_read(source: bytes) -> None:
    assert read_python("pkg/m.py", source, LAYOUT).entities[0].kind == "module"


WORDS = st.sampled_from(
    "def class f(x): C: self . ( ) [ ] : = x y import from as * lambda for in if else return , ; @ 'a' 1 "
    "match case try: except global async await with := | -> yield \n \n\n \n\x20\x20\x20\x20 \t #".split(" ")
)


@given(st.lists(WORDS, max_size=60))
def test_no_words_are_too_odd_to_be_read(words: list[str]) -> None:
    code = " ".join(words)
    reading = read(code)
    last = code.count("\n") + 1
    assert all(1 <= each.line <= last for each in (*reading.entities, *reading.statements))


def test_nothing_of_a_file_waits_for_the_collector() -> None:
    """Reading processes run without it: what stayed behind would add up to all trees of a project."""
    source = Path(ast.__file__).read_bytes()
    read_python("ast.py", source, LAYOUT)
    was_on = gc.isenabled()
    gc.disable()
    try:
        gc.collect()
        read_python("ast.py", source, LAYOUT)
        assert gc.collect() == 0
    finally:
        if was_on:
            gc.enable()


# --- real code

LIBRARY = sorted(Path(ast.__file__).parent.glob("*.py"))[::6]


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_the_definitions_and_bases_of_real_modules_are_those_of_their_trees(path: Path) -> None:
    source = path.read_bytes()
    reading = read_code(path.name, source, Layout("std", frozenset(), 1500))
    tree = ast.parse(source)
    sorts = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    there = {(each.name, each.lineno) for each in ast.walk(tree) if isinstance(each, sorts)}
    found = {(each.name, each.line) for each in reading.entities if each.kind in {"class", "function", "method"}}
    assert found <= there
    assert {name for name, _ in there} == {name for name, _ in found}
    calls = {each.lineno for each in ast.walk(tree) if isinstance(each, ast.Call)}
    assert {each.line for each in reading.statements if each.relation == Relation.CALLS} <= calls
    assert not reading.notes


@pytest.mark.parametrize(
    ("path", "paths", "name"),
    [
        (
            "tool/_vendor/yarl/quoting.py",
            ("tool/__init__.py", "tool/_vendor/yarl/__init__.py"),
            "tool._vendor.yarl.quoting",
        ),
        ("tool/_vendor/six.py", ("tool/__init__.py",), "tool._vendor.six"),
        ("src/tool/run.py", ("src/tool/__init__.py",), "tool.run"),
        ("acme/store/run.py", ("acme/store/__init__.py",), "store.run"),
        ("scripts/run.py", (), "scripts.run"),
    ],
)
def test_a_module_is_called_by_its_outermost_package(path: str, paths: tuple[str, ...], name: str) -> None:
    assert module_of(path, Layout("p", frozenset({path, *paths}), 1500)).name == name
