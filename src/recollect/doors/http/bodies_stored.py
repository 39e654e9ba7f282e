"""What requests about stored things hold: memories, links, conflicts, clusters, feedback, replay, projects."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from recollect.doors.http.bodies import (
    AS_TEXT,
    LONGEST_NAME,
    MOST,
    AnyNumber,
    AnyText,
    Body,
    Moment,
    SpaceName,
    documented,
)
from recollect.memories import Draft
from recollect.values import Resolution, Ruling, Use

LONGEST_ID = 1_000
LONGEST_PROJECT = 200
LONGEST_PATH = 4_096
MOST_LABELS = 100
MOST_REPLAYED = 50
MOST_SETTINGS, LONGEST_SETTING = 50, 200
MOST_PATHS = 100
RELATION = r"^[a-z][a-z0-9_]{0,63}$"
DRAFT_NAMES = {"text": "body"}  # where a field is called otherwise inside

Id = Annotated[AnyText, Field(examples=["01kdvdna000000000000000000"], **documented(minLength=1))]
Text = Annotated[AnyText, Field(examples=["The harbour plan is due in March."], **documented(minLength=1))]
Short = Annotated[AnyText, Field(**documented(maxLength=LONGEST_NAME))]
Name = Annotated[AnyText, Field(**documented(minLength=1, maxLength=LONGEST_NAME))]
Labels = Annotated[list[Name], Field(default_factory=list, **documented(maxItems=MOST_LABELS))]
Relation = Annotated[AnyText, Field(examples=["relates_to"], **documented(pattern=RELATION))]


class FieldsBody(Body):
    """The fields of a memory beside its text; one left out is as usual."""

    title: Annotated[Short, Field(examples=["Harbour plan"])] = ""
    kind: Annotated[Name, Field(examples=["fact"])] = "fact"
    summary: AnyText | None = None
    event_time: Annotated[Moment | None, Field(description="When what it tells happened.")] = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    project: Short | None = None
    source_uri: Short | None = None
    source_position: Short | None = None
    author: Short | None = None
    trust: Annotated[Short, Field(examples=["user", "agent", "tool", "document", "web"])] = "user"
    tags: Labels
    clusters: Labels
    metadata: Annotated[dict[str, Any], Field(default_factory=dict)]

    def given(self) -> dict[str, Any]:
        """The fields that were sent, under the names they have inside."""
        sent = {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}
        return {DRAFT_NAMES.get(name, name): value for name, value in sent.items() if name not in ("space", "append")}


class NewMemory(FieldsBody):
    """A text to remember."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "The harbour plan is due in March.", "tags": ["harbour"]}]}
    )

    text: Text

    def value(self) -> Draft:
        """The same as the engine takes it."""
        fields = self.given()
        fields |= {name: tuple(fields[name]) for name in ("tags", "clusters") if name in fields}
        return Draft(**fields)


class RememberBody(NewMemory):
    """One text to remember."""

    space: SpaceName = None


class RememberManyBody(Body):
    """Several texts to remember, in order; all are checked before the first is stored."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"memories": [{"text": "The harbour plan is due in March."}]}]}
    )

    memories: Annotated[list[NewMemory], Field(max_length=MOST)]
    space: SpaceName = None


class UpdateBody(FieldsBody):
    """What to change: the fields sent, and no others. `text` replaces, `append` adds to it; not both."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"append": "Ana confirmed it."}, {"tags": ["harbour", "2026"]}]}
    )

    text: Text = "-"
    append: Annotated[AnyText | None, Field(description="Put behind the text, on a line of its own.")] = None
    space: SpaceName = None


class SupersedeBody(FieldsBody):
    """A newer version; title, kind, project, tags and trust are those of the old one unless sent."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "The harbour plan is due in April."}]})

    text: Text
    space: SpaceName = None


class LinkBody(Body):
    """A connection between two memories or entities."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"from_id": "01kdv…a", "to_id": "01kdv…b", "relation": "causes"}]}
    )

    from_id: Id
    to_id: Id
    relation: Relation = "relates_to"
    weight: Annotated[AnyNumber, Field(**documented(minimum=0, maximum=1))] = 0.5
    evidence: str | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    space: SpaceName = None


class ResolutionBody(Body):
    """What to do about two memories that contradict each other. Only a merge takes a `text`, and needs one."""

    one: Id
    other: Id
    how: Annotated[
        Ruling,
        AS_TEXT,
        Field(
            description="Who is current; `new` is the later of the two.",
            **documented(enum=[each.value for each in Ruling]),
        ),
    ]
    text: Annotated[Text | None, Field(description="Of the memory that replaces both.")] = None

    def value(self) -> Resolution:
        """The same as the engine takes it."""
        return Resolution(self.one, self.other, self.how, self.text)


class ResolveBody(ResolutionBody):
    """One conflict resolved."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"one": "01kdv…a", "other": "01kdv…b", "how": "new_is_current"}]}
    )

    space: SpaceName = None


class ResolveManyBody(Body):
    """Several conflicts resolved, in order."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"resolutions": [{"one": "01kdv…a", "other": "01kdv…b", "how": "keep_both"}]}]}
    )

    resolutions: Annotated[list[ResolutionBody], Field(**documented(maxItems=MOST))]
    space: SpaceName = None


class ClusterBody(Body):
    """Memories, and the cluster they are put in or taken out of."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cluster": "harbour", "ids": ["01kdv…a"]}]})

    cluster: Name
    ids: Annotated[list[Id], Field(**documented(minItems=1, maxItems=MOST))]
    space: SpaceName = None


class FeedbackBody(Body):
    """What became of a piece of evidence."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"trace_id": "01kdv…t", "memory_id": "01kdv…a", "use": "used"}]}
    )

    trace_id: Id
    memory_id: Id
    use: Annotated[Use, AS_TEXT, Field(**documented(enum=[each.value for each in Use]))]
    space: SpaceName = None


SettingValue = bool | int | float | Annotated[str, Field(max_length=LONGEST_NAME)]


class ReplayBody(Body):
    """Stored questions to ask again under changed settings."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"last": 10, "settings": {"quality_threshold": 0.4}}]})

    last: Annotated[int, Field(ge=0, le=MOST_REPLAYED, description="So many of the newest traces.")] = 10
    settings: Annotated[
        dict[Annotated[str, Field(max_length=LONGEST_SETTING)], SettingValue],
        Field(max_length=MOST_SETTINGS, default_factory=dict, description="Settings of retrieval by dotted names."),
    ]
    space: SpaceName = None


Paths = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)]], Field(min_length=1, max_length=MOST_PATHS)
]


class IngestEachBody(Body):
    """Folders of the machine the service runs on; every folder right below is a project."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"paths": ["/srv/code"]}]})

    paths: Paths
    embed: bool = True
    space: SpaceName = None


class IngestBody(Body):
    """Files of the machine the service runs on, to be read into a project."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"project": "billing", "paths": ["/srv/code/billing"]}]})

    project: Annotated[AnyText, Field(**documented(minLength=1, maxLength=LONGEST_PROJECT))]
    paths: Paths
    embed: bool = True
    space: SpaceName = None
