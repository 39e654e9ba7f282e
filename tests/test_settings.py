from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from recollect.errors import InvalidInput
from recollect.rank.confidence import COMPONENTS, confidence
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


def test_nothing_found_is_not_believed_and_everything_found_is() -> None:
    weights = Settings().confidence
    none, all_of_it = (confidence(dict.fromkeys(COMPONENTS, value), weights) for value in (0.0, 1.0))
    assert none < 0.01 and all_of_it > 0.95
