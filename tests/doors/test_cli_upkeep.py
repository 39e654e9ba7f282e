"""init, doctor, reindex, export, import and version, on a real store."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest

from recollect.configure import configure, names
from recollect.doors.cli_sample import sample_settings
from recollect.settings import Settings

from .conftest import Run

Add = Callable[..., str]


def test_init_makes_a_store_with_settings_and_says_what_is_next(run: Run, folder: Path) -> None:
    done = run("init")
    assert done.code == 0
    assert "recollect add" in done.out
    assert (folder / "recollect.toml").is_file()
    assert run("init", "--no-weights", "--json").json == {
        "store": str(folder),
        "settings_file": str(folder / "recollect.toml"),
        "settings_written": False,
        "embedder": None,
    }


def test_init_never_replaces_settings_somebody_edited(run: Run, folder: Path) -> None:
    run("init", "--no-weights")
    (folder / "recollect.toml").write_text('recipe = "deep"\n', encoding="utf-8")
    assert "kept as it was" in run("init", "--no-weights").out
    assert (folder / "recollect.toml").read_text(encoding="utf-8") == 'recipe = "deep"\n'


def test_the_sample_settings_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "recollect.toml"
    path.write_text(sample_settings(), encoding="utf-8")
    assert configure(file=path) == Settings()


def test_the_sample_settings_hold_every_setting_with_its_default(tmp_path: Path) -> None:
    path = tmp_path / "recollect.toml"
    enabled = re.sub(r"^# (\w+ = (?!…).*)$", r"\1", sample_settings(), flags=re.MULTILINE)
    path.write_text(enabled, encoding="utf-8")
    assert configure(file=path) == Settings()
    table = tomllib.loads(enabled)
    for name, _, default in names():
        head, _, leaf = name.rpartition(".")
        if default is None:
            assert f"# {leaf} = …" in enabled
        else:
            assert leaf in reduce(getitem, filter(None, head.split(".")), table)


def test_doctor_is_content_with_a_sound_store(run: Run, add: Add, folder: Path) -> None:
    add("The gate code is 4471")
    done = run("doctor", "--json")
    assert done.code == 0
    assert done.json["ok"]
    assert done.json["about"]["store"] == str(folder)
    assert {"settings file", "weights", "python", "recollect", "packages"} <= done.json["about"].keys()
    assert "✓  record" in run("doctor").out


def test_doctor_says_what_is_seen_of_the_project_at_hand(run: Run, add: Add, tmp_path: Path) -> None:
    add("The harbour gate code is 4471")
    root = tmp_path / "harbour"
    (root / "docs").mkdir(parents=True)
    (root / "docs/a.md").write_text("# A\n\nOne.\n\n## B\n\nTwo.\n")
    (root / "docs/b.md").write_bytes(b"\0")
    checks = run("doctor", "--set", f"local.root={root}", "--json").json["checks"]
    (local,) = [each for each in checks if each["what"] == "local files"]
    assert local["ok"] and local["seen"] == f"1 files, 2 sections below {root} (docs/b.md is left out: not a text)"
    empty = run("doctor", "--set", f"local.root={tmp_path / 'store'}", "--json").json
    assert not empty["ok"]


def test_doctor_exits_with_1_and_says_the_remedy(run: Run, add: Add) -> None:
    add("The gate code is 4471")
    done = run("doctor", embedder="static")
    assert done.code == 1
    assert "→ run 'recollect reindex'" in done.out
    assert run("doctor", "--json", embedder="static").json["ok"] is False


def test_reindex_mends_a_change_of_embedder(run: Run, add: Add) -> None:
    add("The gate code is 4471")
    add("The boat is called Albatross")
    assert run("search", "gate", "--json", embedder="static").json["degraded"]
    assert run("reindex", "--json", embedder="static").json == {"space": "default", "memories": 2}
    vectors = [each for each in run("doctor", "--json", embedder="static").json["checks"] if each["what"] == "vectors"]
    assert [each["ok"] for each in vectors] == [True]
    assert "2 memories" in run("reindex").out


@pytest.fixture
def full(run: Run, add: Add) -> None:
    one = add("The gate code is 4471", "--title", "Tor ✓", "--tag", "port", "--metadata", '{"n": 1.5}')
    other = add("The boat is called Albatross", "--event-time", "2026-01-01")
    run("link", one, other, "opens")
    run("supersede", other, "The boat is called Pelican")
    run("archive", one)


@pytest.mark.usefixtures("full")
def test_export_and_import_lose_nothing(run: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    done = run("export", str(first), "--json")
    assert done.json == {"space": "default", "file": str(first), "lines": 6}
    assert "6 lines" in run("export", str(first)).out
    imported = run("import", str(first), "--space", "copy", "--json").json
    assert imported == {"space": "copy", "memories": 3, "entities": 0, "links": 2}
    run("export", str(second), "--space", "copy")
    head, rest = first.read_bytes().split(b"\n", 1)
    copied_head, copied_rest = second.read_bytes().split(b"\n", 1)
    assert rest == copied_rest
    assert {**json.loads(head), "space": "copy"} == json.loads(copied_head)


@pytest.mark.usefixtures("full")
def test_an_export_into_an_emptied_store_is_the_same_byte_for_byte(run: Run) -> None:
    before = run("export", "-").out
    run("forget", "--all", "--yes")
    assert "3 memories, 0 entities, 2 links" in run("import", "-", stdin=before).out
    assert run("export", "-").out == before


@pytest.mark.usefixtures("full")
def test_a_failed_export_leaves_the_old_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text("kept", encoding="utf-8")
    assert run("export", str(path), "--space", "nowhere").code == 2
    assert path.read_text(encoding="utf-8") == "kept"
    assert run("export", str(tmp_path / "no" / "folder")).code == 2
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".")]


def test_export_to_stdout_as_json_is_refused(run: Run) -> None:
    assert run("export", "-", "--json").code == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [("garbage\n", "line 1"), ('{"type": "memory"}\n', "not a recollect export"), (b"\xff\n", "not UTF-8")],
)
def test_import_names_what_it_cannot_read(run: Run, given: str | bytes, said: str) -> None:
    done = run("import", "-", stdin=given)
    assert done.code == 2
    assert said in done.err


def test_version_is_told_both_ways(run: Run) -> None:
    assert run("version", "--json").json["version"] in run("version").out
