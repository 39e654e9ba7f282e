"""Every block of code in docs/adapters.md runs and prints what stands below it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "adapters.md"
BLOCKS = re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(("code", "printed"), BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_prints_what_stands_below_it(code: str, printed: str, tmp_path: Path) -> None:
    quick = {"RECOLLECT_EMBEDDER__NAME": "static"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=os.environ | quick
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed


def test_no_block_goes_unread() -> None:
    assert len(BLOCKS) == PAGE.read_text(encoding="utf-8").count("```python") >= 6
