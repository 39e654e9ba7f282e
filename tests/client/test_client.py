"""The client against a real service: the library's verbs give the library's values."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import Draft, Filters, Message, Recollect, TimeRange, watching
from recollect.blocking import STAY_ASYNC, verbs_of
from recollect.client import BlockingClient, Client
from recollect.errors import NotFound
from recollect.journal import opened
from recollect.values import Fate, Happening, Resolution, Use, VerdictKind

from .conftest import ADDRESS, Served

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HARBOUR = "The harbour plan is due in March 2027."
# Of the library alone: files of the caller's machine, models in the caller's process.
ONLY_HERE = {"doctor", "follow", "reindex", "settle", "warm"}


def test_it_has_the_verbs_of_the_library_with_the_same_arguments() -> None:
    mine, theirs = verbs_of(Client), verbs_of(Recollect)
    assert set(theirs) - set(mine) == ONLY_HERE
    assert set(mine) - set(theirs) == {"check"}
    for name in set(mine) & set(theirs):
        given, wanted = (list(inspect.signature(each[name]).parameters) for each in (mine, theirs))
        missing = set(wanted) - set(given)
        assert missing <= {"on_progress", "keys"}, f"{name} takes no {missing}"
        assert [each for each in given if each in wanted] == [each for each in wanted if each in given], name


def test_memories_are_the_library_s_own(served: Served) -> None:
    async def story() -> None:
        library = served.library
        async with served.client() as client:
            done = await client.remember(
                HARBOUR, title="Harbour", tags=("sea",), event_time=NOON, metadata={"page": 4}, key="once"
            )
            assert done.fate is Fate.STORED
            assert (await client.remember(HARBOUR, title="Harbour", tags=("sea",), event_time=NOON,
                                          metadata={"page": 4}, key="once")).id == done.id  # fmt: skip
            assert await client.browse() == await library.browse()
            assert (await client.get(done.id)).metadata == {"page": 4}
            changed = await client.update(done.id, append="Ana confirmed it.")
            assert changed.body == f"{HARBOUR}\nAna confirmed it."
            new = await client.supersede(done.id, "The harbour plan is due in April 2027.")
            (first, second) = await client.remember_many([Draft(body="Ana leads it."), Draft(body="Ben draws it.")])
            link = await client.link(first.id, second.id, "works_with", weight=0.4)
            assert [replace(each) for each in await client.links(first.id)] == await library.links(first.id)
            assert link.weight == 0.4
            await client.unlink(first.id, second.id, "works_with")
            assert await client.links(first.id) == []
            assert (await client.archive(first.id)).lifecycle.value == "archived"
            assert (await client.restore(first.id)).lifecycle.value == "active"
            assert [each.clusters for each in await client.add_to_cluster("port", first.id)] == [("port",)]
            assert await client.clusters() == {"port": 1}
            assert [each.clusters for each in await client.remove_from_cluster("port", first.id)] == [()]
            assert await client.forget(first.id, second.id) == 2
            assert [each.id for each in await client.browse()] == [new.id]
            assert await client.spaces() == ["default"]
            assert await client.stats() == await library.stats()
            lines = await client.export_space()
            assert lines == await library.export_space()
            assert (await client.import_space(lines, space="copy"))["memory"] == 2
            assert await client.fade() == {}
            await client.forget_space("copy")

    served.run(story())


def test_filters_arrive_as_they_were_given(served: Served) -> None:
    filters = [
        Filters(kinds=frozenset({"note"})),
        Filters(tags=frozenset({"a", "b"}), strict=True),
        Filters(without_kinds=frozenset({"note"}), superseded=True),
        Filters(time=TimeRange(start=NOON)),
        Filters(time=TimeRange(end=NOON)),
        Filters(as_of=NOON),
        Filters(ids=frozenset(f"id-{number}" for number in range(50))),
    ]

    async def story() -> None:
        library = served.library
        await library.remember("A note of the harbour.", kind="note", tags=("a", "b"), event_time=NOON)
        await library.remember("A fact of the harbour.", event_time=NOON.replace(year=2020))
        client = served.client()
        for each in filters:
            assert await client.browse(filters=each) == await library.browse(filters=each), each
            ours, theirs = await client.search("harbour", filters=each), await library.search("harbour", filters=each)
            assert [hit.memory.id for hit in ours.hits] == [hit.memory.id for hit in theirs.hits], each

    served.run(story())


def test_ids_with_a_slash_are_as_good_as_others(served: Served) -> None:
    async def story() -> None:
        library, client = served.library, served.client()
        own = (await library.remember(HARBOUR)).id
        lines = await library.export_space()
        for id in ("docs/plan", "docs/archive", "a b/ü/c%2Fd"):
            await client.import_space([line.replace(own, id) for line in lines])
            assert (await client.get(id)).id == id
            assert (await client.archive(id)).lifecycle.value == "archived"
            assert (await client.restore(id)).lifecycle.value == "active"
            assert (await client.update(id, title="Plan")).title == "Plan"
            assert (await client.supersede(id, "The harbour plan is due in April 2027.")).title == "Plan"
            assert [each.to_id for each in await client.links(id)] == [id]
            assert await client.forget(id) == 1
            with pytest.raises(NotFound):
                await client.get(id)

    served.run(story())


MANY = {
    "many values": Filters(kinds=frozenset(f"kind-{number}" for number in range(100)) | {"note"}),
    "a long value": Filters(kinds=frozenset({"note", "x" * 1_000})),
    "many long values": Filters(
        kinds=frozenset({"note"}), without_kinds=frozenset(f"{'é' * 150}{n}" for n in range(20))
    ),
}


@pytest.mark.parametrize("filters", MANY.values(), ids=MANY)
def test_many_filters_lead_on_to_the_next_page(filters: Filters, served: Served) -> None:
    async def story() -> None:
        library, client = served.library, served.client()
        for number in range(5):
            await library.remember(f"Crane number {number} of the harbour is green.", kind="note")
        pages, after = [], None
        while page := await client.browse(filters=filters, limit=2, after=after):
            pages.append(len(page))
            assert page == await library.browse(filters=filters, limit=2, after=after)
            after = page[-1].id
        assert pages == [2, 2, 1]
        with pytest.raises(NotFound):
            await client.browse(filters=filters, after="nobody")

    served.run(story())


def test_answers_context_and_looking_back(served: Served) -> None:
    async def story() -> None:
        library, client = served.library, served.client()
        id = (await client.remember(HARBOUR, title="Harbour plan")).id
        messages = [Message("user", "Tell me about the harbour plan.", NOON)]
        ours = await client.retrieve("When is it due?", messages=messages, deadline=20, max_tokens=50)
        theirs = await library.retrieve("When is it due?", messages=messages, deadline=20, max_tokens=50)
        assert (ours.text, ours.context, ours.verdict) == (theirs.text, theirs.context, theirs.verdict)
        assert ours.question.rewritten == theirs.question.rewritten is not None
        block = await client.retrieve_context("When is the harbour plan due?", session="s")
        assert block.memories == (id,)
        assert (await client.retrieve_context("When is the harbour plan due?", session="s")).reason == "already_shown"
        assert (await client.recall("harbour plan")).relevance == {
            name: round(each, 6) for name, each in (await library.recall("harbour plan")).relevance.items()
        }
        asked = await client.classify("What did Ana say yesterday?", now=NOON)
        assert asked.time == (await library.classify("What did Ana say yesterday?", now=NOON)).time
        assert [each.id for each in await client.traces()] == [each.id for each in await library.traces()]
        kept = await client.trace(ours.trace.id)
        assert opened(kept) == opened(await library.trace(ours.trace.id))
        why = await client.explain(ours.trace.id, id)
        assert why.sentences == (await library.explain(ours.trace.id, id)).sentences
        await client.feedback(ours.trace.id, id, Use.USED)
        assert (await library.get(id)).favour > 0
        await client.unlearn()
        assert (await library.get(id)).favour == 0

    served.run(story())


def test_conflicts_are_listed_and_resolved(served: Served) -> None:
    async def story() -> None:
        client = served.client()
        one, two, three = [
            (await client.remember(text)).id for text in ("The gate is red.", "The gate is blue.", "The gate is green.")
        ]
        await client.link(one, two, "contradicts")
        await client.link(one, three, "contradicts")
        found = await client.conflicts(limit=1)
        assert {found[0].newer.id, found[0].older.id} == {one, three}
        assert len(await client.conflicts(after=found[0].cursor)) == 1
        assert (await client.resolve_conflict(one, two, "new_is_current")).current == (two,)
        (done,) = await client.resolve_conflicts([Resolution(two, three, "merge", "The gate is teal.")])
        assert len(done.superseded) == 2
        assert await client.conflicts() == []

    served.run(story())


def test_projects_and_the_graph(serve: Callable[..., Served], tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "harbour.py").write_text("import boats\n\ndef dock():\n    return moor()\n\ndef moor():\n    return 1\n")
    served = serve(service__ingest_roots=str(code))

    async def story() -> None:
        library, client = served.library, served.client()
        assert (await client.ingest(str(code), project="port")).read == 1
        assert await client.projects() == await library.projects()
        assert await client.entities("dock") == await library.entities("dock") != []
        assert await client.same_entity("dock") == await library.same_entity("dock")
        assert await client.neighbours("dock", hops=2) == await library.neighbours("dock", hops=2) != []
        ours, theirs = await client.paths("dock", "moor"), await library.paths("dock", "moor")
        assert [each.statements for each in ours] == [each.statements for each in theirs] != []
        assert await client.connect() == await library.connect()
        assert await client.forget_project("port") == 1

    served.run(story())


def test_whoever_watches_is_told_over_events(served: Served) -> None:
    async def story() -> tuple[list[Happening], VerdictKind]:
        client = served.client()
        await client.remember(HARBOUR + " \u2028 \x85 line ends of other alphabets")
        heard: list[Happening] = []
        with watching(heard.append):
            answer = await client.retrieve("When is the harbour plan due?")
        assert "\u2028" in answer.evidence[0].memory.body
        return heard, answer.verdict

    heard, verdict = served.run(story())
    assert verdict is VerdictKind.ANSWERABLE
    assert [each.name for each in heard if each.what == "begins"][:2] == ["understand", "plan"]
    assert any(each.numbers.get("source") == "memory" for each in heard)


def test_the_blocking_client_is_the_same_without_await(served: Served) -> None:
    assert set(verbs_of(Client)) | STAY_ASYNC <= set(dir(BlockingClient))
    heard: list[Happening] = []
    with BlockingClient(ADDRESS, transport=httpx.ASGITransport(served.app)) as client:
        id = client.remember(HARBOUR).id
        with watching(heard.append):
            assert [each.memory.id for each in client.retrieve("harbour plan due").evidence] == [id]
        assert client.get(id).body == HARBOUR
    assert heard
    with pytest.raises(RuntimeError, match="closed"):
        client.get(id)


def test_without_a_space_the_only_one_of_the_key_is_meant(served: Served) -> None:
    async def story() -> None:
        key = served.key("read", "write", spaces=("team",))
        client = served.client(api_key=key)
        await client.remember(HARBOUR)
        assert [each.space for each in await client.browse()] == ["team"]
        assert (await client.retrieve("harbour plan")).evidence[0].memory.space == "team"

    served.run(story())


def test_without_its_library_it_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['httpx'] = None\ntry:\n import recollect.client\nexcept ImportError as e:\n print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "recollect[client]" in done.stdout


def test_a_closed_client_says_so(served: Served) -> None:
    async def story() -> Any:
        client = served.client()
        await client.close()
        await client.close()
        await client.spaces()

    with pytest.raises(RuntimeError, match="closed"):
        served.run(story())


def test_it_works_on_one_loop_after_another(served: Served) -> None:
    client = served.client()
    assert asyncio.run(client.check()).what == asyncio.run(client.check()).what
