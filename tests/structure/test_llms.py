"""llms.txt: short, and its links lead somewhere."""

from __future__ import annotations

import re

from .source_tree import ROOT

MOST_CHARACTERS = 3_000
TEXT = (ROOT / "llms.txt").read_text(encoding="utf-8")


def test_it_has_the_form_readers_expect() -> None:
    title, blank, summary, *_ = TEXT.splitlines()
    assert title == "# Recollect"
    assert not blank
    assert summary.startswith("> ")
    assert len(TEXT) <= MOST_CHARACTERS


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert targets
    for target in targets:
        assert not target.startswith(("http:", "https:", "/")), f"{target}: nothing here can tell whether it is there"
        assert (ROOT / target.partition("#")[0]).is_file(), target


def test_every_page_of_a_door_is_in_it() -> None:
    assert "docs/mcp.md" in TEXT
    assert "docs/cli.md" in TEXT
