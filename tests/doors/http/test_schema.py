"""The OpenAPI document against the service: schemathesis makes requests of every route, good ones and bad ones.

No reply may be a 5xx, undocumented, or of another shape than documented, nor hold a field that is not described; bad
data must not be accepted. `make test` makes a few requests of each route, SCHEMA_EXAMPLES=30 thousands in all. What was
really sent is counted, held against a floor for every route, and printed.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from recollect.doors.http.gate import OPEN_PATHS

from .conftest import Service
from .documented import Shapes

EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "6"))
KEYED_EXAMPLES = max(2, EXAMPLES // 3)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
BY_MODE = {GenerationMode.POSITIVE: positive_data_acceptance, GenerationMode.NEGATIVE: negative_data_rejection}


class Live:
    """A service on a port of this machine, in a thread."""

    def __init__(self, folder: Path) -> None:
        self.service = Service(folder, service__requests_per_second=1_000_000, service__burst=1_000_000)
        for text in ("The harbour plan is due in March.", "Ana leads the harbour project.", "The crane is red."):
            self.service.remember(text)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.server = uvicorn.Server(uvicorn.Config(self.service.app, log_config=None, access_log=False, ws="none"))
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()
        while not self.server.started and self.thread.is_alive():
            time.sleep(0.01)

    def _serve(self) -> None:
        self.service.loop.run_until_complete(self.server.serve(sockets=[self.socket]))

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.service.loop.close()  # the engine was closed by the service when it stopped


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    made = Live(tmp_path_factory.mktemp("live"))
    yield made
    made.close()


def document_of(live: Live) -> Any:
    checks = {
        "positive_data_acceptance": {"expected-statuses": ACCEPTED},
        "negative_data_rejection": {"expected-statuses": REJECTED},
    }
    config = SchemathesisConfig.from_dict({"checks": checks})
    return schemathesis.openapi.from_url(f"{live.url}/openapi.json", config=config)


# 422: what relates two fields (a range that ends before it starts) is no matter of a schema.
ACCEPTED = ["2xx", "401", "403", "404", "409", "422"]
REJECTED = ["400", "401", "403", "404", "405", "409", "413", "415", "422"]


class Tally:
    """What was sent and what came back: how often each route was asked, and how often each status was the answer."""

    def __init__(self) -> None:
        self.routes: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()

    def __str__(self) -> str:
        came = ", ".join(f"{status}: {count:,}" for status, count in sorted(self.statuses.items()))
        return f"{self.routes.total():,} requests of {len(self.routes)} routes ({came})"


def try_out(live: Live, mode: GenerationMode, *, headers: dict[str, str], examples: int) -> Tally:
    """Make requests of every route."""
    tally = Tally()
    document = document_of(live)
    shapes = Shapes(live.service.app.openapi())
    for result in document.get_all_operations():
        operation = result.ok()

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(case=operation.as_strategy(generation_mode=mode))
        def one(case: Any) -> None:
            response = case.call(base_url=live.url, headers=headers, timeout=60)
            tally.statuses[response.status_code] += 1
            tally.routes[case.operation.label] += 1
            case.validate_response(response, checks=[*CHECKS, BY_MODE[mode]])
            shape = shapes.shape_of(case.operation.label, response.status_code)
            assert shape is None or not list(shapes.faults(response.json(), shape))

        with suppress(Unsatisfiable):  # a route that takes nothing cannot be given anything wrong
            one()
    return tally


def check_floor(tally: Tally, live: Live, mode: GenerationMode, *, examples: int) -> None:
    """Every route was asked, and one that takes anything about as often as wanted."""
    for path, operations in live.service.app.openapi()["paths"].items():
        for method, operation in operations.items():
            takes = operation.get("parameters") or operation.get("requestBody")
            floor = examples // 2 if takes else int(mode is GenerationMode.POSITIVE)
            assert tally.routes[f"{method.upper()} {path}"] >= floor, (method, path)


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[[str, Tally], None]:
    """Print a tally among the results."""

    def line(what: str, tally: Tally) -> None:
        with capsys.disabled():
            print(f"\n{what}: {tally}")

    return line


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_route_keeps_to_the_document(
    live: Live, mode: GenerationMode, show: Callable[[str, Tally], None]
) -> None:
    tally = try_out(live, mode, headers={}, examples=EXAMPLES)
    show(f"without keys, {mode.value} data", tally)
    check_floor(tally, live, mode, examples=EXAMPLES)
    assert tally.statuses[200] or mode is GenerationMode.NEGATIVE


def test_every_route_keeps_to_the_document_with_a_key_and_without(
    tmp_path: Path, show: Callable[[str, Tally], None]
) -> None:
    live = Live(tmp_path / "keyed")
    try:
        key = live.service.key("read", spaces=("default",))
        for mode in GenerationMode:
            without = try_out(live, mode, headers={}, examples=KEYED_EXAMPLES)
            show(f"keys, none sent, {mode.value} data", without)
            check_floor(without, live, mode, examples=KEYED_EXAMPLES)
            answered = without.routes.total() - without.statuses[401]
            assert answered == sum(without.routes[f"GET {path}"] for path in OPEN_PATHS)
            with_key = try_out(live, mode, headers={"Authorization": f"Bearer {key}"}, examples=KEYED_EXAMPLES)
            show(f"keys, one sent, {mode.value} data", with_key)
            check_floor(with_key, live, mode, examples=KEYED_EXAMPLES)
            assert with_key.statuses[403] > 0
            if mode is GenerationMode.POSITIVE:  # bad data may also be a bad key
                assert with_key.statuses[200] and not with_key.statuses[401]
    finally:
        live.close()


def test_the_document_is_openapi_3_1_with_examples_and_problems(live: Live) -> None:
    document = live.service.app.openapi()
    assert document["openapi"].startswith("3.1")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            problems = [each for status, each in operation["responses"].items() if int(status) >= 400]
            assert len(problems) >= 8, (method, path)
            assert all("application/problem+json" in each["content"] for each in problems), (method, path)
    bodies = [
        schema
        for name, schema in document["components"]["schemas"].items()
        if name in {"RetrieveBody", "ConversationBody", "SearchBody", "RecallBody", "ContextBody", "ClassifyBody"}
    ]
    assert len(bodies) == 6
    assert all(schema["examples"] and schema["additionalProperties"] is False for schema in bodies)
