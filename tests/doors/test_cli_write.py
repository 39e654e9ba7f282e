"""add, update, supersede, archive, restore, forget, link and unlink, on a real store."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Run

Add = Callable[..., str]


def test_add_says_id_and_fate(run: Run) -> None:
    done = run("add", "The gate code is 4471", "--title", "Gate code", "--kind", "fact", "--json")
    assert done.code == 0
    assert done.json["fate"] == "stored"
    assert run("get", done.json["id"], "--json").json["title"] == "Gate code"
    assert "Not stored: the same is there" in run("add", "The gate code is 4471", "--title", "Gate code").out


def test_add_keeps_every_field(run: Run, add: Add) -> None:
    id = add(
        "Priya chose PostgreSQL",
        *("--title", "Database", "--kind", "decision", "--tag", "db", "--tag", "team", "--cluster", "stack"),
        *("--project", "harbor", "--author", "Priya", "--trust", "tool", "--source", "https://example.org/1"),
        *("--event-time", "2026-03-01T10:00:00+02:00", "--metadata", '{"votes": 3}'),
    )
    said = run("get", id, "--json").json
    assert (said["title"], said["kind"], said["tags"], said["clusters"]) == (
        "Database", "decision", ["db", "team"], ["stack"],
    )  # fmt: skip
    assert (said["project"], said["author"], said["trust"]) == ("harbor", "Priya", "tool")
    assert (said["source_uri"], said["metadata"]) == ("https://example.org/1", {"votes": 3})
    assert said["event_time"] == "2026-03-01T08:00:00+00:00"


@pytest.mark.parametrize("given", ["2026-03-01", "2026-03-01T00:00:00", "2026-03-01T00:00:00Z"])
def test_a_time_without_a_zone_is_utc(run: Run, add: Add, given: str) -> None:
    id = add("The gate code is 4471", "--event-time", given)
    assert run("get", id, "--json").json["event_time"] == "2026-03-01T00:00:00+00:00"


def test_add_reads_stdin(run: Run) -> None:
    id = run("add", "-", "--json", stdin="Two lines\nof a Gänsebraten\n").json["id"]
    assert run("get", id, "--json").json["text"] == "Two lines\nof a Gänsebraten"


def test_a_key_makes_repeating_harmless_and_reusing_an_error(run: Run) -> None:
    first = run("add", "The gate code is 4471", "--key", "k", "--json").json
    again = run("add", "The gate code is 4471", "--key", "k", "--json").json
    assert again == {**first, "fate": "repeated"}
    assert run("add", "Something else entirely", "--key", "k").code == 2


def test_update_changes_text_and_fields(run: Run, add: Add) -> None:
    id = add("The gate code is 4471", "--title", "Gate")
    assert run("update", id, "--title", "Gate code", "--tag", "port", "--json").json["tags"] == ["port"]
    assert run("update", id, "--append", "Ask Ana", "--json").json["text"] == "The gate code is 4471\nAsk Ana"
    said = run("update", id, "--text", "-", "--json", stdin="The gate code is 9001").json
    assert (said["text"], said["title"]) == ("The gate code is 9001", "Gate code")
    assert f"Changed {id}" in run("update", id, "--kind", "lesson").out


def test_supersede_keeps_the_old_one(run: Run, add: Add) -> None:
    id = add("The gate code is 4471", "--title", "Gate code")
    newer = run("supersede", id, "The gate code is 9001", "--json").json
    assert (newer["supersedes"], newer["title"]) == (id, "Gate code")
    assert run("get", id, "--json").json["valid_to"] is not None
    assert run("supersede", id, "The gate code is 9002").code == 2
    assert "which supersedes" in run("supersede", newer["id"], "The gate code is 9003").out


def test_archive_and_restore(run: Run, add: Add) -> None:
    id = add("The gate code is 4471")
    assert run("archive", id, "--json").json["lifecycle"] == "archived"
    assert run("browse", "--json").json["memories"] == []
    assert run("restore", id, "--json").json["lifecycle"] == "active"
    assert len(run("browse", "--json").json["memories"]) == 1
    assert "recollect restore" in run("archive", id).out
    assert "Restored" in run("restore", id).out


def test_link_and_unlink(run: Run, add: Add) -> None:
    one, other = add("The gate code is 4471"), add("The boat is called Albatross")
    made = run("link", one, other, "opens", "--weight", "0.8", "--evidence", "seen", "--json").json
    assert (made["relation"], made["weight"], made["evidence"]) == ("opens", 0.8, "seen")
    assert run("get", other, "--json").json["links"] == [made]
    assert f"→ opens {other}" in run("get", one).out
    assert run("unlink", one, other, "opens", "--json").json["removed"] is True
    assert run("unlink", one, other, "opens").code == 2
    assert "relates_to" in run("link", one, other).out
    assert "Removed" in run("unlink", one, other).out


def test_forget_erases_when_told_to(run: Run, add: Add) -> None:
    one, other = add("The gate code is 4471"), add("The boat is called Albatross")
    assert run("forget", one, "--yes", "--json").json == {"space": "default", "forgotten": 1}
    assert run("get", one).code == 2
    assert "Erased 1 memory" in run("forget", other, "-y").out


def test_forget_without_a_terminal_needs_yes(run: Run, add: Add) -> None:
    id = add("The gate code is 4471")
    done = run("forget", id)
    assert done.code == 2
    assert "--yes" in done.err
    assert run("get", id).code == 0


def test_forget_all_erases_the_space_and_no_other(run: Run, add: Add) -> None:
    add("The gate code is 4471")
    add("Another world altogether", "--space", "other")
    assert run("forget", "--all", "--yes", "--space", "other", "--json").json["forgotten"] == "all"
    assert [each["space"] for each in run("spaces", "--json").json["spaces"]] == ["default"]
    assert run("forget", "--all", "--yes", "--space", "other").code == 2


def test_forget_takes_ids_or_all_not_both_nor_neither(run: Run) -> None:
    assert run("forget", "--yes").code == 2
    assert run("forget", "some-id", "--all", "--yes").code == 2
