"""The tree-sitter grammars, loaded on first use. They come with the extra `code`; without it: `MissingExtra`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from recollect.errors import MissingExtra

if TYPE_CHECKING:
    from tree_sitter import Language, Parser

# grammar -> its module, and the function there that gives it
GRAMMARS = {
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "python": ("tree_sitter_python", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "sql": ("tree_sitter_sql", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}


@cache
def grammar(name: str) -> Language:
    """The grammar of that name, for parsing and for queries."""
    module, function = GRAMMARS[name]
    try:
        language: Language = import_module("tree_sitter").Language(getattr(import_module(module), function)())
    except ImportError as missing:
        raise MissingExtra(f"reading {name} code", extra="code") from missing
    return language


@cache
def parser(name: str) -> Parser:
    """A parser for that grammar. It keeps no state between files, and serves one thread at a time."""
    language = grammar(name)
    found: Parser = import_module("tree_sitter").Parser(language)
    return found
