from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from recollect.questions import QuestionType, Target, classic_view
from recollect.recipes import BALANCED, PLAIN
from recollect.records import TimeRange
from recollect.settings import Settings
from recollect.steps.understand import find_entities, is_trivial, split_parts, understand
from recollect.trace import Recorder
from recollect.values import Message, Question, Trait

SPLITS = {
    "and with a question word": (
        "What's my BTC thesis and how did my last SOL trade go?",
        ["What's my BTC thesis", "how did my last SOL trade go?"],
    ),
    "two question marks": (
        "What's BTC at? Did my SOL trade close?",
        ["What's BTC at", "Did my SOL trade close?"],
    ),
    "several question marks in a row": ("What's BTC at??? Is SOL up?", ["What's BTC at", "Is SOL up?"]),
    "also after a comma": ("Check BTC, also look at ETH funding", ["Check BTC", "look at ETH funding"]),
    "and also after a comma": (
        "What is the rent, and also who pays it?",
        ["What is the rent", "who pays it?"],
    ),
    "semicolon": ("How is BTC doing; and what is ETH funding?", ["How is BTC doing", "what is ETH funding?"]),
    "comma, and, question word": (
        "What is the rent, and when is it due?",
        ["What is the rent", "when is it due?"],
    ),
    "contracted question word": ("Where is the key and what's the code?", ["Where is the key", "what's the code?"]),
    "three parts by different rules": (
        "What's BTC at? How is ETH and why is SOL down?",
        ["What's BTC at", "How is ETH", "why is SOL down?"],
    ),
    "new line between questions": ("What's BTC at?\nIs SOL up?", ["What's BTC at", "Is SOL up?"]),
}

STAYS_WHOLE = {
    "one plain question": "What is my BTC thesis?",
    "fixed pair: terms and conditions": "terms and conditions for the SOL desk",
    "fixed pair: research and development": "What is research and development spending?",
    "title with and": "Who wrote Pride and Prejudice?",
    "names with and": "Simon and Garfunkel songs",
    "two things compared": "How do BTC and ETH differ?",
    "joined question words": "When and where is the meeting?",
    "joined question words inside": "Tell me how and why the outage began",
    "question word left alone after and": "Did we sell SOL and why?",
    "question word left alone after a question": "Did we sell SOL? Why?",
    "also known as": "What is diacetylmorphine, also known as heroin?",
    "also without a comma": "Is ETH also up?",
    "question mark inside an address": "What does https://example.com/?a=b&c=d show?",
    "question mark at the end": "BTC??",
    "question word as part of a name": "the Rolling Stones and whoever opened for them",
    "no question at all": "BTC funding rate",
    "not Latin": "東京の事務所はいつ開きますか？",
}

# What else is seen in them; the rest have no trait but whether they are compound.
BESIDES = {
    "What's my BTC thesis and how did my last SOL trade go?": {Trait.REASONING},
    "How is BTC doing; and what is ETH funding?": {Trait.REASONING},
    "What's BTC at? How is ETH and why is SOL down?": {Trait.REASONING},
    "What is my BTC thesis?": {Trait.LOOKUP},
    "How do BTC and ETH differ?": {Trait.REASONING},
    "Tell me how and why the outage began": {Trait.REASONING},
    "Did we sell SOL and why?": {Trait.REASONING},
    "Did we sell SOL? Why?": {Trait.REASONING},
}

TRIVIAL = ["hi", "Hello!", "ok thanks!", "Thank you.", "  ...  ", "?", "👍", "k", "never mind", "you're welcome", "!!!"]
NOT_TRIVIAL = [
    "BTC",
    "BTC?",
    "rent",
    "ok, what about BTC",
    "hi5",
    "42",
    "東京",
    "thanks to whom?",
    "hello world program",
]


def understood(text: str, trace: Recorder, **changes: int) -> Question:
    return understand(text, recipe=BALANCED, settings=Settings(**changes), trace=trace)


@pytest.mark.parametrize(("text", "parts"), SPLITS.values(), ids=SPLITS)
def test_several_questions_become_parts(text: str, parts: list[str], trace: Recorder) -> None:
    question = understood(text, trace)
    assert [part.text for part in question.parts] == parts
    assert question.traits == {Trait.COMPOUND} | BESIDES.get(text, set())


