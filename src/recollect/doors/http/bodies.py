"""What requests hold: one model each, with examples; a field nobody knows is refused.

Replies are in `replies.py`. What a field may hold beyond its type is checked by the engine, in the same words for every
door; bounds that are plain numbers stand here too, so that the OpenAPI document tells them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from recollect.questions import Message
from recollect.recipes import RECIPES
from recollect.records import LONGEST_SPACE_NAME, VISIBLE, Filters, Lifecycle, TimeAxis, TimeRange

MOST = 1_000
LONGEST_QUESTION = 200_000
MOST_MESSAGES = 1_000
LONGEST_SESSION = 200
LONGEST_NAME = 1_000
MOST_NAMES = 1_000
LONGEST_DEADLINE = 600.0
MOST_TOKENS = 1_000_000
MAX_FACTS, MAX_CONVERSATION_MESSAGES, MAX_ITERATIONS = 30, 10, 10
NOT_BLANK = r"\S"
PRINTABLE = r"^[^\x00-\x1f\x7f]*$"


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
QuestionText = Annotated[
    str, Field(min_length=1, max_length=LONGEST_QUESTION, pattern=NOT_BLANK, description="What is asked.")
]
SpaceName = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=LONGEST_SPACE_NAME,
        description="The space; left out, the only one of the key, or `default`.",
        examples=["default"],
    ),
]
Names = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]],
    Field(max_length=MOST_NAMES, default_factory=list),
]
Limit = Annotated[int, Field(ge=0, le=MOST, description="At most so many; zero is a limit like any other.")]
Deadline = Annotated[
    float | None, Field(gt=0, le=LONGEST_DEADLINE, description="Seconds until it must answer.", examples=[2.5])
]
Tokens = Annotated[int | None, Field(ge=0, le=MOST_TOKENS, description="Size of the context block.", examples=[2000])]
RecipeName = Annotated[
    str | None,
    Field(pattern=f"^({'|'.join(RECIPES)})$", description="How hard to search.", examples=["balanced"]),
]


class Body(BaseModel):
    """A request's body: no field but those it names, and no guessing of types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TimeRangeBody(Body):
    """From `start` (included) to `end` (left out); either side may be open."""

    start: Moment | None = None
    end: Moment | None = None
    axis: Annotated[TimeAxis, Field(strict=False, description="Which time is meant.")] = TimeAxis.ANY

    def value(self) -> TimeRange | None:
        """The same as the engine takes it; nothing where both sides are open."""
        return TimeRange(self.start, self.end, self.axis) if self.start or self.end else None


class FiltersBody(Body):
    """Which memories may come back. Several values of one filter mean any of them (tags: all of them)."""

    ids: Names
    kinds: Names
    without_kinds: Names
    lifecycles: Annotated[
        list[Annotated[Lifecycle, Field(strict=False)]],
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
    Field(max_length=MOST_MESSAGES, default_factory=list, description="What was said before, oldest first."),
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
    session: Annotated[str | None, Field(min_length=1, max_length=LONGEST_SESSION, examples=["chat-17"])] = None
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
    max_facts: Limit = MAX_FACTS
    max_messages: Limit = MAX_CONVERSATION_MESSAGES
    max_iterations: Annotated[int, Field(ge=0, le=MOST, description="Rounds of searching, at most.")] = MAX_ITERATIONS
    space: SpaceName = None
    filters: FiltersBody | None = None
    deadline: Deadline = None
