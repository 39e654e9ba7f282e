"""The page about telemetry: its program runs, and its tables name every setting and every metric there is."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from recollect.settings import TelemetrySettings
from recollect.telemetry import names

from .telling import Told

PAGE = (Path(__file__).parents[2] / "docs" / "telemetry.md").read_text(encoding="utf-8")


def test_its_program_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 'recollect_verdicts_total{verdict="answerable"} 1.0' in done.stdout


def test_it_names_every_setting_every_metric_and_every_attribute(told: Callable[..., Told]) -> None:
    families = {family.name for family in told().metrics.registry.collect()}
    assert families
    for name in families:
        assert re.search(rf"`{name}(_total|_info)?`|`_{name.rpartition('_')[2]}`", PAGE), name
    assert all(f"`telemetry.{each.name}`" in PAGE for each in fields(TelemetrySettings))
    ours = [each for each in vars(names).values() if isinstance(each, str) and each.startswith("gen_ai.")]
    assert all(f"`{each}`" in PAGE for each in ours)
    assert all(f"`{each}`" in PAGE for each in names.OPERATIONS.values())
