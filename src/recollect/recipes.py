"""How hard to search, as named values. A recipe says what a call may do; settings say how well each thing is done."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one call may do: how many rounds, splitting, replacing weak evidence, and, where it `widens`, going on with
    fallback queries although every part has passed."""

    name: str
    max_rounds: int
    splits: bool
    replaces: bool = False
    widens: bool = False


PLAIN = Recipe("plain", max_rounds=1, splits=False)  # what a call does while `enabled` is off
FAST = Recipe("fast", max_rounds=1, splits=True)
BALANCED = Recipe("balanced", max_rounds=3, splits=True, replaces=True)
DEEP = Recipe("deep", max_rounds=6, splits=True, replaces=True, widens=True)

RECIPES = {recipe.name: recipe for recipe in (FAST, BALANCED, DEEP)}


def recipe_named(name: str) -> Recipe:
    """The recipe of that name."""
    if name not in RECIPES:
        raise UnknownName(f"unknown recipe {name!r}; known: {', '.join(RECIPES)}", field="recipe")
    return RECIPES[name]
