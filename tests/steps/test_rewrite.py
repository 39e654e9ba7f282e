from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from math import sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.attributes import find_target
from recollect.language.entities import find_entities
from recollect.language.fallbacks import fallback_queries
from recollect.rank.attention import observe
from recollect.recipes import BALANCED, DEEP, FAST, Recipe
from recollect.records import Filters, Lifecycle, TimeRange
from recollect.settings import Settings
from recollect.steps.judge import Limits, judge
from recollect.steps.plan import first_plan
from recollect.steps.rewrite import MOST_BRIDGES, TEXTS_FOR_A_PASSED_PART, rewordings, rewrite
from recollect.steps.search import search
from recollect.testing.clock import FakeClock
from recollect.trace import Recorder
from recollect.values import (
    Enough,
    Findings,
    Hit,
    Lookup,
    Message,
    Origin,
    Part,
    PartState,
    Plan,
    Question,
    QuestionType,
    Reply,
    Role,
    Scope,
    Weak,
)

from .build import findings, found, hit, lookup, progress, recorder, scope
from .scripted import ScriptedSource, means

REWORDINGS = {
    "what is the": ("What is the SOL plan?", ["SOL plan", "SOL"]),
    "contracted": ("What's my BTC thesis?", ["BTC thesis", "BTC"]),
    "typographic apostrophe": ("What’s my BTC thesis?", ["BTC thesis", "BTC"]),
    "how did my": ("how did my last SOL trade go?", ["last SOL trade go", "SOL"]),
    "tell me about": ("Tell me about the outage in May", ["outage in May"]),
    "could you please": ("Could you please show me the rent?", ["rent"]),
    "remind me of": ("remind me of the server room key", ["server room key"]),
    "is there": ("Is there a parking space?", ["a parking space"]),
    "nothing to strip": ("BTC funding rate", ["BTC"]),
    "only the question mark": ("rent office?", ["rent office"]),
    "capital letters do not make it new": ("RENT", []),
    "a short name is a name": ("UK rent", ["UK"]),
    "word that begins like a question word": ("whatever happened", []),
    "nothing left after stripping": ("what is it?", []),
    "not Latin": ("東京の事務所", []),
    "what of what": ("What is the stop for SOL?", ["stop for SOL", "SOL stop", "SOL"]),
    "whose what": ("What is Ana's phone number?", ["Ana's phone number", "Ana phone number", "Ana"]),
}


@pytest.mark.parametrize(("text", "expected"), REWORDINGS.values(), ids=REWORDINGS)
def test_rewordings(text: str, expected: list[str]) -> None:
    entities = find_entities(text)
    part = Part(0, text, entities, target=find_target(text, entities=entities))
    assert [text for text, origin in rewordings(part) if origin is not Origin.RELATED] == expected


def test_rewordings_come_in_order_with_related_words_last() -> None:
    text = "What is the deadline for Acme?"
    part = Part(0, text, ("Acme",), target=find_target(text, entities=("Acme",)))
    assert list(rewordings(part)) == [
        ("deadline for Acme", Origin.REWORDED),
        ("Acme deadline", Origin.ATTRIBUTE),
        ("Acme", Origin.ENTITY),
        ("due Acme", Origin.RELATED),
    ]


def test_a_name_is_not_replaced_by_a_related_word() -> None:
    assert all(origin is not Origin.RELATED for _, origin in rewordings(Part(0, "the Meeting", ("Meeting",))))


# --- one round -------------------------------------------------------------------------------------

SOL = Part(0, "What is the SOL plan?", ("SOL",))
RENT = Part(1, "What is the rent?")
ALL = ("memory", "local", "graph", "vector")


