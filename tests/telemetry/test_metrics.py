"""Metrics: everything that was done is counted, in units that are named, in no more series than there are codes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from recollect import NotFound, Recollect
from recollect.records import SpaceStats
from recollect.testing.clock import FakeClock
from recollect.values import Answer

from ..steps.scripted import ScriptedSource, raising
from .telling import Told

STANDUP = "Ana moved the standup to nine thirty."
UNITS = {"seconds", "bytes", "ratio"}


def samples(told: Told) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample by name and labels, as a parser reads them."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(told.text)
        for sample in family.samples
    }


def value(told: Told, name: str, **labels: str) -> float:
    return samples(told)[name, tuple(sorted(labels.items()))]


def everyday(told: Told) -> list[Any]:
    return told.run(
        lambda engine: engine.remember(STANDUP),
        lambda engine: engine.remember(STANDUP),
        lambda engine: engine.remember(" "),
        lambda engine: engine.retrieve("When is the standup?"),
        lambda engine: engine.retrieve("Who wrote the opera about whales?"),
        lambda engine: engine.retrieve("thanks!"),
        lambda engine: engine.search("standup"),
        lambda engine: engine.get("nobody"),
    )


def test_calls_are_counted_by_verb_and_outcome_and_timed_in_seconds(told: Callable[..., Told]) -> None:
    here = told()
    everyday(here)
    assert value(here, "recollect_operations_total", operation="remember", outcome="ok") == 2
    assert value(here, "recollect_operations_total", operation="remember", outcome="error") == 1
    assert value(here, "recollect_operations_total", operation="retrieve", outcome="ok") == 3
    assert value(here, "recollect_errors_total", operation="get", error="NotFound") == 1
    assert value(here, "recollect_operation_duration_seconds_count", operation="retrieve") == 3
    took = sum(each.seconds for each in here.operations if each.name == "retrieve")
    assert abs(value(here, "recollect_operation_duration_seconds_sum", operation="retrieve") - took) < 1e-9
    assert took > 0, "the clock ticks"


def test_what_did_not_happen_yet_is_zero_and_not_missing(told: Callable[..., Told]) -> None:
    """Or a share of errors would have no value while there are none, and a rate would not see the first."""
    here = told()
    here.run(lambda engine: engine.remember(STANDUP), lambda engine: engine.search("standup"))
    for outcome in ("error", "cancelled"):
        assert value(here, "recollect_operations_total", operation="remember", outcome=outcome) == 0
    for outcome in ("failed", "timed_out", "skipped"):
        assert value(here, "recollect_lookups_total", source="memory", outcome=outcome) == 0


def test_answers_are_counted_by_verdict_and_stop_reason(told: Callable[..., Told]) -> None:
    here = told()
    answers = [each for each in everyday(here) if isinstance(each, Answer)]
    for verdict in {answer.verdict for answer in answers}:
        many = sum(answer.verdict is verdict for answer in answers)
        assert value(here, "recollect_verdicts_total", verdict=verdict.value) == many
    for stop in {answer.stop for answer in answers}:
        many = sum(answer.stop is stop for answer in answers)
        assert value(here, "recollect_stops_total", reason=stop.value) == many
    assert value(here, "recollect_stops_total", reason="trivial") == 1
    assert value(here, "recollect_confidence_ratio_count") == 2, "a pleasantry was not searched for"
    assert value(here, "recollect_search_rounds_sum") == sum(len(answer.gains) for answer in answers)


def test_writes_are_counted_by_fate_and_refusals_by_reason(told: Callable[..., Told]) -> None:
    here = told()
    everyday(here)
    assert value(here, "recollect_writes_total", fate="stored") == 1
    assert value(here, "recollect_writes_total", fate="duplicate") == 1
    assert value(here, "recollect_writes_total", fate="refused") == 1
    assert value(here, "recollect_writes_total", fate="forgotten") == 0, "there from the start, so that rates see it"
    assert value(here, "recollect_refusals_total", reason="empty") == 1


def test_lookups_are_counted_by_source_and_outcome_and_what_was_done_without_by_code(told: Callable[..., Told]) -> None:
    here = told(ScriptedSource("wiki", raising(ConnectionError("no route to wiki.example"))))
    here.run(lambda engine: engine.remember(STANDUP), lambda engine: engine.search("standup"))
    assert value(here, "recollect_lookups_total", source="memory", outcome="found") == 1
    assert value(here, "recollect_lookups_total", source="wiki", outcome="failed") == 1
    assert value(here, "recollect_lookup_duration_seconds_count", source="wiki") == 1
    assert value(here, "recollect_degraded_total", reason="source_failed") == 1
    assert value(here, "recollect_step_duration_seconds_count", step="search") == 1


def test_ingested_files_are_counted_by_fate(told: Callable[..., Told], tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "rent.md").write_text("# Rent\n\nThe rent is 900 euros.\n")
    here = told()
    for _ in range(2):
        here.run(lambda engine: engine.ingest(notes, project="home"))
    assert value(here, "recollect_ingest_files_total", fate="read") == 1
    assert value(here, "recollect_ingest_files_total", fate="unchanged") == 1


def test_store_sizes_are_taken_without_being_told_and_kept_for_a_while(
    told: Callable[..., Told], clock: FakeClock
) -> None:
    here = told()
    here.run(
        lambda engine: engine.remember(STANDUP, space="one"),
        lambda engine: engine.remember(STANDUP, space="two"),
        here.metrics.look_at,
    )
    assert value(here, "recollect_store_memories", space="all") == 2
    assert value(here, "recollect_store_spaces") == 2
    assert value(here, "recollect_store_size_bytes", space="all") > 0
    assert [each.name for each in here.operations] == ["remember", "remember"]
    here.run(lambda engine: engine.forget_space("two"), here.metrics.look_at)
    assert value(here, "recollect_store_memories", space="all") == 2, "young enough"
    clock.jump(here.engine.settings.telemetry.sizes_seconds)
    here.run(here.metrics.look_at)
    assert value(here, "recollect_store_memories", space="all") == 1


def test_a_space_that_is_erased_while_sizes_are_taken_is_left_out(told: Callable[..., Told]) -> None:
    here = told()

    class Meanwhile:
        """The engine, one of whose spaces is gone once it was listed."""

        async def spaces(self) -> list[str]:
            return [*await here.engine.spaces(), "gone"]

        async def stats(self, *, space: str) -> SpaceStats:
            return await here.engine.stats(space=space)

    here.run(lambda engine: engine.remember(STANDUP), lambda _: here.metrics.look_at(Meanwhile()))
    assert value(here, "recollect_store_memories", space="all") == 1
    assert value(here, "recollect_store_spaces") == 1


def test_names_say_their_unit_and_counters_end_in_total(told: Callable[..., Told]) -> None:
    here = told()
    everyday(here)
    for family in text_string_to_metric_families(here.text):
        assert family.name.startswith("recollect")
        if family.type == "counter":
            assert all(sample.name.endswith("_total") for sample in family.samples)
        if "duration" in family.name or "size" in family.name or "confidence" in family.name:
            assert family.name.rsplit("_", 1)[1] in UNITS
        assert family.documentation


def test_the_number_of_series_does_not_grow_with_questions_and_spaces(told: Callable[..., Told]) -> None:
    here = told()

    async def ask(engine: Recollect, number: int) -> None:
        space = f"space-{number}"
        await engine.remember(f"Box {number} holds {number} things.", space=space)
        await engine.retrieve(f"What is in box {number}?", space=space)
        with suppress(NotFound):
            await engine.get(f"nobody-{number}", space=space)

    def ask_all(numbers: range) -> int:
        here.run(*(partial(ask, number=number) for number in numbers))
        return len(samples(here))

    before = ask_all(range(10))
    assert ask_all(range(10, 40)) == before
    assert "space-" not in here.text
    assert "nobody-" not in here.text


def test_spaces_are_named_where_that_is_switched_on(told: Callable[..., Told]) -> None:
    here = told(spaces=True)
    here.run(lambda engine: engine.remember(STANDUP, space="one"), here.metrics.look_at)
    assert value(here, "recollect_operations_total", operation="remember", outcome="ok", space="one") == 1
    assert value(here, "recollect_store_memories", space="one") == 1


def test_many_made_up_sources_share_one_label(told: Callable[..., Told]) -> None:
    here = told(*(ScriptedSource(f"made-up-{number}", raising(OSError("gone"))) for number in range(40)))
    here.run(lambda engine: engine.search("standup"))
    sources = {dict(labels)["source"] for name, labels in samples(here) if name == "recollect_lookups_total"}
    assert len(sources) == 33
    assert "other" in sources


def test_the_format_is_what_the_asker_can_read(told: Callable[..., Told]) -> None:
    here = told()
    plain, plain_type = here.metrics.render()
    opened, opened_type = here.metrics.render("application/openmetrics-text; version=1.0.0")
    assert plain_type.startswith("text/plain")
    assert opened_type.startswith("application/openmetrics-text")
    assert opened.endswith(b"# EOF\n")
    assert not plain.endswith(b"# EOF\n")
