"""Whatever is sent to be imported: it is refused, or all of it can be read, listed, asked for and exported again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import Entity, Link, Memory
from recollect.testing.clock import START
from tests.doors.http.conftest import Service

NUMBERS = count()
HEADER = {"type": "space", "format": "recollect-export", "version": 2}
EVERYTHING = "superseded=true&" + "&".join(f"lifecycle={name}" for name in ("active", "weak", "dormant", "archived"))
MOMENT = START.isoformat()
MEMORY = {
    "type": "memory", "kind": "fact", "title": "", "body": "The rent is due.", "content_hash": "h",
    "created_at": MOMENT, "updated_at": MOMENT,
}  # fmt: skip
ENTITY = {"type": "entity", "name": "Minka", "kind": "cat", "created_at": MOMENT}
LINK = {"type": "link", "relation": "near", "created_at": MOMENT}
ODD_IDS = ["é?#%2F", "z" * 200, "\n", " ", "\x00", "x/y", "x/archive", "/x", "..", "x/./y", "z" * 201]
IDS = st.sampled_from([*"abc" * 6, *ODD_IDS])
MOMENTS = st.sampled_from(
    [MOMENT, "9999-12-31T23:59:59-23:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00",
     "2030-01-01", "2030-01-01T00:00:00+23:59:59.5", "yesterday"]
)  # fmt: skip
ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1.8e308, -1.0])
ANY_TEXT = st.text(st.characters(codec=None), max_size=8) | st.sampled_from(["", "\n", "\ud800", "x" * 1_001, "\x00"])
ANY_NUMBER = ANY_FLOAT | st.integers() | st.sampled_from([2**53, 2**63, -(2**63), 10**400])
ANYTHING = st.recursive(
    st.none() | st.booleans() | ANY_NUMBER | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
LIKELY: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("id", "from_id", "to_id"), IDS),
    **dict.fromkeys(
        ("created_at", "updated_at", "event_time", "valid_from", "valid_to", "last_access", "learned_at", "favour_at"),
        MOMENTS,
    ),
    **dict.fromkeys(("weight", "learned", "favour", "stability_days", "access_count"), ANY_NUMBER),
    **dict.fromkeys(("tags", "clusters", "aliases"), st.lists(ANY_TEXT, max_size=3)),
    **dict.fromkeys(("kind", "title", "body", "summary", "project", "author", "trust", "source_uri"), ANY_TEXT),
    "lifecycle": st.sampled_from(["active", "archived", "lively"]),
    "metadata": st.dictionaries(ANY_TEXT, ANYTHING, max_size=3),
    "embedded_by": ANY_TEXT,
    "vector": st.sampled_from([{"identity": "m", "data": "AACAPw=="}, {"identity": "m", "data": "AADAfw=="}, {}]),
}


LIKELY_IN = {
    sort: sorted({*(each.name for each in fields(kind)), "vector"} & LIKELY.keys())
    for sort, kind in (("memory", Memory), ("entity", Entity), ("link", Link))
}


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """A record of an export with a field or two that may hold anything."""
    record = dict(draw(st.sampled_from([MEMORY, MEMORY, ENTITY, LINK])))
    ends = ("from_id", "to_id") if record["type"] == "link" else ("id",)
    record |= {end: draw(IDS) for end in ends}
    for name in draw(st.lists(st.sampled_from(LIKELY_IN[record["type"]]), max_size=2, unique=True)):
        record[name] = draw(st.one_of(LIKELY[name], LIKELY[name], LIKELY[name], ANYTHING))
    return record


LINES = st.lists(records(), min_size=1, max_size=3) | st.lists(records() | ANYTHING, min_size=1, max_size=3)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(Path(tmp_path_factory.mktemp("imported")))
    yield service
    service.close()


def sent(service: Service, lines: str, *, space: str) -> httpx.Response:
    return service.ask("POST", f"/v1/import?space={space}", content=lines.encode())


def fine(service: Service, method: str, path: str, body: Any = None) -> Any:
    response = service.ask(method, path, body)
    assert response.status_code == 200, (method, path, response.text)
    return response


def check_usable(service: Service, space: str) -> None:
    """Everything in a space can be had through the service."""
    export = fine(service, "GET", f"/v1/export?space={space}").text
    assert sent(service, export, space=f"{space}-again").status_code == 200
    assert fine(service, "GET", f"/v1/export?space={space}-again").text == export.replace(
        json.dumps(space), json.dumps(f"{space}-again")
    )
    listed = fine(service, "GET", f"/v1/memories?space={space}&limit=100&{EVERYTHING}").json()["items"]
    lines = [json.loads(line) for line in export.split("\n") if line]
    assert {each["id"] for each in listed} == {line["id"] for line in lines if line["type"] == "memory"}
    for line in lines:
        if line["type"] != "link" and "id" in line:
            fine(service, "GET", f"/v1/links?space={space}&id={quote(line['id'], safe='')}")
    for each in listed:
        got = fine(service, "GET", f"/v1/memories/{quote(each['id'], safe='')}?space={space}").json()
        assert got["metadata"] == each["metadata"]
    fine(service, "POST", f"/v1/spaces/fade?space={space}")
    fine(service, "POST", "/v1/search", {"text": "rent", "space": space})
    answer = fine(service, "POST", "/v1/retrieve", {"text": "When is the rent due?", "space": space}).json()
    assert not [note for note in answer["degraded"] if "failed" in note]


@given(lines=LINES)
def test_anything_sent_is_refused_or_can_be_used(served: Service, lines: list[Any]) -> None:
    space = f"space-{next(NUMBERS)}"
    response = sent(served, "\n".join([json.dumps(HEADER), *map(json.dumps, lines)]), space=space)
    if response.status_code == 200:
        check_usable(served, space)
        for made in (space, f"{space}-again"):
            served.ask("DELETE", f"/v1/spaces?space={made}")
    else:
        assert (response.status_code, response.json()["field"][:5]) == (422, "line "), response.text
        assert space not in served.ask("GET", "/v1/spaces").json()["items"]


def test_a_sound_export_is_taken(served: Service) -> None:
    lines = [HEADER, {**MEMORY, "id": "a"}, {**MEMORY, "id": "b"}, {**LINK, "from_id": "a", "to_id": "b"}]
    assert sent(served, "\n".join(map(json.dumps, lines)), space="sound").status_code == 200
    check_usable(served, "sound")


def test_what_is_no_text_at_all_is_refused(served: Service) -> None:
    response = served.ask("POST", "/v1/import?space=nothing", content=b"\xff\xfe")
    assert response.status_code == 400