def weak(
    *parts: Part,
    tried: Sequence[Lookup] = (),
    rounds: int = 1,
    seen: Sequence[Hit] = (),
    best: float = 0.1,
    served: bool = True,
) -> Weak:
    """Parts that stand so after so many rounds, in which these hits were seen."""
    settings = Settings()
    states = tuple(PartState(part, best, best >= settings.quality_threshold, served=served) for part in parts)
    pool = observe([findings(found(*seen))], gate=settings.quality_threshold, settings=settings)
    return Weak(states, progress(*tried, rounds=rounds, pool=pool))


def rewritten(
    given: Weak,
    within: Scope | None = None,
    *,
    recipe: Recipe = DEEP,
    messages: Sequence[Message] = (),
    trace: Recorder | None = None,
    **changes: Any,
) -> tuple[Lookup, ...]:
    parts = tuple(state.part for state in given.states)
    plan = rewrite(
        given,
        question=Question(" ".join(part.text for part in parts), frozenset(), parts),
        scope=within or scope("memory"),
        recipe=recipe,
        messages=messages,
        settings=Settings(**{"fallback_max_queries": 0, **changes}),
        trace=trace or recorder(),
    )
    if plan is None:
        return ()
    assert plan.round == given.progress.rounds + 1
    assert plan.lookups
    return plan.lookups


def texts(lookups: Sequence[Lookup]) -> list[tuple[str, Origin]]:
    return [(each.text, each.origin) for each in lookups]


def asked(part: Part, *sources: str, text: str | None = None, **filters: Any) -> list[Lookup]:
    """What the first round asked about a part."""
    return [
        lookup(text or part.text, source=source, part=part.number, filters=Filters(**filters)) for source in sources
    ]


def decisions(trace: Recorder) -> list[tuple[str, str]]:
    return [(each.what, each.because) for each in trace.finish().spans[0].decisions]


def test_each_weak_part_gets_its_first_rewording_at_every_source() -> None:
    lookups = rewritten(weak(SOL, RENT), scope("memory", "list"))
    assert [(each.text, each.part, each.source, each.origin) for each in lookups] == [
        ("SOL plan", 0, "memory", Origin.REWORDED),
        ("SOL plan", 0, "list", Origin.REWORDED),
        ("rent", 1, "memory", Origin.REWORDED),
        ("rent", 1, "list", Origin.REWORDED),
    ]
    assert {each.about for each in lookups} == {SOL.text, RENT.text}, "judged by the part's own words"


def test_so_many_rewordings_as_retries() -> None:
    assert texts(rewritten(weak(SOL), max_retries=2)) == [("SOL plan", Origin.REWORDED), ("SOL", Origin.ENTITY)]
    assert rewritten(weak(SOL), max_retries=0) == ()


def test_what_was_tried_is_not_tried_again() -> None:
    tried = asked(SOL, "memory", text="sol PLAN")
    assert texts(rewritten(weak(SOL, tried=tried, rounds=2), max_retries=2)) == [("SOL", Origin.ENTITY)]


def test_what_was_tried_at_one_source_is_still_new_to_another() -> None:
    lookups = rewritten(weak(SOL, tried=asked(SOL, "memory", text="SOL plan")), scope("memory", "list"))
    assert [(each.text, each.source) for each in lookups] == [("SOL plan", "list")]


def test_nothing_left_to_try_gives_no_plan(trace: Recorder) -> None:
    with trace.step("rewrite"):
        assert rewritten(weak(RENT, tried=asked(RENT, "memory", text="rent")), trace=trace) == ()
    assert decisions(trace) == [("leave part", "nothing_to_try")]


def test_a_part_with_nothing_left_is_left_and_the_others_go_on(trace: Recorder) -> None:
    with trace.step("rewrite"):
        lookups = rewritten(weak(SOL, RENT, tried=asked(RENT, "memory", text="rent")), trace=trace)
    assert [each.part for each in lookups] == [0]
    assert ("leave part", "nothing_to_try") in decisions(trace)


def test_parts_that_passed_are_not_reworded() -> None:
    states = (PartState(SOL, 0.9, True, True), PartState(RENT, 0.1, False))
    assert {each.part for each in rewritten(Weak(states, progress()))} == {1}


