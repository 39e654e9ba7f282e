"""Plain text, reStructuredText, HTML, PDF, and what every reader does alike."""

from __future__ import annotations

import sys
from io import BytesIO

import pytest

from recollect.reading.read import decoded, is_binary, is_document
from recollect.reading.sections import pack, paragraphs

from .sheets import lines_in_chunks, read, said

PAGE = """<!doctype html>
<html><head><title>Shop manual - Acme</title><style>p {}</style></head>
<body>
<nav><a href="x.html">Menu</a></nav>
<h1>Shop manual</h1>
<p>Hello <b>there</b>,
reader.</p>
<script>var secret = 1;</script>
<h2>Returns</h2>
<p>Goods go <a href="back.html#top">back</a>.</p>
<pre>keep
  this</pre>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<footer>(c)</footer>
</body></html>
"""

SENTENCE = "The Blue Boat was directed by Ana Ortiz.\n"


def test_html_gives_headings_and_text_without_scripts_and_menus() -> None:
    reading = read("m.html", PAGE)
    text = "\n".join(chunk.text for chunk in reading.chunks)
    assert [chunk.heading for chunk in reading.chunks] == [("Shop manual",), ("Shop manual", "Returns")]
    assert "Hello there, reader." in text and "keep\n  this" in text and "a | b\n1 | 2" in text
    assert not any(word in text for word in ("Menu", "secret", "p {}", "(c)"))
    assert reading.chunks[0].start == 5 and reading.chunks[1].start == 9
    assert ("file:m.html#returns", "references", "file:back.html#top") in said(reading)


def test_html_whose_head_is_not_closed_is_read() -> None:
    (chunk,) = read("m.html", "<head><title>T</title><body><p>Text here").chunks
    assert chunk.text == "Text here"


def test_restructured_text_has_sections() -> None:
    text = "=====\nGuide\n=====\n\nIntro.\n\nSetup\n-----\n\nRun it.\n\nUsage\n-----\n\nUse it.\n"
    reading = read("g.rst", text)
    assert [(chunk.heading, chunk.start, chunk.end) for chunk in reading.chunks] == [
        (("Guide",), 1, 5),
        (("Guide", "Setup"), 7, 10),
        (("Guide", "Usage"), 12, 15),
    ]


@pytest.mark.parametrize("size", [30, 80, 400])
def test_text_is_cut_near_the_size_and_loses_no_line(size: int) -> None:
    lines = ["Short one.", "", "A much longer line. With two sentences, and more words than fit.", "", "x " * 90, "end"]
    reading = read("n.txt", "\n".join(lines), size=size)
    filled = {number for number, line in enumerate(lines, 1) if line.strip()}
    assert filled <= lines_in_chunks(reading)
    assert max(len(chunk.text) for chunk in reading.chunks) <= size
    words = " ".join(chunk.text for chunk in reading.chunks).split()
    assert words == " ".join(lines).split()


def test_long_text_is_cut_at_sentences() -> None:
    (first, second) = pack(paragraphs(["Ana went home. Ben stayed there."]), size=20)
    assert (first.text, second.text) == ("Ana went home.", "Ben stayed there.")


def test_pdf_pages_are_positions() -> None:
    reading = read("a.pdf", _pdf("Hello first", "Hello second"))
    assert [(chunk.text.strip(), chunk.start) for chunk in reading.chunks] == [("Hello first", 1), ("Hello second", 2)]


@pytest.mark.parametrize("data", [b"%PDF-1.4 broken", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer<<>>"])
def test_a_damaged_pdf_is_skipped(data: bytes) -> None:
    reading = read("a.pdf", data)
    assert "PDF" in reading.skipped and reading.chunks == ()


def test_without_the_extra_a_pdf_is_skipped_and_the_note_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    reading = read("a.pdf", _pdf("Hello"))
    assert "recollect[pdf]" in reading.skipped and "recollect[pdf]" in reading.notes[0]


def test_prose_is_read_into_statements() -> None:
    reading = read("a.md", "# Harbour\n\nThe Blue Boat was directed by Ana Ortiz.\n")
    assert any(object == "name:ana ortiz" for _, _, object in said(reading))


@pytest.mark.parametrize(
    "path",
    ["a.md", "a.rst", "docs/a.txt", "README", "readme", "docs/NOTICE", "CHANGES", "release_notes", "A.TXT", "a.org"],
)
def test_documents_are_read_for_what_they_say(path: str) -> None:
    reading = read(path, SENTENCE)
    assert any(object == "name:ana ortiz" for _, _, object in said(reading))


@pytest.mark.parametrize(
    "path",
    ["django.po", "x.dist-info/RECORD", "METADATA", "PKG-INFO", "setup.cfg", "tox.ini", "uv.lock", "a.yaml", "a.toml",
     "LICENSE", "LICENSE.txt", "licenses.md", "LICENSE-MIT.txt", "vendor.LICENSE", "COPYING.rst", "requirements.txt",
     "dev-requirements.txt", "requirements_test.txt", "constraints.txt", "entry_points.txt", "top_level.txt",
     "SOURCES.txt", "CMakeLists.txt", "robots.txt", "AUTHORS", "Procfile", "a.css", "a.svg", ".editorconfig",
     "py.typed"],
)  # fmt: skip
def test_what_is_no_document_is_only_cut(path: str) -> None:
    reading = read(path, SENTENCE)
    assert "Ana Ortiz" in "".join(chunk.text for chunk in reading.chunks)
    assert not any("name:" in key for fact in said(reading) for key in fact)
    assert not any(entity.key.startswith("name:") for entity in reading.entities)


@pytest.mark.parametrize(
    ("name", "language"), [("a.html", "html"), ("a", "pdf"), ("chat.log", "chat"), ("a.b.md", "markdown")]
)
def test_other_documents_are_told_by_their_language(name: str, language: str) -> None:
    assert is_document(name, language)
    assert not is_document(name, "json")


@pytest.mark.parametrize(
    ("data", "binary"),
    [(b"\x00\x01abc", True), (b"\x89PNG\r\n\x1a\n\x01\x02\x03", True), (b"plain", False), (b"", False)],
)
def test_binaries_are_told_by_their_bytes(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary
    assert (read("x.unknown", data).skipped == "binary") is binary


def test_utf16_is_text() -> None:
    assert decoded("naïve text".encode("utf-16")) == "naïve text"


def _pdf(*texts: str) -> bytes:
    """A small PDF with a page for each text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for text in texts:
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
        page = len(objects) + 1
        kids.append(f"{page} 0 R")
        font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources %s >>" % (page + 1, font)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    out, places = BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
    return out.getvalue()