@pytest.mark.parametrize("text", STAYS_WHOLE.values(), ids=STAYS_WHOLE)
def test_one_question_stays_whole(text: str, trace: Recorder) -> None:
    question = understood(text, trace)
    assert [part.text for part in question.parts] == [text]
    assert question.traits == BESIDES.get(text, set())


@pytest.mark.parametrize("text", TRIVIAL)
def test_trivial_messages_have_no_parts(text: str, trace: Recorder) -> None:
    assert understood(text, trace) == Question(text, frozenset({Trait.TRIVIAL}), ())


@pytest.mark.parametrize("text", NOT_TRIVIAL)
def test_short_messages_that_ask_something_are_not_trivial(text: str) -> None:
    assert not is_trivial(text)


@pytest.mark.parametrize("thanks", ["Thanks!", "ok thanks", "Hello"])
def test_pleasantries_beside_a_question_are_no_part(thanks: str, trace: Recorder) -> None:
    question = understood(f"What's BTC at? {thanks}", trace)
    assert [part.text for part in question.parts] == ["What's BTC at"]
    assert question.traits == frozenset()


@pytest.mark.parametrize(
    "stamp",
    ["[2026-01-05 10:30]", "[Mon 2026-01-05 10:30 UTC]", "[2026-01-05T10:30:00Z] ", "  [05/01/2026, 10:30]", "[10:30]"],
)
def test_leading_timestamp_is_stripped(stamp: str, trace: Recorder) -> None:
    question = understood(f"{stamp} What is my BTC thesis?", trace)
    assert [part.text for part in question.parts] == ["What is my BTC thesis?"]
    assert question.text == f"{stamp} What is my BTC thesis?", "what the caller asked is kept as asked"


@pytest.mark.parametrize("text", ["[order_book_v2] what calls it?", "[BTC thesis 2026] what changed?", "[v1.2] notes"])
def test_other_brackets_are_kept(text: str, trace: Recorder) -> None:
    assert understood(text, trace).parts[0].text == text


def test_timestamp_alone_is_trivial(trace: Recorder) -> None:
    assert understood("[2026-01-05 10:30]", trace).parts == ()


def test_over_500_characters_are_not_split_but_searched_by_their_key_terms(trace: Recorder) -> None:
    pasted = "What happened to the pump? And what did Ana Silva say about the pump and the valve? " * 10
    with trace.step("understand"):
        question = understood(pasted, trace)
    (part,) = question.parts
    assert part.text == "Ana Silva happened pump valve"
    assert part.entities == question.entities == ("Ana Silva",)
    assert (question.text, question.traits) == (pasted, {Trait.LONG})
    (decision,) = trace.finish().spans[0].decisions
    assert (decision.what, decision.because) == ("keep whole", "pasted_text")
    assert decision.numbers == {"characters": len(pasted.strip()), "terms": 5}


def test_pasted_text_without_content_is_searched_as_it_begins(trace: Recorder) -> None:
    pasted = "and then of the " * 60
    assert [part.text for part in understood(pasted, trace).parts] == [pasted[:500]]


def test_pasted_text_of_any_length_is_understood(trace: Recorder) -> None:
    (part,) = understood("harbour regatta " * 100_000, trace).parts
    assert part.text == "harbour regatta"


def test_exactly_500_characters_are_still_split(trace: Recorder) -> None:
    text = "What is it? " + "Is it so " + "x" * (500 - 22) + "?"
    assert len(text) == 500
    assert len(understood(text, trace).parts) == 2


@pytest.mark.parametrize("most", [1, 2, 4, 16])
def test_no_more_parts_than_allowed(most: int, trace: Recorder) -> None:
    text = " ".join(f"Is coin{number} up?" for number in range(20))
    assert len(understood(text, trace, max_sub_queries=most).parts) == most


def test_a_recipe_that_does_not_split_keeps_the_question_whole(trace: Recorder) -> None:
    text = "What's BTC at? Did my SOL trade close?"
    question = understand(text, recipe=PLAIN, settings=Settings(), trace=trace)
    assert [part.text for part in question.parts] == [text]


def test_repeated_questions_become_one_part(trace: Recorder) -> None:
    assert [part.text for part in understood("Is BTC up? Is BTC up? Is BTC up", trace).parts] == ["Is BTC up"]


def test_parts_are_numbered_from_zero(trace: Recorder) -> None:
    assert [part.number for part in understood("Is BTC up? Is ETH up? Is SOL up?", trace).parts] == [0, 1, 2]


