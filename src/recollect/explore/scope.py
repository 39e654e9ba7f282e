"""Where to look, by what a question names: projects, files and entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.explore.linking import Link
from recollect.findings import Narrowing
from recollect.knowledge import Statement
from recollect.ports import Knowledge

SURE_NAME = 0.5  # a name less surely meant says nothing about where to look
MOST_FILES = 50
STATEMENTS_PER_NODE = 50


def find_scope(
    links: Sequence[Link],
    knowledge: Knowledge,
    *,
    space: str,
    projects: frozenset[str] = frozenset(),
    trail: Iterable[Statement] = (),
) -> Narrowing:
    """The projects and files that define what is named, or say something of it; empty where nothing is named.

    `trail` are statements that answered already: what they say is nearer than anything else at those nodes.
    """
    nodes = [node for link in links if link.belief >= SURE_NAME for node in link.nodes]
    if not nodes:
        return Narrowing()
    said = list(trail) or knowledge.about(
        space, [node.id for node in nodes], projects=projects, limit=STATEMENTS_PER_NODE
    )
    where = {node.project for node in nodes} | {each.project for each in said}
    files = dict.fromkeys(path for node in nodes for path, _ in node.places)
    files.update(dict.fromkeys(each.path for each in said if each.path and each.project))
    entities = tuple(dict.fromkeys(node.id for node in nodes))
    return Narrowing(frozenset(where - {""}), frozenset(list(files)[:MOST_FILES]), entities)
