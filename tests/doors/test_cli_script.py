"""The installed `recollect` script as a shell runs it: streams, signals, pipes, exit codes, start-up."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("recollect")
HEAVY = ("numpy", "onnxruntime", "onnx", "tantivy", "tokenizers", "wordllama")


@pytest.fixture
def options(folder: Path) -> list[str]:
    return ["--store", str(folder), "--set", "embedder=hashing"]


def script(*args: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *args], input=stdin, capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


def test_stdout_holds_one_json_object_and_nothing_else(options: list[str]) -> None:
    added = script("add", "-", "--json", *options, stdin="The gate code is 4471\n")
    asked = script("ask", "What is the gate code?", "--json", "--explain", *options)
    for done in (added, asked):
        assert done.returncode == 0
        assert isinstance(json.loads(done.stdout), dict)
        assert done.stderr == ""


def test_errors_go_to_stderr_and_exit_codes_to_the_shell(options: list[str], folder: Path) -> None:
    mistake = script("get", "nothing", *options)
    assert (mistake.returncode, mistake.stdout) == (2, "")
    assert mistake.stderr == "error: no memory 'nothing' in space 'default'\n"
    assert script("ask", "Who is the captain?", "--fail-on-none", *options).returncode == 3
    assert script("browse", "--store", str(SCRIPT)).returncode == 4


def test_without_arguments_there_is_help() -> None:
    done = script()
    assert done.returncode == 0
    assert "Usage: recollect" in done.stdout
    assert script("--version").stdout.startswith("recollect ")


@pytest.mark.parametrize("command", [("add", "-"), ("import", "-")], ids=" ".join)
def test_an_interrupt_exits_with_130_and_no_traceback(
    options: list[str], folder: Path, command: tuple[str, str]
) -> None:
    process = subprocess.Popen(
        [SCRIPT, *command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if command[0] == "add":
        _wait_until(folder.exists)  # made when the engine opens, just before stdin is read
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert process.communicate() == (b"", b"")


@pytest.mark.parametrize("flags", [(), ("--json",)], ids=["for people", "json"])
def test_a_closed_pipe_gives_no_traceback(options: list[str], flags: tuple[str, ...]) -> None:
    for number in range(3):
        script("add", f"Note number {number}: " + "the gate code is long. " * 2000, *options)
    process = subprocess.Popen(
        [SCRIPT, "browse", *flags, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 141
    process.stderr.close()


def test_a_terminal_that_knows_no_unicode_is_no_reason_to_fail(options: list[str]) -> None:
    script("add", "Der Gänsebraten ist fertig", *options)
    people = script("ask", "Wo ist der Gänsebraten?", *options, PYTHONIOENCODING="ascii")
    assert people.returncode == 0
    machine = script("search", "Gänsebraten", "--json", *options, PYTHONIOENCODING="ascii")
    assert json.loads(machine.stdout)["hits"][0]["text"] == "Der Gänsebraten ist fertig"


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 1)], ids=["yes", "no"])
def test_forget_asks_a_person(options: list[str], answer: bytes, code: int) -> None:
    id = json.loads(script("add", "The gate code is 4471", "--json", *options).stdout)["id"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [SCRIPT, "forget", id, *options], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    os.write(ours, answer)
    _, err = process.communicate(timeout=20)
    os.close(ours)
    os.close(theirs)
    assert "This cannot be undone" in err
    assert process.returncode == code
    assert script("get", id, *options).returncode == (2 if code == 0 else 0)


@pytest.mark.parametrize("flags", [(), ("--quiet",), ("--json",)], ids=["as it is", "quiet", "json"])
def test_a_terminal_sees_the_question_being_answered_unless_told_not_to(
    options: list[str], flags: tuple[str, ...]
) -> None:
    script("add", "The gate code is 4471", *options)
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [SCRIPT, "ask", "What is the gate code?", *flags, *options], stdout=subprocess.PIPE, stderr=theirs, timeout=60
    )
    os.write(theirs, b"END")  # a terminal has no end of its own to read to
    os.close(theirs)
    shown = b""
    while not shown.endswith(b"END"):
        shown += os.read(ours, 65536)
    os.close(ours)
    assert done.returncode == 0
    assert b"4471" in done.stdout
    assert (b"round 1: memory" in shown) == (flags == ())
    assert b"4471" not in shown


def test_colour_follows_the_environment(options: list[str]) -> None:
    script("add", "The gate code is 4471", *options)
    asked = ("ask", "What is the gate code?", *options)
    assert "\x1b[" not in script(*asked).stdout
    assert "\x1b[1;32m" in script(*asked, FORCE_COLOR="1").stdout
    assert "32m" not in script(*asked, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_starting_loads_nothing_heavy() -> None:
    code = f"import sys, recollect.doors.cli; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _wait_until(fact: object) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if callable(fact) and fact():
            return
        time.sleep(0.05)
    raise TimeoutError
