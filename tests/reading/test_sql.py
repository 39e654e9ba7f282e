"""SQL: tables, columns, keys, views, and which tables statements touch, in several dialects."""

from __future__ import annotations

import pytest

from .code_notation import Case, check, lines, read

PATH, MODULE = "db/schema.sql", "file:db/schema.sql"

CASES = {
    "a table": Case(
        "CREATE TABLE IF NOT EXISTS public.orders (\n  id SERIAL PRIMARY KEY,\n  total NUMERIC(10,2) DEFAULT 0\n);",
        ("table sql:orders", "column sql:orders.id", ". defines sql:orders", "sql:orders contains sql:orders.total"),
    ),
    "references of a column": Case(
        "create table orders (customer_id int not null references "
        "customers(id) on delete cascade, x int references crm.y)",
        (
            "sql:orders references sql:customers",
            "sql:orders.customer_id references sql:customers.id",
            "sql:orders references sql:crm.y",
        ),
        ("cascade", " uses "),
    ),
    "foreign keys of a table": Case(
        "CREATE TABLE a (b int, c int, CONSTRAINT fk FOREIGN KEY "
        "(b, c) REFERENCES d (e, f), PRIMARY KEY (b), CHECK (b > 0));",
        ("sql:a references sql:d", "sql:a.b references sql:d.e", "sql:a.c references sql:d.f"),
        ("sql:a.constraint", "sql:a.fk", "sql:a.primary", "sql:a.check"),
    ),
    "MySQL": Case(
        "CREATE TABLE `items` (\n `id` int(11) unsigned NOT NULL AUTO_INCREMENT,\n"
        " `s` ENUM('a,b','c') NOT NULL COMMENT 'it''s; x',\n"
        " `key` varchar(20), key2 text,\n PRIMARY KEY (`id`), KEY `ix` (`s`), UNIQUE KEY `u` (`s`),\n"
        " CONSTRAINT `f` FOREIGN KEY (`s`) REFERENCES `n` (`id`)\n"
        ") ENGINE=InnoDB DEFAULT CHARSET=utf8;\nINSERT INTO `log` VALUES (1);",
        (
            "column sql:items.id",
            "column sql:items.s",
            "column sql:items.key",
            "column sql:items.key2",
            "sql:items.s references sql:n.id",
            ". uses sql:log",
        ),
        ("sql:items.ix", "sql:items.u", "sql:items.primary", "utf8"),
    ),
    "an index and a column called key": Case(
        "CREATE TABLE t (key varchar(20), KEY ix (key))", ("column sql:t.key",), ("sql:t.ix",)
    ),
    "SQLite": Case(
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB, plain) WITHOUT ROWID;",
        ("column sql:t.id", "column sql:t.data", "column sql:t.plain"),
        ("rowid",),
    ),
    "names in brackets": Case(
        "CREATE TABLE [dbo].[Orders] ([Id] INT IDENTITY(1,1) NOT NULL, [Name] NVARCHAR(MAX) NULL)\nGO\n"
        "ALTER TABLE [dbo].[Orders] WITH CHECK ADD CONSTRAINT [FK] "
        "FOREIGN KEY([Id]) REFERENCES [crm].[Keys] ([Id])\nGO\n",
        ("table sql:orders", "column sql:orders.name", "sql:orders.id references sql:crm.keys.id"),
        ("dbo",),
    ),
    "added columns and keys": Case(
        "ALTER TABLE ONLY orders ADD COLUMN IF NOT EXISTS note text, "
        "ADD CONSTRAINT f FOREIGN KEY (note) REFERENCES items(id);\n"
        "ALTER TABLE orders ADD price int REFERENCES prices;\nALTER TABLE orders DROP COLUMN gone, RENAME TO other;\n"
        "ALTER TABLE orders ADD (one int, two int);",
        (
            "column sql:orders.note",
            "sql:orders.note references sql:items.id",
            "column sql:orders.price",
            "sql:orders references sql:prices",
            "column sql:orders.two",
        ),
        ("gone", "sql:other", "sql:orders.constraint", "sql:orders.f "),
    ),
    "views": Case(
        "CREATE VIEW v AS SELECT o.id FROM orders o JOIN public.customers c ON c.id = o.c;\n"
        "CREATE OR REPLACE MATERIALIZED VIEW mv AS WITH x AS (SELECT * "
        "FROM a), y (q) AS (SELECT 1 FROM x) SELECT * FROM x, b AS bb, y;",
        ("view sql:v", "sql:v uses sql:orders", "sql:v uses sql:customers", "sql:mv uses sql:a", "sql:mv uses sql:b"),
        ("sql:x", "sql:y", "sql:o ", "sql:bb"),
    ),
    "statements that read and write": Case(
        "INSERT INTO audit (a) SELECT b FROM src;\n"
        "UPDATE stock s SET n = 1 WHERE id IN (SELECT id FROM picks);\nDELETE FROM logs;\n"
        "MERGE INTO target USING feed ON a = b WHEN MATCHED THEN UPDATE SET x = 1;",
        (
            ". uses sql:audit",
            ". uses sql:src",
            ". uses sql:stock",
            ". uses sql:picks",
            ". uses sql:logs",
            ". uses sql:target",
            ". uses sql:feed",
        ),
        ("sql:set", "sql:s "),
    ),
    "words that only look like tables": Case(
        "SELECT EXTRACT(year FROM ts), TRIM(BOTH FROM name), a IS DISTINCT "
        "FROM b FROM real_one, generate_series(1, 3), (SELECT 1) sub\n"
        "FOR UPDATE;\nINSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET x = 1;\n"
        "SELECT 'FROM quoted' -- FROM comment\n/* FROM block */;",
        (". uses sql:real_one", ". uses sql:t"),
        ("sql:ts", "sql:name", "sql:b", "generate", "sub", "quoted", "comment", "block", "sql:set"),
    ),
    "a broken statement spoils no other": Case(
        "CREATE TABLE a (id int,\nCREATE TABLE b (id int);\nSELEC x FRM;\n)))(;\nCREATE TABLE c (id int);",
        ("table sql:a", "table sql:b", "column sql:b.id", "column sql:c.id"),
    ),
    "functions and triggers": Case(
        "CREATE FUNCTION total(x int) RETURNS int AS $body$\nBEGIN\n"
        "  RETURN (SELECT sum(n) FROM lines);\nEND\n$body$ LANGUAGE plpgsql;\n"
        "CREATE TRIGGER t AFTER INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION total();",
        ("function sql:total", "sql:total uses sql:lines"),
        ("sql:on", "sql:each"),
    ),
    "data of a dump": Case(
        "COPY orders (id) FROM stdin;\n1\tFROM x; CREATE TABLE no (id int);\n\\.\nCREATE TABLE yes (id int);",
        ("table sql:yes",),
        ("sql:no", "sql:x"),
    ),
    "an index is nothing": Case("CREATE UNIQUE INDEX ix ON orders USING btree (id);", (), ("sql:",)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_sql(case: Case) -> None:
    check(case, read(case.text, PATH), MODULE)


@pytest.mark.parametrize(
    ("column", "detail"),
    [
        ("id uuid PRIMARY KEY DEFAULT gen_random_uuid()", "uuid primary key"),
        ("id character varying(20) NOT NULL", "character varying(20)"),
        ("id varchar(9) CHARACTER SET utf8", "varchar(9)"),
        ("id double precision", "double precision"),
        ("id timestamp with time zone DEFAULT now()", "timestamp with time zone"),
        ("id text[] NOT NULL", "text[]"),
        ("id numeric(10, 2) GENERATED ALWAYS AS (1)", "numeric(10, 2)"),
        ("id", ""),
        ("id int, PRIMARY KEY (id)", "int primary key"),
    ],
)
def test_the_detail_of_a_column_is_its_type(column: str, detail: str) -> None:
    reading = read(f"CREATE TABLE t ({column});", PATH)
    assert {each.key: each.detail for each in reading.entities}["sql:t.id"] == detail


def test_lines_are_those_of_the_text() -> None:
    reading = read("-- head\n\nCREATE TABLE t (\n  id int,\n  x int REFERENCES y(id)\n);\n", PATH)
    assert {(each.name, each.line, each.end) for each in reading.entities} == {
        ("schema.sql", 1, 6),
        ("t", 3, 6),
        ("id", 4, 4),
        ("x", 5, 5),
    }
    assert {each.line for each in reading.statements if each.relation == "references"} == {5}


def test_compose_files_give_services_and_what_they_need() -> None:
    text = (
        "x-common: &c\n  restart: always\nservices:\n  api:\n    <<: *c\n"
        '    image: "acme/api:1.2"  # front\n    depends_on:\n'
        "      - db\n  db:\n    image: postgres\n  worker:\n"
        "    depends_on:\n      db:\n        condition: service_healthy\n"
        '    links: ["api:backend"]\n    environment:\n      depends_on: nobody\nvolumes:\n  data:\n'
    )
    found = lines(read(text, "docker-compose.yml"))
    assert {
        "service service:api",
        "service:api uses image:acme/api",
        "service:api uses service:db",
        "service:worker uses service:db",
        "service:worker uses service:api",
        "file:docker-compose.yml defines service:worker",
    } <= found
    assert not any(word in each for each in found for word in ("nobody", "data", "x-common", "condition"))
