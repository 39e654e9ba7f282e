"""Patterns compiled when first used: all tables together would take longer than `import recollect` may."""

from __future__ import annotations

import re
from typing import Any, cast

USED = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split", "pattern")


class _Lazily:
    """Looks like a compiled pattern, and becomes one."""

    def __init__(self, source: str, flags: int | re.RegexFlag) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in USED:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for each in USED:
            setattr(self, each, getattr(compiled, each))  # from now on without coming by here
        return getattr(compiled, name)


def lazily(source: str, flags: int | re.RegexFlag = 0) -> re.Pattern[str]:
    """As `re.compile`, later.

    >>> lazily(r"b+").search("abba").group()
    'bb'
    """
    return cast(re.Pattern[str], _Lazily(source, flags))
