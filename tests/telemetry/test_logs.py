"""Log lines: one JSON object for each call, with codes and numbers; where they go is the application's business."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from recollect.telemetry.logs import NAME, written_to
from recollect.values import Answer

from ..steps.scripted import ScriptedSource, raising
from .telling import Told

STANDUP = "Ana moved the standup to nine thirty."


def test_a_call_is_one_line_with_its_verdict_its_lookups_and_its_reason_codes(told: Callable[..., Told]) -> None:
    here = told()
    _, answer = here.run(
        lambda engine: engine.remember(STANDUP), lambda engine: engine.retrieve("When is the standup?")
    )
    assert isinstance(answer, Answer)
    written, line = here.lines
    assert (written["operation"], written["writes"], written["level"]) == ("remember", {"stored": 1}, "info")
    assert (line["operation"], line["outcome"], line["level"]) == ("retrieve", "ok", "info")
    assert (line["verdict"], line["stop"], line["trace"]) == ("answerable", "enough", answer.trace.id)
    assert [name for name, _ in line["steps"]] == [span.name for span in answer.trace.spans]
    assert [(each["step"], each["because"]) for each in line["decisions"]] == [
        (span.name, each.because) for span in answer.trace.spans for each in span.decisions
    ]
    assert next((each["source"], each["outcome"]) for each in line["lookups"]) == ("memory", "found")
    assert "space" not in line


def test_the_level_says_whether_something_is_wrong(told: Callable[..., Told]) -> None:
    here = told(ScriptedSource("wiki", raising(ConnectionError("no route"))))
    here.run(
        lambda engine: engine.remember(" "),
        lambda engine: engine.search("standup"),
        lambda engine: engine.spaces(),
    )
    assert [(line["operation"], line["level"]) for line in here.lines] == [
        ("remember", "warning"),
        ("search", "warning"),
        ("spaces", "info"),
    ]
    refused, degraded, _ = here.lines
    assert (refused["error"], refused["reason"]) == ("Refused", "empty")
    assert degraded["degraded"] == ["source_failed"]
    assert [each["error"] for each in degraded["lookups"] if each["source"] == "wiki"] == ["ConnectionError"]


def test_a_call_is_one_line_whatever_it_was_asked(told: Callable[..., Told]) -> None:
    asked = "Where does a line end: \n \x85 \u2028 here? Half a character: \ud83d"
    here = told(content=True)
    here.run(lambda engine: engine.search(asked[:-1]), lambda engine: engine.search(asked))
    whole, half = here.lines
    assert whole["question"] == asked[:-1]
    assert half["question"] == asked[:-1] + "?"
    asked_in_spans = [str((span.attributes or {})["gen_ai.retrieval.query.text"]) for span in here.roots()]
    assert [each.encode() for each in asked_in_spans], "half a character would stop an exporter"


def test_importing_configures_nothing() -> None:
    code = (
        "import logging, recollect.telemetry.logs, recollect.telemetry.spans, recollect.telemetry.metrics;"
        "ours, root = logging.getLogger('recollect'), logging.getLogger();"
        "print(ours.handlers, root.handlers, ours.level)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] [] 0"


def test_after_the_block_the_logger_is_as_it_was() -> None:
    logger, stream = logging.getLogger(NAME), io.StringIO()
    before = logger.level, logger.propagate, list(logger.handlers)
    with written_to(stream):
        logger.info("inside")
    assert (logger.level, logger.propagate, logger.handlers) == before
    assert stream.getvalue() == "inside\n"


def test_the_command_line_writes_lines_to_stderr_when_a_setting_says_so(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("recollect")), "add", STANDUP, "--store", str(tmp_path)]
    command += ["--json", "--set", "embedder=hashing"]
    for switch, lines in (("true", 1), ("false", 0)):
        done = subprocess.run([*command, "--set", f"telemetry.logs={switch}"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert len(done.stderr.splitlines()) == lines
        assert json.loads(done.stdout)
        assert STANDUP not in done.stderr
