"""Two invented graphs: films with who made them, and code with what calls what."""

from __future__ import annotations

from recollect.graph.inmemory import InMemoryKnowledge
from recollect.knowledge import FileMark, Kept, Named, Reading, Said, Triple, kept_of

SPACE = "here"
FILMS = """
Harbour Lights|directed_by|Ana Torres
Harbour Lights|written_by|Ben Okafor
Harbour Lights|starred_actors|Cleo Marsh
Harbour Lights|starred_actors|Dev Calder
Harbour Lights|release_year|1998
Harbour Lights|has_genre|Drama
Harbour Lights|in_language|Portuguese
Harbour Lights|has_tags|lighthouse
Harbour Lights|has_tags|sea
Harbour Lights|has_rating|good
Salt Road|directed_by|Ana Torres
Salt Road|written_by|Cleo Marsh
Salt Road|written_by|Ben Okafor
Salt Road|starred_actors|Dev Calder
Salt Road|starred_actors|Eli Stone
Salt Road|release_year|2004
Salt Road|has_genre|Thriller
Salt Road|in_language|English
Salt Road|has_tags|desert
Nine Boats|directed_by|Fay Lund
Nine Boats|written_by|Gus Hale
Nine Boats|starred_actors|Eli Stone
Nine Boats|release_year|2010
Nine Boats|has_genre|Comedy
Nine Boats|has_tags|sea
The|directed_by|Zed Null
The|release_year|1961
Writer|directed_by|Zed Null
"""


def film_graph() -> InMemoryKnowledge:
    """Three films and two whose titles are everyday words."""
    knowledge = InMemoryKnowledge()
    knowledge.state(SPACE, "films", [Triple(*line.split("|")) for line in FILMS.strip().splitlines()])
    knowledge.settle(SPACE)
    return knowledge


def named(key: str, kind: str, line: int = 1, detail: str = "") -> Named:
    return Named(key, key.split(":", 1)[1].replace("#", ".").rpartition(".")[2], kind, line, line, detail)


def reading(project: str, path: str, entities: list[Named], said: list[Said]) -> Kept:
    mark = FileMark(f"{project}/{path}", 1, 1)
    return kept_of(Reading(project, path, mark, "python", entities=tuple(entities), statements=tuple(said)))


def code_graph() -> InMemoryKnowledge:
    """Orders that are paid through an adapter and a gateway; three projects with tables of customers."""
    knowledge = InMemoryKnowledge()
    orders, pay = "py:orders.service", "py:payments.adapter"
    kept = [
        reading(
            "shop",
            "orders/service.py",
            [
                named(orders, "module"),
                named(f"{orders}.OrderService", "class", 3),
                named(f"{orders}.load_orders", "function", 30),
                named(f"{orders}.print_report", "function", 40),
            ],
            [
                Said(orders, "defines", f"{orders}.OrderService", 3),
                Said(f"{orders}.OrderService", "calls", f"{pay}.PaymentAdapter", 12),
                Said(f"{orders}.print_report", "calls", f"{orders}.load_orders", 41),
            ],
        ),
        reading(
            "shop",
            "payments/adapter.py",
            [named(f"{pay}.PaymentAdapter", "class", 5), named(f"{pay}.CardAdapter", "class", 50)],
            [
                Said(f"{pay}.PaymentAdapter", "calls", "py:payments.gateway.PaymentGateway", 9),
                Said(f"{pay}.CardAdapter", "inherits", f"{pay}.PaymentAdapter", 50),
                Said(f"{pay}.CardAdapter", "calls", f"{orders}.load_orders", 55),
            ],
        ),
        reading("shop", "payments/gateway.py", [named("py:payments.gateway.PaymentGateway", "class", 2)], []),
        *(_tables(project, type) for project, type in (("billing", "UUID PRIMARY KEY"), ("auth", "UUID PRIMARY KEY"))),
        _tables("crm", "BIGINT PRIMARY KEY"),
    ]
    knowledge.put(SPACE, kept)
    knowledge.settle(SPACE)
    return knowledge


def _tables(project: str, key_type: str) -> Kept:
    table = "sql:customers"
    columns = [named(f"{table}.id", "column", 2, key_type), named(f"{table}.email", "column", 3, "TEXT")]
    said = [Said(table, "contains", column.key, column.line) for column in columns]
    return reading(project, "schema.sql", [named(table, "table", 1), *columns], said)
