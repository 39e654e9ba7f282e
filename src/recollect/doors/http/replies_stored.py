"""What replies about stored things hold, for the OpenAPI document: the shapes the `wire` modules make."""

from __future__ import annotations

from pydantic import BaseModel

from recollect.doors.http.replies_found import MemoryReply
from recollect.doors.http.replies_trace import TraceLine
from recollect.doors.http.said import Share, When, one_of, says
from recollect.memories import Lifecycle
from recollect.values import ConflictKind, Fate, Ruling

NEXT = "What to give as `after` for the next page; null at the end."


class MemoriesPage(BaseModel):
    """Memories newest first."""

    items: list[MemoryReply] = says("The memories of this page.")
    next: str | None = says(NEXT)


class SimilarReply(BaseModel):
    """A stored memory that says nearly the same."""

    id: str = says("Of the memory.")
    cosine: float = says("How alike they are, -1 to 1.")


class RememberedReply(BaseModel):
    """What became of a text."""

    id: str = says("Of the memory that holds it now.")
    fate: str = says(f"Repeated: the key was used for it before. {one_of(Fate)}")
    similar: list[SimilarReply] = says("What says nearly the same and was linked to it.")
    notes: list[str] = says("What could not be done, such as comparing it by meaning.")


class RememberedManyReply(BaseModel):
    """What became of several texts, in order."""

    items: list[RememberedReply] = says("What became of each.")


class LinkReply(BaseModel):
    """One connection."""

    from_id: str = says("The memory or entity it leads from.")
    to_id: str = says("The memory or entity it leads to.")
    relation: str = says("What the one is to the other.", examples=["relates_to"])
    weight: Share = says("How strong it was made.")
    learned: float = says("What use has added to the weight, as of `learned_at`; it wears off from then on.")
    learned_at: When = says("When use last added something.")
    evidence: str | None = says("What says so.")
    created_at: When = says("When it was made.")
    valid_from: When = says("From when on it holds; null: from the start.")
    valid_to: When = says("Since when it no longer holds; null: it holds.")


class LinksPage(BaseModel):
    """The links at one memory or entity, in both directions."""

    items: list[LinkReply] = says("The links of this page, by their ends.")
    next: str | None = says(NEXT)


class PlaceReply(BaseModel):
    """Where something is defined."""

    path: str = says("The file, within its project.")
    line: int = says("The line, from 1.")


class NodeReply(BaseModel):
    """A named thing."""

    id: str = says("The same for every name that means it.")
    key: str = says("What it is told apart by: its kind, where it is defined, its name.")
    name: str = says("What it is called.")
    kind: str = says("What it is.", examples=["class", "table", "person"])
    project: str = says("The project that defines it; empty where none does.")
    detail: str = says("How it is declared or described.")
    aliases: list[str] = says("What else it is called.")
    places: list[PlaceReply] = says("Where it is defined.")


class StatementReply(BaseModel):
    """One fact, with the place that says it."""

    subject: str = says("The id of the entity it is about.")
    relation: str = says("What is said.", examples=["calls"])
    object: str = says("The id of the other entity.")
    weight: float = says("How sure it is, 0 to 1.")
    project: str = says("The project of the file that says it; empty for a memory.")
    path: str = says("The file that says it, within its project; empty for a memory.")
    line: int = says("The line, from 1; 0 where there is none.")
    sentence: str = says("The words that say it, where they are kept.")
    memory: str = says("The id of the memory or piece of a file that says it.")


class NodesReply(BaseModel):
    """Entities."""

    items: list[NodeReply] = says("Best first.")


class SameEntityReply(BaseModel):
    """The entities of one name."""

    projects: dict[str, list[NodeReply]] = says("By the project that defines them; the empty name: none does.")


class StatementsReply(BaseModel):
    """What is said of an entity."""

    items: list[StatementReply] = says("The statements.")
    more: bool = says("Whether the limit cut some off.")


class ConnectionReply(BaseModel):
    """One path between two entities."""

    nodes: list[str] = says("Ids of the entities from end to end.")
    statements: list[StatementReply] = says("The statement between each two.")
    cost: float = says("What it costs: more for each hop, for weak statements and for entities that all know.")


