"""Source code: which language a path is, and who reads it.

`read_code` takes the path of a file within its project, its bytes and the `Layout` of the project, and gives chunks,
entities, statements and aliases. A language is one row in `READERS` and one module with a function
`(path, source, layout) -> CodeReading` beside this one: it parses (`grammars.parser`), names what it finds by keys as
`knowledge` describes, gives its definitions as `Piece`s to `outline.cut`, and reads what it can of a file with errors,
with a note. A reader raises nothing but `MissingExtra`; then, or for a language without a reader, the code is only cut.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from recollect.errors import MissingExtra
from recollect.reading.outline import CodeReading, Layout, clean, cut

Reader = Callable[[str, bytes, Layout], CodeReading]

SUFFIXES = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescript",
    ".go": "go",
    ".java": "java",
    ".rs": "rust",
    ".sql": "sql",
    ".ddl": "sql",
    ".c": "c",
    ".h": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".cxx": "c++",
    ".hpp": "c++",
    ".cs": "c#",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".scala": "scala",
    ".swift": "swift",
    ".rb": "ruby",
    ".php": "php",
    ".lua": "lua",
    ".sh": "shell",
    ".bash": "shell",
    ".zsh": "shell",
    ".ps1": "powershell",
}
NAMES = {
    "SConstruct": "python",
    "SConscript": "python",
    "wscript": "python",
    "Rakefile": "ruby",
    "Gemfile": "ruby",
    "Makefile": "make",
    "Dockerfile": "docker",
    "compose.yml": "compose",
    "compose.yaml": "compose",
    "docker-compose.yml": "compose",
    "docker-compose.yaml": "compose",
}
READERS = {
    "python": "recollect.reading.python:read_python",
    "javascript": "recollect.reading.typescript:read_typescript",
    "typescript": "recollect.reading.typescript:read_typescript",
    "go": "recollect.reading.go:read_go",
    "java": "recollect.reading.java:read_java",
    "rust": "recollect.reading.rust:read_rust",
    "sql": "recollect.reading.sql:read_sql",
    "compose": "recollect.reading.compose:read_compose",
}


def language_of(path: str) -> str:
    """The language of a path, empty when it is no source code.

    >>> language_of("src/app.PY"), language_of("ops/Makefile"), language_of("README.md")
    ('python', 'make', '')
    """
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return NAMES.get(name) or (SUFFIXES.get(name[dot:].lower(), "") if dot >= 0 else "")


def read_code(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a file of source code gives; `path` is relative to the project's folder, with forward slashes."""
    reader = _reader(language_of(path))
    if reader is None:
        return plain(path, source, layout)
    try:
        return reader(path, source, layout)
    except MissingExtra as missing:
        return plain(path, source, layout)._replace(notes=(str(missing),))


def plain(path: str, source: bytes, layout: Layout) -> CodeReading:
    """Code that nobody can read, in chunks cut at blank lines."""
    chunks = cut(clean(source), (), heading=(path,), about=f"file:{path}", characters=layout.chunk_characters)
    return CodeReading(chunks=chunks)


@cache
def _reader(language: str) -> Reader | None:
    if language not in READERS:
        return None
    module, _, function = READERS[language].partition(":")
    reader: Reader = getattr(import_module(module), function)
    return reader
