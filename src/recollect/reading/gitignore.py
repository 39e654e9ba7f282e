"""Which paths a `.gitignore` leaves out: nested files, negation, anchored patterns, patterns for folders only.

A later rule outweighs an earlier one, and a file further down one further up, as git has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

ESCAPED_END = re.compile(r"(?<!\\)\s+$")


class Rule(NamedTuple):
    """One line: what it matches, whether it takes back, and whether it is for folders only or by name alone."""

    pattern: re.Pattern[str]
    takes_back: bool
    folders_only: bool
    by_name: bool


class Rules(NamedTuple):
    """The lines of one file, last first, and the folder they speak of: empty, or ending in a slash.

    For a file above the root, `before` is what leads from it to the root.
    """

    folder: str
    rules: tuple[Rule, ...]
    before: str = ""

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the path, from the project's folder, is left out; None when nothing is said of it."""
        below = f"{self.before}{path[len(self.folder) :]}"
        name = below.rpartition("/")[2]
        for rule in self.rules:
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(name if rule.by_name else below):
                return not rule.takes_back
        return None


def parse_rules(lines: Iterable[str], *, folder: str = "") -> Rules:
    """The rules of one `.gitignore`.

    >>> rules = parse_rules(["*.log", "!keep.log", "/build/", "docs/**/tmp"])
    >>> [rules.verdict(path, is_folder=False) for path in ("a/x.log", "keep.log", "build", "docs/a/tmp", "b.py")]
    [True, False, None, True, None]
    """
    return Rules(folder, tuple(reversed([rule for line in lines if (rule := _rule(line))])))


def is_ignored(path: str, files: Iterable[Rules], *, is_folder: bool) -> bool:
    """Whether the innermost file that says something of the path leaves it out; `files` are innermost first."""
    for rules in files:
        verdict = rules.verdict(path, is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def _rule(line: str) -> Rule | None:
    text = ESCAPED_END.sub("", line.rstrip("\r\n"))
    if not text or text.startswith("#"):
        return None
    takes_back = text.startswith("!")
    text = text.removeprefix("!") if takes_back else text
    text = text[1:] if text[:2] in ("\\#", "\\!") else text
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    text = text.lstrip("/")
    if not text:
        return None
    if not anchored or (text.startswith("**/") and "/" not in text[3:]):
        return Rule(_compiled(text.removeprefix("**/")), takes_back, folders_only, True)
    return Rule(_compiled(text), takes_back, folders_only, False)


def _compiled(text: str) -> re.Pattern[str]:
    """A pattern of git as a regular expression; what cannot be one matches nothing."""
    made, at = "", 0
    while at < len(text):
        sign = text[at]
        if text.startswith("**/", at) and (at == 0 or text[at - 1] == "/"):
            made, at = made + "(?:[^/]+/)*", at + 3
        elif text.startswith("/**", at) and at + 3 == len(text):
            made, at = made + "/.+", at + 3
        elif sign == "*":
            while text[at : at + 1] == "*":
                at += 1
            made += "[^/]*"
        elif sign == "?":
            made, at = made + "[^/]", at + 1
        elif sign == "[" and (end := text.find("]", at + 2)) > 0:
            inner = text[at + 1 : end].replace("\\", "\\\\")
            made, at = made + f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]", end + 1
        else:
            at += sign == "\\" and at + 1 < len(text)
            made, at = made + re.escape(text[at]), at + 1
    try:
        return re.compile(made)
    except re.error:
        return re.compile(r"(?!)")