class PathsReply(BaseModel):
    """Paths, the cheapest first."""

    items: list[ConnectionReply] = says("The paths.")


class DisputeReply(BaseModel):
    """Two current memories that contradict each other."""

    newer: MemoryReply = says("The later of the two.")
    older: MemoryReply = says("The earlier of the two.")
    kind: str = says(f"In what way. {one_of(ConflictKind)}")
    reason: str = says("What differs, or that a link says so.", examples=["stated_contradiction", "numbers_differ"])
    trace_id: str | None = says("The newest answer that came upon it; null where a link says so.")
    cursor: str = says("What to give as `after` to go on behind this one.")


class DisputesPage(BaseModel):
    """Conflicts, the one stored last first."""

    items: list[DisputeReply] = says("The conflicts of this page.")
    next: str | None = says(NEXT)


class ResolvedReply(BaseModel):
    """What a resolution left."""

    how: str = says(one_of(Ruling))
    current: list[str] = says("Ids of the memories that hold now.")
    superseded: list[str] = says("Ids of those that no longer do.")


class ResolvedManyReply(BaseModel):
    """The same for each, in order."""

    items: list[ResolvedReply] = says("What each left.")


class ClusterReply(BaseModel):
    """A cluster."""

    name: str = says("Its name.")
    memories: int = says("How many current memories it has.")


class ClustersReply(BaseModel):
    """All clusters by name."""

    items: list[ClusterReply] = says("The clusters.")


class MemoriesReply(BaseModel):
    """Memories as they are now."""

    items: list[MemoryReply] = says("The memories, as named.")


class TracesPage(BaseModel):
    """Traces newest first."""

    items: list[TraceLine] = says("The traces of this page.")
    next: str | None = says(NEXT)


class ProjectReply(BaseModel):
    """What is kept of one project."""

    project: str = says("Its name.")
    files: int = says("How many files were read.")
    chunks: int = says("How many pieces they make.")
    entities: int = says("How many named things they define.")
    statements: int = says("How many statements they make.")


class ProjectsReply(BaseModel):
    """The projects of a space by name."""

    items: list[ProjectReply] = says("The projects.")


class SkippedFile(BaseModel):
    """A file that was left out."""

    path: str = says("The file, within its project.")
    reason: str = says("Why.")


class IngestedReply(BaseModel):
    """What one ingest did. Chunks, entities and statements are those of the files read now."""

    project: str = says("The project.")
    read: int = says("How many files were read.")
    unchanged: int = says("How many were as before.")
    removed: int = says("How many are gone.")
    skipped: list[SkippedFile] = says("Files that were left out; what git ignores is not among them.")
    chunks: int = says("How many pieces they make.")
    entities: int = says("How many named things they define.")
    statements: int = says("How many statements they make.")
    embedded: int = says("How many pieces got a vector.")
    notes: list[str] = says("What could not be done.")
    seconds: float = says("How long it took.")


class AllIngestedReply(BaseModel):
    """What an ingest of many projects did."""

    items: list[IngestedReply] = says("The projects, by name.")


class CountReply(BaseModel):
    """A number of things."""

    count: int = says("How many there were.")


class SpacesReply(BaseModel):
    """The spaces the key may see."""

    items: list[str] = says("Their names.")


class StatsReply(BaseModel):
    """Counts for one space."""

    space: str = says("Its name.")
    memories: int = says("How many memories there are, superseded and archived ones too.")
    by_lifecycle: dict[str, int] = says(f"The same by lifecycle. Any of: {', '.join(Lifecycle)}.")
    links: int = says("How many links.")
    entities: int = says("How many entities that links lead to.")
    vectors: int = says("How many memories have a vector.")
    embedder: str | None = says("The embedder these are from; null where there are none.")
    bytes_on_disk: int = says("What its files take, in bytes.")


class ImportedReply(BaseModel):
    """How many of each sort were read."""

    memory: int = says("Memories.")
    entity: int = says("Entities.")
    link: int = says("Links.")


class FadedReply(BaseModel):
    """Which memories changed their lifecycle."""

    changed: dict[str, str] = says("By id, what they are now.")
