"""No word of a question, a memory, a file, an error or a space gets out, unless it was switched on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import Draft, Filters, Message, Recollect
from recollect.adapters.sources import CallableSource
from recollect.telemetry.facts import without_content
from recollect.values import Operation, Span

from ..steps.scripted import ScriptedSource, raising
from .telling import Told

SECRET = "Zanzibarium"
OWN = "01m7gmc1kvdrame6wree81w75b"  # an id as they are made here
BODY = f"The {SECRET} contract was moved to nine thirty."
NEWER = f"The {SECRET} contract was moved to ten."


def everything(folder: Path) -> list[Callable[[Recollect], Any]]:
    """Calls of every sort, each with the secret in whatever it is given."""
    files = folder / SECRET
    files.mkdir()
    (files / f"{SECRET}.md").write_text(f"# {SECRET}\n\nThe {SECRET} plan names Ana.\n")
    (files / f"{SECRET}.py").write_text(f"def {SECRET}():\n    return 1\n\n\ndef near():\n    return {SECRET}()\n")
    space, kept = f"space-{SECRET}", dict[str, str]()

    async def remember(engine: Recollect) -> None:
        kept["id"] = (await engine.remember(BODY, space=space, title=SECRET, tags=[SECRET], author=SECRET)).id

    async def supersede(engine: Recollect) -> None:
        await engine.supersede(kept["id"], NEWER, space=space)

    async def feedback(engine: Recollect) -> None:
        answer = await engine.retrieve(f"What about {SECRET} again?", space=space)
        await engine.explain(answer.trace.id, answer.evidence[0].memory.id, space=space)
        await engine.feedback(answer.trace.id, answer.evidence[0].memory.id, "used", space=space)

    said = (Message("user", f"Tell me about {SECRET}."),)
    return [
        remember,
        lambda engine: engine.remember_many([Draft(body=f"{BODY} Really."), Draft(body=NEWER)], space=space),
        lambda engine: engine.remember(f"{SECRET} " * 100_000, space=space),
        lambda engine: engine.remember(BODY, space=space, kind=f"{SECRET} {SECRET}"),
        lambda engine: engine.remember(
            f"Everything about {SECRET} is kept in the blue cabinet.", space=space, kind=SECRET
        ),
        lambda engine: engine.retrieve(
            f"Where is {SECRET} kept?", space=space, filters=Filters(kinds=frozenset({SECRET}))
        ),
        lambda engine: engine.retrieve(f"When is the {SECRET} contract, and who is {SECRET}?", space=space),
        lambda engine: engine.retrieve("When was it moved?", messages=said, space=space, recipe="deep"),
        lambda engine: engine.retrieve(f"Where is {SECRET}?", space=space, recipe=SECRET),
        lambda engine: engine.retrieve_context(f"When is the {SECRET} contract?", session=f"{SECRET} s", space=space),
        lambda engine: engine.recall(f"the {SECRET} contract", space=space),
        lambda engine: engine.search(SECRET, space=space),
        lambda engine: engine.classify(f"Where is {SECRET}?"),
        lambda engine: engine.browse(space=space),
        lambda engine: engine.update(kept["id"], space=space, append=f"And {SECRET}."),
        supersede,
        lambda engine: engine.retrieve(f"When is the {SECRET} contract?", space=space),
        feedback,
        lambda engine: engine.ingest(files, project=SECRET, space=space),
        lambda engine: engine.retrieve(f"How does {SECRET} in project {SECRET} work?", space=space),
        lambda engine: engine.remember(f"The rent of {SECRET} is 900 euros a month.", space=space),
        lambda engine: engine.remember(f"The rent of {SECRET} is 950 euros a month.", space=space),
        lambda engine: engine.retrieve(f"What is the rent of {SECRET}?", space=space),
        lambda engine: engine.entities(SECRET, space=space),
        lambda engine: engine.get(SECRET, space=space),
        lambda engine: engine.get(f"not an id {SECRET}", space=space),
        lambda engine: engine.forget(SECRET, space=space),
        lambda engine: engine.forget(f"{SECRET}-1", f"{SECRET}-2", space=space),
        lambda engine: engine.link(kept["id"], SECRET, SECRET.lower(), space=space),
        lambda engine: engine.traces(space=space),
        lambda engine: engine.export_space(space=space),
        lambda engine: engine.doctor(space=space),
        lambda engine: engine.stats(space=space),
        lambda engine: engine.forget_project(f"{SECRET}-other", space=space),
        lambda engine: engine.forget(kept["id"], space=space),
    ]


def shown(told: Told) -> str:
    """All that stands in any span: names, attributes, events, statuses."""
    return "\n".join(
        str((span.name, dict(span.attributes or {}), span.status.description, span.resource.attributes))
        + str([(event.name, dict(event.attributes or {})) for event in span.events])
        for span in told.spans
    )


def _steps(operation: Operation) -> tuple[Span, ...]:
    return operation.trace.spans if operation.trace else ()


def ran(told: Callable[..., Told], folder: Path, **changes: bool) -> Told:
    wiki = ScriptedSource("wiki", raising(ConnectionError(f"no route to {SECRET}")))
    shelf = CallableSource(lambda _: [{"id": SECRET, "text": NEWER}], name="shelf", spaces=None)
    here = told(wiki, shelf, note=f"in place of {SECRET}", **changes)
    calls = everything(folder)
    here.run(*calls, here.metrics.look_at)
    assert len(here.operations) >= len(calls)
    assert len({each.name for each in here.operations}) > 20, "verbs of every sort"
    decided = {each.what for op in here.operations for span in _steps(op) for each in span.decisions}
    assert {"look within scope", "go on without", "prefer", "fill references"} <= decided, "decisions of every sort"
    return here


def test_by_default_nothing_of_the_content_gets_out(told: Callable[..., Told], tmp_path: Path) -> None:
    here = ran(told, tmp_path)
    assert SECRET.casefold() not in shown(here).casefold()
    assert SECRET.casefold() not in str(here.lines).casefold()
    assert SECRET.casefold() not in here.text.casefold()


def test_switched_on_it_stands_in_spans_and_logs_but_never_in_metrics(
    told: Callable[..., Told], tmp_path: Path
) -> None:
    here = ran(told, tmp_path, content=True)
    assert SECRET.casefold() not in here.text.casefold()
    by_name = {span.name: dict(span.attributes or {}) for span in here.spans}
    assert SECRET in str(by_name["recollect.retrieve"]["gen_ai.retrieval.query.text"])
    assert SECRET in str(by_name["recollect.recall"]["gen_ai.memory.query.text"])
    assert SECRET in str(by_name["recollect.recall"]["gen_ai.memory.records"])
    assert SECRET in str(by_name["recollect.remember_many"]["gen_ai.memory.records"])
    assert SECRET in str(by_name["recollect.search"]["gen_ai.retrieval.documents"])
    assert SECRET in str(by_name["lookup memory"]["gen_ai.retrieval.query.text"])
    assert SECRET in str(by_name["lookup wiki"]["recollect.error"])
    lines = {line["operation"]: line for line in here.lines}
    assert SECRET in lines["retrieve"]["question"]
    assert SECRET in str(lines["search"]["contents"])


@pytest.mark.parametrize("content", [False, True])
def test_spaces_stand_there_only_where_they_are_switched_on(
    told: Callable[..., Told], tmp_path: Path, content: bool
) -> None:
    here = told(content=content)
    here.run(lambda engine: engine.remember("The rent is 900 euros.", space="hidden"))
    assert "hidden" not in shown(here) + str(here.lines) + here.text
    here = told(content=content, spaces=True)
    here.run(lambda engine: engine.remember("The rent is 950 euros.", space="seen"))
    assert "seen" in shown(here) and "seen" in str(here.lines) and "seen" in here.text


WORDS = {
    "text": "what a lookup asks",
    "note": "embedding failed: no route",
    "error": "OSError: gone",
    "reason": "numbers",
    "as_of": "2029-01-01",
    "dropped": "please",
    "projects": "home",
    "paths": "rent.md",
    "entities": "home::file:rent.md",
}


@pytest.mark.parametrize("name", WORDS)
def test_a_word_of_a_decision_that_may_be_content_is_left_out(name: str) -> None:
    assert without_content({name: WORDS[name], "part": 1}) == {"part": 1}


@pytest.mark.parametrize(
    ("given", "stays"),
    [
        ({"source": "memory", "origin": "part", "type": "general", "kind": "temporal"}, True),
        ({"sources": "memory, messages"}, True),
        ({"id": OWN, "ids": f"{OWN}, graph:{'0f3c' * 6}", "via": f"wiki:{'0f' * 16}"}, True),
        ({"part": 0, "best": 0.25}, True),
        ({"id": "the rent is 900 euros"}, False),
        ({"kind": "a sentence, with a comma."}, False),
        ({"source": "x" * 100}, False),
        ({"id": "Zanzibarium"}, False),
        ({"via": "wiki:zanzibarium-contract"}, False),
        ({"one": "local:zanzibarium.md", "other": "local:zanzibarium.md#rent"}, False),
    ],
)
def test_codes_ids_and_numbers_stay_unless_somebody_wrote_them(given: dict[str, Any], stays: bool) -> None:
    assert without_content(given) == (given if stays else {})


def test_of_several_ids_those_that_were_made_here_stay() -> None:
    assert without_content({"ids": f"wiki:zanzibarium, {OWN}"}) == {"ids": OWN}
