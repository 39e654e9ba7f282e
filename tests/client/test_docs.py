"""The page about the client: its examples run, and print what it says they print."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.client import BlockingClient

ROOT = Path(__file__).parents[2]
SCRIPT = str(Path(sys.executable).parent / "recollect")
WRITTEN = "http://127.0.0.1:8765"
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "client.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documented")
    given = [SCRIPT, "serve", "--port", "0", "--store", str(folder), "--set", "embedder=static"]
    with subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.send_signal(signal.SIGTERM)


def test_the_examples_run_in_order_and_print_what_they_say(address: str) -> None:
    assert len(BLOCKS) == 5
    with BlockingClient(address) as memory:
        assert memory.check().what
    for block in BLOCKS:
        said = re.findall(r"# -> (.*)", block)
        code = block.replace(WRITTEN, address)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == said, block
