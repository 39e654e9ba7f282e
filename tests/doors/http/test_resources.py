"""The routes for what is stored: the verbs of the library, with pages, keys and problems that name the field."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.records import Memory
from recollect.sources.inmemory import InMemorySource

from .conftest import Service

PATIENT = {"text": "The harbour needs a new crane."}


def everything(service: Service) -> list[str]:
    return service.run(service.engine.export_space())


def pages(service: Service, path: str, **query: Any) -> list[list[dict[str, Any]]]:
    """All pages of a list, one after the other."""
    found, after = [], None
    while True:
        reply = service.ask("GET", path, params={**query, **({"after": after} if after else {})})
        assert reply.status_code == 200
        found.append(reply.json()["items"])
        after = reply.json()["next"]
        if after is None:
            return found


# --- memories ------------------------------------------------------------------------------------


def test_a_text_is_remembered_once(service: Service) -> None:
    first = service.ask(
        "POST", "/v1/memories", {**PATIENT, "tags": ["port"], "event_time": "2026-03-01T14:30:00+01:00"}
    )
    again = service.ask("POST", "/v1/memories", PATIENT)
    assert (first.status_code, first.json()["fate"]) == (201, "stored")
    assert (again.status_code, again.json()["fate"], again.json()["id"]) == (200, "duplicate", first.json()["id"])
    memory = service.ask("GET", f"/v1/memories/{first.json()['id']}").json()
    assert (memory["text"], memory["tags"]) == (PATIENT["text"], ["port"])
    assert memory["event_time"] == "2026-03-01T13:30:00+00:00"


def test_an_idempotency_key_repeats_the_first_answer_and_is_for_one_request(service: Service) -> None:
    key = {"Idempotency-Key": "k-1"}
    first = service.ask("POST", "/v1/memories", PATIENT, headers=key)
    before = everything(service)
    again = service.ask("POST", "/v1/memories", PATIENT, headers=key)
    other = service.ask("POST", "/v1/memories", {"text": "The crane is green now."}, headers=key)
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    assert (other.status_code, other.json()["type"]) == (409, "urn:recollect:problem:write-conflict")
    assert everything(service) == before


def test_a_batch_is_stored_in_order_or_not_at_all(service: Service) -> None:
    good = [PATIENT, {"text": "The crane is green now."}]
    before = everything(service)
    bad = service.ask("POST", "/v1/memories/batch", {"memories": [*good, {"text": "hi"}]})
    assert (bad.status_code, bad.json()["field"], bad.json()["reason"]) == (422, "body", "too_short")
    assert everything(service) == before
    done = service.ask("POST", "/v1/memories/batch", {"memories": good}, headers={"Idempotency-Key": "b"})
    assert [each["fate"] for each in done.json()["items"]] == ["stored", "stored"]
    again = service.ask("POST", "/v1/memories/batch", {"memories": good}, headers={"Idempotency-Key": "b"})
    assert [each["id"] for each in again.json()["items"]] == [each["id"] for each in done.json()["items"]]
    assert service.ask("POST", "/v1/memories/batch", {"memories": []}).json() == {"items": []}


def test_a_change_touches_the_fields_sent_and_no_others(service: Service) -> None:
    id = service.remember("The crane is green.", title="Crane", author="Ana", tags=("port",))
    appended = service.ask("PATCH", f"/v1/memories/{id}", {"append": "It was red before."}).json()
    assert (appended["text"], appended["author"]) == ("The crane is green.\nIt was red before.", "Ana")
    replaced = service.ask("PATCH", f"/v1/memories/{id}", {"text": "The crane is blue.", "author": None}).json()
    assert (replaced["text"], replaced["author"], replaced["title"]) == ("The crane is blue.", None, "Crane")
    assert replaced["tags"] == ["port"]


def test_the_life_of_a_memory(service: Service) -> None:
    id = service.remember("The crane is green.", title="Crane")
    assert service.ask("POST", f"/v1/memories/{id}/archive").json()["lifecycle"] == "archived"
    assert service.ask("POST", f"/v1/memories/{id}/restore").json()["lifecycle"] == "active"
    new = service.ask("POST", f"/v1/memories/{id}/supersede", {"text": "The crane is blue."})
    assert (new.status_code, new.json()["title"]) == (201, "Crane")
    assert service.ask("GET", f"/v1/memories/{id}").json()["valid_to"] is not None
    assert service.ask("DELETE", f"/v1/memories/{id}").status_code == 204
    assert service.ask("GET", f"/v1/memories/{id}").status_code == 404


def test_pages_of_memories_make_the_whole_list(service: Service) -> None:
    whole = service.ask("GET", "/v1/memories").json()["items"]
    assert [len(each) for each in pages(service, "/v1/memories", limit=2)] == [2, 2, 0]
    assert [each for page in pages(service, "/v1/memories", limit=3) for each in page] == whole
    assert service.ask("GET", "/v1/memories", params={"limit": 0}).json() == {"items": [], "next": None}


FILTERED: dict[str, tuple[dict[str, Any], int]] = {
    "a kind": ({"kind": "message"}, 2),
    "two kinds": ({"kind": ["message", "fact"]}, 4),
    "not a kind": ({"without_kind": "message"}, 2),
    "a cluster": ({"cluster": "planning"}, 1),
    "stored since": ({"since": "2020-01-01T00:00:00Z"}, 4),
    "stored until": ({"until": "2020-01-01"}, 0),
    "archived": ({"lifecycle": "archived"}, 0),
    "as of": ({"as_of": "2020-01-01T00:00:00Z"}, 0),
}


@pytest.mark.parametrize("case", FILTERED)
def test_a_list_is_filtered(service: Service, case: str) -> None:
    query, count = FILTERED[case]
    assert len(service.ask("GET", "/v1/memories", params=query).json()["items"]) == count


MISTAKES: dict[str, tuple[str, str, Any, str]] = {
    "an unknown field": ("POST", "/v1/memories", {**PATIENT, "colour": "red"}, "colour"),
    "a wrong type": ("POST", "/v1/memories", {**PATIENT, "tags": "port"}, "tags"),
    "a number for a text": ("POST", "/v1/memories", {"text": 7}, "text"),
    "half a character": ("POST", "/v1/memories", {"text": "The crane \ud800 is green."}, "body"),
    "half a character inside": ("POST", "/v1/memories", {**PATIENT, "metadata": {"a": "\ud800"}}, "metadata"),
    "a moment outside the calendar": (
        "POST", "/v1/memories", {**PATIENT, "event_time": "0001-01-01T00:00:00+14:00"}, "event_time",
    ),
    "a moment as a number": ("POST", "/v1/memories", {**PATIENT, "event_time": 7}, "event_time"),
    "both ways to change": ("PATCH", "/v1/memories/ID", {"text": "The crane.", "append": "Blue."}, "append"),
    "nothing to change": ("PATCH", "/v1/memories/ID", {}, "fields"),
    "a limit below zero": ("GET", "/v1/memories?limit=-1", None, "limit"),
    "a limit too high": ("GET", "/v1/memories?limit=1001", None, "limit"),
    "no number": ("GET", "/v1/memories?limit=ten", None, "limit"),
    "a name nobody knows": ("GET", "/v1/memories?colour=red", None, "colour"),
    "times the wrong way round": ("GET", "/v1/memories?since=2026-01-02&until=2026-01-01", None, "time_range"),
    "neither yes nor no": ("GET", "/v1/memories?superseded=1", None, "superseded"),
    "a weight too high": ("POST", "/v1/links", {"from_id": "ID", "to_id": "b", "weight": 10**400}, "weight"),
    "a memory linked to itself": ("POST", "/v1/links", {"from_id": "ID", "to_id": "ID"}, "to_id"),
    "an unknown way": ("POST", "/v1/conflicts/resolve", {"one": "ID", "other": "b", "how": "toss"}, "how"),
    "a merge without text": ("POST", "/v1/conflicts/resolve", {"one": "ID", "other": "b", "how": "merge"}, "text"),
    "no memories": ("POST", "/v1/clusters/add", {"cluster": "c", "ids": []}, "ids"),
    "too many hops": ("GET", "/v1/entities/neighbours?entity=a&hops=6", None, "hops"),
    "a setting of the store": ("POST", "/v1/replay", {"settings": {"store.path": "/"}}, "settings"),
    "a setting out of bounds": ("POST", "/v1/replay", {"settings": {"quality_threshold": 7}}, "quality_threshold"),
    "a space that is not named": ("DELETE", "/v1/spaces", None, "space"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_names_the_field_and_writes_nothing(service: Service, mistake: str) -> None:
    method, path, body, field = MISTAKES[mistake]
    id = service.remember("The crane is green.")
    body = {name: id if value == "ID" else value for name, value in body.items()} if body else body
    before = everything(service)
    content = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    reply = service.ask(method, path.replace("ID", id), content=content, headers=headers)
    assert reply.status_code == 422
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["field"].split(".")[0] == field.split(".")[0]
    assert reply.json()["remedy"]
    assert everything(service) == before


def test_a_key_that_may_only_write_gets_nothing_to_read(service: Service) -> None:
    id = service.remember("The vault code is 1234.", clusters=("vault",))
    key = service.key("write")
    for method, path, body in [
        ("GET", f"/v1/memories/{id}", None),
        ("PATCH", f"/v1/memories/{id}", {"append": "Really."}),
        ("POST", f"/v1/memories/{id}/supersede", {"text": "The vault is gone."}),
        ("POST", f"/v1/memories/{id}/archive", None),
        ("POST", "/v1/clusters/add", {"cluster": "c", "ids": [id]}),
        ("GET", "/v1/export", None),
    ]:
        reply = service.ask(method, path, body, key=key)
        assert reply.status_code == 403
        assert "1234" not in reply.text
    assert service.ask("POST", "/v1/memories", PATIENT, key=key).status_code == 201


def test_the_methods_of_a_path_are_all_told(service: Service) -> None:
    reply = service.ask("PUT", "/v1/links")
    assert (reply.status_code, reply.headers["allow"]) == (405, "DELETE, GET, POST")


# --- links, conflicts, clusters ------------------------------------------------------------------


def test_links_are_made_listed_in_pages_and_removed(service: Service) -> None:
    ids = [service.remember(f"Crane number {number} is green.", kind=f"kind{number}") for number in range(4)]
    for other in ids[1:]:
        made = service.ask("POST", "/v1/links", {"from_id": ids[0], "to_id": other, "relation": "causes"})
        assert (made.status_code, made.json()["weight"]) == (201, 0.5)
    found = pages(service, "/v1/links", id=ids[0], limit=2)
    listed = [each["to_id"] for page in found for each in page if each["relation"] == "causes"]
    assert sorted(listed) == sorted(ids[1:])
    query = {"from_id": ids[0], "to_id": ids[1], "relation": "causes"}
    assert service.ask("DELETE", "/v1/links", params=query).status_code == 204
    assert service.ask("DELETE", "/v1/links", params=query).status_code == 404


def test_a_conflict_is_listed_until_it_is_resolved(service: Service) -> None:
    old, new = (service.remember(f"The rent is {amount} euros.", kind=f"kind{amount}") for amount in (100, 200))
    service.ask("POST", "/v1/links", {"from_id": old, "to_id": new, "relation": "contradicts"})
    (listed,) = service.ask("GET", "/v1/conflicts").json()["items"]
    assert (listed["newer"]["id"], listed["older"]["id"], listed["reason"]) == (new, old, "stated_contradiction")
    wanted = {"one": old, "other": new, "how": "new_is_current"}
    first = service.ask("POST", "/v1/conflicts/resolve", wanted)
    assert first.json() == {"how": "new_is_current", "current": [new], "superseded": [old]}
    many = service.ask("POST", "/v1/conflicts/resolve-many", {"resolutions": [wanted]})
    assert many.json() == {"items": [first.json()]}
    assert service.ask("GET", "/v1/conflicts").json() == {"items": [], "next": None}
    other = service.ask("POST", "/v1/conflicts/resolve", {**wanted, "how": "old_is_current"})
    assert other.status_code == 409


def test_clusters_are_filled_and_emptied(service: Service) -> None:
    id = service.remember("The crane is green.")
    service.ask("POST", "/v1/clusters/add", {"cluster": "cranes / ü", "ids": [id]})
    assert {"name": "cranes / ü", "memories": 1} in service.ask("GET", "/v1/clusters").json()["items"]
    inside = service.ask("GET", "/v1/memories", params={"cluster": "cranes / ü"}).json()["items"]
    assert [each["id"] for each in inside] == [id]
    service.ask("POST", "/v1/clusters/remove", {"cluster": "cranes / ü", "ids": [id]})
    assert "cranes / ü" not in service.ask("GET", "/v1/clusters").text


# --- looking back, projects, spaces --------------------------------------------------------------


def test_an_answer_is_looked_back_at(service: Service) -> None:
    answer = service.ask("POST", "/v1/retrieve", {"text": "When is the harbour plan due?"}).json()
    (line,) = service.ask("GET", "/v1/traces").json()["items"]
    assert line["id"] == answer["trace_id"]
    whole = service.ask("GET", f"/v1/traces/{line['id']}").json()
    best = whole["evidence"][0]["id"]
    told = service.ask("GET", "/v1/traces/last/explain", params={"memory_id": best}).json()
    assert told["sentences"] and told["trace_id"] == line["id"]
    said = {"trace_id": line["id"], "memory_id": best, "use": "used"}
    assert service.ask("POST", "/v1/feedback", said).status_code == 204
    assert service.ask("GET", f"/v1/memories/{best}").json()["favour"] > 0
    assert service.ask("POST", "/v1/unlearn").status_code == 204
    assert service.ask("GET", f"/v1/memories/{best}").json()["favour"] == 0


def test_a_replay_says_what_other_settings_change_and_keeps_no_trace(service: Service) -> None:
    nothing = service.ask("POST", "/v1/replay", {"settings": {}}).json()
    assert (nothing["questions"], nothing["replies"]) == (0, [])
    service.ask("POST", "/v1/retrieve", {"text": "When is the harbour plan due?"})
    same = service.ask("POST", "/v1/replay", {"last": 5}).json()
    other = service.ask("POST", "/v1/replay", {"last": 5, "settings": {"enable_memory": False}}).json()
    assert (same["questions"], same["changed"]) == (1, 0.0)
    assert (other["questions"], other["changed"]) == (1, 1.0)
    assert len(service.ask("GET", "/v1/traces").json()["items"]) == 1
    assert service.ask("POST", "/v1/replay", {"last": 0}).json()["questions"] == 0


HULL = """class Hull:
    def weigh(self) -> int:
        return 7


