"""How alike two names are written: the share of neighbouring letters they have in common."""

from __future__ import annotations

import re

LEAST_ALIKE = 0.4  # below, two names have little more in common than any two words
EDGE = " "
NOT_LETTERS = re.compile(r"[\W_]+")


def squeezed(name: str) -> str:
    """A name without what may stand between its words, so that three ways to write it are one.

    >>> squeezed("OrderService"), squeezed("order_service"), squeezed("Order Service")
    ('orderservice', 'orderservice', 'orderservice')
    """
    return NOT_LETTERS.sub("", name.casefold())


def pairs(name: str) -> set[str]:
    """The neighbouring letters of a squeezed name, its edges included."""
    text = f"{EDGE}{name}{EDGE}"
    return {text[place : place + 2] for place in range(len(text) - 1)} if name else set()


def likeness(one: str, other: str) -> float:
    """Twice what they share over what both have, 0..1, of squeezed names.

    >>> likeness("gateway", "gateway"), round(likeness("gateway", "gatway"), 2), likeness("gateway", "box")
    (1.0, 0.8, 0.0)
    """
    first, second = pairs(one), pairs(other)
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0