def test_each_part_has_its_own_entities(trace: Recorder) -> None:
    parts = understood("What's my BTC thesis and how did my last SOL trade go?", trace).parts
    assert [part.entities for part in parts] == [("BTC",), ("SOL",)]


@pytest.mark.parametrize("text", ["", " ", "?", "? ?", "and what", "a", ", also b"])
def test_splitting_never_loses_everything(text: str) -> None:
    assert split_parts(text, most=4)


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("how did the SOL trade go", ("SOL",)),
        ("the call with Jump Trading about ETH2", ("Jump Trading", "ETH2")),
        ("what calls match_orders or getUserName", ("match_orders", "getUserName")),
        ('where is the "blue folder" kept', ("blue folder",)),
        ("where is the “blue folder” kept", ("blue folder",)),
        ("nothing named here", ()),
        ("SOL and SOL again", ("SOL",)),
        ("", ()),
    ],
    ids=["ticker", "names", "code", "quoted", "typographic quotes", "none", "repeated", "empty"],
)
def test_entities_are_found(text: str, entities: tuple[str, ...]) -> None:
    assert find_entities(text) == entities


def test_the_decision_is_in_the_trace(trace: Recorder) -> None:
    with trace.step("understand"):
        understood("hi", trace)
        understood("x" * 600, trace)
        understood("Is BTC up? Is ETH up?", trace)
        understood("Is BTC up?", trace)
    reasons = [(each.what, each.because) for each in trace.finish().spans[0].decisions]
    assert reasons == [
        ("retrieve nothing", "trivial"),
        ("keep whole", "pasted_text"),
        ("split", "structure"),
        ("keep whole", "one_part"),
    ]


NOW = datetime(2026, 3, 18, 14, 30, tzinfo=UTC)


def asked(text: str, trace: Recorder, *said: str) -> Question:
    messages = [Message("someone", each) for each in said]
    return understand(text, recipe=BALANCED, settings=Settings(), trace=trace, now=NOW, messages=messages)


def test_a_question_carries_type_entities_time_and_target(trace: Recorder) -> None:
    question = asked("What was Ana’s phone number?", trace)
    assert (question.type, question.entities) == (QuestionType.ENTITY_LOOKUP, ("Ana",))
    assert question.target == Target("Ana", "phone number", 0.95)
    assert asked("notes from yesterday", trace).time == TimeRange(
        datetime(2026, 3, 17, tzinfo=UTC), datetime(2026, 3, 18, tzinfo=UTC)
    )


def test_each_part_has_its_own_type_and_time(trace: Recorder) -> None:
    first, second = asked("What calls match_orders? Who is Ana and what did she say yesterday?", trace).parts[:2]
    assert (first.type, first.time) == (QuestionType.RELATIONSHIP, None)
    assert second.type is QuestionType.ENTITY_LOOKUP
    *_, last = asked("Who is Ana and what did she say yesterday?", trace).parts
    assert last.time


def test_each_part_has_its_own_target(trace: Recorder) -> None:
    first, second = asked("What is the stop for SOL and who is Ana?", trace).parts
    assert first.target == Target("SOL", "stop", 0.9)
    assert second.target == Target("Ana", None, 0.8)
    question = asked("What is the stop for SOL and who is Ana?", trace)
    assert question.target is None, "a question of several parts is no one lookup"
    whole = asked("What is the stop for SOL?", trace)
    assert whole.target == whole.parts[0].target == Target("SOL", "stop", 0.95)


def test_each_part_has_the_moment_it_must_have_held_at(trace: Recorder) -> None:
    first, second = asked("What was my rent as of March 2025? Where does Ana live?", trace).parts
    assert (first.as_of, second.as_of) == (datetime(2025, 4, 1, tzinfo=UTC), None)
    assert asked("What did I do in March 2025?", trace).parts[0].as_of is None
    assert understood("What was my rent as of March 2025?", trace).parts[0].as_of is None, (
        "without now nothing resolves"
    )


def test_without_now_a_time_is_noticed_but_not_resolved(trace: Recorder) -> None:
    question = understood("What did I do yesterday?", trace)
    assert Trait.TIME in question.traits
    assert question.time is None