def test_texts_are_spread_fairly_over_the_parts(trace: Recorder) -> None:
    with trace.step("rewrite"):
        lookups = rewritten(weak(SOL, RENT), max_retries=9, fallback_max_queries=12, lookups_per_round=4, trace=trace)
    assert [each.part for each in lookups] == [0, 1, 0, 1]
    assert ("leave the rest", "lookups_per_round") in decisions(trace)


def test_a_text_to_several_sources_counts_once() -> None:
    lookups = rewritten(weak(SOL), scope("memory", "list"), max_retries=9, lookups_per_round=1)
    assert [(each.text, each.source) for each in lookups] == [("SOL plan", "memory"), ("SOL plan", "list")]


def test_a_part_the_round_has_no_room_for_is_named(trace: Recorder) -> None:
    with trace.step("rewrite"):
        rewritten(weak(SOL, RENT), lookups_per_round=1, trace=trace)
    assert ("leave part", "round_is_full") in decisions(trace)


def test_other_words_keep_the_moment_a_part_names() -> None:
    then = datetime(2025, 4, 1, tzinfo=UTC)
    assert {each.filters.as_of for each in rewritten(weak(replace(SOL, as_of=then)))} == {then}


def test_texts_are_counted(trace: Recorder) -> None:
    rewritten(weak(SOL, RENT), scope("memory", "list"), trace=trace)
    assert trace.finish().counters == {"queries_generated": 2}


# --- other sources -----------------------------------------------------------------------------------

LIKE = Part(0, "notes like the outage", type=QuestionType.SIMILARITY)


def test_other_words_go_where_the_part_is_routed() -> None:
    part = replace(SOL, type=QuestionType.ENTITY_LOOKUP)
    tried = asked(part, *ALL)
    lookups = rewritten(weak(part, tried=tried), scope(*ALL, limit=25), secondary_limit=4)
    assert [(each.source, each.role, each.limit) for each in lookups] == [
        ("memory", Role.PRIMARY, 25),
        ("local", Role.SECONDARY, 4),
        ("graph", Role.PRIMARY, 25),
    ]


def test_sources_that_were_skipped_are_asked_after_all(trace: Recorder) -> None:
    given = weak(LIKE, tried=asked(LIKE, "memory", "vector"))
    with trace.step("rewrite"):
        lookups = rewritten(given, scope(*ALL), max_retries=0, trace=trace)
    assert [(each.text, each.source, each.origin) for each in lookups] == [
        (LIKE.text, "local", Origin.STAND_IN),
        (LIKE.text, "graph", Origin.STAND_IN),
    ]
    assert decisions(trace) == [("look up again", "skipped_source_after_all")]


def test_skipped_sources_are_asked_once() -> None:
    assert rewritten(weak(LIKE, tried=asked(LIKE, *ALL)), scope(*ALL), max_retries=0) == ()


def test_a_part_that_passed_needs_no_skipped_source() -> None:
    given = weak(LIKE, tried=asked(LIKE, "memory", "vector"), best=0.4)
    assert rewritten(given, scope(*ALL), max_retries=3) == ()


def test_a_part_nobody_answered_for_is_asked_of_the_next_in_order(trace: Recorder) -> None:
    given = weak(LIKE, tried=asked(LIKE, "vector"), served=False)
    with trace.step("rewrite"):
        lookups = rewritten(given, scope("own", "vector", "graph", "local"), trace=trace)
    assert [(each.text, each.source, each.origin) for each in lookups] == [(LIKE.text, "local", Origin.STAND_IN)]
    assert decisions(trace) == [("look up again", "fallback_on_timeout")]


ORDERS = {
    "first in order": ("graph, local", ("vector",), "graph"),
    "next in order": ("graph, local", ("vector", "graph"), "local"),
    "then any other": ("graph, local", ("vector", "graph", "local"), "own"),
    "order of nobody there": ("nowhere", ("vector",), "own"),
}


