from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.paths import path_matcher

steps = st.sampled_from(["a", "b", "ab", "aab", "a.b", "", "A"])
paths = st.lists(steps, min_size=1, max_size=5).map("/".join)
step_patterns = st.sampled_from(
    ["a", "b", "*", "**", "?", "a*", "*b", "a*b", "*a*", "a?b", "**a", "A", "[ab]", "a.b", ""]
)
patterns = st.lists(step_patterns, min_size=1, max_size=5).map("/".join)


def fits(pattern: str, path: str) -> bool:
    """The meaning, written out plainly and tried every way."""
    pattern = f"{pattern}**" if pattern.endswith("/") else pattern
    if "*" not in pattern and "?" not in pattern:
        return pattern == path
    return steps_fit(pattern.split("/"), path.split("/")) and bool(path)


def steps_fit(wanted: list[str], given: list[str]) -> bool:
    if not wanted:
        return not given
    first, *rest = wanted
    if first == "**" and not rest:
        return given not in ([], [""])
    if first == "**":
        return any(steps_fit(rest, given[skipped:]) for skipped in range(len(given) + 1))
    return bool(given) and step_fits(first, given[0]) and steps_fit(rest, given[1:])


def step_fits(wanted: str, given: str) -> bool:
    if not wanted:
        return not given
    first, rest = wanted[0], wanted[1:]
    if first == "*":
        return any(step_fits(rest, given[skipped:]) for skipped in range(len(given) + 1))
    return bool(given) and first in ("?", given[0]) and step_fits(rest, given[1:])


@settings(max_examples=1_000)
@given(patterns, paths)
@example("**/a/**/b", "a/b/a/x/b")
@example("**/a*/**/b/a", "a/ab/b/b/a")
@example("*a*b", "aabab")
def test_a_pattern_means_what_it_says(pattern: str, path: str) -> None:
    assert path_matcher(frozenset({pattern}))(path) is fits(pattern, path)


def test_any_of_several_patterns_will_do() -> None:
    matches = path_matcher(frozenset({"a/*.py", "b", "c/**"}))
    assert [path for path in ("a/x.py", "b", "c/d/e", "a/x/y.py", "c", "bb") if matches(path)] == [
        "a/x.py",
        "b",
        "c/d/e",
    ]


def test_a_pattern_that_could_be_tried_in_many_ways_is_not() -> None:
    """Tried one by one, the ways to read either pattern would outlast anybody's patience."""
    long = "a" * 2_000
    assert not path_matcher(frozenset({"*a" * 30 + "b"}))(long)
    assert not path_matcher(frozenset({"/".join(["**", "a"] * 30) + "/b"}))("/".join(["a"] * 500))
