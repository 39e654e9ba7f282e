"""The tables of `graph.db`.

A file's rows have the ids from its own up to its `end`, in every table: what a file gave is found and erased without
an index. A `ref` is a key as one project uses it; `node` is the ref it means, itself for a thing of its own. Statements
are between refs, as they were written; settling changes what refs mean and touches no statement.
`unsettled`, `loose`, `tops` and `consulted` are for settling: what was changed, refs that may be used no more, what
the keys of a project begin with, and what the keys begin with that a ref's meaning was found by, beside its own.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from recollect.errors import StoreError
from recollect.store.migrations import run_script, version

VERSION = 2
SCHEMA = """
create table meta (key text primary key, value integer not null) without rowid;

create table files (
    id integer primary key,
    end integer not null,
    project text not null,
    path text not null,
    digest text not null,
    size integer not null,
    mtime integer not null,
    language text not null,
    skipped text not null
);
create unique index files_by_place on files (project, path);

create table chunks (
    id integer primary key,
    file integer not null,
    memory text not null
);

create table refs (
    id integer primary key,
    text text not null,
    last text not null,
    node integer not null
);
create unique index refs_by_text on refs (text);
create index refs_by_last on refs (last);
create index refs_by_node on refs (node) where node <> id;
create index refs_of_names on refs (last) where instr(text, '::name:');

create table entities (
    id integer primary key,
    file integer not null,
    ref integer not null,
    name text not null,
    kind text not null,
    line integer not null,
    last_line integer not null,
    detail text not null,
    aliases text not null
);
create index entities_by_ref on entities (ref);

create table called (
    name text not null,
    entity integer not null,
    primary key (name, entity)
) without rowid;
create index called_by_entity on called (entity);

create table aliases (
    id integer primary key,
    file integer not null,
    key text not null,
    target text not null
);
create index aliases_by_key on aliases (key);

create table relations (id integer primary key, relation text not null unique);

create table statements (
    id integer primary key,
    file integer not null,
    subject integer not null,
    relation integer not null,
    object integer not null,
    line integer not null,
    weight real not null,
    chunk integer,
    memory text,
    sentence text not null
);
create index statements_by_subject on statements (subject, relation);
create index statements_by_object on statements (object, relation);

create table unsettled (project text, top text, primary key (project, top)) without rowid;

create table loose (ref integer primary key);

create table tops (top text, project text, primary key (top, project)) without rowid;
create index tops_by_project on tops (project);

create table consulted (top text, ref integer, primary key (top, ref)) without rowid;
create index consulted_by_ref on consulted (ref);

insert into meta values ('changes', 0)
"""


def migrate(db: sqlite3.Connection, *, path: Path) -> None:
    """Make the tables where there are none; several processes may try at once. A file of another schema is refused."""
    if version(db) == VERSION:
        return
    db.execute("begin immediate")  # taken before looking again, so that only one process makes them
    try:
        found = version(db)
        if found not in (0, VERSION):
            newer = "upgrade recollect, or " if found > VERSION else ""
            raise StoreError(
                f"graph file {str(path)!r} has schema {found}, this program knows {VERSION}; "
                f"{newer}delete the file, ingest the projects again and state the triples again"
            )
        if not found:
            run_script(db, SCHEMA)
            db.execute(f"pragma user_version = {VERSION:d}")
        db.execute("commit")
    except BaseException:
        db.rollback()
        raise
