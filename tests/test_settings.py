from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from recollect.errors import InvalidInput
from recollect.recipes import RECIPES
from recollect.settings import Settings, StoreSettings


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().max_results = 5  # type: ignore[misc]


def test_settings_made_by_hand_are_checked_too() -> None:
    with pytest.raises(InvalidInput) as raised:
        Settings(max_results=-1)
    assert raised.value.field == "max_results"


def test_nested_settings_made_by_hand_are_checked_too() -> None:
    with pytest.raises(InvalidInput) as raised:
        Settings(store=StoreSettings(open_spaces=0))
    assert raised.value.field == "store.open_spaces"


def test_the_recipes_to_choose_from_are_the_recipes_there_are() -> None:
    among = Settings.__dataclass_fields__["recipe"].metadata["among"]
    assert set(among) == set(RECIPES)


def test_the_shares_of_confidence_make_a_whole() -> None:
    defaults = Settings()
    shares = [getattr(defaults, f"weight_{name}") for name in ("relevance", "evidence", "coverage", "reliability")]
    assert sum(shares) == pytest.approx(1.0)