def lift(hull: Hull) -> int:
    return hull.weigh()
"""


def test_a_replay_searches_what_a_question_searches(start: Callable[..., Service], tmp_path: Path) -> None:
    """The graph and a source of the caller's own among it, which is not closed by it."""
    (tmp_path / "crane.py").write_text(HULL)
    then = datetime(2026, 3, 1, tzinfo=UTC)
    noted = Memory("note", "default", "fact", "", "The crane calls Hull.weigh, Ana noted.", then, then, "hash")
    service = start(service__ingest_roots=str(tmp_path), sources=[InMemorySource([noted], name="notes")])
    service.ask("POST", "/v1/projects/ingest", {"project": "port", "paths": [str(tmp_path / "crane.py")]})
    asked = {"text": "What calls Hull.weigh?"}
    told = service.ask("POST", "/v1/retrieve", asked).json()["evidence"]
    assert {"graph", "notes"} <= {source for each in told for source in each["sources"]}
    again = service.ask("POST", "/v1/replay", {}).json()
    without = service.ask("POST", "/v1/replay", {"settings": {"enable_graph": False}}).json()
    assert [side["evidence"] for side in again["replies"][0]["sides"]] == [[each["id"] for each in told]] * 2
    assert (again["changed"], without["changed"]) == (0.0, 1.0)
    assert [each["id"] for each in service.ask("POST", "/v1/retrieve", asked).json()["evidence"]] == [
        each["id"] for each in told
    ]


