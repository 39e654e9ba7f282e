"""JSON, JSON lines, CSV, triples, and chats."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from recollect.knowledge import CHUNK, Triple
from recollect.reading.triples import parse_triples

from .sheets import read


def test_json_is_cut_along_its_keys_with_lines() -> None:
    text = json.dumps(
        {"name": "shop", "servers": [{"host": f"h{n}", "port": n} for n in range(3)], "empty": {}}, indent=1
    )
    reading = read("c.json", text, size=60)
    by_heading = {}
    for chunk in reading.chunks:
        by_heading.setdefault(chunk.heading, []).append(chunk)
    assert "shop" in by_heading["c.json", "name"][0].text
    servers = by_heading["c.json", "servers"]
    assert "host: h0" in servers[0].text and "port: 0" in servers[0].text
    line = text.split("\n")[servers[0].start - 1 : servers[0].end]
    assert '"host": "h0",' in "".join(line)


def test_small_records_share_a_chunk_and_long_ones_do_not() -> None:
    lines = "\n".join(json.dumps({"id": n, "text": "word " * 5}) for n in range(10))
    assert len(read("r.jsonl", lines, size=10_000).chunks) == 1
    many = read("r.jsonl", lines, size=80).chunks
    assert len(many) >= 5 and many[0].text.startswith("id: 0\ntext: word")
    assert (many[-1].start, many[-1].end)[1] == 10


def test_csv_rows_carry_the_names_of_their_columns() -> None:
    reading = read("t.csv", 'name;note\nAna;"two\nlines"\nBen;x\n', size=30)
    text = [chunk.text for chunk in reading.chunks]
    assert text[0] == "columns: name, note"
    assert "name: Ana; note: two\nlines" in text[1]
    assert [(chunk.start, chunk.end) for chunk in reading.chunks] == [(1, 1), (2, 3), (4, 4)]


@pytest.mark.parametrize(
    ("path", "text"), [("a.json", "{nope"), ("a.jsonl", "nope\nnor this"), ("b.json", "[" * 100_000)]
)
def test_damaged_records_are_skipped(path: str, text: str) -> None:
    assert read(path, text).skipped.startswith("damaged")


def test_half_characters_in_json_do_not_survive() -> None:
    (chunk,) = read("a.json", '{"a": "x\\ud800y\\u0000"}').chunks
    chunk.text.encode()
    assert "\x00" not in chunk.text


TEN = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
CHATS = {
    "generic": ("c.json", json.dumps([{"author": "Ana", "text": "Hi", "time": "2026-03-01T10:00:00Z"}])),
    "role": ("c.json", json.dumps({"messages": [{"role": "Ana", "content": "Hi", "timestamp": TEN.timestamp()}]})),
    "slack": (
        "c.json",
        json.dumps(
            [
                {
                    "type": "message",
                    "user": "U1",
                    "text": "Hi",
                    "ts": f"{TEN.timestamp():.6f}",
                    "user_profile": {"real_name": "Ana"},
                }
            ]
        ),
    ),
    "tree": (
        "c.json",
        json.dumps(
            [
                {
                    "title": "Talk",
                    "mapping": {
                        "a": {"message": None},
                        "b": {
                            "message": {
                                "author": {"role": "Ana"},
                                "create_time": TEN.timestamp(),
                                "content": {"content_type": "text", "parts": ["Hi"]},
                            }
                        },
                    },
                }
            ]
        ),
    ),
    "lines": ("c.jsonl", json.dumps({"sender": "Ana", "message": "Hi", "date": "2026-03-01T10:00:00"})),
    "phone": ("c.txt", "01/03/2026, 10:00 - Ana: Hi\n01/03/2026, 10:01 - Ben: Hello\nand more\n"),
    "phone, months first": ("c.txt", "3/1/26, 10:00 AM - Ana: Hi\n3/13/26, 10:01 PM - Ben: Hello\nand more\n"),
    "phone, brackets": ("c.txt", "[01.03.26, 10:00:00] Ana: Hi\n[01.03.26, 10:01:00] Ben: Hello\nand more\n"),
}


@pytest.mark.parametrize("name", CHATS)
def test_messages_have_author_and_moment(name: str) -> None:
    reading = read(*CHATS[name])
    first = reading.chunks[0]
    assert (first.kind, first.author, first.text, first.at) == ("message", "Ana", "Hi", TEN)
    if name.startswith("phone"):
        assert reading.chunks[1].text == "Hello\nand more"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", json.dumps([{"name": "x", "text": "a product"}, {"name": "y", "text": "another"}])),
        ("a.json", json.dumps({"name": "x", "version": "1", "scripts": {"a": "b"}})),
        ("a.jsonl", json.dumps({"id": 1, "text": "x"})),
        ("a.txt", "Meeting on 01/03/2026, 10:00 - all came.\nSome text: with a colon.\n"),
    ],
)
def test_what_is_no_chat_is_none(path: str, text: str) -> None:
    assert {chunk.kind for chunk in read(path, text).chunks} == {CHUNK}


def test_triples_are_read_from_text_and_json_lines() -> None:
    text = 'Ana|leads|Billing\nBen\tknows\tAna\n{"subject": "A", "relation": "b", "object": "C", "weight": 0.5}\n\nno\n'
    assert parse_triples(text) == (
        [Triple("Ana", "leads", "Billing"), Triple("Ben", "knows", "Ana"), Triple("A", "b", "C", weight=0.5)],
        1,
    )
