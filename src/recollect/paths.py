"""Which paths a pattern means: `*` and `?` within one step of a path, `**` for any number of steps.

A pattern without any of these is the path itself; one that ends in `/` is all that lies below. Nothing is matched by
trying over and over: a pattern costs about the same on every path, whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby

WILD = re.compile(r"[*?]")
STARS = re.compile(r"\*+")
ANY_STEPS = "**"
KEPT_PATTERNS = 256

Matches = Callable[[str], bool]


@lru_cache(maxsize=KEPT_PATTERNS)
def path_matcher(patterns: frozenset[str]) -> Matches:
    """Whether a path fits any of the patterns.

    >>> fits = path_matcher(frozenset({"docs/**/*.md", "setup.py"}))
    >>> [path for path in ("docs/a.md", "docs/b/c.md", "docs/a.txt", "setup.py", "src/setup.py") if fits(path)]
    ['docs/a.md', 'docs/b/c.md', 'setup.py']
    """
    written = {_written(pattern) for pattern in patterns}
    exact = frozenset(pattern for pattern in written if not WILD.search(pattern))
    wild = "|".join(f"(?:{_expression(pattern)})" for pattern in sorted(written - exact))
    if not wild:
        return exact.__contains__
    expression = re.compile(wild, re.DOTALL)
    return lambda path: path in exact or expression.fullmatch(path) is not None


def _written(pattern: str) -> str:
    pattern = pattern.removeprefix("./")
    return f"{pattern}{ANY_STEPS}" if pattern.endswith("/") else pattern


def _expression(pattern: str) -> str:
    """The pattern as a regular expression.

    Between two `**` the first place that fits will do, so that it is never left again (`(?>`); the same holds for
    what stands between two stars of one step.
    """
    steps = pattern.split("/")
    runs = [list(run) for is_any, run in groupby(steps, key=lambda step: step == ANY_STEPS) if not is_any]
    if ANY_STEPS not in steps:
        return "/".join(map(_step, steps))
    first = runs.pop(0) if steps[0] != ANY_STEPS else []
    last = runs.pop() if runs and steps[-1] != ANY_STEPS else []
    between = "".join(f"(?>(?:[^/]*/)*?{_below(run)})" for run in runs)
    end = f"(?:[^/]*/)*{'/'.join(map(_step, last))}" if last else ".+"
    return f"{_below(first)}{between}{end}"


def _below(steps: list[str]) -> str:
    return "".join(f"{_step(step)}/" for step in steps)


def _step(step: str) -> str:
    first, *others = [
        "".join("[^/]" if sign == "?" else re.escape(sign) for sign in each) for each in STARS.split(step)
    ]
    if not others:
        return first
    between = "".join(f"(?>[^/]*?{each})" for each in others[:-1] if each)
    return f"{first}{between}[^/]*{others[-1]}"
