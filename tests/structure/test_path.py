"""The list at the head of retrieve.py is what really happens."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime

from recollect import retrieve as path_module
from recollect.clock import SystemClock
from recollect.models.hashing import HashingEmbedder
from recollect.recipes import BALANCED
from recollect.records import Filters, Memory
from recollect.retrieve import Request, retrieve
from recollect.settings import Settings
from recollect.sources.inmemory import InMemorySource
from recollect.steps.answer import Budget
from recollect.steps.search import Means
from recollect.trace import Recorder
from recollect.values import Scope

from .source_tree import PACKAGE

LISTED = re.findall(r"^ +\d+\. (\w+) +steps/(\w+)\.py", path_module.__doc__ or "", re.MULTILINE)
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def _names_of_a_run(question: str) -> list[str]:
    clock = SystemClock()
    source = InMemorySource([Memory("1", "default", "fact", "", "the harbour opens at six", MOMENT, MOMENT, "h")])
    means = Means({source.name: source}, HashingEmbedder(), clock, Settings())
    trace = Recorder("t", started_at=clock.now(), monotonic=clock.monotonic)
    scope = Scope("default", Filters(), 10, (source.name,))
    request = Request(question, scope, BALANCED, clock.monotonic() + 60, Budget(4_000, len))
    answer = asyncio.run(retrieve(request, means=means, trace=trace))
    return [span.name for span in answer.trace.spans]


def test_each_listed_step_is_a_file_of_that_name() -> None:
    assert LISTED
    assert all(step == file and (PACKAGE / "steps" / f"{file}.py").exists() for step, file in LISTED)


def test_every_file_in_steps_is_listed() -> None:
    files = {path.stem for path in (PACKAGE / "steps").glob("*.py")} - {"__init__"}
    assert files == {file for _, file in LISTED}


def test_a_run_that_rewords_goes_through_all_listed_steps_in_order() -> None:
    names = _names_of_a_run("What is the zeppelin schedule for Ana?")
    assert list(dict.fromkeys(names)) == [step for step, _ in LISTED]
    assert names.count("search") > 1, "a weak first round leads to another"


def test_a_run_that_finds_at_once_leaves_out_only_rewriting() -> None:
    names = _names_of_a_run("harbour opens at six")
    assert names == [step for step, _ in LISTED if step != "rewrite"]


def test_a_trivial_message_ends_after_understanding() -> None:
    assert _names_of_a_run("ok thanks") == ["understand"]