@pytest.mark.parametrize(("order", "tried", "expected"), ORDERS.values(), ids=ORDERS)
def test_the_order_of_stand_ins(order: str, tried: tuple[str, ...], expected: str) -> None:
    given = weak(LIKE, tried=asked(LIKE, *tried), served=False)
    (only,) = rewritten(given, scope("own", "vector", "graph", "local"), fallback_order=order)
    assert only.source == expected


def test_stand_ins_can_be_switched_off() -> None:
    given = weak(SOL, tried=asked(SOL, "memory"), served=False)
    lookups = rewritten(given, scope("memory", "own"), fallback_on_timeout=False)
    assert {each.origin for each in lookups} == {Origin.REWORDED}


def test_where_nobody_is_left_to_stand_in_other_words_are_tried() -> None:
    given = weak(SOL, tried=asked(SOL, "memory"), served=False)
    assert texts(rewritten(given)) == [("SOL plan", Origin.REWORDED)]


def test_past_the_recipes_rounds_there_are_only_stand_ins() -> None:
    unserved = weak(LIKE, tried=asked(LIKE, "vector"), served=False)
    assert [each.source for each in rewritten(unserved, scope(*ALL), recipe=FAST)] == ["local"]
    assert rewritten(weak(SOL), recipe=FAST) == ()
    assert rewritten(weak(SOL, rounds=3), recipe=BALANCED) == ()


# --- wider filters -----------------------------------------------------------------------------------

MARCH = TimeRange(datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC))
KINDS, TAGS, CLUSTERS = frozenset({"fact"}), frozenset({"home"}), frozenset({"c1"})
NARROW = {
    "kinds first": ({"kinds": KINDS, "tags": TAGS, "time": MARCH}, "kinds", {"tags": TAGS, "time": MARCH}),
    "then tags": ({"tags": TAGS, "time": MARCH}, "tags and clusters", {"time": MARCH}),
    "and clusters": ({"clusters": CLUSTERS, "tags": TAGS}, "tags and clusters", {}),
    "then time": ({"time": MARCH}, "time", {}),
}


@pytest.mark.parametrize(("narrow", "dropped", "wider"), NARROW.values(), ids=NARROW)
def test_filters_are_widened_by_one_step(
    narrow: dict[str, Any], dropped: str, wider: dict[str, Any], trace: Recorder
) -> None:
    given = weak(RENT, tried=[*asked(RENT, "memory", **narrow), *asked(RENT, "memory", text="rent", **narrow)])
    with trace.step("rewrite"):
        (only,) = rewritten(given, scope("memory", **narrow), trace=trace)
    assert (only.text, only.origin, only.filters) == (RENT.text, Origin.BROADENED, Filters(**wider))
    (decision,) = trace.finish().spans[0].decisions
    assert (decision.because, decision.numbers["dropped"]) == ("filters_narrow", dropped)


NEVER_DROPPED: dict[str, Any] = {
    "ids": frozenset({"a"}),
    "without_kinds": frozenset({"message"}),
    "lifecycles": frozenset({Lifecycle.ACTIVE}),
    "projects": frozenset({"p"}),
    "paths": frozenset({"src/**"}),
    "trusts": frozenset({"user"}),
    "as_of": datetime(2025, 1, 1, tzinfo=UTC),
    "superseded": True,
    "strict": False,
}


def test_what_is_no_preference_is_never_dropped() -> None:
    everything = {"kinds": KINDS, "tags": TAGS, "clusters": CLUSTERS, "time": MARCH, **NEVER_DROPPED}
    assert set(everything) == {each.name for each in fields(Filters)}, "a new filter: may it be dropped?"
    narrow = {name: value for name, value in everything.items() if name != "kinds"}
    lookups = rewritten(weak(SOL), scope("memory", **everything), max_retries=9)
    assert Origin.BROADENED in {each.origin for each in lookups}
    for each in lookups:
        assert each.space == "default"
        for name, value in NEVER_DROPPED.items():
            assert getattr(each.filters, name) == value
        if each.origin is Origin.BROADENED:
            assert each.filters == Filters(**narrow)


