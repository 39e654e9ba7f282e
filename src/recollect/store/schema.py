"""The tables of one space, as SQL. Changed only by adding a migration.

`row` numbers are never reused: the derived indexes know a memory by its row. All vectors of a space were made by
one embedder, named in `meta`. `changes` is the ordered log the derived indexes catch up from; it holds no content.
Its random marks tell a record that was replaced by an older copy and written on from the one it was.
What learning adds (`learned`, `favour`) stands in columns of its own, each with the moment it is as of.
"""

INITIAL = """
create table meta (key text primary key, value text not null) without rowid;

create table memories (
    row integer primary key autoincrement,
    id text not null unique,
    kind text not null,
    title text not null,
    body text not null,
    summary text,
    created_at integer not null,
    updated_at integer not null,
    event_time integer,
    valid_from integer,
    valid_to integer,
    lifecycle text not null,
    project text,
    source_uri text,
    source_position text,
    author text,
    trust text not null,
    tags text not null,
    clusters text not null,
    metadata text not null,
    access_count integer not null,
    last_access integer,
    stability_days real,
    content_hash text not null,
    embedded integer not null
);
create index memories_by_creation on memories (created_at);

create table labels (
    sort text not null,
    label text not null,
    row integer not null references memories (row) on delete cascade,
    primary key (sort, label, row)
) without rowid;
create index labels_by_row on labels (row);

create table vectors (
    row integer primary key references memories (row) on delete cascade,
    data blob not null
);

create table links (
    from_id text not null,
    to_id text not null,
    relation text not null,
    weight real not null,
    learned real not null,
    evidence text,
    valid_from integer,
    valid_to integer,
    created_at integer not null,
    primary key (from_id, to_id, relation)
) without rowid;
create index links_by_end on links (to_id);

create table entities (
    id text primary key,
    name text not null,
    kind text not null,
    aliases text not null,
    project text,
    metadata text not null,
    created_at integer not null
) without rowid;
create index entities_by_name on entities (name);

create table changes (
    seq integer primary key autoincrement,
    op text not null,
    row integer not null,
    mark integer not null default (random())
);

create table once (
    key text primary key,
    fingerprint text not null,
    answer text not null
) without rowid;
"""

# The two indexes give the strongest links at one end without reading the others, and count those that hold without
# reading the table. `erased` holds digests of the ids of erased memories, so that a trace of a question that was under
# way meanwhile is not kept; a digest tells nothing of the id.
LEARNING = """
alter table links add column learned_at integer;

alter table memories add column favour real not null default 0;

alter table memories add column favour_at integer;

drop index links_by_end;

create index links_out on links (from_id, weight + learned desc, to_id, relation, valid_from, valid_to);

create index links_in on links (to_id, weight + learned desc, from_id, relation, valid_from, valid_to);

create table erased (digest blob primary key) without rowid;
"""

# Finds the memory of one kind and project that was stored right before or after another, in a space of any size.
TURNS = """
create index memories_by_kind on memories (kind, project);
"""
