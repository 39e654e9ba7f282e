"""Who may do what: keys bound to spaces and rights, hosts and origins, and what an error never tells."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.doors.http.keys import FILE, KeyRing
from recollect.errors import InvalidInput, NotFound
from recollect.trace import watcher
from recollect.values import Happening

from .conftest import Service
from .trespass import TRIES, Pick

OPEN = ("/health", "/v1/version", "/openapi.json")
ASKING = {
    "/v1/retrieve": {"text": "harbour plan"},
    "/v1/search": {"text": "harbour plan"},
    "/v1/context": {"message": "harbour plan"},
    "/v1/recall": {"text": "harbour plan"},
    "/api/memory/retrieve": {"messages": [{"content": "harbour plan"}]},
    "/api/memory/retrieve/debug": {"messages": [{"content": "harbour plan"}]},
}


def test_without_keys_this_machine_may_do_everything(service: Service) -> None:
    assert service.ask("POST", "/v1/search", {"text": "harbour"}).status_code == 200
    assert service.ask("GET", "/metrics").status_code == 200


@pytest.mark.parametrize("path", ASKING)
def test_once_there_is_a_key_one_is_needed(service: Service, path: str) -> None:
    key = service.key("read")
    without = service.ask("POST", path, ASKING[path])
    assert without.status_code == 401
    assert without.headers["WWW-Authenticate"] == "Bearer"
    assert service.ask("POST", path, ASKING[path], key=key).status_code == 200
    assert service.ask("POST", path, ASKING[path], key=key[:-1] + "~").status_code == 401


def test_a_key_is_wanted_before_the_body_is_looked_at(service: Service) -> None:
    service.key("read")
    reply = service.ask("POST", "/v1/search", content=b"{", headers={"Content-Type": "application/json"})
    assert reply.status_code == 401


@pytest.mark.parametrize("path", OPEN)
def test_a_few_routes_need_no_key(service: Service, path: str) -> None:
    service.key("read")
    assert service.ask("GET", path).status_code == 200


@pytest.mark.parametrize("path", ASKING)
def test_a_space_the_key_is_not_for_is_refused_alike_whether_it_exists_or_not(service: Service, path: str) -> None:
    service.remember("The vault code is 1234.", space="secret")
    key = service.key("read", "write", "admin", spaces=("default",))
    known, unknown = (
        service.ask("POST", path, {**ASKING[path], "space": name}, key=key) for name in ("secret", "nope")
    )
    assert known.status_code == unknown.status_code == 403
    told = [{**each.json(), "request_id": ""} for each in (known, unknown)]
    assert str(told[0]).replace("secret", "nope") == str(told[1])


def test_a_key_for_one_space_means_that_space(service: Service) -> None:
    service.remember("The vault code is 1234.", space="team")
    key = service.key("read", spaces=("team",))
    assert service.ask("POST", "/v1/recall", {}, key=key).json()["memories"][0]["space"] == "team"


def test_rights_do_not_include_each_other_but_admin_has_all(service: Service) -> None:
    body = {"text": "harbour"}
    assert service.ask("POST", "/v1/search", body, key=service.key("write")).status_code == 403
    assert service.ask("POST", "/v1/search", body, key=service.key("admin")).status_code == 200


# Who may use a route at all; one that shows what it changes needs both rights.
READ, WRITE, BOTH, ADMIN, ANY = {"read"}, {"write"}, {"read write"}, set[str](), {"read", "write"}
NEEDED = {
    "POST /api/memory/retrieve": READ, "POST /api/memory/retrieve/debug": READ, "POST /v1/retrieve": READ,
    "POST /v1/context": READ, "POST /v1/recall": READ, "POST /v1/search": READ, "POST /v1/classify-query": ANY,
    "POST /v1/memories": WRITE, "POST /v1/memories/batch": WRITE, "GET /v1/memories": READ,
    "GET /v1/memories/{id}": READ, "PATCH /v1/memories/{id}": BOTH, "DELETE /v1/memories/{id}": WRITE,
    "POST /v1/memories/{id}/supersede": BOTH, "POST /v1/memories/{id}/archive": BOTH,
    "POST /v1/memories/{id}/restore": BOTH, "POST /v1/links": WRITE, "DELETE /v1/links": WRITE, "GET /v1/links": READ,
    "GET /v1/entities": READ, "GET /v1/entities/same": READ, "GET /v1/entities/neighbours": READ,
    "GET /v1/entities/paths": READ, "GET /v1/conflicts": READ, "POST /v1/conflicts/resolve": WRITE,
    "POST /v1/conflicts/resolve-many": WRITE, "GET /v1/clusters": READ, "POST /v1/clusters/add": BOTH,
    "POST /v1/clusters/remove": BOTH, "GET /v1/traces": READ, "GET /v1/traces/{trace}": READ,
    "GET /v1/traces/{trace}/explain": READ, "POST /v1/feedback": WRITE, "POST /v1/unlearn": WRITE,
    "POST /v1/replay": ADMIN, "GET /v1/projects": READ, "DELETE /v1/projects": WRITE,
    "POST /v1/projects/ingest": ADMIN, "POST /v1/projects/ingest-each": ADMIN,
    "POST /v1/projects/connect": ADMIN, "GET /v1/spaces": ANY,
    "DELETE /v1/spaces": ADMIN, "GET /v1/spaces/stats": READ, "POST /v1/spaces/fade": ADMIN, "GET /v1/export": ADMIN,
    "POST /v1/import": ADMIN, "GET /health": ANY, "GET /ready": ANY, "GET /metrics": ADMIN, "GET /v1/version": ANY,
    "GET /openapi.json": ANY,
}  # fmt: skip


def test_the_right_every_route_needs(service: Service) -> None:
    keys = {rights: service.key(*rights.split()) for rights in ("read", "write", "read write")}
    pick = Pick("default", "no-such-id", "nor-this", "no-such-trace")
    found = {}
    for method, path in TRIES:
        made = TRIES[method, path](pick)
        body, where = made.pop("json", None), path.format(id=pick.one, trace=pick.trace)
        replies = {rights: service.ask(method, where, body, key=key, **made) for rights, key in keys.items()}
        allowed = {rights for rights, reply in replies.items() if reply.status_code != 403}
        found[f"{method} {path}"] = allowed - BOTH or allowed
    assert found == NEEDED


@pytest.mark.parametrize("path", ASKING)
def test_a_space_named_where_nobody_looks_is_refused(service: Service, path: str) -> None:
    reply = service.ask("POST", f"{path}?space=secret", ASKING[path])
    assert (reply.status_code, reply.json()["field"]) == (422, "space")


@pytest.mark.parametrize("body", [b"\x1f\x8b\x08\x00", b"[" * 100_000, b'{"text": 1' + b"0" * 5_000 + b"}", b"{"])
def test_a_body_that_cannot_be_read_says_what_to_send(service: Service, body: bytes) -> None:
    reply = service.ask("POST", "/v1/search", content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["field"]) == (400, "body")
    assert "JSON" in reply.json()["remedy"]


@pytest.mark.parametrize(
    ("rights", "spaces", "status"),
    [(("read",), ("*",), 403), (("admin",), ("default",), 403), (("admin",), ("*",), 200)],
)
def test_metrics_are_for_who_administers_everything(
    service: Service, rights: tuple[str, ...], spaces: tuple[str, ...], status: int
) -> None:
    assert service.ask("GET", "/metrics", key=service.key(*rights, spaces=spaces)).status_code == status


def test_metrics_count_requests_by_route_and_calls_by_verb(service: Service) -> None:
    service.ask("POST", "/v1/search", {"text": "harbour"})
    service.ask("GET", "/no/such/route/of/mine")
    service.run(service.engine.settle())
    told = service.ask("GET", "/metrics").text
    assert 'recollect_http_requests_total{method="POST",route="/v1/search",status="200"} 1' in told
    assert 'route="unknown",status="404"} 1' in told
    assert 'recollect_operations_total{operation="search",outcome=' in told
    assert "of/mine" not in told


def test_a_revoked_key_is_worth_nothing_and_opens_nothing(service: Service) -> None:
    key = service.key("read")
    service.keys.revoke(key.split("_")[1])
    assert service.ask("POST", "/v1/search", {"text": "harbour"}, key=key).status_code == 401
    assert service.ask("POST", "/v1/search", {"text": "harbour"}).status_code == 401


HOSTS = {
    "our own name": ({"Host": "localhost:8765"}, 200),
    "our own address": ({"Host": "127.0.0.1"}, 200),
    "our own address, version 6": ({"Host": "[::1]:8765"}, 200),
    "a name that was led here": ({"Host": "evil.example"}, 403),
    "a page of this service": ({"Host": "localhost:8765", "Origin": "http://localhost:8765"}, 200),
    "a page from elsewhere": ({"Host": "localhost:8765", "Origin": "http://evil.example"}, 403),
    "a page on another port": ({"Host": "localhost:8765", "Origin": "http://localhost:99"}, 403),
    "a page without origin": ({"Host": "localhost:8765", "Origin": "null"}, 403),
    "capitals": ({"Host": "LocalHost:8765"}, 200),
    "a name behind our own": ({"Host": "localhost:80@evil.example"}, 403),
    "a name behind our own address": ({"Host": "[::1]evil.example"}, 403),
    "no name": ({"Host": ""}, 403),
}


@pytest.mark.parametrize("case", HOSTS)
def test_hosts_and_origins(service: Service, case: str) -> None:
    headers, status = HOSTS[case]
    assert service.ask("GET", "/health", headers=headers).status_code == status


def test_hosts_and_origins_can_be_allowed(start: Callable[..., Service]) -> None:
    service = start(service__allowed_hosts="memory.example", service__allowed_origins="https://notes.example")
    headers = {"Host": "memory.example", "Origin": "https://notes.example"}
    assert service.ask("GET", "/health", headers=headers).status_code == 200


def test_a_browser_lets_an_allowed_page_read_what_it_asked_for(start: Callable[..., Service]) -> None:
    service = start(service__allowed_origins="https://Notes.example/")
    service.key("read")
    page = {"Origin": "https://notes.example"}
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    before = service.ask("OPTIONS", "/v1/search", headers={**page, **asks})
    assert before.status_code == 200
    assert before.headers["Access-Control-Allow-Origin"] == page["Origin"]
    refused = service.ask("POST", "/v1/search", {"text": "harbour"}, headers=page)
    assert refused.status_code == 401
    assert refused.headers["Access-Control-Allow-Origin"] == page["Origin"], "or the page could not tell why"
    assert "Access-Control-Allow-Credentials" not in refused.headers
    elsewhere = {"Origin": "https://evil.example"}
    assert service.ask("OPTIONS", "/v1/search", headers={**elsewhere, **asks}).status_code == 400
    assert "Access-Control-Allow-Origin" not in service.ask("GET", "/health", headers=elsewhere).headers


def test_a_bug_tells_nothing_of_the_inside(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise KeyError("the vault code is 1234")

    service.engine.search = broken  # type: ignore[method-assign, assignment]
    with caplog.at_level(logging.INFO, logger="recollect.http"):
        reply = service.ask("POST", "/v1/search", {"text": "harbour"})
    assert reply.status_code == 500
    assert reply.headers["content-type"] == "application/problem+json"
    assert "1234" not in reply.text + caplog.text
    assert "KeyError" not in reply.text
    assert "KeyError" in caplog.text
    assert reply.json()["request_id"] in caplog.text


def test_a_bug_met_while_events_are_sent_is_in_the_log_too(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    async def broken(*_: object, **__: object) -> None:
        passed_on = watcher()
        assert passed_on is not None
        passed_on(Happening("step", "understand", 0.0, {}))
        for _ in range(9):
            await asyncio.sleep(0)  # until it was passed on
        raise KeyError("the vault code is 1234")

    service.engine.retrieve = broken  # type: ignore[method-assign, assignment]
    with caplog.at_level(logging.INFO, logger="recollect.http"):
        reply = service.ask("POST", "/v1/retrieve", {"text": "harbour"}, headers={"Accept": "text/event-stream"})
    assert "event: error" in reply.text
    lines = [json.loads(record.getMessage()) for record in caplog.records]
    assert [each["event"] for each in lines] == ["bug", "request"]
    assert (lines[0]["error"], lines[1]["reasons"]) == ("KeyError", ["internal"])
    assert "1234" not in reply.text + caplog.text


def test_whoever_runs_it_is_told_why_keys_cannot_be_read(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    service.key("read")
    (service.engine.settings.store.path / FILE).write_bytes(b"no database at all" * 100)
    with caplog.at_level(logging.INFO, logger="recollect.http"):
        reply = service.ask("POST", "/v1/search", {"text": "harbour"})
    assert reply.status_code == 503
    assert FILE not in reply.text
    assert FILE in caplog.text


def test_a_store_that_cannot_serve_does_not_tell_where_it_is(service: Service, tmp_path: Path) -> None:
    service.remember("The crane is red.", space="broken")
    service.run(service.engine.close())
    for path in tmp_path.rglob("memories.db"):
        if "broken" in str(path):
            path.write_bytes(b"no database at all" * 100)
    reply = service.ask("POST", "/v1/recall", {"space": "broken"})
    assert reply.status_code == 503
    assert str(tmp_path) not in reply.text
    assert "doctor" in reply.json()["remedy"]


def test_the_log_has_a_line_for_each_request_and_no_content(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    key = service.key("read")
    with caplog.at_level(logging.INFO, logger="recollect.http"):
        service.ask("POST", "/v1/retrieve", {"text": "When is the harbour plan due?"}, key=key)
        service.ask("POST", "/v1/search", {"text": "harbour", "vault": 1}, key=key, headers={"X-Request-ID": "mine-1"})
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert '"route": "/v1/retrieve", "status": 200' in lines[0]
    assert f'"key": "{key.split("_")[1]}", "space": "default", "reasons": ["enough"]' in lines[0]
    assert '"request_id": "mine-1"' in lines[1]
    assert '"status": 422' in lines[1]
    assert not any(word in caplog.text for word in ("harbour", "vault", key))


# --- the keys themselves -----------------------------------------------------------------------------


def test_a_key_is_kept_as_a_hash_in_a_file_of_its_owner(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    key, text = ring.create(label="ci", spaces=["a", "b"], rights=["read", "write"])
    secret = text.split("_", 2)[2]
    assert secret.encode() not in (tmp_path / FILE).read_bytes()
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert KeyRing(tmp_path).find(text) == key
    assert ring.find(text.replace(secret, secret[::-1])) is None
    assert ring.find("") is None
    assert [each.id for each in ring.listed()] == [key.id]


def test_another_process_revoking_a_key_is_noticed(tmp_path: Path) -> None:
    ours, theirs = KeyRing(tmp_path), KeyRing(tmp_path)
    key, text = theirs.create(label="", spaces=["*"], rights=["read"])
    assert ours.find(text) == key
    theirs.revoke(key.id)
    assert ours.find(text) is None


def test_a_key_revoked_in_the_same_tick_of_the_files_clock_is_noticed(tmp_path: Path) -> None:
    ours, theirs = KeyRing(tmp_path), KeyRing(tmp_path)
    key, text = theirs.create(label="", spaces=["*"], rights=["read"])
    assert ours.find(text) == key
    before = (tmp_path / FILE).stat()
    theirs.revoke(key.id)
    os.utime(tmp_path / FILE, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ours.find(text) is None


def test_keys_need_spaces_and_known_rights(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    for spaces, rights in (([], ["read"]), (["a"], []), (["a"], ["fly"]), (["a\n"], ["read"])):
        with pytest.raises(InvalidInput):
            ring.create(label="", spaces=spaces, rights=rights)
    with pytest.raises(NotFound, match="no key 'x'"):
        ring.revoke("x")
    assert not ring.required


def test_the_table_of_keys_has_no_secret_column(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.create(label="", spaces=["*"], rights=["read"])
    database = sqlite3.connect(tmp_path / FILE)
    names = [row[1] for row in database.execute("pragma table_info(keys)")]
    database.close()
    assert names == ["id", "label", "hash", "spaces", "rights", "created_at", "revoked_at"]