def test_no_filter_is_dropped_where_only_such_are_given() -> None:
    lookups = rewritten(weak(SOL), scope("memory", **NEVER_DROPPED), max_retries=9)
    assert Origin.BROADENED not in {each.origin for each in lookups}


def test_no_filter_is_dropped_where_they_are_strict() -> None:
    lookups = rewritten(weak(SOL), scope("memory", kinds=KINDS, time=MARCH, strict=True), max_retries=9)
    assert lookups
    assert Origin.BROADENED not in {each.origin for each in lookups}


def test_no_filter_is_dropped_for_a_part_that_passed_or_without_retries() -> None:
    narrow = scope("memory", kinds=KINDS)
    assert rewritten(weak(SOL, best=0.4), narrow) == ()
    assert rewritten(weak(SOL), narrow, max_retries=0) == ()


# --- bridges -----------------------------------------------------------------------------------------

BOSS = Part(0, "Where does the head of the Porto office live?", ("Porto",))
SEEN = hit("a7", 0.4, body="The Porto office is led by Ana Souza.")


def bridges(lookups: Sequence[Lookup]) -> list[str]:
    return [each.text for each in lookups if each.origin is Origin.BRIDGE]


def test_a_name_that_was_found_is_looked_up_with_what_is_still_asked(trace: Recorder) -> None:
    with trace.step("rewrite"):
        (only,) = rewritten(weak(BOSS, seen=[SEEN]), max_retries=0, trace=trace)
    assert (only.text, only.origin) == ("Ana Souza head live", Origin.BRIDGE)
    assert (only.belief, only.via, only.names) == (sqrt(0.4), "a7", ("Ana Souza",))
    assert only.about == "", "judged by what is still asked: the office was found already"
    (decision,) = trace.finish().spans[0].decisions
    assert (decision.because, decision.numbers["via"], decision.numbers["belief"]) == ("name_found", "a7", 0.632456)


def test_where_all_that_is_asked_was_found_its_words_go_along() -> None:
    told = hit("a", 0.4, body="The head of the Porto office, who may live there: Ana Souza.")
    assert bridges(rewritten(weak(BOSS, seen=[told]), max_retries=0)) == ["Ana Souza head Porto office live"]


NO_BRIDGES = {
    "a name in the question": "The office of Porto is big.",
    "no name": "the office is big",
}


@pytest.mark.parametrize("body", NO_BRIDGES.values(), ids=NO_BRIDGES)
def test_what_is_no_bridge(body: str) -> None:
    assert rewritten(weak(BOSS, seen=[hit("a", 0.4, body=body)]), max_retries=0) == ()


def test_what_is_below_the_gate_is_no_bridge() -> None:
    assert rewritten(weak(BOSS, seen=[replace(SEEN, relevance=0.19)]), max_retries=0) == ()


def test_a_name_that_was_tried_is_no_bridge_but_a_part_of_a_word_is_not_the_name() -> None:
    tried = asked(BOSS, "other", text="ana souza salary")
    assert rewritten(weak(BOSS, seen=[SEEN], tried=tried), max_retries=0) == ()
    tried = asked(BOSS, "other", text="Susana Souza salary")
    assert bridges(rewritten(weak(BOSS, seen=[SEEN], tried=tried), max_retries=0)) == ["Ana Souza head live"]


def test_bridges_are_few_and_come_by_attention() -> None:
    seen = [
        hit("b", 0.3, body="The Porto office is led by Rui Costa and by Eva Lima."),
        hit("a", 0.5, body="The Porto office is led by Ana Souza and by Ivo Reis."),
    ]
    found_names = bridges(rewritten(weak(BOSS, seen=seen), max_retries=0))
    assert [text.removesuffix(" head live") for text in found_names] == ["Ana Souza", "Ivo Reis", "Rui Costa"]
    assert len(found_names) == MOST_BRIDGES


