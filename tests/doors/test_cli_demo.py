"""The demo's four questions have the four outcomes it promises."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from recollect.doors.cli_demo import QUESTIONS, read_corpus
from recollect.errors import Unavailable
from recollect.models.minilm import MiniLM

from .conftest import Run

VERDICTS = ["answerable", "answerable", "answerable", "none"]


@pytest.fixture
def minilm(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the embedder, once its weights are there; they are kept in the user's own cache."""
    monkeypatch.undo()
    try:
        asyncio.run(MiniLM().warm())
    except Unavailable as error:
        pytest.skip(f"THE DEMO IS NOT TESTED WITH MINILM HERE: {error}")
    return "minilm"


def check(answers: list[dict[str, object]]) -> None:
    assert [each["question"] for each in answers] == [question for _, question in QUESTIONS]
    assert [each["verdict"] for each in answers] == VERDICTS
    compound, conflicting = answers[1], answers[2]
    titles = [piece["title"] for piece in compound["evidence"][:4]]  # type: ignore[index]
    assert {"BTC thesis", "SOL trade closed"} <= set(titles)
    assert conflicting["conflicts"]


def test_it_ends_as_promised_with_the_static_embedder(run: Run) -> None:
    done = run("demo", "--json", embedder="static")
    assert done.code == 0
    check(done.json["answers"])
    assert all(each["degraded"] == ["static embedder"] for each in done.json["answers"])


@pytest.mark.weights
def test_it_ends_as_promised_with_minilm(run: Run, minilm: str) -> None:
    done = run("demo", "--json", embedder=minilm)
    check(done.json["answers"])
    assert all(each["degraded"] == [] for each in done.json["answers"])


def test_people_see_every_verdict_and_what_to_do_next(run: Run) -> None:
    out = run("demo", embedder="static").out
    assert out.count("✓ answerable   confidence") == 3
    assert out.count("✗ none") == 1
    assert "latest wins" in out
    assert "static embedder" in out
    assert "recollect init" in out
    assert "recollect trace last" in out
    assert out.index("two questions in one") < out.index("round 1") < out.index("facts that contradict each other")


def test_it_leaves_nothing_behind(run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert run("demo").code == 0
    assert not list(tmp_path.iterdir())


def test_the_corpus_is_varied() -> None:
    drafts = read_corpus()
    assert 60 <= len(drafts) <= 80
    assert len({draft.kind for draft in drafts}) > 5
    assert all(draft.event_time for draft in drafts)
    titles = [(draft.kind, draft.title) for draft in drafts]
    assert len({title for title in titles if titles.count(title) > 1}) >= 2
