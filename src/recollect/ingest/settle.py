"""Two memories that contradict each other -> what somebody decided about them, in one transaction each.

Whatever is decided, nothing is deleted: the interval of what no longer holds is closed, and what is current is linked
to it. That both may hold is a link too. To decide the same again changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.errors import InvalidInput, WriteConflict
from recollect.ingest.write import Desk, make_draft, make_memory, read_one
from recollect.rank.disputes import later_first
from recollect.records import Draft, EraseLink, Filters, Link, Memory, PutLink, PutMemory, Vector, Write
from recollect.values import Resolution, Resolved, Ruling

COEXISTS, SUPERSEDES = "coexists_with", "supersedes"


def check_resolution(resolution: Resolution) -> None:
    """One of the four ways, two different memories, and a text where they are merged and nowhere else."""
    if resolution.how not in set(Ruling):
        raise InvalidInput(f"how is {resolution.how!r}; give one of {', '.join(Ruling)}", field="how")
    if resolution.one == resolution.other:
        raise InvalidInput(f"{resolution.one!r} is given twice; name two memories", field="other")
    if (resolution.text is not None) != (resolution.how == Ruling.MERGE):
        told = "merge needs the text of the merged memory" if resolution.text is None else "only merge takes a text"
        raise InvalidInput(f"{told}; how is {str(resolution.how)!r}", field="text")


def is_current(memory: Memory, *, now: datetime) -> bool:
    """Whether it is neither archived nor superseded."""
    return Filters().passes(memory, now=now)


def merged_draft(one: Memory, other: Memory, text: str) -> Draft:
    """What a merge stores: named and classed as the later of the two, with the labels of both."""
    newer, older = later_first(one, other)
    return make_draft(
        body=text,
        title=newer.title,
        kind=newer.kind,
        project=newer.project,
        trust=newer.trust,
        tags=tuple(dict.fromkeys((*newer.tags, *older.tags))),
        clusters=tuple(dict.fromkeys((*newer.clusters, *older.clusters))),
    )


def resolve(resolution: Resolution, *, space: str, vector: Vector | None, desk: Desk) -> Resolved:
    """Carry one checked resolution out; `vector` is that of a merge's text."""
    one, other = (read_one(desk.store, space, id) for id in (resolution.one, resolution.other))
    newer, older = later_first(one, other)
    match Ruling(resolution.how):
        case Ruling.NEW_IS_CURRENT:
            return _prefer(newer, older, how=Ruling.NEW_IS_CURRENT, space=space, desk=desk)
        case Ruling.OLD_IS_CURRENT:
            return _prefer(older, newer, how=Ruling.OLD_IS_CURRENT, space=space, desk=desk)
        case Ruling.KEEP_BOTH:
            return _keep_both(newer, older, space=space, desk=desk)
        case Ruling.MERGE:
            draft = merged_draft(newer, older, resolution.text or "")
            return _merge(newer, older, draft=draft, space=space, vector=vector, desk=desk)


def _prefer(current: Memory, gone: Memory, *, how: Ruling, space: str, desk: Desk) -> Resolved:
    now = desk.now()
    _check_current(current, now=now)
    links = _between(current, gone, space=space, desk=desk)
    writes: list[Write] = [EraseLink(*_ends(link)) for link in links if link.relation == COEXISTS]
    if not any(link.relation == SUPERSEDES and link.from_id == current.id for link in links):
        writes.append(PutLink(Link(current.id, gone.id, SUPERSEDES, now, weight=1.0)))
    _apply([*_closing(gone, now=now), *writes], space=space, desk=desk)
    return Resolved(how, (current.id,), (gone.id,))


def _keep_both(newer: Memory, older: Memory, *, space: str, desk: Desk) -> Resolved:
    now = desk.now()
    for memory in (newer, older):
        _check_current(memory, now=now)
    if not any(link.relation == COEXISTS for link in _between(newer, older, space=space, desk=desk)):
        said = f"resolved as {Ruling.KEEP_BOTH}"
        _apply([PutLink(Link(newer.id, older.id, COEXISTS, now, weight=1.0, evidence=said))], space=space, desk=desk)
    return Resolved(Ruling.KEEP_BOTH, (newer.id, older.id))


def _merge(newer: Memory, older: Memory, *, draft: Draft, space: str, vector: Vector | None, desk: Desk) -> Resolved:
    now = desk.now()
    new = make_memory(draft, space=space, now=now, entropy=desk.entropy)
    done = _superseding_both(newer, older, space=space, desk=desk)
    same = next((each.id for each in done if each.content_hash == new.content_hash), None)
    if same is None:
        for memory in (newer, older):
            _check_current(memory, now=now)
        begun = replace(new, valid_from=new.created_at)
        closing = [each for memory in (newer, older) for each in _closing(memory, now=now)]
        links = [PutLink(Link(new.id, each.id, SUPERSEDES, now, weight=1.0)) for each in (newer, older)]
        _apply([*closing, PutMemory(begun, vector), *links], space=space, desk=desk)
    return Resolved(Ruling.MERGE, (same or new.id,), (newer.id, older.id))


def _superseding_both(one: Memory, other: Memory, *, space: str, desk: Desk) -> list[Memory]:
    links = [link for link in desk.store.links(space, [one.id, other.id]) if link.relation == SUPERSEDES]
    of_one, of_other = ({link.from_id for link in links if link.to_id == each.id} for each in (one, other))
    return desk.store.read(space, sorted(of_one & of_other))


def _check_current(memory: Memory, *, now: datetime) -> None:
    if not is_current(memory, now=now):
        state = "archived" if memory.lifecycle not in Filters().lifecycles else "superseded, or not yet valid"
        raise WriteConflict(f"memory {memory.id!r} is {state}; resolve the conflict with the one that is current")


def _closing(memory: Memory, *, now: datetime) -> list[Write]:
    """The write that ends a memory's interval, unless it has ended."""
    if memory.valid_to is not None and memory.valid_to <= now:
        return []
    closed = replace(memory, valid_to=now, updated_at=max(now, memory.updated_at))
    return [PutMemory(closed, expected=memory.updated_at)]


def _between(one: Memory, other: Memory, *, space: str, desk: Desk) -> list[Link]:
    return [link for link in desk.store.links(space, [one.id]) if other.id in (link.from_id, link.to_id)]


def _ends(link: Link) -> tuple[str, str, str]:
    return link.from_id, link.to_id, link.relation


def _apply(writes: Sequence[Write], *, space: str, desk: Desk) -> None:
    if writes:
        desk.store.apply(space, writes)
