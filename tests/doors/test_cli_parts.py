"""The command line's small parts: progress, files, cleaned text, option groups."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from recollect import InvalidInput
from recollect.doors.cli_files import read_lines, write_text
from recollect.doors.cli_options import About, Narrowing, parse_overrides
from recollect.doors.cli_progress import Bars
from recollect.doors.cli_text import clean, one_line
from recollect.records import Filters


def console(*, terminal: bool) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, force_terminal=terminal, width=80), file


def test_a_download_shows_a_bar_to_who_watches() -> None:
    screen, file = console(terminal=True)
    with Bars(screen) as bars:
        for done in (10, 50, 100):
            bars.download("model.bin", done, 100)
    assert "fetching model.bin" in file.getvalue()


def test_a_download_says_one_line_where_nobody_watches() -> None:
    screen, file = console(terminal=False)
    with Bars(screen) as bars:
        for done in (10, 50_000_000, 91_000_000):
            bars.download("model.bin", done, 91_000_000)
        bars.count("embedding", 1, 2)
    assert file.getvalue() == "fetching model.bin (91 MB)\n"


def test_no_progress_shows_nothing() -> None:
    screen, file = console(terminal=True)
    with Bars(screen):
        pass
    assert file.getvalue() == ""


def test_bars_of_two_sorts_follow_each_other() -> None:
    screen, file = console(terminal=True)
    with Bars(screen) as bars:
        bars.download("model.bin", 100, None)  # a size nobody knows: it never finishes by itself
        assert list(bars.watched(["a", "b"], what="importing")) == ["a", "b"]
    assert "fetching model.bin" in file.getvalue()
    assert "2/2" in file.getvalue()


def test_a_file_is_replaced_whole_and_keeps_no_leftovers(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "one")
    write_text(path, "two ✓\n")
    assert path.read_bytes() == "two ✓\n".encode()
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]
    assert list(read_lines(path)) == ["two ✓", ""]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_rights_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_text(tmp_path / "file.txt", "one")


def test_cleaned_text_keeps_words_lines_and_tabs() -> None:
    assert clean("Grüße\n\t東京 🙂") == "Grüße\n\t東京 🙂"
    assert clean("\x00\x1b\x9b\u202e\udc80") == "�����"
    assert one_line("one\n two   three", limit=100) == "one two three"


def test_no_option_means_no_field_and_no_filter() -> None:
    assert About().fields() == {}
    assert Narrowing().filters() == Filters()


def test_overrides_keep_everything_after_the_first_equals_sign() -> None:
    assert parse_overrides(["embedder.base_url=http://h/?a=b"]) == {"embedder.base_url": "http://h/?a=b"}
