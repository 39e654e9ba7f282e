"""One file to one `Reading`: picks the reader, after looking whether the file may be read at all.

Pure: bytes in, a value out, so that it can run in another process. What is a binary or shows a key is skipped with the
reason, and nothing of it is given on.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

from recollect.knowledge import PROSE, FileMark, Reading, Said
from recollect.reading.chats import messages_in, messages_in_lines, messages_in_text, read_chat
from recollect.reading.code import language_of, read_code
from recollect.reading.html import read_html
from recollect.reading.markdown import read_markdown
from recollect.reading.outline import Layout
from recollect.reading.pdf import read_pdf
from recollect.reading.prose import statements_in
from recollect.reading.records import read_csv, read_json, read_json_lines
from recollect.reading.secrets import is_secret_name, secret_in
from recollect.reading.sections import Contents, Sheet
from recollect.reading.text import read_text
from recollect.settings import ReadSettings

HEAD = 8_192  # bytes that show whether a file is binary
MARKS_OF_ORDER = (b"\xff\xfe", b"\xfe\xff")
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b")) + b"\x7f"
MOST_CONTROLS = 0.05
PDF_HEAD = b"%PDF-"
TITLED = frozenset({"markdown", "rst", "html"})  # whose headings say what the text below is about
# Plain text is a document by the ending of its name, or, where it has none, by what files of that name hold.
DOCUMENTS = frozenset({".txt", ".text", ".rst", ".rest", ".adoc", ".asciidoc", ".org", ".textile", ".wiki", ".tex"})
DOCUMENT_NAMES = re.compile(
    r"read[-_]?me|changes|change[-_]?log|history|news|release[-_]?notes|notice|notes|contributing|hacking|install|faq"
    r"|manual|guide|tutorial|about|overview|design|architecture|thanks|acknowledge?ments",
    re.IGNORECASE,
)
# Whatever they end in: terms that are the same everywhere, and lists that programs write and read.
NO_DOCUMENTS = re.compile(
    r"((un)?licen[cs]es?|copying|copyright)([-_.].*)?|.*[-_.]licen[cs]es?|authors|record|sources"
    r"|(.*[-_.])?(requirements|requires|constraints)([-_.].*)?|entry_points|top_level|namespace_packages"
    r"|dependency_links|cmakelists|robots|stopwords|wordlist|words",
    re.IGNORECASE,
)
CODE_BLOCK = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*\s*$|\Z)", re.MULTILINE | re.DOTALL)
TextReader = Callable[[Sheet, str], Contents]


def read_file(project: str, path: str, data: bytes, mark: FileMark, layout: Layout, settings: ReadSettings) -> Reading:
    """What one file gives; `path` is relative to the project's folder, with forward slashes."""
    sheet = Sheet(path, layout.paths, settings.chunk_characters)
    is_pdf = data.startswith(PDF_HEAD)
    if reason := _left_out(sheet, data, settings, is_pdf=is_pdf):
        return Reading(project, path, mark, skipped=reason)
    if language := "" if is_pdf else language_of(path):
        code = read_code(path, data, layout)
        return Reading(project, path, mark, language, *code[:4], notes=code.notes)
    found = read_pdf(sheet, data) if is_pdf else _read_text(sheet, decoded(data))
    if found.skipped:
        return Reading(project, path, mark, found.language, skipped=found.skipped, notes=found.notes)
    found = with_prose(found) if is_document(sheet.name, found.language) else found
    return Reading(project, path, mark, *found[:5], notes=found.notes)


def with_prose(found: Contents) -> Contents:
    """The contents with what their sentences say."""
    entities = {entity.key: entity for entity in found.entities}
    statements: dict[Said, None] = dict.fromkeys(found.statements)
    for chunk in found.chunks:
        title = chunk.heading[-1] if chunk.heading and found.language in TITLED else ""
        named, said = statements_in(_without_code(chunk.text), title=title, start_line=chunk.start)
        for entity in named:
            entities.setdefault(entity.key, entity)
        statements |= dict.fromkeys(said)
    return found._replace(entities=tuple(entities.values()), statements=tuple(statements))


def is_document(name: str, language: str) -> bool:
    """Whether a file is sentences that somebody wrote, and not a list, a form or a translation table.

    >>> [is_document(name, "text") for name in ("notes.txt", "README", "RECORD", "requirements.txt", "django.po")]
    [True, True, False, False, False]
    """
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        stem, suffix = name, ""
    if language not in PROSE or NO_DOCUMENTS.fullmatch(stem):
        return False
    if language != "text":
        return True
    return f".{suffix.lower()}" in DOCUMENTS if suffix else bool(DOCUMENT_NAMES.fullmatch(name))


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or else Western; lines end in a newline.

    >>> decoded(b"caf\\xe9\\r\\nbar")
    'café\\nbar'
    """
    if data.startswith(MARKS_OF_ORDER):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def digest_of(data: bytes) -> str:
    """What tells whether a file is as it was."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def is_binary(data: bytes) -> bool:
    """Whether these bytes are no text."""
    head = data[:HEAD]
    if head.startswith(MARKS_OF_ORDER):
        return False
    return b"\x00" in head or len(head) - len(head.translate(None, CONTROLS)) > len(head) * MOST_CONTROLS


def _left_out(sheet: Sheet, data: bytes, settings: ReadSettings, *, is_pdf: bool) -> str:
    if is_secret_name(sheet.name):
        return "secret: by its name"
    if len(data) > settings.max_file_bytes:
        return f"too large: {len(data):,} bytes"
    if not is_pdf and is_binary(data):
        return "binary"
    what = secret_in(data)
    return f"secret: {what}" if what else ""


def _without_code(text: str) -> str:
    """The text with blank lines where code blocks stand."""
    return CODE_BLOCK.sub(lambda match: "\n" * match[0].count("\n"), text) if "```" in text or "~~~" in text else text


def _read_text(sheet: Sheet, text: str) -> Contents:
    dot = sheet.name.rfind(".")
    reader = READERS.get(sheet.name[dot:].lower(), read_plain) if dot >= 0 else read_plain
    return reader(sheet, text)


def read_plain(sheet: Sheet, text: str) -> Contents:
    """Plain text, unless it is a chat."""
    messages = messages_in_text(text)
    return read_chat(sheet, messages) if messages else read_text(sheet, text)


def _read_json(sheet: Sheet, text: str) -> Contents:
    try:
        messages = messages_in(json.loads(text))
    except (ValueError, RecursionError):
        messages = None
    return read_chat(sheet, messages) if messages else read_json(sheet, text)


def _read_json_lines(sheet: Sheet, text: str) -> Contents:
    messages = messages_in_lines(text)
    return read_chat(sheet, messages) if messages else read_json_lines(sheet, text)


READERS: dict[str, TextReader] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".mdown": read_markdown,
    ".mdx": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".json": _read_json,
    ".geojson": _read_json,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".psv": read_csv,
}
