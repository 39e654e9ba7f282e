"""HTML by the standard library: headings and text; no scripts, styles, menus. Lines are those of the source."""

from __future__ import annotations

from html.parser import HTMLParser

from recollect.knowledge import Relation, Said
from recollect.reading.markdown import linked
from recollect.reading.sections import Block, Contents, Section, Sheet, document

SKIPPED = frozenset("script style nav footer aside template noscript svg math iframe button select head".split())
BLOCKS = frozenset(
    "p div li ul ol dl dt dd section article main header table tr blockquote pre figure figcaption hr body address "
    "details summary".split()
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
KEPT_TOGETHER = frozenset({"pre", "table"})


def read_html(sheet: Sheet, text: str) -> Contents:
    """The contents of an HTML page."""
    page = _Page()
    page.feed(text)
    page.close()
    page.end_section()
    title = " ".join(page.title.split())
    first = next((section for section in page.sections if section.level), None)
    if first and first.level == 1 and (not title or first.title in title):
        title = first.title
    found, keys = document(sheet, title, page.sections, language="html")
    statements = dict.fromkeys(
        Said(keys[place], Relation.REFERENCES, target, line, label)
        for place, line, href, label in page.links
        if place < len(keys) and (target := linked(href, sheet)) and target != keys[place]
    )
    return found._replace(statements=(*found.statements, *statements))


class _Page(HTMLParser):
    """Gathers sections of blocks from tags and text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sections: list[Section] = []
        self.links: list[tuple[int, int, str, str]] = []
        self.title = ""
        self._level = 0
        self._heading = ""
        self._blocks: list[Block] = []
        self._text: list[str] = []
        self._start = self._last = 1
        self._skipping: list[str] = []
        self._together: list[str] = []
        self._in_title = False
        self._href = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and self._skipping in ([], ["head"]):
            self._in_title = True
        if tag == "body":  # a head need not be closed
            self._skipping = []
        if self._skipping or tag in SKIPPED:
            if tag in SKIPPED:
                self._skipping.append(tag)
            return
        if tag == "br":
            self._text.append("\n")
        elif tag in ("td", "th") and self._text and not self._text[-1].endswith("\n"):
            self._text.append(" | ")
        elif self._together:
            if tag == "tr":
                self._text.append("\n")
            if tag in KEPT_TOGETHER:
                self._together.append(tag)
        elif tag in HEADINGS:
            self._end_block()
            self.end_section()
            self._level = HEADINGS[tag]
        elif tag in BLOCKS:
            self._end_block()
            if tag in KEPT_TOGETHER:
                self._together.append(tag)
        if tag == "a":
            self._href = dict(attrs).get("href") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._skipping:
            if tag == self._skipping[-1]:
                self._skipping.pop()
            return
        if tag in HEADINGS:
            self._heading = " ".join("".join(self._text).split())
            self._end_block()
        elif self._together and tag == self._together[-1]:
            self._together.pop()
            if not self._together:
                self._end_block(whole=True)
        elif tag in BLOCKS and not self._together:
            self._end_block()
        elif tag == "a":
            self._href = ""

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        if self._skipping or (not data.strip() and not self._text):
            return
        line = self.getpos()[0]
        if not self._text:
            self._start = line + len(data) - len(data.lstrip("\n")) if not data[:1].strip() else line
        self._last = line + data.rstrip().count("\n")
        self._text.append(data)
        if self._href and data.strip():
            self.links.append((len(self.sections), line, self._href, " ".join(data.split())))
            self._href = ""

    def end_section(self) -> None:
        """Close the section that is open, if there is anything in it."""
        self._end_block()
        if self._blocks:
            level = self._level if self._heading else 0
            self.sections.append(Section(level, self._heading, tuple(self._blocks)))
        self._level, self._heading, self._blocks = 0, "", []

    def _end_block(self, *, whole: bool = False) -> None:
        text = "".join(self._text)
        whole = whole or bool(self._together)
        if whole:
            text = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
        else:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())
            text = " ".join(text.split("\n")) if "\n" in text and not any(each == "\n" for each in self._text) else text
        if text.strip():
            self._blocks.append(Block(text, self._start, max(self._start, self._last), whole))
        self._text = []