def test_files_are_read_only_below_the_configured_folders(start: Callable[..., Service], tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "inside-out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "crane.py").write_text('"""Cranes."""\n\n\nclass Crane:\n    """Lifts."""\n')
    os.symlink(outside, inside / "link")
    service = start(service__ingest_roots=str(inside))
    for path in (
        outside,
        inside / "link",
        inside / ".." / "inside-out",
        tmp_path,
        tmp_path / "missing",
        "crane.py",
        "\0",
    ):
        reply = service.ask("POST", "/v1/projects/ingest", {"project": "port", "paths": [str(path)]})
        assert (reply.status_code, reply.json()["field"]) == (403, "paths")
        assert str(tmp_path) not in reply.text
        each = service.ask("POST", "/v1/projects/ingest-each", {"paths": [str(path)]})
        assert (each.status_code, each.json()["field"]) == (403, "paths")
    (inside / "quay").mkdir()
    (inside / "quay" / "berth.md").write_text("# Berth\n\nFour is free.\n")
    all_of_them = service.ask("POST", "/v1/projects/ingest-each", {"paths": [str(inside)]}).json()["items"]
    assert [(each["project"], each["read"]) for each in all_of_them] == [("quay", 1)], "no link is followed"
    assert service.ask("DELETE", "/v1/projects", params={"project": "quay"}).json() == {"count": 1}
    shutil.rmtree(inside / "quay")
    done = service.ask("POST", "/v1/projects/ingest", {"project": "port", "paths": [str(inside)]})
    assert (done.status_code, done.json()["read"]) == (200, 1)
    assert [each["project"] for each in service.ask("GET", "/v1/projects").json()["items"]] == ["port"]
    named = service.ask("GET", "/v1/entities", params={"name": "Crane"}).json()["items"]
    assert {each["project"] for each in named} == {"port"}
    assert service.ask("DELETE", "/v1/projects", params={"project": "port"}).json() == {"count": 1}
    assert service.ask("DELETE", "/v1/projects", params={"project": "port"}).status_code == 404


def test_without_configured_folders_no_file_is_read(service: Service, tmp_path: Path) -> None:
    reply = service.ask("POST", "/v1/projects/ingest", {"project": "port", "paths": [str(tmp_path)]})
    assert reply.status_code == 403


def test_a_space_goes_out_and_comes_in_whole(service: Service) -> None:
    out = service.ask("GET", "/v1/export")
    assert out.headers["content-type"].startswith("application/x-ndjson")
    assert out.text.splitlines() == everything(service)
    done = service.ask("POST", "/v1/import", params={"space": "copy"}, content=out.content)
    assert done.json() == {"memory": 4, "entity": 0, "link": service.run(service.engine.stats()).links}
    assert service.ask("GET", "/v1/spaces").json() == {"items": ["copy", "default"]}
    assert service.ask("GET", "/v1/spaces/stats", params={"space": "copy"}).json()["memories"] == 4
    assert service.ask("DELETE", "/v1/spaces", params={"space": "copy"}).status_code == 204
    assert service.ask("GET", "/v1/spaces").json() == {"items": ["default"]}


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"{}", b"nonsense", b"\x00", b"[" * 100_000])
def test_what_is_no_export_is_not_read(service: Service, body: bytes) -> None:
    before = everything(service)
    reply = service.ask("POST", "/v1/import", content=body)
    assert reply.status_code in {400, 422}
    assert reply.json()["remedy"] or reply.json()["field"]
    assert everything(service) == before


@pytest.mark.parametrize("path", ["/v1/export", "/v1/spaces/stats"])
def test_a_space_that_is_not_there_is_told_without_naming_files(service: Service, path: str) -> None:
    reply = service.ask("GET", path, params={"space": "nowhere"})
    assert reply.status_code == 404
    assert "served-" not in reply.text and "default" not in reply.text
