"""docs/http.md: every curl on the page is sent as it stands, and the Python runs."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Service
from .test_schema import Live

PAGE = (Path(__file__).parents[3] / "docs" / "http.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8765"
WITH_VALUE = {"-H", "-d", "-X"}


def commands() -> Iterator[list[str]]:
    """The words of every curl on the page."""
    for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL):
        words = shlex.split(block.replace("\\\n", " "))
        starts = [place for place, word in enumerate(words) if word == "curl"]
        for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
            yield words[start + 1 : end]


def read(words: list[str]) -> dict[str, Any]:
    """A request from the words of its curl."""
    given: dict[str, list[str]] = {}
    rest = iter(words)
    for word in rest:
        given.setdefault(word, []).append(next(rest) if word in WITH_VALUE else word)
    (url,) = [word for word in given if word.startswith(ADDRESS)]
    headers = dict(header.split(": ", 1) for header in given.get("-H", ()))
    return {"path": url.removeprefix(ADDRESS), "headers": headers, "body": (given.get("-d") or [None])[0]}


@pytest.mark.parametrize("words", list(commands()), ids=lambda words: read(words)["path"])
def test_a_curl_on_the_page_works(service: Service, words: list[str]) -> None:
    request = read(words)
    body = None if request["body"] is None else json.loads(request["body"])
    service.app.state.wired.state.usable = True  # nobody has loaded anything here
    reply = service.ask("POST" if body else "GET", request["path"], body, headers=request["headers"])
    assert reply.status_code == 200, reply.text


def test_the_page_names_every_way_to_ask() -> None:
    asked = {read(words)["path"] for words in commands()}
    assert asked >= {"/v1/retrieve", "/v1/search", "/v1/recall", "/v1/context", "/v1/classify-query"}
    assert asked >= {"/api/memory/retrieve", "/health", "/ready", "/metrics", "/v1/version"}


def test_the_python_on_the_page_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    live = Live(tmp_path / "live")
    try:
        done = subprocess.run([sys.executable, "-c", code.replace(ADDRESS, live.url)], capture_output=True, text=True)
    finally:
        live.close()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("answerable")


def test_the_error_on_the_page_is_what_comes_back(service: Service) -> None:
    (shown,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    told = service.ask("POST", "/v1/search", {"text": "harbour", "limit": -1}).json()
    assert {**told, "request_id": ""} == {**json.loads(shown), "request_id": ""}
