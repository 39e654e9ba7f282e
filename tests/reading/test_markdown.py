from __future__ import annotations

import pytest

from recollect.knowledge import Relation

from .sheets import lines_in_chunks, read, said

GUIDE = """---
title: Order guide
aliases: [Orders, order flow]
---

Intro before any heading.

# Order guide

Orders go through `OrderService.place()`.

## Payment

Calls the PaymentAdapter, see [refunds](refunds.md#how-long) and [[Billing Team|billing]].

```python
# not a heading
def pay():

    return 1
```

| step | who |
|------|-----|
| pay  | Ana |

### Details

Text.

Setext title
------------

More text.
"""


def test_sections_carry_their_heading_path_and_lines() -> None:
    reading = read("docs/orders.md", GUIDE)
    assert [(chunk.heading, chunk.start, chunk.end) for chunk in reading.chunks] == [
        (("Order guide",), 1, 6),
        (("Order guide",), 8, 10),
        (("Order guide", "Payment"), 12, 25),
        (("Order guide", "Payment", "Details"), 27, 29),
        (("Order guide", "Setext title"), 31, 34),
    ]
    assert reading.chunks[0].text.startswith("---\ntitle: Order guide")


def test_every_line_that_is_not_blank_is_in_a_chunk() -> None:
    for size in (40, 100, 1_500):
        reading = read("docs/orders.md", GUIDE, size=size)
        filled = {number for number, line in enumerate(GUIDE.split("\n"), 1) if line.strip()}
        assert filled <= lines_in_chunks(reading), size


def test_code_blocks_and_tables_stay_whole() -> None:
    chunks = read("docs/orders.md", GUIDE, size=60).chunks
    assert any("# not a heading" in chunk.text and "return 1" in chunk.text for chunk in chunks)
    assert any("| step | who |" in chunk.text and "| pay  | Ana |" in chunk.text for chunk in chunks)


def test_the_document_and_its_sections_are_entities_that_contain_each_other() -> None:
    reading = read("docs/orders.md", GUIDE)
    document = reading.entities[0]
    assert (document.key, document.name, document.kind) == ("file:docs/orders.md", "Order guide", "document")
    assert {"Orders", "order flow", "docs/orders.md"} <= set(document.aliases)
    contains = {each for each in said(reading) if each[1] == Relation.CONTAINS}
    assert contains == {
        ("file:docs/orders.md", "contains", "file:docs/orders.md#payment"),
        ("file:docs/orders.md#payment", "contains", "file:docs/orders.md#details"),
        ("file:docs/orders.md", "contains", "file:docs/orders.md#setext-title"),
    }


@pytest.mark.parametrize(
    ("line", "relation", "target"),
    [
        ("See [x](other.md).", "references", "file:docs/other.md"),
        ("See [x](../README.md#top-part).", "references", "file:README.md#top-part"),
        ("See [x](/src/app.py).", "references", "file:src/app.py"),
        ("See [x](sub).", "references", "file:docs/sub/README.md"),
        ("[x]: other.md", "references", "file:docs/other.md"),
        ("See [[Order Service]].", "references", "name:order service"),
        ("See [[Order Service#Retries|it]].", "references", "name:order service"),
        ("Use `load_orders()` here.", "mentions", "name:load_orders"),
        ("Use `shop.orders.load` here.", "mentions", "name:shop orders load"),
        ("In `src/app.py` it is.", "mentions", "file:src/app.py"),
        ("The OrderService does it.", "mentions", "name:orderservice"),
        ("An HTTPServer runs.", "mentions", "name:httpserver"),
    ],
)
def test_links_and_names_become_statements(line: str, relation: str, target: str) -> None:
    reading = read("docs/a.md", f"{line}\n", paths=("src/app.py", "docs/sub/README.md", "docs/other.md"))
    assert ("file:docs/a.md", relation, target) in said(reading)


@pytest.mark.parametrize(
    "line",
    [
        "See [x](https://example.org/a.md).",
        "See [x](mailto:a@b.c).",
        "See [x](../../outside.md).",
        "![picture](other.md)",
        "Set it to `true`, or `--flag`.",
        "```\nCALL OrderService and [x](other.md)\n```",
        "Plain words, a URL http://x.org/OrderService and nothing else.",
    ],
)
def test_what_leads_out_or_names_nothing_becomes_none(line: str) -> None:
    relations = {relation for _, relation, _ in said(read("docs/a.md", f"{line}\n"))}
    assert relations <= {"contains"}


def test_equal_headings_have_keys_of_their_own() -> None:
    reading = read("a.md", "## Use\n\none\n\n## Use\n\ntwo\n")
    assert [each.key for each in reading.entities if each.kind == "section"] == ["file:a.md#use", "file:a.md#use-1"]


def test_a_heading_with_nothing_under_it_goes_with_what_follows() -> None:
    (chunk,) = read("a.md", "# A\n\n## B\n\ntext\n").chunks
    assert (chunk.start, chunk.end, chunk.heading) == (1, 5, ("A", "B"))
