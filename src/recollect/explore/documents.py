"""Which memories speak of a name, and what they say of it: from statements back to the texts that make them.

Takes names that stand in some text; gives for each the memories that state something of it. Only what was stated of
memories counts: what files define and call is followed elsewhere. What it is worth is left to `rank/joined`.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.knowledge import Statement
from recollect.language.calendar import MONTH_NAMES
from recollect.ports import Knowledge
from recollect.rank.joined import MOST_SPEAK
from recollect.records import name_key

STATED = 1.0  # weight from which on a statement says something, rather than only naming both
SAYINGS = 4 * MOST_SPEAK  # statements of one name that are read
UNOWNED = "::name:"  # how the id of a node begins that is only called something


def unasked(names: Sequence[str], question: str) -> list[str]:
    """The names that are not in the question; days and years name nothing that texts have in common.

    >>> unasked(["ana ortiz", "blue boat", "may 1998"], "Who built the Blue Boat?")
    ['ana ortiz']
    """
    asked = f" {name_key(question)} "
    return [name for name in names if f" {name} " not in asked and not _is_date(name)]


def told_of(knowledge: Knowledge, space: str, names: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """By name, the memories that state something of it, with what they say in small letters."""
    found = knowledge.named(space, names) if names else {}
    ids = {f"{UNOWNED}{name}": name for name in found}
    known = dict.fromkeys(node.id for nodes in found.values() for node in nodes if node.id in ids)
    told: dict[str, dict[str, list[str]]] = {}
    for said in knowledge.about(space, list(known), limit=SAYINGS) if known else ():
        for end in (said.subject, said.object):
            if end in ids and said.memory:
                told.setdefault(ids[end], {}).setdefault(said.memory, []).append(_words(said))
    return told


def _is_date(name: str) -> bool:
    return all(word.isdigit() or word in MONTH_NAMES for word in name.split())


def _words(said: Statement) -> str:
    """What a statement says; nothing where it only names two things together."""
    return f"{said.relation} {said.sentence}".replace("_", " ").lower() if said.weight >= STATED else ""
