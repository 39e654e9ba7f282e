"""What requests hold: one model each, with examples; a field nobody knows is refused.

Replies are in `replies.py`. Types are checked here. What a field may hold beyond its type is checked by the engine, in
the same words for every door; the OpenAPI document tells it all the same (`documented`). Only what the engine knows no
bound for has one here: a request must end somewhere.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator
from pydantic_core import PydanticCustomError

from recollect.questions import Message
from recollect.recipes import RECIPES
from recollect.records import LONGEST_SPACE_NAME, VISIBLE, Filters, Lifecycle, TimeAxis, TimeRange

MOST = 1_000
LONGEST_QUESTION = 200_000
MOST_MESSAGES = 1_000
LONGEST_SESSION = 200
LONGEST_NAME = 1_000
MOST_NAMES = 1_000
MOST_TOKENS = 1_000_000
MAX_FACTS, MAX_CONVERSATION_MESSAGES, MAX_ITERATIONS = 30, 10, 10
NOT_BLANK = r"\S"


def documented(**told: Any) -> dict[str, Any]:
    """What the document says a field may hold, in the words of JSON Schema; whether it does, the engine checks.

    >>> documented(minLength=1, enum=["a"])
    {'json_schema_extra': {'minLength': 1, 'enum': ['a']}}
    """
    return {"json_schema_extra": told}


def _text(value: Any) -> str:
    """Any text, half characters too: the engine says what is wrong with them."""
    if not isinstance(value, str):
        raise PydanticCustomError("string_type", "Input should be a valid string")
    return value


def _number(value: Any) -> float:
    """Any number, however large."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("float_type", "Input should be a valid number")
    return value


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("this moment is outside the years 1 to 9999") from error


def _with_zone(value: Any) -> Any:
    """A moment as text; one without a zone is UTC, as in the other doors."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    if isinstance(value, int | float):
        raise ValueError("give a moment as text, like 2026-03-01T14:30:00+01:00")
    return value


Moment = Annotated[
    AwareDatetime, BeforeValidator(_with_zone), AfterValidator(_utc), Field(examples=["2026-03-01T14:30:00Z"])
]
AS_TEXT = PlainValidator(_text, json_schema_input_type=str)
AnyText = Annotated[str, AS_TEXT]
AnyNumber = Annotated[float, PlainValidator(_number, json_schema_input_type=float)]
QuestionText = Annotated[
    AnyText,
    Field(description="What is asked.", **documented(minLength=1, maxLength=LONGEST_QUESTION, pattern=NOT_BLANK)),
]
SpaceName = Annotated[
    str | None,
    Field(
        description="The space; left out, the only one of the key, or `default`.",
        examples=["default"],
        **documented(minLength=1, maxLength=LONGEST_SPACE_NAME),
    ),
]
Names = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_NAME)]],
    Field(max_length=MOST_NAMES, default_factory=list),
]
Limit = Annotated[
    int, Field(description="At most so many; zero is a limit like any other.", **documented(minimum=0, maximum=MOST))
]
Deadline = Annotated[
    float | None,
    Field(
        description="Seconds until it must answer; no more than a request may take.",
        examples=[2.5],
        **documented(exclusiveMinimum=0),
    ),
]
Tokens = Annotated[
    int | None,
    Field(le=MOST_TOKENS, description="Size of the context block.", examples=[2000], **documented(minimum=0)),
]
RecipeName = Annotated[
    AnyText | None,
    Field(description="How hard to search.", examples=["balanced"], **documented(enum=[*RECIPES, None])),
]


class Body(BaseModel):
    """A request's body: no field but those it names, and no guessing of types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TimeRangeBody(Body):
    """From `start` (included) to `end` (left out); either side may be open."""

    start: Moment | None = None
    end: Moment | None = None
    axis: Annotated[
        TimeAxis,
        AS_TEXT,
        Field(description="Which time is meant.", **documented(enum=[each.value for each in TimeAxis])),
    ] = TimeAxis.ANY

    def value(self) -> TimeRange | None:
        """The same as the engine takes it; nothing where both sides are open."""
        given = TimeRange(self.start, self.end, self.axis)
        return given if self.start or self.end else None


class FiltersBody(Body):
    """Which memories may come back. Several values of one filter mean any of them (tags: all of them)."""

    ids: Names
    kinds: Names
    without_kinds: Names
    lifecycles: Annotated[
        list[Annotated[Lifecycle, AS_TEXT, Field(**documented(enum=[each.value for each in Lifecycle]))]],
        Field(default_factory=list, description="Empty: all but archived."),
    ]
    projects: Names
    paths: Names
    trusts: Names
    tags: Names
    clusters: Names
    time: TimeRangeBody | None = None
    as_of: Moment | None = None
    superseded: bool = False
    strict: Annotated[bool, Field(description="Drop none of them when nothing fits, also not kinds, tags or time.")] = (
        False
    )

    def value(self) -> Filters:
        """The same as the engine takes it."""
        return Filters(
            ids=frozenset(self.ids),
            kinds=frozenset(self.kinds),
            without_kinds=frozenset(self.without_kinds),
            lifecycles=frozenset(self.lifecycles) or VISIBLE,
            projects=frozenset(self.projects),
            paths=frozenset(self.paths),
            trusts=frozenset(self.trusts),
            tags=frozenset(self.tags),
            clusters=frozenset(self.clusters),
            time=self.time.value() if self.time else None,
            as_of=self.as_of,
            superseded=self.superseded,
            strict=self.strict,
        )


