"""`recollect serve` as a process on a port of this machine: start, stop, events, hanging up, keys."""

from __future__ import annotations

import json
import logging
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.doors.conftest import Run

QUESTION = {"text": "When is the harbour plan due?"}
PATIENCE = 60.0
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"  # sent when the body is waited for


class Serving:
    """A running `recollect serve`."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [
            sys.executable,
            "-c",
            "from recollect.doors.cli import main; main()",
            "serve",
            "--port",
            "0",
            "--json",
        ]
        common = ["--store", str(folder), "--set", "embedder=hashing"]
        self.process = subprocess.Popen(
            [*command, *common, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.log: list[dict[str, Any]] = []
        self.url = self._address()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _address(self) -> str:
        assert self.process.stdout is not None
        told = ""
        for line in self.process.stdout:
            told += line
            if line.startswith("}"):
                return str(json.loads(told)["address"])
        raise AssertionError(self.process.communicate()[1])

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(json.loads(line))

    def wait_until_ready(self) -> None:
        self.until(lambda: httpx.get(f"{self.url}/ready", timeout=PATIENCE).status_code == 200)

    @contextmanager
    def asking(self, body: bytes, path: str = "/v1/retrieve") -> Iterator[socket.socket]:
        """A connection with a request in progress, of whose body (JSON) the service has seen nothing yet."""
        host, port = self.url.removeprefix("http://").split(":")
        head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
        with socket.create_connection((host, int(port)), PATIENCE) as line:
            line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
            assert line.recv(len(GO_ON), socket.MSG_WAITALL) == GO_ON
            yield line

    def refuses(self) -> bool:
        """Whether nobody can connect any more."""
        host, port = self.url.removeprefix("http://").split(":")
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
        except ConnectionError:
            return True
        return False

    def until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self._reading.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code


@pytest.fixture
def serve(folder: Path, add: Callable[..., str]) -> Iterator[Callable[..., Serving]]:
    add("The harbour plan is due in March 2027.")
    running: list[Serving] = []

    def start(*options: str) -> Serving:
        running.append(Serving(folder, *options))
        return running[-1]

    yield start
    for each in running:
        if each.process.poll() is None:
            each.stop()


def test_it_starts_answers_and_stops(serve: Callable[..., Serving]) -> None:
    serving = serve()
    serving.wait_until_ready()
    assert httpx.post(f"{serving.url}/v1/retrieve", json=QUESTION, timeout=PATIENCE).json()["verdict"] == "answerable"
    assert serving.stop() == 0
    assert [each["route"] for each in serving.log if each["status"] == 200] == ["/ready", "/v1/retrieve"]
    assert serving.refuses()


def test_what_was_to_be_noted_is_there_after_the_stop(serve: Callable[..., Serving], run: Run) -> None:
    serving = serve()
    told = httpx.post(f"{serving.url}/v1/retrieve", json=QUESTION, timeout=PATIENCE).json()
    assert serving.stop() == 0
    assert run("trace", told["trace_id"], "--json").json["question"] == QUESTION["text"]


@pytest.mark.parametrize("workers", [1, 2])
def test_requests_in_progress_are_finished_before_it_stops(serve: Callable[..., Serving], workers: int) -> None:
    serving = serve("--workers", str(workers), "--set", f"service.stop_seconds={PATIENCE:.0f}")
    serving.wait_until_ready()
    body = json.dumps(QUESTION).encode()
    with serving.asking(body) as line:
        serving.process.send_signal(signal.SIGTERM)
        serving.until(serving.refuses)
        line.sendall(body)
        got = b"".join(iter(lambda: line.recv(65_536), b""))
    assert b"200 OK" in got.split(b"\r\n")[0]
    assert b'"answerable"' in got
    assert serving.stop() == 0


def test_a_request_that_stopping_cannot_wait_for_is_told_so(serve: Callable[..., Serving]) -> None:
    serving = serve("--set", "service.stop_seconds=0")
    serving.wait_until_ready()
    with serving.asking(b"{}") as line:
        serving.process.send_signal(signal.SIGTERM)
        got = b"".join(iter(lambda: line.recv(65_536), b""))
    assert b"503" in got.split(b"\r\n")[0]
    assert b"retry-after" in got
    assert b"urn:recollect:problem:stopping" in got
    assert serving.stop() == 0
    assert [each["reasons"] for each in serving.log if each.get("status") == 503][-1] == ["stopping"]


def test_every_line_of_the_log_is_json_and_holds_nothing_a_caller_sent(serve: Callable[..., Serving]) -> None:
    serving = serve()
    host, port = serving.url.removeprefix("http://").split(":")
    for sent in (b"GET /marzipan\r\n\r\n", b"GET /mar%0azipan HTTP/1.1\r\nHost: marzipan\r\nConnection: close\r\n\r\n"):
        with socket.create_connection((host, int(port)), PATIENCE) as line:
            line.sendall(sent)
            while line.recv(65_536):
                pass
    assert serving.stop() == 0
    assert [each["event"] for each in serving.log] == ["server", "request"]
    assert "zipan" not in str(serving.log)


def test_events_arrive_while_the_question_is_answered(serve: Callable[..., Serving]) -> None:
    serving = serve()
    headers = {"Accept": "text/event-stream"}
    with httpx.stream("POST", f"{serving.url}/v1/retrieve", json=QUESTION, headers=headers, timeout=PATIENCE) as reply:
        names = [line.removeprefix("event: ") for line in reply.iter_lines() if line.startswith("event: ")]
    assert names[0] == "progress"
    assert names[-1] == "answer"


def test_a_client_that_hangs_up_ends_its_request(serve: Callable[..., Serving]) -> None:
    serving = serve()
    serving.wait_until_ready()
    with serving.asking(b"{}", "/v1/search"):
        pass

    def ended() -> list[dict[str, Any]]:
        return [each for each in serving.log if each["route"] == "/v1/search"]

    serving.until(lambda: bool(ended()))
    assert [each["reasons"] for each in ended()] == [["client_gone"]]
    assert httpx.get(f"{serving.url}/health", timeout=PATIENCE).status_code == 200
    assert serving.stop() == 0


def test_two_processes_serve_one_store(serve: Callable[..., Serving], run: Run) -> None:
    serving = serve("--workers", "2")
    serving.wait_until_ready()
    answers = [httpx.post(f"{serving.url}/v1/retrieve", json=QUESTION, timeout=PATIENCE).json() for _ in range(6)]
    assert {each["verdict"] for each in answers} == {"answerable"}
    key = run("keys", "create", "--for", "*", "--json").json["key"]
    for _ in range(6):  # both notice that there is a key now
        assert httpx.post(f"{serving.url}/v1/retrieve", json=QUESTION, timeout=PATIENCE).status_code == 401
    headers = {"Authorization": f"Bearer {key}"}
    granted = httpx.post(f"{serving.url}/v1/retrieve", json=QUESTION, headers=headers, timeout=PATIENCE)
    assert granted.status_code == 200
    assert serving.stop() == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_store_that_cannot_be_opened_is_told_before_it_listens(run: Run, folder: Path, workers: int) -> None:
    folder.write_text("not a folder", encoding="utf-8")
    done = run("serve", "--port", "0", "--workers", str(workers), "--json")
    assert (done.code, done.json["error"]["type"]) == (4, "StoreError")


def test_it_refuses_to_listen_beyond_this_machine_without_keys(run: Run) -> None:
    done = run("serve", "--host", "0.0.0.0", "--port", "0", "--json")
    assert done.code == 2
    assert done.json["error"]["field"] == "service.host"
    assert "recollect keys create" in done.json["error"]["message"]


def test_a_port_that_is_taken_is_told(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "--port", str(taken.getsockname()[1]), "--json")
    assert done.code == 4
    assert "--port" in done.json["error"]["message"]


def test_a_program_that_serves_has_its_own_logging_back_afterwards(run: Run) -> None:
    loggers = [logging.getLogger(name) for name in ("recollect", "uvicorn")]
    before = [(each.handlers[:], each.level, each.propagate) for each in loggers]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run("serve", "--port", str(taken.getsockname()[1]), "--json")
    assert [(each.handlers[:], each.level, each.propagate) for each in loggers] == before


def test_keys_are_made_listed_and_revoked(run: Run) -> None:
    made = run("keys", "create", "--for", "team", "--right", "read", "--right", "write", "--label", "ci", "--json").json
    assert made["key"].startswith(f"rcl_{made['id']}_")
    (listed,) = run("keys", "list", "--json").json
    assert listed == {name: value for name, value in made.items() if name != "key"}
    assert listed["rights"] == ["read", "write"]
    assert run("keys", "revoke", made["id"], "--json").json["revoked_at"]
    assert made["key"] not in run("keys", "list").out
    assert run("keys", "revoke").code == 2
    assert run("keys", "revoke", "nobody").code == 2
    assert run("keys", "create").code == 2
