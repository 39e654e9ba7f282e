"""Spans are the trace: the same names, order, times and codes, below one span for the call."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from opentelemetry import trace as otel
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import error_attributes, gen_ai_attributes
from opentelemetry.trace import SpanKind, StatusCode

from recollect import Recollect
from recollect.telemetry import names
from recollect.values import Answer, Decision, Recalled, Span

from ..steps.scripted import ScriptedSource, raising
from .telling import Told

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
STANDUP = "Ana moved the standup to nine thirty."
RENT = "The rent of the office is 4,200 euros a month."
QUESTION = "When is the standup, and what is the rent of the office?"


def asked(told: Told, text: str = QUESTION) -> Answer:
    *_, answer = told.run(
        lambda engine: engine.remember(STANDUP),
        lambda engine: engine.remember(RENT),
        lambda engine: engine.retrieve(text),
    )
    assert isinstance(answer, Answer)
    return answer


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def moment(span: ReadableSpan) -> tuple[int, int]:
    assert span.start_time is not None and span.end_time is not None
    return span.start_time, span.end_time


def root_of(told: Told, verb: str) -> ReadableSpan:
    (root,) = [span for span in told.roots() if span.name == f"recollect.{verb}"]
    return root


def test_the_tree_below_a_call_is_its_trace(told: Callable[..., Told]) -> None:
    here = told()
    answer = asked(here)
    steps = here.below(root_of(here, "retrieve"))
    assert [span.name for span in steps] == [span.name for span in answer.trace.spans]
    for exported, step in zip(steps, answer.trace.spans, strict=True):
        assert [span.name for span in here.below(exported)] == [span.name for span in step.inside]
    assert any(step.inside for step in answer.trace.spans)


def test_every_span_has_the_times_its_step_had(told: Callable[..., Told]) -> None:
    here = told()
    answer = asked(here)
    zero = (answer.trace.started_at - EPOCH) // timedelta(microseconds=1) * 1_000

    def times(step: Span) -> tuple[int, int]:
        return zero + round(step.began * 1e9), zero + round((step.began + step.seconds) * 1e9)

    steps = here.below(root_of(here, "retrieve"))
    assert [moment(span) for span in steps] == [times(step) for step in answer.trace.spans]
    assert all(end > start for start, end in map(moment, steps)), "the clock ticks"
    for exported, step in zip(steps, answer.trace.spans, strict=True):
        assert [moment(span) for span in here.below(exported)] == [times(each) for each in step.inside]


def test_what_is_inside_lies_within_the_times_of_what_is_around(told: Callable[..., Told]) -> None:
    here = told()
    asked(here)
    for above in here.spans:
        for below in here.below(above):
            assert moment(above)[0] <= moment(below)[0]
            assert moment(below)[1] <= moment(above)[1]


def test_decisions_are_events_with_their_code_and_numbers(told: Callable[..., Told]) -> None:
    here = told(content=True)
    answer = asked(here)

    def shown(decision: Decision) -> tuple[str, dict[str, object]]:
        numbers = {f"recollect.{name}": value for name, value in decision.numbers.items()}
        return decision.what, {"recollect.reason": decision.because, **numbers}

    for exported, step in zip(here.below(root_of(here, "retrieve")), answer.trace.spans, strict=True):
        assert [(event.name, dict(event.attributes or {})) for event in exported.events] == [
            shown(decision) for decision in step.decisions
        ]


def test_without_content_events_keep_codes_and_numbers(told: Callable[..., Told]) -> None:
    here = told()
    asked(here)
    (judged,) = [span for span in here.spans if span.name == "judge"][:1]
    by_name = {event.name: dict(event.attributes or {}) for event in judged.events}
    assert by_name["stop"]["recollect.reason"] == "enough"
    assert by_name["stop"]["recollect.passed"] == 2
    assert by_name["observe"]["recollect.ids"], "ids may stand there"


def test_the_call_says_how_it_ended(told: Callable[..., Told]) -> None:
    here = told()
    answer = asked(here)
    root = root_of(here, "retrieve")
    said = attributes(root)
    assert root.kind is SpanKind.INTERNAL
    assert said["gen_ai.operation.name"] == "retrieval"
    assert said["gen_ai.memory.record.count"] == len(answer.evidence) == 2
    assert said["recollect.outcome"] == "ok"
    assert said["recollect.verdict"] == answer.verdict.value
    assert said["recollect.confidence"] == answer.confidence.score
    assert said["recollect.stop"] == answer.stop.value
    assert said["recollect.trace.id"] == answer.trace.id
    assert said["recollect.rounds"] == len(answer.gains)
    assert "gen_ai.data_source.id" not in said, "the space is named only where that is switched on"


def test_a_lookup_says_whom_it_asked_and_how_it_fared(told: Callable[..., Told]) -> None:
    here = told()
    asked(here)
    found = [attributes(span) for span in here.spans if span.name == "lookup memory"]
    assert {each["gen_ai.data_source.id"] for each in found} == {"memory"}
    assert {each["gen_ai.operation.name"] for each in found} == {"retrieval"}
    assert {each["recollect.outcome"] for each in found} == {"found"}
    assert {each["recollect.origin"] for each in found} == {"part"}
    assert all(int(str(each["recollect.hits"])) > 0 for each in found)


def test_a_lookup_that_failed_is_marked_with_the_type_of_its_error(told: Callable[..., Told]) -> None:
    here = told(ScriptedSource("wiki", raising(ConnectionError("password is hunter2"))))
    asked(here, "When is the standup?")
    (failed,) = [span for span in here.spans if span.name == "lookup wiki"][:1]
    assert failed.status.status_code is StatusCode.ERROR
    assert attributes(failed)["error.type"] == "ConnectionError"
    assert "hunter2" not in str((attributes(failed), failed.status.description))
    assert attributes(root_of(here, "retrieve"))["recollect.degraded"] == ("source_failed",)


def test_a_call_that_raised_is_an_error_with_its_type_and_the_code_of_the_refusal(told: Callable[..., Told]) -> None:
    here = told()
    here.run(lambda engine: engine.remember(" "))
    (root,) = here.roots()
    assert root.status.status_code is StatusCode.ERROR
    assert attributes(root)["error.type"] == "Refused"
    assert attributes(root)["recollect.refused"] == "empty"
    assert attributes(root)["recollect.writes.refused"] == 1


def test_every_verb_that_asks_has_its_steps_below(told: Callable[..., Told]) -> None:
    here = told()
    asked(here)
    _, _, recalled = here.run(
        lambda engine: engine.search("standup"),
        lambda engine: engine.retrieve_context("When is the standup?", session="s-1"),
        lambda engine: engine.recall("When is the standup?"),
    )
    assert isinstance(recalled, Recalled)
    assert [span.name for span in here.below(root_of(here, "search"))] == ["search"]
    assert attributes(root_of(here, "retrieve_context"))["gen_ai.conversation.id"] == "s-1"
    assert attributes(root_of(here, "recall"))["recollect.trace.id"] == recalled.trace_id
    assert attributes(root_of(here, "recall"))["gen_ai.operation.name"] == "search_memory"
    for verb in ("retrieve_context", "recall"):
        assert [span.name for span in here.below(root_of(here, verb))][:3] == ["understand", "plan", "search"]


def test_writes_say_what_became_of_them(told: Callable[..., Told]) -> None:
    here = told(spaces=True)
    first, _ = here.run(lambda engine: engine.remember(STANDUP), lambda engine: engine.remember(STANDUP))
    here.run(lambda engine: engine.forget(first.id))
    stored, duplicate, forgotten = (attributes(root) for root in here.roots())
    assert (stored["recollect.writes.stored"], duplicate["recollect.writes.duplicate"]) == (1, 1)
    assert (stored["gen_ai.operation.name"], forgotten["gen_ai.operation.name"]) == ("create_memory", "delete_memory")
    assert stored["gen_ai.memory.record.id"] == forgotten["gen_ai.memory.record.id"] == first.id
    assert stored["gen_ai.memory.store.id"] == "default", "switched on"


def test_spans_hang_on_the_span_the_caller_is_in(
    told: Callable[..., Told], provider: tuple[TracerProvider, InMemorySpanExporter]
) -> None:
    here = told()
    tracer = otel.get_tracer("somebody", tracer_provider=provider[0])
    with tracer.start_as_current_span("request") as above:
        here.run(lambda engine: engine.remember(STANDUP))
    (root,) = [span for span in here.spans if span.name == "recollect.remember"]
    assert root.parent is not None
    assert root.parent.span_id == above.get_span_context().span_id


def test_spans_of_calls_at_once_hang_each_on_its_own_caller(
    told: Callable[..., Told], provider: tuple[TracerProvider, InMemorySpanExporter]
) -> None:
    here = told()
    tracer = otel.get_tracer("somebody", tracer_provider=provider[0])

    async def ask(engine: Recollect, number: int) -> str:
        with tracer.start_as_current_span(f"request {number}"):
            return (await engine.retrieve(f"When is standup {number}?")).trace.id

    async def ask_all(engine: Recollect) -> list[str]:
        return list(await asyncio.gather(*(ask(engine, number) for number in range(8))))

    _, ids = here.run(lambda engine: engine.remember(STANDUP), ask_all)
    for number, id in enumerate(ids):
        (request,) = [span for span in here.spans if span.name == f"request {number}"]
        (call,) = here.below(request)
        assert (call.name, attributes(call)["recollect.trace.id"]) == ("recollect.retrieve", id)
        assert [span.name for span in here.below(call)][:3] == ["understand", "plan", "search"]


def test_the_names_are_those_of_the_installed_conventions_where_it_has_them() -> None:
    known = [*vars(gen_ai_attributes).values(), *vars(error_attributes).values()]
    ours = {value for name, value in vars(names).items() if isinstance(value, str) and value.startswith("gen_ai.")}
    older = {each for each in ours if not each.startswith("gen_ai.memory.")} | {names.ERROR_TYPE}
    assert [each for each in sorted(older) if each not in known] == []
    assert gen_ai_attributes.GenAiOperationNameValues.RETRIEVAL.value == names.RETRIEVAL


SWITCHED_ON = """
import asyncio, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from recollect import Recollect

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)

async def main():
    async with Recollect.open(sys.argv[1], embedder="hashing", telemetry__otel=True) as engine:
        await engine.remember("The rent is 900 euros.")

asyncio.run(main())
print([span.name for span in exporter.get_finished_spans()])
"""


def test_a_setting_sends_spans_to_the_tracer_provider_of_the_process(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", SWITCHED_ON, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.strip() == "['recollect.remember']", done.stderr


MISSING = """
import sys
sys.modules["opentelemetry"] = sys.modules["prometheus_client"] = None
from recollect import MissingExtra, Recollect, Settings
from recollect.telemetry.load import make_metrics
for attempt in (lambda: Recollect.open(sys.argv[1], telemetry__otel=True), lambda: make_metrics(Settings().telemetry)):
    try:
        attempt()
    except MissingExtra as error:
        print(error)
"""


def test_without_the_extra_it_is_named(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", MISSING, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.count("pip install 'recollect[telemetry]'") == 2, done.stderr