def test_a_name_found_twice_is_looked_up_once_by_its_best_place() -> None:
    again = hit("b", 0.3, body="Ana Souza leads the Porto office.")
    (only,) = rewritten(weak(BOSS, seen=[again, SEEN]), max_retries=0)
    assert only.via == "a7"


def test_with_several_parts_a_bridge_serves_the_part_it_speaks_of() -> None:
    lookups = rewritten(weak(BOSS, RENT, seen=[SEEN]), max_retries=0)
    assert [(each.part, each.origin) for each in lookups] == [(0, Origin.BRIDGE)]


def test_a_bridge_is_no_longer_than_a_query_may_be() -> None:
    assert bridges(rewritten(weak(BOSS, seen=[SEEN]), max_retries=0, fallback_max_query_length=12)) == ["Ana Souza"]


# --- fallback queries --------------------------------------------------------------------------------


def test_fallback_queries_come_in_their_order_round_after_round() -> None:
    wanted = [each.text for each in fallback_queries(SOL, goal=SOL.text, most=4)]
    first = rewritten(weak(SOL), max_retries=0, fallback_max_queries=4, lookups_per_round=2)
    assert [each.text for each in first] == wanted[:2]
    given = weak(SOL, tried=first, rounds=2)
    second = rewritten(given, max_retries=0, fallback_max_queries=4, lookups_per_round=2)
    assert [each.text for each in second] == wanted[2:4]


def test_fallback_queries_draw_on_the_messages_before_and_on_what_was_seen() -> None:
    said = (Message("Rui", "We spoke about the Lisbon desk"),)
    seen = [hit(id, 0.4, body=f"staking rewards, note {id}") for id in ("a", "b")]
    lookups = rewritten(
        weak(SOL, seen=seen), messages=said, max_retries=0, fallback_max_queries=12, lookups_per_round=50
    )
    assert {Origin.MESSAGE, Origin.COOCCURRING} <= {each.origin for each in lookups}


def test_a_part_that_passed_gets_few_texts_and_no_rewordings() -> None:
    lookups = rewritten(weak(SOL, best=0.4), max_retries=5, fallback_max_queries=12)
    assert len(lookups) == TEXTS_FOR_A_PASSED_PART
    expected = fallback_queries(SOL, goal=SOL.text)[:TEXTS_FOR_A_PASSED_PART]
    assert texts(lookups) == [(each.text, each.origin) for each in expected]


# --- the loop ----------------------------------------------------------------------------------------

FATES = ("nothing", "weak", "fair", "strong", "names", "fails", "hangs", "garbage")
BODIES = {"names": "The Porto office is led by Ana Souza, says Rui Costa of Acme Corp."}
RELEVANCE = {"weak": 0.1, "fair": 0.35, "strong": 0.9, "names": 0.4}


def fated(name: str, fates: Sequence[str], clock: FakeClock) -> ScriptedSource:
    """A source whose answers are drawn in advance, the last of them for ever."""
    answered = 0

    async def behave(asked: Lookup) -> Any:
        nonlocal answered
        fate = fates[min(answered, len(fates) - 1)]
        answered += 1
        if fate == "fails":
            raise OSError("gone")
        if fate == "hangs":
            await clock.sleep(1e6)
        if fate == "garbage":
            return [7]
        if fate == "nothing":
            return Reply(())
        return Reply((hit(f"{name}{answered}", RELEVANCE[fate], source=name, body=BODIES.get(fate, f"no {answered}")),))

    return ScriptedSource(name, behave)


