"""Whether two short texts surely cannot both be right, by themselves or as answers to a question that expects one.

For whoever decides what is kept: what denies a piece must not be lost where the piece is shown. What is made of the two
is for `steps/reconcile`, which reads more than this.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.language.answers import answers_differ
from recollect.language.one_answer import asked_once
from recollect.language.rivals import Frame, frame_of, rival
from recollect.readings import remembered
from recollect.records import Memory
from recollect.values import Part

SHORT = 300  # characters: a longer text is a passage, which says too much to be denied as a whole

_frame = remembered(frame_of)
_asked = remembered(asked_once)


def deny_each_other(one: Memory, other: Memory, *, parts: Sequence[Part] = ()) -> bool:
    """Whether they do; `parts` are those of the question that both serve.

    >>> from recollect.testing.corpus import make_memory
    >>> told = ("Ana sold the old blue boat to Ben in Porto", "Ana sold the old blue boat to Carl in Porto")
    >>> here, there = (make_memory(number, kind="fact", title="", body=body) for number, body in enumerate(told))
    >>> deny_each_other(here, there), deny_each_other(here, here)
    (True, False)
    """
    frames = _frames(one, other)
    if frames is None:
        return False
    found = rival(*frames)
    if found is not None and found.sure:
        return True
    return any((asked := _asked(part.text)) and answers_differ(asked, *frames) for part in parts)


def may_deny_each_other(one: Memory, other: Memory) -> bool:
    """Whether anything speaks for it, sure or not: too little to call it a conflict, enough not to take one for the
    other.

    >>> from recollect.testing.corpus import make_memory
    >>> told = ("Ana works as a teacher in Porto", "Ana works as a nurse in Porto")
    >>> here, there = (make_memory(number, kind="fact", title="", body=body) for number, body in enumerate(told))
    >>> may_deny_each_other(here, there), may_deny_each_other(here, here)
    (True, False)
    """
    frames = _frames(one, other)
    return frames is not None and rival(*frames) is not None


def _frames(one: Memory, other: Memory) -> tuple[Frame, Frame] | None:
    if one.kind != other.kind or max(len(one.body), len(other.body)) > SHORT:
        return None
    mine, yours = _frame(one.body), _frame(other.body)
    return None if mine is None or yours is None else (mine, yours)
