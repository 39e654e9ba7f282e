"""Case tables are text files: one case per line, "#" begins a comment, "## …" names what follows."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "cases"


def load(name: str) -> list[tuple[str, str | None]]:
    """The lines of a table as (text, expected), expected None where the line has none."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    cases = [line for line in lines if line.strip() and not line.startswith("#")]
    split = [line.rpartition(" = ") for line in cases]
    return [(left.strip(), right.strip()) if sign else (right.strip(), None) for left, sign, right in split]


def listed(text: str | None, separator: str = "|") -> list[str]:
    """The things in a cell.

    >>> listed("a | b")
    ['a', 'b']
    """
    return [each.strip() for each in (text or "").split(separator) if each.strip()]
