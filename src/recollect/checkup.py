"""`doctor`: looks at every part that can be wrong, and says the remedy for each that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.errors import RecollectError
from recollect.ports import Embedder, Knowledge, Store, TextKind
from recollect.records import Filters
from recollect.values import Health

MANY = 1_000
JOURNAL = "journal: "  # how the store's lines about it begin
ERASED = "erased: "  # and those about text that was erased and is still on the disk
READING = "end the process that reads; the next write or opening takes it out"


def check_store(store: Store, space: str) -> Iterator[Health]:
    """The record, its derived indexes, and whether a search works."""
    if space not in store.names():
        yield Health(f"space {space!r}", True, "nothing stored yet")
        return
    try:
        stats = store.stats(space)
        wrong = store.check(space)
    except RecollectError as error:
        yield Health(f"space {space!r}", False, str(error), "restore the file from an export or a backup copy")
        return
    record = [line for line in wrong if not line.startswith((JOURNAL, ERASED))]
    remedy = "restore from an export or a backup" if record else None
    yield Health("record", not record, "; ".join(record) or "sound", remedy)
    for line in wrong:
        if line.startswith(JOURNAL):
            yield Health("journal", False, line.removeprefix(JOURNAL), "delete journal.db: only traces are lost")
        if line.startswith(ERASED):
            yield Health("erased text", False, line.removeprefix(ERASED), READING)
    size = f"{stats.memories:,} memories, {stats.links:,} links, {stats.bytes_on_disk / 1e6:,.1f} MB"
    yield Health(f"space {space!r}", True, size)
    yield from _check_indexes(store, space)


def check_graph(knowledge: Knowledge, space: str) -> Health:
    """Whether the graph is as it should be."""
    try:
        wrong = knowledge.check(space)
    except RecollectError as error:
        return Health("graph", False, str(error), "see the message")
    return Health("graph", not wrong, "; ".join(wrong) or "sound", READING if wrong else None)


def check_vectors(store: Store, space: str, embedder: Embedder) -> Iterator[Health]:
    """Whether what is stored was embedded by the embedder in use, and all of it."""
    if space not in store.names():
        return
    stats = store.stats(space)
    if stats.embedder not in (None, embedder.identity):
        seen = f"vectors are of {stats.embedder!r}, in use is {embedder.identity!r}"
        yield Health("vectors", False, seen, "run 'recollect reindex', or set the embedder back")
        return
    missing = stats.memories - stats.vectors
    remedy = "run 'recollect reindex'" if missing else None
    yield Health("vectors", not missing, f"{stats.vectors:,} of {stats.memories:,} memories", remedy)


async def check_embedder(embedder: Embedder) -> Health:
    """Whether the embedder works, and whether it is the one asked for."""
    try:
        (vector,) = await embedder.embed(["a quick check"], kind=TextKind.QUERY)
    except RecollectError as error:
        return Health("embedder", False, str(error), "see the message, or set embedder.name to 'static'")
    seen = f"{embedder.identity}, {vector.dimensions} dimensions"
    if embedder.note:
        return Health("embedder", False, f"{seen} ({embedder.note})", "make the MiniLM weights reachable once")
    return Health("embedder", True, seen)


def _check_indexes(store: Store, space: str) -> Iterator[Health]:
    before = store.lag(space)
    try:
        store.match(space, "check up", filters=Filters(), limit=1)
    except RecollectError as error:
        yield Health("lexical index", False, str(error), "run 'recollect reindex'")
        return
    for was, now in zip(before, store.lag(space), strict=True):
        seen = f"at {now.position:,} of {now.head:,} changes"
        if was.behind > 0 and not was.note:
            seen += f" (was {was.behind:,} behind, caught up)"
        yield Health(f"{now.index} index", now.behind == 0, seen, "run 'recollect reindex'" if now.behind else None)


def check_aftermath(problems: Sequence[str], *, left_out: int) -> Health:
    """Whether traces and lessons of this process's calls could be stored."""
    if left_out:
        return Health("traces", False, f"{left_out} were left out", "the disk is too slow, or keep_traces should be 0")
    if problems:
        return Health("traces", False, problems[-1], "see whether the store's folder can be written")
    return Health("traces", True, "stored after each answer")


def check_observers(problems: Sequence[str], *, left_out: int) -> Health:
    """Whether whoever observes this process's calls could be told of them."""
    if left_out:
        return Health("observers", False, f"{left_out} calls were not told", "an observer is too slow, or its network")
    if problems:
        return Health("observers", False, problems[-1], "see the message; calls are not hurt by it")
    return Health("observers", True, "told after each call")
