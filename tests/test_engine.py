"""Every verb of `Recollect`, on a real store, with a clock that stands still and ids that repeat."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import (
    Draft,
    Filters,
    InvalidInput,
    Lifecycle,
    Memory,
    NotFound,
    Recollect,
    Refused,
    TimeRange,
    Unavailable,
    UnknownName,
    VerdictKind,
    WriteConflict,
)
from recollect.models.hashing import HashingEmbedder
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock
from recollect.testing.corpus import TEXTS
from recollect.values import Fate, Stop

MakeRecollect = Callable[..., Recollect]
NAIVE = datetime(2030, 1, 1)  # noqa: DTZ001 - the mistake under test


def run(work: Awaitable[Any]) -> Any:
    async def main() -> Any:
        return await work

    return asyncio.run(main())


def drafts() -> list[Draft]:
    return [Draft(kind=kind, title=title, body=body) for kind, title, body in TEXTS]


@pytest.fixture
def filled(recollect: Recollect) -> Recollect:
    run(recollect.remember_many(drafts()))
    return recollect


def remember(recollect: Recollect, body: str, **fields: Any) -> str:
    id: str = run(recollect.remember(body, **fields)).id
    return id


def bodies(memories: Any) -> list[str]:
    return [memory.body for memory in memories]


# --- remembering ---------------------------------------------------------------------------------


def test_what_is_remembered_can_be_read_back(recollect: Recollect, clock: FakeClock) -> None:
    remembered = run(recollect.remember("The rent is due.", title="Rent", tags=["money"], metadata={"a": 1}))
    assert remembered.fate is Fate.STORED
    memory = run(recollect.get(remembered.id))
    assert (memory.body, memory.title, memory.tags, dict(memory.metadata)) == (
        "The rent is due.",
        "Rent",
        ("money",),
        {"a": 1},
    )
    assert memory.created_at == clock.now()


def test_many_are_remembered_in_order(recollect: Recollect) -> None:
    remembered = run(recollect.remember_many(drafts()))
    assert [each.fate for each in remembered] == [Fate.STORED] * len(TEXTS)
    assert [run(recollect.get(each.id)).body for each in remembered[:3]] == [body for _, _, body in TEXTS[:3]]


def test_none_is_stored_when_one_of_many_is_refused(recollect: Recollect) -> None:
    with pytest.raises(Refused):
        run(recollect.remember_many([Draft(body="The rent is due."), Draft(body="hello")]))
    assert run(recollect.browse()) == []


def test_nothing_to_remember_is_fine(recollect: Recollect) -> None:
    assert run(recollect.remember_many([])) == []


def test_a_key_makes_a_repeated_call_harmless(recollect: Recollect) -> None:
    first, again = (run(recollect.remember("The rent is due.", key="k")) for _ in range(2))
    assert (again.id, again.fate) == (first.id, Fate.REPEATED)


def test_keys_of_many_are_one_each(recollect: Recollect) -> None:
    both = [Draft(body="The rent is due."), Draft(body="Bees dance in the dark.")]
    run(recollect.remember_many(both, keys=["a", "b"]))
    assert [each.fate for each in run(recollect.remember_many(both, keys=["a", "b"]))] == [Fate.REPEATED] * 2


def test_sets_of_tags_are_stored_in_order(recollect: Recollect) -> None:
    memory = run(recollect.get(remember(recollect, "The rent is due.", tags={"c", "a", "b"})))
    assert memory.tags == ("a", "b", "c")


# --- changing ------------------------------------------------------------------------------------


def test_update_replaces_fields_and_embeds_a_changed_text_anew(
    recollect: Recollect, store: SqliteStore, clock: FakeClock
) -> None:
    id = remember(recollect, "The rent is due.", tags=["money"], project="home")
    (before,) = store.vectors("default", [id])
    clock.jump(60)
    memory = run(recollect.update(id, body="The invoice of the plumber is due.", title="Plumber"))
    (after,) = store.vectors("default", [id])
    assert (memory.body, memory.title, memory.tags) == ("The invoice of the plumber is due.", "Plumber", ("money",))
    assert memory.project == "home"
    assert memory.updated_at == clock.now() and memory.created_at < memory.updated_at
    assert after is not None and after != before


def test_update_of_other_fields_keeps_the_vector(recollect: Recollect, store: SqliteStore) -> None:
    id = remember(recollect, "The rent is due.")
    before = store.vectors("default", [id])
    memory = run(recollect.update(id, tags=["a", "b"], project="p"))
    assert (memory.tags, memory.project, memory.embedded_by) == (("a", "b"), "p", HashingEmbedder().identity)
    assert store.vectors("default", [id]) == before


def test_append_adds_to_the_text(recollect: Recollect) -> None:
    id = remember(recollect, "The rent is due.\n")
    assert run(recollect.update(id, append="It was paid.")).body == "The rent is due.\nIt was paid."


def test_an_updated_text_is_found_by_its_new_words_only(recollect: Recollect) -> None:
    id = remember(recollect, "The zebra is due.")
    run(recollect.update(id, body="The giraffe is late."))
    assert [hit.memory.id for hit in run(recollect.search("giraffe")).hits] == [id]
    assert all("BM25" not in detail.what or detail.value == 0 for hit in run(recollect.search("zebra")).hits
               for detail in hit.explanation.details)  # fmt: skip


def test_update_refuses_what_remember_refuses(recollect: Recollect) -> None:
    id = remember(recollect, "The rent is due.")
    with pytest.raises(Refused):
        run(recollect.update(id, body="hello"))
    assert run(recollect.get(id)).body == "The rent is due."


def test_update_checks_an_interval_against_what_is_stored(recollect: Recollect, clock: FakeClock) -> None:
    id = remember(recollect, "The rent is due.", valid_from=clock.now())
    with pytest.raises(InvalidInput, match="valid_to"):
        run(recollect.update(id, valid_to=clock.now() - timedelta(days=1)))


def test_a_memory_changed_meanwhile_is_a_conflict(recollect: Recollect, store: SqliteStore, clock: FakeClock) -> None:
    class Meddling(HashingEmbedder):
        """Something else changes the memory while its new text is being embedded."""

        async def embed(self, texts: Any, *, kind: Any) -> Any:
            from recollect.records import PutMemory

            (memory,) = store.read("default", [id])
            store.apply("default", [PutMemory(replace(memory, updated_at=clock.now() + timedelta(seconds=1)))])
            return await super().embed(texts, kind=kind)

    id = remember(recollect, "The rent is due.")
    slow = Recollect(recollect.settings, store=store, embedder=Meddling(), sources=[], clock=clock)
    with pytest.raises(WriteConflict):
        run(slow.update(id, body="The rent is late."))


def test_supersede_keeps_the_old_memory_closed_and_linked(recollect: Recollect, clock: FakeClock) -> None:
    old = remember(recollect, "The rent is 4,200 euros.", title="Rent", kind="fact", tags=["money"], project="p")
    clock.jump(60)
    new = run(recollect.supersede(old, "The rent is 4,500 euros."))
    assert (new.title, new.kind, new.tags, new.project) == ("Rent", "fact", ("money",), "p")
    assert new.valid_from == clock.now()
    assert run(recollect.get(old)).valid_to == clock.now()
    (link,) = run(recollect.links(new.id))
    assert (link.from_id, link.to_id, link.relation) == (new.id, old, "supersedes")


def test_a_superseded_memory_is_found_only_when_asked_for(recollect: Recollect, clock: FakeClock) -> None:
    old = remember(recollect, "The rent is 4,200 euros.")
    clock.jump(60)
    new = run(recollect.supersede(old, "The rent is 4,500 euros.")).id
    clock.jump(60)
    assert [hit.memory.id for hit in run(recollect.search("rent")).hits] == [new]
    asked = run(recollect.search("rent", filters=Filters(superseded=True)))
    assert {hit.memory.id for hit in asked.hits} == {old, new}
    past = Filters(as_of=clock.now() - timedelta(seconds=90))
    assert [hit.memory.id for hit in run(recollect.search("rent", filters=past)).hits] == [old]


def test_only_the_newest_can_be_superseded(recollect: Recollect) -> None:
    old = remember(recollect, "The rent is 4,200 euros.")
    run(recollect.supersede(old, "The rent is 4,500 euros."))
    with pytest.raises(InvalidInput, match="superseded already"):
        run(recollect.supersede(old, "The rent is 4,800 euros."))


def test_archive_hides_and_restore_brings_back(recollect: Recollect) -> None:
    id = remember(recollect, "The rent is due.")
    assert run(recollect.archive(id)).lifecycle is Lifecycle.ARCHIVED
    assert run(recollect.search("rent")).hits == ()
    assert run(recollect.browse()) == []
    assert run(recollect.restore(id)).lifecycle is Lifecycle.ACTIVE
    assert [hit.memory.id for hit in run(recollect.search("rent")).hits] == [id]


def test_link_and_unlink(recollect: Recollect, clock: FakeClock) -> None:
    one, two = remember(recollect, "The rent is due."), remember(recollect, "Bees dance in the dark.")
    link = run(recollect.link(one, two, "causes", weight=0.9, evidence="said so", valid_from=clock.now()))
    assert run(recollect.links(one)) == run(recollect.links(two)) == [link]
    run(recollect.unlink(one, two, "causes"))
    assert run(recollect.links(one)) == []


# --- forgetting ----------------------------------------------------------------------------------


def grep(folder: Path, word: str) -> list[str]:
    """Every file under a folder that holds the word, in any case."""
    wanted = word.lower().encode()
    return [str(path) for path in folder.rglob("*") if path.is_file() and wanted in path.read_bytes().lower()]


def test_forget_really_erases(recollect: Recollect, tmp_path: Path) -> None:
    kept = remember(recollect, "The rent is due.")
    gone = remember(recollect, "The passphrase is marmalade.", title="Xylophone", author="Quetzal", tags=["zyzzyva"])
    run(recollect.link(gone, kept, evidence="rhubarb"))
    run(recollect.search("marmalade"))
    assert grep(tmp_path, "marmalade"), "it was never there: this would test nothing"
    assert run(recollect.forget(gone)) == 1
    for word in ("marmalade", "xylophone", "quetzal", "zyzzyva", "rhubarb"):
        assert grep(tmp_path, word) == [], word
    assert run(recollect.links(kept)) == []
    with pytest.raises(NotFound):
        run(recollect.get(gone))
    assert run(recollect.get(kept)).body == "The rent is due."


def test_forget_counts_each_once(recollect: Recollect) -> None:
    one, two = remember(recollect, "The rent is due."), remember(recollect, "Bees dance in the dark.")
    assert run(recollect.forget(one, two, one)) == 2


def test_forget_erases_all_or_none(recollect: Recollect) -> None:
    id = remember(recollect, "The rent is due.")
    with pytest.raises(NotFound):
        run(recollect.forget(id, "missing"))
    assert run(recollect.get(id)).body == "The rent is due."


def test_forget_space_erases_it_whole(recollect: Recollect, tmp_path: Path) -> None:
    remember(recollect, "The passphrase is marmalade.", space="secret")
    remember(recollect, "The rent is due.")
    run(recollect.forget_space("secret"))
    assert run(recollect.spaces()) == ["default"]
    assert grep(tmp_path, "marmalade") == []


# --- reading -------------------------------------------------------------------------------------


def test_get_counts_as_access_and_strengthens(recollect: Recollect, clock: FakeClock) -> None:
    id = remember(recollect, "The rent is due.", kind="fact")
    clock.jump(60)
    first, second = run(recollect.get(id)), run(recollect.get(id))
    assert (first.access_count, second.access_count) == (1, 2)
    assert first.last_access == clock.now()
    assert first.stability_days == 120.0 and second.stability_days == 240.0


def test_looking_is_no_access(recollect: Recollect) -> None:
    id = remember(recollect, "The rent is due.")
    run(recollect.search("rent"))
    run(recollect.browse())
    run(recollect.recall("rent"))
    run(recollect.recall())
    run(recollect.retrieve("What about the rent?"))
    run(recollect.export_space())
    (memory,) = run(recollect.browse())
    assert (memory.id, memory.access_count, memory.last_access) == (id, 0, None)


def test_browse_goes_newest_first_page_by_page(recollect: Recollect, clock: FakeClock) -> None:
    ids = []
    for number in range(5):
        clock.jump(60)
        ids.append(remember(recollect, f"Fact number {number}", kind=f"kind{number}"))
    first = run(recollect.browse(limit=2))
    second = run(recollect.browse(limit=2, after=first[-1].id))
    assert [memory.id for memory in (*first, *second)] == ids[::-1][:4]


def test_search_finds_the_best_first_with_reasons(filled: Recollect) -> None:
    hits = run(filled.search("office cat Minka", limit=3)).hits
    assert hits[0].memory.body.startswith("The office cat is called Minka")
    assert len(hits) <= 3
    assert hits[0].explanation.details


def test_search_respects_filters(filled: Recollect) -> None:
    hits = run(filled.search("outage began", filters=Filters(kinds=frozenset({"lesson"})))).hits
    assert hits and {hit.memory.kind for hit in hits} == {"lesson"}


@pytest.mark.parametrize("verb", ["search", "recall"])
def test_zero_is_a_legal_limit(verb: str, filled: Recollect) -> None:
    result = run(getattr(filled, verb)("rent", limit=0))
    assert (result.hits if verb == "search" else result.memories) == ()


def test_recall_without_a_question_gives_the_newest(filled: Recollect) -> None:
    assert list(run(filled.recall(limit=3)).memories) == run(filled.browse(limit=3))
    assert run(filled.recall()).verdict is None


def test_recall_with_a_question_gives_what_passes(filled: Recollect) -> None:
    recalled = run(filled.recall("The office cat is called Minka and sleeps on the printer"))
    assert "Minka" in recalled.memories[0].body
    assert recalled.verdict is VerdictKind.ANSWERABLE
    assert set(recalled.relevance) == {memory.id for memory in recalled.memories}


# --- asking --------------------------------------------------------------------------------------


def test_an_answerable_question(filled: Recollect) -> None:
    answer = run(filled.retrieve("The coffee machine is descaled on the first Monday of each month"))
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert "descaled" in answer.evidence[0].memory.body
    assert "descaled" in answer.context
    assert (answer.stop, answer.gaps, answer.degraded) == (Stop.ENOUGH, (), ())


def test_a_question_of_two_parts_of_which_one_is_known(filled: Recollect) -> None:
    answer = run(filled.retrieve("The coffee machine is descaled when? What is the xyzzy quux frobnication?"))
    assert answer.verdict is VerdictKind.PARTIAL
    assert [gap.part for gap in answer.gaps] == [1]


def test_nothing_known_gives_no_verdict_and_no_padding(filled: Recollect) -> None:
    answer = run(filled.retrieve("xyzzy quux frobnication"))
    assert answer.verdict is VerdictKind.NONE
    assert (answer.evidence, answer.context) == ((), "")
    assert [gap.reason for gap in answer.gaps] == ["nothing relevant is stored"]


def test_an_empty_space_gives_no_verdict_and_is_not_made(recollect: Recollect) -> None:
    answer = run(recollect.retrieve("What is my BTC thesis?", space="nobody"))
    assert (answer.verdict, answer.evidence) == (VerdictKind.NONE, ())
    assert run(recollect.spaces()) == []


def test_a_trivial_message_retrieves_nothing(filled: Recollect) -> None:
    answer = run(filled.retrieve("ok thanks"))
    assert (answer.verdict, answer.evidence, answer.stop) == (VerdictKind.NONE, (), Stop.TRIVIAL)
    assert [span.name for span in answer.trace.spans] == ["understand"]


def test_a_weak_first_round_leads_to_other_words(filled: Recollect) -> None:
    answer = run(filled.retrieve("What is the xyzzy frobnication?", recipe="deep"))
    assert "rewrite" in [span.name for span in answer.trace.spans]


def test_fast_searches_once(filled: Recollect) -> None:
    answer = run(filled.retrieve("What is the xyzzy frobnication?", recipe="fast"))
    assert [span.name for span in answer.trace.spans].count("search") == 1
    assert answer.stop in {Stop.MAX_ROUNDS, Stop.ENOUGH}, "a weak hit or none: it goes on in neither case"


def test_the_master_switch_gives_one_plain_search_of_the_same_shape(
    make_recollect: MakeRecollect, store: SqliteStore
) -> None:
    off = make_recollect(store, enabled=False)
    run(off.remember_many(drafts()))
    answer = run(off.retrieve("What is the rent? How did the xyzzy go?"))
    assert answer.stop is Stop.DISABLED
    assert len(answer.question.parts) == 1
    on = run(make_recollect(store).retrieve("What is the rent? How did the xyzzy go?"))
    spans = [span.name for span in answer.trace.spans]
    assert spans.count("search") == 1
    assert set(spans) <= {span.name for span in on.trace.spans}
    assert type(answer) is type(on) and set(answer.confidence.components) == set(on.confidence.components)


def test_contradictions_are_marked(recollect: Recollect, clock: FakeClock) -> None:
    old = remember(recollect, "The rent of the office is 4,200 euros a month.", title="Rent")
    clock.jump(60)
    new = remember(recollect, "The rent of the office is 4,500 euros a month.", title="Rent")
    answer = run(recollect.retrieve("rent of the office euros a month"))
    assert [(each.preferred, each.other) for each in answer.conflicts] == [(new, old)]
    assert [piece.memory.id for piece in answer.evidence][:2] == [new, old]


# --- spaces --------------------------------------------------------------------------------------


def test_two_spaces_see_nothing_of_each_other(recollect: Recollect) -> None:
    mine = remember(recollect, "The passphrase is marmalade.", space="mine")
    yours = remember(recollect, "The passphrase is rhubarb.", space="yours")
    assert run(recollect.spaces()) == ["mine", "yours"]
    for space, own, other in (("mine", mine, yours), ("yours", yours, mine)):
        assert [hit.memory.id for hit in run(recollect.search("passphrase", space=space)).hits] == [own]
        assert [memory.id for memory in run(recollect.browse(space=space))] == [own]
        assert other not in repr(run(recollect.retrieve("passphrase marmalade rhubarb", space=space)))
        assert other not in "".join(run(recollect.export_space(space=space)))
        for verb in (recollect.get, recollect.archive, recollect.forget, recollect.update):
            with pytest.raises(NotFound):
                run(verb(other, space=space))
        with pytest.raises(NotFound):
            run(recollect.link(own, other, space=space))


def test_statistics_of_one_space_do_not_change_scores_in_another(recollect: Recollect) -> None:
    remember(recollect, "The rent is due.", space="mine")
    before = run(recollect.search("rent", space="mine"))
    for number in range(20):
        remember(recollect, f"The rent of flat {number} is due.", space="yours")
    assert run(recollect.search("rent", space="mine")) == before


def test_stats_count(filled: Recollect) -> None:
    stats = run(filled.stats())
    assert (stats.memories, stats.vectors, stats.embedder) == (len(TEXTS), len(TEXTS), HashingEmbedder().identity)


def test_export_and_import(filled: Recollect) -> None:
    lines = run(filled.export_space())
    counts = run(filled.import_space(lines, space="copy"))
    assert counts["memory"] == len(TEXTS)
    assert bodies(run(filled.browse(space="copy", limit=100))) == bodies(run(filled.browse(limit=100)))


def test_fade_moves_along_the_curve(recollect: Recollect, clock: FakeClock) -> None:
    id = remember(recollect, "The rent is due.", kind="signal")
    clock.jump(86_400 * 30)
    assert run(recollect.fade()) == {id: "dormant"}


def test_doctor_finds_nothing_wrong_with_a_sound_space(filled: Recollect) -> None:
    assert [line for line in run(filled.doctor()) if not line.ok] == []


def test_doctor_names_a_changed_embedder_and_reindex_mends_it(
    filled: Recollect, make_recollect: MakeRecollect, store: SqliteStore
) -> None:
    changed = make_recollect(store, embedder=HashingEmbedder(dimensions=32))
    (wrong,) = [line for line in run(changed.doctor()) if not line.ok]
    assert wrong.what == "vectors" and "reindex" in str(wrong.remedy)
    assert run(changed.reindex()) == len(TEXTS)
    assert [line for line in run(changed.doctor()) if not line.ok] == []


def test_doctor_names_an_embedder_that_cannot_be_had(make_recollect: MakeRecollect, store: SqliteStore) -> None:
    class Gone(HashingEmbedder):
        async def embed(self, texts: Any, *, kind: Any) -> Any:
            raise Unavailable("no weights here")

    (wrong,) = [line for line in run(make_recollect(store, embedder=Gone()).doctor()) if not line.ok]
    assert (wrong.what, wrong.seen) == ("embedder", "no weights here")
    assert "static" in str(wrong.remedy)


def test_doctor_names_an_embedder_that_stands_in(make_recollect: MakeRecollect, store: SqliteStore) -> None:
    class StandIn(HashingEmbedder):
        note = "static embedder"

    (wrong,) = [line for line in run(make_recollect(store, embedder=StandIn()).doctor()) if not line.ok]
    assert wrong.what == "embedder" and "static embedder" in wrong.seen


def test_doctor_names_a_damaged_file_and_the_remedy(
    filled: Recollect, make_store: Callable[[str], SqliteStore], make_recollect: MakeRecollect, tmp_path: Path
) -> None:
    run(filled.close())
    (database,) = tmp_path.rglob("memories.db")
    for beside in database.parent.glob("memories.db-*"):
        beside.unlink()
    database.write_bytes(b"not a database" * 1_000)
    wrong = [line for line in run(make_recollect(make_store("store")).doctor()) if not line.ok]
    assert wrong and all(line.remedy for line in wrong)


def test_doctor_of_a_space_that_is_not_there(recollect: Recollect) -> None:
    assert all(line.ok for line in run(recollect.doctor(space="nobody")))
    assert run(recollect.spaces()) == []


# --- the same every time -------------------------------------------------------------------------

QUESTIONS = (
    "What's my BTC thesis and how did my last SOL trade go?",
    "The rent of the office",
    "xyzzy quux frobnication",
    "When did the outage begin? Who wrote Pride and Prejudice?",
    "hi",
)


def test_the_same_writes_give_the_same_answers_in_two_stores(
    make_store: Callable[[str], SqliteStore], make_recollect: MakeRecollect
) -> None:
    answers = []
    for name in ("one", "two"):
        engine = make_recollect(make_store(name), clock=FakeClock())
        run(engine.remember_many(drafts()))
        answers.append([repr(run(engine.retrieve(question))) for question in QUESTIONS])
        answers[-1] += [repr(run(engine.search(question))) for question in QUESTIONS]
    assert answers[0] == answers[1]


def test_asking_twice_gives_the_same_answer(filled: Recollect) -> None:
    for question in QUESTIONS:
        one, two = (run(filled.retrieve(question)) for _ in range(2))
        assert repr(replace(one, trace=replace(one.trace, id=""))) == repr(
            replace(two, trace=replace(two.trace, id=""))
        )


def test_asking_at_once_gives_the_same_answers(filled: Recollect) -> None:
    async def together() -> list[Any]:
        return await asyncio.gather(*(filled.retrieve(question) for question in QUESTIONS * 3))

    alone = [repr(run(filled.retrieve(question)).evidence) for question in QUESTIONS]
    assert [repr(answer.evidence) for answer in run(together())] == alone * 3


# --- wrong input ---------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[[Recollect, str], Any], str]] = {
    "remember: no text": (lambda r, id: r.remember(5), "body"),
    "remember: empty": (lambda r, id: r.remember(""), "body"),
    "remember: unknown field": (lambda r, id: r.remember("The rent.", colour="red"), "colour"),
    "remember: bad title": (lambda r, id: r.remember("The rent.", title=5), "title"),
    "remember: bad tags": (lambda r, id: r.remember("The rent.", tags="work"), "tags"),
    "remember: bad metadata": (lambda r, id: r.remember("The rent.", metadata="x"), "metadata"),
    "remember: naive time": (lambda r, id: r.remember("The rent.", event_time=NAIVE), "event_time"),
    "remember: time as text": (lambda r, id: r.remember("The rent.", event_time="2030-01-01"), "event_time"),
    "remember: bad key": (lambda r, id: r.remember("The rent.", key=5), "key"),
    "remember: empty key": (lambda r, id: r.remember("The rent.", key=""), "key"),
    "remember: bad space": (lambda r, id: r.remember("The rent.", space=5), "space"),
    "remember: empty space": (lambda r, id: r.remember("The rent.", space=" "), "space"),
    "remember: space too long": (lambda r, id: r.remember("The rent.", space="x" * 201), "space"),
    "remember_many: no drafts": (lambda r, id: r.remember_many(["The rent."]), "drafts"),
    "remember_many: too few keys": (lambda r, id: r.remember_many([Draft(body="The rent.")], keys=[]), "keys"),
    "update: unknown field": (lambda r, id: r.update(id, colour="red"), "colour"),
    "update: body and append": (lambda r, id: r.update(id, body="The rent.", append="x"), "append"),
    "update: append no text": (lambda r, id: r.update(id, append=5), "append"),
    "update: bad kind": (lambda r, id: r.update(id, kind=""), "kind"),
    "update: bad id": (lambda r, id: r.update([id], kind="fact"), "id"),
    "supersede: no text": (lambda r, id: r.supersede(id, None), "body"),
    "supersede: unknown field": (lambda r, id: r.supersede(id, "The rent.", colour="red"), "colour"),
    "archive: bad id": (lambda r, id: r.archive(None), "id"),
    "restore: bad id": (lambda r, id: r.restore(5), "id"),
    "forget: nothing": (lambda r, id: r.forget(), "ids"),
    "forget: bad id": (lambda r, id: r.forget(id, 5), "id"),
    "get: bad id": (lambda r, id: r.get({}), "id"),
    "get: half a character": (lambda r, id: r.get("\ud83d"), "id"),
    "links: bad id": (lambda r, id: r.links(5), "id"),
    "link: bad relation": (lambda r, id: r.link(id, "b", "Relates To"), "relation"),
    "link: relation no text": (lambda r, id: r.link(id, "b", 5), "relation"),
    "link: to itself": (lambda r, id: r.link(id, id), "to_id"),
    "link: bad end": (lambda r, id: r.link(id, 5), "to_id"),
    "link: weight over one": (lambda r, id: r.link(id, "b", weight=1.5), "weight"),
    "link: weight no number": (lambda r, id: r.link(id, "b", weight="heavy"), "weight"),
    "link: weight without a number": (lambda r, id: r.link(id, "b", weight=float("nan")), "weight"),
    "link: evidence no text": (lambda r, id: r.link(id, "b", evidence=5), "evidence"),
    "link: naive time": (lambda r, id: r.link(id, "b", valid_from=NAIVE), "valid_from"),
    "link: unknown field": (lambda r, id: r.link(id, "b", colour="red"), "colour"),
    "link: learned is not for callers": (lambda r, id: r.link(id, "b", learned=1.0), "learned"),
    "link: its time is not for callers": (lambda r, id: r.link(id, "b", created_at=NAIVE), "created_at"),
    "unlink: bad relation": (lambda r, id: r.unlink(id, "b", ""), "relation"),
    "browse: limit below": (lambda r, id: r.browse(limit=-1), "limit"),
    "browse: limit above": (lambda r, id: r.browse(limit=1_001), "limit"),
    "browse: limit no number": (lambda r, id: r.browse(limit="5"), "limit"),
    "browse: limit truth value": (lambda r, id: r.browse(limit=True), "limit"),
    "browse: bad after": (lambda r, id: r.browse(after=5), "after"),
    "browse: bad filters": (lambda r, id: r.browse(filters={"kinds": "fact"}), "filters"),
    "browse: one text as filter": (lambda r, id: r.browse(filters=Filters(kinds="fact")), "filters.kinds"),
    "browse: list as filter": (lambda r, id: r.browse(filters=Filters(tags=["a"])), "filters.tags"),
    "browse: naive as_of": (lambda r, id: r.browse(filters=Filters(as_of=NAIVE)), "filters.as_of"),
    "browse: time no range": (lambda r, id: r.browse(filters=Filters(time="today")), "filters.time"),
    "search: no text": (lambda r, id: r.search(None), "text"),
    "search: empty": (lambda r, id: r.search("  "), "text"),
    "search: half a character": (lambda r, id: r.search("half \ud83d of a pair"), "text"),
    "search: bad limit": (lambda r, id: r.search("rent", limit=2.5), "limit"),
    "search: bad filters": (lambda r, id: r.search("rent", filters="fact"), "filters"),
    "search: bad space": (lambda r, id: r.search("rent", space=""), "space"),
    "recall: empty": (lambda r, id: r.recall(""), "text"),
    "recall: bad limit": (lambda r, id: r.recall("rent", limit=-1), "limit"),
    "retrieve: no text": (lambda r, id: r.retrieve(5), "text"),
    "retrieve: empty": (lambda r, id: r.retrieve(""), "text"),
    "retrieve: unknown recipe": (lambda r, id: r.retrieve("rent", recipe="slow"), "recipe"),
    "retrieve: zero deadline": (lambda r, id: r.retrieve("rent", deadline=0), "deadline"),
    "retrieve: negative deadline": (lambda r, id: r.retrieve("rent", deadline=-1), "deadline"),
    "retrieve: deadline no number": (lambda r, id: r.retrieve("rent", deadline="soon"), "deadline"),
    "retrieve: deadline without a number": (lambda r, id: r.retrieve("rent", deadline=float("nan")), "deadline"),
    "retrieve: bad filters": (lambda r, id: r.retrieve("rent", filters=5), "filters"),
    "retrieve: bad space": (lambda r, id: r.retrieve("rent", space="a\nb"), "space"),
    "stats: bad space": (lambda r, id: r.stats(space=""), "space"),
    "forget_space: bad space": (lambda r, id: r.forget_space(5), "space"),
    "import: no export": (lambda r, id: r.import_space(["x"]), "line 1"),
    "import: nothing": (lambda r, id: r.import_space([]), "line 1"),
}


@pytest.mark.parametrize(("call", "field"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_named_and_changes_nothing(
    call: Callable[[Recollect, str], Awaitable[Any]], field: str, recollect: Recollect
) -> None:
    id = remember(recollect, "The rent is due.")
    before = run(recollect.export_space())
    with pytest.raises(InvalidInput) as raised:
        run(call(recollect, id))
    assert raised.value.field == field
    assert run(recollect.export_space()) == before
    assert run(recollect.spaces()) == ["default"]


def test_a_range_that_ends_before_it_begins_is_refused(clock: FakeClock) -> None:
    with pytest.raises(InvalidInput) as raised:
        TimeRange(clock.now(), clock.now() - timedelta(days=1))
    assert raised.value.field == "time_range"


MISSING: dict[str, Callable[[Recollect], Any]] = {
    "get": lambda r: r.get("missing"),
    "update": lambda r: r.update("missing", kind="fact"),
    "supersede": lambda r: r.supersede("missing", "The rent."),
    "archive": lambda r: r.archive("missing"),
    "restore": lambda r: r.restore("missing"),
    "forget": lambda r: r.forget("missing"),
    "link": lambda r: r.link("missing", "gone"),
    "unlink": lambda r: r.unlink("missing", "gone"),
    "browse after": lambda r: r.browse(after="missing"),
    "forget_space": lambda r: r.forget_space("nobody"),
    "stats": lambda r: r.stats(space="nobody"),
    "export_space": lambda r: r.export_space(space="nobody"),
    "reindex": lambda r: r.reindex(space="nobody"),
}


@pytest.mark.parametrize("call", MISSING.values(), ids=MISSING)
def test_what_is_not_there_is_not_found(call: Callable[[Recollect], Awaitable[Any]], recollect: Recollect) -> None:
    remember(recollect, "The rent is due.")
    with pytest.raises(NotFound):
        run(call(recollect))
    assert run(recollect.spaces()) == ["default"]


WRITING_NOWHERE: dict[str, Callable[[Recollect], Any]] = {
    "forget": lambda r: r.forget("missing", space="nobody"),
    "link": lambda r: r.link("missing", "gone", space="nobody"),
    "unlink": lambda r: r.unlink("missing", "gone", space="nobody"),
}


@pytest.mark.parametrize("call", WRITING_NOWHERE.values(), ids=WRITING_NOWHERE)
def test_a_mistyped_space_is_not_made(call: Callable[[Recollect], Awaitable[Any]], recollect: Recollect) -> None:
    with pytest.raises(NotFound):
        run(call(recollect))
    assert run(recollect.spaces()) == []


# --- opening and closing -------------------------------------------------------------------------


def test_open_reads_settings_from_keywords(tmp_path: Path) -> None:
    recollect = Recollect.open(tmp_path, embedder="hashing", recipe="fast", write__max_characters=500, environment={})
    assert (recollect.settings.recipe, recollect.settings.write.max_characters) == ("fast", 500)
    assert recollect.settings.store.path == tmp_path
    run(recollect.close())


@pytest.mark.parametrize(
    ("given", "known"),
    [({"embedder": "psychic"}, "static"), ({"recipes": "fast"}, "recipe"), ({"store__folder": "x"}, "path")],
    ids=["embedder", "setting", "nested setting"],
)
def test_open_refuses_unknown_names_and_lists_the_known(given: dict[str, Any], known: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=known):
        Recollect.open(tmp_path / "store", environment={}, **given)


def test_an_async_with_block_closes(tmp_path: Path) -> None:
    async def main() -> Memory:
        async with Recollect.open(tmp_path, embedder="hashing", environment={}) as recollect:
            id = (await recollect.remember("The rent is due.")).id
            return await recollect.get(id)

    assert run(main()).body == "The rent is due."


def test_closing_twice_is_fine(recollect: Recollect) -> None:
    run(recollect.close())
    run(recollect.close())