class MessageBody(Body):
    """Something said shortly before the question."""

    author: Annotated[str, Field(max_length=LONGEST_NAME, examples=["user"])] = "user"
    text: Annotated[str, Field(max_length=LONGEST_QUESTION, examples=["The harbour plan is due in March."])]
    at: Moment | None = None

    def value(self) -> Message:
        """The same as the engine takes it."""
        return Message(self.author, self.text, self.at)


Before = Annotated[
    list[MessageBody],
    Field(
        default_factory=list, description="What was said before, oldest first.", **documented(maxItems=MOST_MESSAGES)
    ),
]


class RetrieveBody(Body):
    """A question to be answered with a verdict."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "When is the harbour plan due?", "recipe": "balanced"}]}
    )

    text: QuestionText
    space: SpaceName = None
    filters: FiltersBody | None = None
    messages: Before
    recipe: RecipeName = None
    deadline: Deadline = None
    max_tokens: Tokens = None


class ContextBody(Body):
    """A message an agent is about to reply to."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"message": "What did we decide about the harbour?", "session": "chat-17"}]}
    )

    message: QuestionText
    space: SpaceName = None
    session: Annotated[
        AnyText | None, Field(examples=["chat-17"], **documented(minLength=1, maxLength=LONGEST_SESSION))
    ] = None
    filters: FiltersBody | None = None
    messages: Before
    deadline: Deadline = None
    max_tokens: Tokens = None


class RecallBody(Body):
    """A question whose memories are wanted; without one, the newest memories."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "harbour plan", "limit": 5}]})

    text: QuestionText | None = None
    space: SpaceName = None
    filters: FiltersBody | None = None
    limit: Limit = 10
    recipe: RecipeName = None
    deadline: Deadline = None
    after: Annotated[
        AnyText | None,
        Field(description="Without a `text`: the id of the last memory seen, to go on.", **documented(minLength=1)),
    ] = None


class SearchBody(Body):
    """A plain search: scores with their reasons, no verdict."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "harbour plan", "limit": 10}]})

    text: QuestionText
    space: SpaceName = None
    filters: FiltersBody | None = None
    limit: Limit = 10


class ClassifyBody(Body):
    """A question to be looked at; nothing is searched."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "What did Ana say yesterday?"}]})

    text: QuestionText
    now: Annotated[Moment | None, Field(description="The moment it is asked; now, where left out.")] = None
    messages: Before


# For what the engine has no verb for.
OwnDeadline = Annotated[float | None, Field(gt=0, description="Seconds until it must answer.", examples=[2.5])]
OwnLimit = Annotated[int, Field(ge=0, le=MOST, description="At most so many; zero is a limit like any other.")]


class ConversationMessage(Body):
    """One message of a conversation, oldest first; the last one is what is asked."""

    author_id: Annotated[str, Field(max_length=LONGEST_NAME, examples=["u-17"])] = ""
    author_name: Annotated[str, Field(max_length=LONGEST_NAME, examples=["Ana"])] = ""
    content: Annotated[str, Field(max_length=LONGEST_QUESTION, examples=["When is the harbour plan due?"])]
    timestamp: Moment | None = None

    def value(self) -> Message:
        """The same as the engine takes it."""
        return Message(self.author_name or self.author_id or "user", self.content, self.timestamp)


class ConversationBody(Body):
    """A conversation, whose last message is to be answered from memory."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "messages": [
                        {
                            "author_id": "u-17",
                            "author_name": "Ana",
                            "content": "When is the harbour plan due?",
                            "timestamp": "2026-03-01T14:30:00Z",
                        }
                    ],
                    "channel_id": "planning",
                    "max_facts": 30,
                    "max_messages": 10,
                    "max_iterations": 10,
                }
            ]
        }
    )

    messages: Annotated[list[ConversationMessage], Field(min_length=1, max_length=MOST_MESSAGES)]
    channel_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=LONGEST_NAME,
            description="Messages come only from this channel (the cluster of that name); facts from anywhere.",
        ),
    ] = None
    time_range: Annotated[TimeRangeBody | None, Field(description="Only of this time; a side may be left open.")] = None
    max_facts: OwnLimit = MAX_FACTS
    max_messages: OwnLimit = MAX_CONVERSATION_MESSAGES
    max_iterations: Annotated[int, Field(ge=0, le=MOST, description="Rounds of searching, at most.")] = MAX_ITERATIONS
    space: SpaceName = None
    filters: FiltersBody | None = None
    deadline: OwnDeadline = None