async def searched_to_the_end(
    question: Question, sources: Sequence[ScriptedSource], *, recipe: Recipe, clock: FakeClock
) -> tuple[Enough | None, list[Plan], list[Findings]]:
    """The rounds of the path, without a deadline; None where nothing was left to try."""
    given = means(*sources, clock=clock)
    within, settings = scope(*(source.name for source in sources)), given.settings
    plans = [first_plan(question, scope=within, settings=settings, trace=recorder())]
    seen: list[Findings] = []
    while True:
        searching = asyncio.ensure_future(search(plans[-1], means=given, deadline=1e9, trace=recorder()))
        await clock.advance(0.0)
        if not searching.done():
            await clock.advance(settings.lookup_timeout)
        seen.append(await searching)
        limits = Limits(recipe, False, within.sources)
        judgement = judge(question, seen, limits=limits, settings=settings, trace=recorder())
        if isinstance(judgement, Enough):
            return judgement, plans, seen
        plan = rewrite(
            judgement,
            question=question,
            scope=within,
            recipe=recipe,
            messages=(),
            settings=settings,
            trace=recorder(),
        )
        if plan is None:
            return None, plans, seen
        plans.append(plan)
        assert len(plans) <= 50, "it never ends"


PARTS = (
    "Where does the head of the Porto office live?",
    "What is the SOL plan?",
    "What is the rent?",
    "notes like the outage",
)


@given(
    st.lists(st.sampled_from(QuestionType), min_size=1, max_size=4),
    st.dictionaries(
        st.sampled_from([*ALL, "own"]), st.lists(st.sampled_from(FATES), min_size=1, max_size=4), max_size=5
    ),
    st.sampled_from([FAST, BALANCED, DEEP]),
)
def test_the_rounds_always_end_and_never_repeat_themselves(
    types: list[QuestionType], fates: dict[str, list[str]], recipe: Recipe
) -> None:
    clock = FakeClock()
    parts = tuple(
        Part(number, text, find_entities(text), type)
        for number, (text, type) in enumerate(zip(PARTS, types, strict=False))
    )
    sources = [fated(name, each, clock) for name, each in fates.items()]
    question = Question(" ".join(part.text for part in parts), frozenset(), parts)
    _, plans, seen = asyncio.run(searched_to_the_end(question, sources, recipe=recipe, clock=clock))
    assert len(plans) <= recipe.max_rounds + len(sources)
    sent = [each.key for source in sources for each in source.asked]
    assert len(set(sent)) == len(sent), "a lookup was sent twice"
    assert [plan.round for plan in plans] == list(range(1, len(plans) + 1))
    for plan, finding in zip(plans, seen, strict=True):
        assert [outcome.lookup.key for outcome in finding.outcomes] == [each.key for each in plan.lookups]
        assert finding.round == plan.round


def test_two_hops_are_bridged(clock: FakeClock) -> None:
    async def know(asked: Lookup) -> Reply:
        if "Ana Souza" in asked.text:
            return Reply((hit("home", 0.8, source="memory", body="Ana Souza lives in Braga."),))
        return Reply((replace(SEEN, source="memory"),))

    question = Question(BOSS.text, frozenset(), (BOSS,))
    source = ScriptedSource("memory", know)
    judgement, _, seen = asyncio.run(searched_to_the_end(question, [source], recipe=BALANCED, clock=clock))
    assert judgement is not None
    reached = {each.hit.memory.id: each.hit.relevance for each in judgement.progress.pool.observations}
    assert reached["home"] == pytest.approx(0.8 * sqrt(0.4)), "as relevant as both hops allow"
    assert len(seen) == 2


def test_when_the_primary_source_fails_another_stands_in_even_in_a_fast_search(clock: FakeClock) -> None:
    question = Question(LIKE.text, frozenset(), (LIKE,))
    sources = [fated("vector", ["hangs"], clock), fated("graph", ["fails"], clock), fated("local", ["strong"], clock)]
    judgement, _, seen = asyncio.run(searched_to_the_end(question, sources, recipe=FAST, clock=clock))
    assert judgement is not None
    assert [type(each.outcomes[0]).__name__ for each in seen] == ["TimedOut", "Found"]
    assert seen[1].outcomes[0].lookup.source == "local"
    assert seen[0].degraded == ("source 'vector' timed out",)
