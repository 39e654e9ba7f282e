"""PDF by pypdf, which the extra `pdf` brings. The position of a chunk is its page; scanned pages have no text."""

from __future__ import annotations

import re
from importlib import import_module
from io import BytesIO
from typing import Any

from recollect.errors import MissingExtra
from recollect.knowledge import Chunk
from recollect.reading.sections import Block, Contents, Section, Sheet, document, pack, paragraphs

LANGUAGE = "pdf"
# What a damaged file may raise in its reader, beside the library's own errors.
DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError, OSError, RecursionError)
BROKEN_WORD = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def read_pdf(sheet: Sheet, data: bytes) -> Contents:
    """The contents of a PDF, page by page."""
    try:
        library = import_module("pypdf")
    except ImportError as missing:
        reason = str(MissingExtra("reading PDF", extra="pdf"))
        return Contents(LANGUAGE, skipped=reason, notes=(reason,)) if missing.name == "pypdf" else _broken(missing)
    try:
        reader = library.PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return Contents(LANGUAGE, skipped="encrypted PDF")
        title = str((reader.metadata.title if reader.metadata else None) or "").strip() or sheet.stem
        pages = [_text_of(page) for page in reader.pages]
    except (*DAMAGE, library.errors.PyPdfError) as error:
        return _broken(error)
    chunks = tuple(chunk for number, text in enumerate(pages, 1) for chunk in _chunks(sheet, title, number, text))
    if not chunks:
        return Contents(LANGUAGE, skipped="PDF without text: its pages are pictures")
    section = Section(0, "", tuple(Block(chunk.text, chunk.start, chunk.end) for chunk in chunks))
    found, _ = document(sheet, title, [section], language=LANGUAGE)
    return found._replace(chunks=chunks)


def _text_of(page: Any) -> str:
    return BROKEN_WORD.sub("", page.extract_text() or "")


def _chunks(sheet: Sheet, title: str, number: int, text: str) -> list[Chunk]:
    packed = pack(paragraphs(text.split("\n")), size=sheet.size, heading=(title,), about=sheet.key)
    return [chunk._replace(start=number, end=number) for chunk in packed]


def _broken(error: BaseException) -> Contents:
    return Contents(LANGUAGE, skipped=f"damaged PDF: {type(error).__name__}")
