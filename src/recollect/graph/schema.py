"""The tables of `graph.db`, and how the schema got here: plain functions, each inside the transaction that records it.

A `ref` is a key as one project uses it; `node` is the ref it means, itself for a thing of its own. Statements keep
both: the ends as written, from which meanings can be worked out again, and the nodes, by which they are looked up.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from recollect.errors import StoreError
from recollect.store.migrations import run_script, version

INITIAL = """
create table meta (key text primary key, value integer not null) without rowid;

create table files (
    id integer primary key,
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
    ordinal integer not null,
    memory text not null
);
create index chunks_by_file on chunks (file, ordinal);

create table refs (
    id integer primary key,
    text text not null,
    last text not null,
    node integer not null
);
create unique index refs_by_text on refs (text);
create index refs_by_last on refs (last);
create index refs_by_node on refs (node);

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
create index entities_by_file on entities (file);
create index entities_by_ref on entities (ref);

create table called (
    name text not null,
    entity integer not null,
    primary key (name, entity)
) without rowid;
create index called_by_entity on called (entity);

create table aliases (
    file integer not null,
    ref integer,
    key text not null,
    target text not null
);
create index aliases_by_file on aliases (file);

create table unsettled (project text primary key) without rowid;

create table relations (id integer primary key, relation text not null unique);

create table statements (
    id integer primary key,
    file integer not null,
    said_subject integer not null,
    said_object integer not null,
    subject integer not null,
    relation integer not null,
    object integer not null,
    line integer not null,
    weight real not null,
    chunk integer,
    memory text,
    sentence text not null
);
create index statements_by_file on statements (file);
create index statements_by_subject on statements (subject, relation);
create index statements_by_object on statements (object, relation)
"""


def m001_initial(db: sqlite3.Connection) -> None:
    run_script(db, INITIAL)
    db.execute("insert into meta values ('changes', 0), ('settled', 0)")


MIGRATIONS: list[Callable[[sqlite3.Connection], None]] = [m001_initial]


def migrate(db: sqlite3.Connection, *, path: Path) -> None:
    """Bring the file to this program's schema; several processes may try at once."""
    if version(db) == len(MIGRATIONS):
        return
    db.execute("begin immediate")  # taken before looking again, so that only one process migrates
    try:
        found = version(db)
        if found > len(MIGRATIONS):
            raise StoreError(
                f"graph file {str(path)!r} has schema {found}, this program knows {len(MIGRATIONS)}; "
                "upgrade recollect, or delete the file and ingest again"
            )
        for number, step in enumerate(MIGRATIONS[found:], start=found + 1):
            step(db)
            db.execute(f"pragma user_version = {number:d}")
        db.execute("commit")
    except BaseException:
        db.rollback()
        raise