def test_references_are_filled_from_messages_and_told_in_the_trace(trace: Recorder) -> None:
    with trace.step("understand"):
        question = asked("When did she call?", trace, "Who is Ana?")
    assert (question.text, question.rewritten) == ("When did she call?", "When did Ana call?")
    assert [part.text for part in question.parts] == ["When did Ana call?"]
    assert Trait.UNRESOLVED not in question.traits
    (decision, _) = trace.finish().spans[0].decisions
    assert (decision.what, decision.because) == ("fill references", "follow_up")
    assert decision.numbers["text"] == "When did Ana call?"


def test_without_messages_a_reference_stays_unresolved(trace: Recorder) -> None:
    question = asked("When did she call?", trace)
    assert question.rewritten is None
    assert Trait.UNRESOLVED in question.traits


CLASSIC = {
    "Why did Ana not call yesterday?": ("D1", "reasoning_query"),
    "What never arrived yesterday?": ("D2", "negation_query"),
    "What did she say yesterday?": ("D3", "time_reference"),
    "What's BTC at? What else is up?": ("D4", "compound_query"),
    "What else did she say?": ("D5", "unresolved_reference"),
    "What else is in the shed?": ("D6", "exploration"),
    "What is the stop for SOL?": (None, None),
}


@pytest.mark.parametrize(("text", "expected"), CLASSIC.items(), ids=CLASSIC)
def test_the_classic_view_is_the_first_category_that_applies(
    text: str, expected: tuple[str | None, str | None], trace: Recorder
) -> None:
    view = classic_view(asked(text, trace))
    assert (view.category, view.reason) == expected
    assert view.disqualified is (expected[0] is not None)


def test_the_classic_view_of_a_lookup_names_it_and_of_others_is_ambiguous(trace: Recorder) -> None:
    view = classic_view(asked("What is my stop for SOL?", trace))
    assert (view.query_type, view.confidence, view.entity, view.attribute) == ("LOOKUP", 0.95, "SOL", "stop")
    view = classic_view(asked("leverage update positioning", trace))
    assert (view.query_type, view.confidence, view.entity, view.attribute) == ("AMBIGUOUS", 0.3, None, None)


WORDS = st.sampled_from(
    "and what how why also compare the BTC SOL Ana's Ana’s , ? ?? . ; between March 2024 to it she last week in vs not "
    '"x y" a/b.py order_book from since 31 February and, A B 99'.split(" ")
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=25).map(" ".join)),
    st.lists(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=10).map(" ".join)), max_size=3),
    st.datetimes(timezones=st.just(UTC)),
)
def test_any_text_is_understood_and_always_the_same_way(
    trace: Recorder, text: str, said: list[str], now: datetime
) -> None:
    messages = [Message("someone", each) for each in said]
    settings = Settings(max_sub_queries=3)
    question, again = (
        understand(text, recipe=BALANCED, settings=settings, trace=trace, now=now, messages=messages) for _ in range(2)
    )
    assert question == again
    assert len(question.parts) <= 3
    assert all(part.text.strip() for part in question.parts)
    assert bool(question.parts) is (Trait.TRIVIAL not in question.traits)
    assert classic_view(question).disqualified in {True, False}


# --- a sample to find the like of ------------------------------------------------------------------

CODE = "try:\n    charge(card) and log(card)\nexcept TimeoutError:\n    raise Unavailable('Now, and soon?') from None\n"


@pytest.mark.parametrize("times", [1, 20], ids=["short", "long"])
@pytest.mark.parametrize(
    "request_", ["Find code similar to this error handling pattern:\n{}", "{}\nWhere do we do something like this?"]
)
def test_a_sample_is_searched_for_as_it_is(request_: str, times: int, trace: Recorder) -> None:
    code = CODE * times
    with trace.step("understand"):
        question = understood(request_.format(code), trace)
    (part,) = question.parts
    assert question.type is part.type is QuestionType.SIMILARITY
    assert part.text == code.strip("\n")[: len(part.text)] and len(part.text) >= min(2_000, len(code.strip()))
    assert part.entities == question.entities == ()
    assert Trait.LONG not in question.traits and Trait.TRIVIAL not in question.traits


def test_code_that_is_asked_about_is_no_sample_to_find_the_like_of(trace: Recorder) -> None:
    with trace.step("understand"):
        question = understood(f"Why does this fail:\n{CODE * 20}", trace)
    assert Trait.LONG in question.traits
