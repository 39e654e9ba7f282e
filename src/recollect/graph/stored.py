"""What `meanings` works with, out of the graph: all of some projects, and of others what is asked for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from recollect.graph.keys import NAME, id_of, plain_key, ref_of
from recollect.graph.meanings import Facts, is_for_others, reach_of
from recollect.knowledge import Relation

LAST = "\U0010ffff"  # sorts after all that may follow
DEFINED = """
select r.text, e.name, e.aliases from files f cross join entities e on e.id >= f.id and e.id < f.end
join refs r on r.id = e.ref where f.project = ?
"""
ALIASES = """
select a.key, a.target from files f cross join aliases a on a.id >= f.id and a.id < f.end
where f.project = ? order by f.path, a.id
"""
BASES = """
select s.text, o.text from relations l cross join files f cross join statements t on t.id >= f.id and t.id < f.end
join refs s on s.id = t.subject join refs o on o.id = t.object
where l.relation = ? and f.project = ? and t.relation = l.id order by f.path, t.id
"""
OWNERS = "select project from tops where top = ?"
DEFINED_BELOW = """
select r.text from refs r where r.text >= ? and r.text < ? and exists (select 1 from entities e where e.ref = r.id)
"""
ALIASES_BELOW = """
select f.project, a.key, a.target from aliases a join files f on f.id = a.file
where a.key >= ? and a.key < ? order by f.path, a.id
"""
BASES_OF = """
select o.text from refs s cross join relations l cross join statements t on t.subject = s.id and t.relation = l.id
join files f on f.id = t.file join refs o on o.id = t.object
where s.text = ? and l.relation = ? order by f.path, t.id
"""
CALLED = """
select r.text, e.kind, e.name, e.aliases from refs r join entities e on e.ref = r.id where r.last = ?1
union all select r.text, e.kind, e.name, e.aliases
from called c join entities e on e.id = c.entity join refs r on r.id = e.ref where c.name = ?1
"""


class StoredFacts(Facts):
    """Facts that are read when they are needed."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__()
        self._db = db
        self._whole: set[str] = set()  # projects
        self._read: set[str] = set()  # what keys begin with
        self._own: set[tuple[str, str]] = set()  # the same, where only the project itself means its own

    def load(self, project: str) -> set[str]:
        """Read all of a project before anything else is asked, and note what its keys begin with.

        Gives what may mean something else with this project than without it, as tops.
        """
        self._whole.add(project)
        names: set[str] = set()
        keys = self.defined.setdefault(project, set())
        skip = len(id_of(project, ""))
        for text, name, others in self._db.execute(DEFINED, (project,)):
            key = text[skip:]
            keys.add(key)
            if not key.startswith(NAME):
                names.add(name)
                if others:
                    names.update(json.loads(others))
        self.alias_all(project, self._db.execute(ALIASES, (project,)))
        for subject, object in self._db.execute(BASES, (Relation.INHERITS, project)):
            self.inherit(project, subject[skip:], object[skip:])
        tops = {reach_of(key) for key in keys if not key.startswith(NAME)}
        tops |= {reach_of(key) for key in self.aliases.get(project, ())}
        for top in tops:
            self.reaches.setdefault(top, set()).add(project)
        self._note(project, tops)
        return {top for top in tops if is_for_others(top, project)} | {NAME + plain_key(name) for name in names}

    def _note(self, project: str, tops: set[str]) -> None:
        self._db.execute("delete from tops where project = ?", (project,))
        self._db.executemany("insert into tops values (?, ?)", [(top, project) for top in tops])

    def need(self, reach: str, project: str) -> None:
        if reach not in self._read:
            self._read.add(reach)
            found = {owner for (owner,) in self._db.execute(OWNERS, (reach,))} - self._whole
            self._fetch(reach, {owner for owner in found if is_for_others(reach, owner)})
        if project not in self._whole and not is_for_others(reach, project) and (reach, project) not in self._own:
            self._own.add((reach, project))
            self._fetch(reach, {project})

    def _fetch(self, reach: str, owners: set[str]) -> None:
        for project in owners:
            skip = len(id_of(project, ""))
            keys = (text[skip:] for (text,) in self._db.execute(DEFINED_BELOW, between(project, reach)))
            self.defined.setdefault(project, set()).update(key for key in keys if reach_of(key) == reach)
            self.reaches.setdefault(reach, set()).add(project)
        for project, key, target in self._db.execute(ALIASES_BELOW, (reach, reach + LAST)) if owners else ():
            if project in owners and reach_of(key) == reach:
                self.alias(project, key, target)

    def called_so(self, name: str) -> set[tuple[str, str, str]]:
        if name not in self.called:
            found = set()
            for text, kind, shown, others in self._db.execute(CALLED, (name,)):
                project, key = ref_of(text)
                names = (shown, *(json.loads(others) if others else ()))
                if not key.startswith(NAME) and name in map(plain_key, names):
                    found.add((project, key, kind))
            self.called[name] = found
        return self.called[name]

    def bases_of(self, project: str, key: str) -> Sequence[str]:
        if project in self._whole or key in self.bases.get(project, ()):
            return super().bases_of(project, key)
        found = [ref_of(text)[1] for (text,) in self._db.execute(BASES_OF, (id_of(project, key), Relation.INHERITS))]
        self.bases.setdefault(project, {})[key] = found
        return found


def between(project: str, begin: str) -> tuple[str, str]:
    """The bounds of the ids of a project's keys that begin so."""
    return id_of(project, begin), id_of(project, begin + LAST)
