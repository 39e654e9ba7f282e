"""A key for one space reaches nothing of another: not through any route, trace, export, count or error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from .conftest import Service
from .trespass import KEY, MINE, RIGHTS, THEIRS, TRIES, Pick, Town, routes_of

EXAMPLES, STEPS = 12, 20
PLENTY = {"service__requests_per_second": 1_000_000.0, "service__burst": 1_000_000}
OPEN = {("GET", path) for path in ("/health", "/ready", "/v1/version", "/openapi.json")}
READY = ("GET", "/ready")  # not before the models are loaded, which nobody does here
ROUTES = sorted(TRIES)
# Routes through which the other caller must see what was planted, or there would be nothing to find.
SHOWING = [
    ("POST", "/v1/retrieve"), ("POST", "/v1/recall"), ("POST", "/v1/search"), ("POST", "/api/memory/retrieve/debug"),
    ("GET", "/v1/memories"), ("GET", "/v1/memories/{id}"), ("GET", "/v1/links"), ("GET", "/v1/entities"),
    ("GET", "/v1/entities/same"), ("GET", "/v1/entities/neighbours"), ("GET", "/v1/entities/paths"),
    ("GET", "/v1/conflicts"), ("GET", "/v1/clusters"), ("GET", "/v1/traces"), ("GET", "/v1/traces/{trace}"),
    ("GET", "/v1/traces/{trace}/explain"), ("POST", "/v1/replay"), ("GET", "/v1/export"), ("GET", "/v1/spaces"),
    ("PATCH", "/v1/memories/{id}"), ("POST", "/v1/clusters/add"),
]  # fmt: skip


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Town]:
    """A store with both spaces filled, closed, to be copied; and what is known of it."""
    folder = tmp_path_factory.mktemp("town")
    service = Service(folder / "store", **PLENTY)
    keys = {MINE: service.key(*RIGHTS, spaces=(MINE,)), THEIRS: service.key(*RIGHTS, spaces=(THEIRS,))}
    keys["all"] = service.key(*RIGHTS)
    town = Town(service, keys).plant(folder / "files")
    service.close()
    return folder / "store", town


def opened(planted: tuple[Path, Town], folder: Path) -> Town:
    """The same town again, in a folder of its own."""
    template, town = planted
    shutil.copytree(template, folder)
    return Town(Service(folder, **PLENTY), town.keys, [*town.stolen], [*town.traces], [*town.own])


@pytest.fixture(scope="module")
def town(planted: tuple[Path, Town], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """One for all tests: what is the trespasser's own may be changed, what is the other's has to stay as it is."""
    made = opened(planted, tmp_path_factory.mktemp("copy") / "store")
    yield made
    made.service.close()


def reaching(town: Town, space: str | None) -> Pick:
    return Pick(space, town.stolen[0], town.stolen[1], town.traces[0])


def test_every_route_is_tried(town: Town) -> None:
    assert set(TRIES) == routes_of(town.service)


@pytest.mark.parametrize("space", [None, MINE, THEIRS], ids=["no space", "mine", "theirs"])
@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_no_route_gives_anything_away(town: Town, route: tuple[str, str], space: str | None) -> None:
    before = town.theirs()
    reply = town.try_route(route, reaching(town, space))
    assert reply.status_code < 500 or route == READY
    assert town.leaks(reply) == []
    if space == THEIRS and TRIES[route](reaching(town, space)) != TRIES[route](reaching(town, None)):
        assert reply.status_code == 403
    assert town.theirs() == before


@pytest.mark.parametrize("route", SHOWING, ids=" ".join)
def test_the_other_caller_sees_what_was_planted(town: Town, route: tuple[str, str]) -> None:
    pick = Pick(None, town.stolen[0], town.stolen[1], town.traces[0], "ocarina")
    reply = town.try_route(route, pick, key=THEIRS)
    assert reply.status_code == 200
    assert town.leaks(reply), "nothing was planted where this route looks"


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_without_a_key_only_the_open_routes_answer(town: Town, route: tuple[str, str]) -> None:
    pick = reaching(town, None)
    made = TRIES[route](pick)
    path = route[1].format(id=pick.one, trace=pick.trace)
    reply = town.service.ask(route[0], path, made.pop("json", None), **made)
    assert (reply.status_code != 401) == (route in OPEN)
    assert town.leaks(reply) == []


def test_a_refusal_is_the_same_for_a_space_that_is_there_and_one_that_is_not(town: Town) -> None:
    def told(space: str) -> tuple[int, str]:
        reply = town.try_route(("GET", "/v1/memories"), reaching(town, space))
        return reply.status_code, reply.json()["detail"].replace(space, "SPACE")

    assert told(THEIRS) == told("nobody-ever-made-it")


def test_an_id_of_the_other_is_as_unknown_as_one_that_never_was(town: Town) -> None:
    def told(id: str) -> tuple[int, str]:
        reply = town.service.ask("GET", f"/v1/memories/{id}", key=town.keys[MINE])
        return reply.status_code, reply.json()["detail"].replace(id, "ID")

    assert told(town.stolen[0]) == told("never-was")


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/traces", "/v1/conflicts", "/v1/links"])
def test_a_cursor_of_the_other_is_as_unknown_as_one_that_never_was(town: Town, path: str) -> None:
    query = {"id": town.stolen[0]} if path == "/v1/links" else {}

    def page(key: str, **more: str) -> httpx.Response:
        return town.service.ask("GET", path, key=town.keys[key], params={**query, "limit": "1", **more})

    theirs = page(THEIRS).json()["next"]
    assert theirs, "nothing was planted where this route looks"

    def told(cursor: str) -> tuple[int, str]:
        reply = page(MINE, after=cursor)
        return reply.status_code, reply.json()["detail"].replace(cursor, "CURSOR")

    assert told(theirs) == told("never-was")
    assert told(theirs)[0] == 404


def test_the_same_idempotency_key_in_two_spaces_is_two_keys(town: Town) -> None:
    town.try_route(("DELETE", "/v1/spaces"), reaching(town, MINE))
    body = {"text": "Ben likes the harbour."}
    first = town.service.ask("POST", "/v1/memories", body, key=town.keys[MINE], headers={"Idempotency-Key": KEY})
    assert (first.status_code, first.json()["fate"]) == (201, "stored")
    assert first.json()["id"] not in town.stolen


def test_counts_for_the_whole_service_hold_no_names_and_no_content(town: Town) -> None:
    for route in ROUTES:
        if route[0] == "GET":
            town.try_route(route, reaching(town, THEIRS), key=THEIRS)
    reply = town.try_route(("GET", "/metrics"), reaching(town, None), key="all")
    assert reply.status_code == 200
    assert town.leaks(reply) == []


def test_no_sequence_of_requests_gives_anything_away(planted: tuple[Path, Town], tmp_path: Path) -> None:
    count = iter(range(1_000_000))

    class Trespasser(RuleBasedStateMachine):
        """One caller tries everything, in any order, while the other goes on working."""

        def __init__(self) -> None:
            super().__init__()
            self.town = opened(planted, tmp_path / f"store-{next(count)}")

        @rule(route=st.sampled_from(ROUTES), space=st.sampled_from([None, MINE, THEIRS]), data=st.data())
        def tries(self, route: tuple[str, str], space: str | None, data: st.DataObject) -> None:
            town = self.town
            ids = st.sampled_from([*town.own, *town.stolen])
            pick = Pick(
                space,
                data.draw(ids, label="one"),
                data.draw(ids, label="other"),
                data.draw(st.sampled_from([*town.traces, "last"]), label="trace"),
                data.draw(st.sampled_from(["harbour", "boat", "keeps"]), label="word"),
            )
            before = town.theirs()
            reply = town.try_route(route, pick)
            assert reply.status_code < 500 or route == READY
            assert town.leaks(reply) == []
            assert town.theirs() == before

        @rule(word=st.sampled_from(["harbour", "boat"]))
        def watches_an_answer(self, word: str) -> None:
            pick = Pick(MINE, self.town.stolen[0], self.town.stolen[1], "last", word)
            events = {"headers": {"Accept": "text/event-stream"}}
            reply = self.town.try_route(("POST", "/v1/retrieve"), pick, **events)
            assert reply.status_code in {200, 422}
            assert self.town.leaks(reply) == []

        @rule(number=st.integers(1, 9))
        def the_other_remembers(self, number: int) -> None:
            self.town.remember_as_the_other(number)

        @rule()
        def the_other_asks(self) -> None:
            self.town.ask_as_the_other()

        def teardown(self) -> None:
            self.town.service.close()

    how = settings(
        max_examples=EXAMPLES, stateful_step_count=STEPS, suppress_health_check=[HealthCheck.too_slow], deadline=None
    )
    run_state_machine_as_test(Trespasser, settings=how)  # type: ignore[no-untyped-call]
