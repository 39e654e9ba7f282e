from __future__ import annotations

import pytest

from recollect.language.mentions import MOST_KEYS, mentioned

CASES = {
    "a name inside a sentence": ("She met Ana Ortiz at noon.", "ana ortiz"),
    "a name of one word": ("They moved to Lisbon.", "lisbon"),
    "small words inside a name": ("A copy of The Lord of the Rings lay there.", "the lord of the rings"),
    "without the word the sentence begins with": ("In Old Harbour Town it rains.", "old harbour town"),
    "a link in double brackets": ("See [[harbour plan|the plan]].", "harbour plan"),
    "a year in a name": ("He saw Blade Runner 2049 twice.", "blade runner 2049"),
    "a possessive": ("It was Marguerite Oduya's idea.", "marguerite oduya"),
}


@pytest.mark.parametrize(("text", "key"), CASES.values(), ids=CASES)
def test_names_are_found(text: str, key: str) -> None:
    assert key in mentioned(text)


@pytest.mark.parametrize("text", ["nothing is named here", "", "we paid 30 euros", "Ox"])
def test_where_nothing_is_named_nothing_is_found(text: str) -> None:
    assert mentioned(text) == []


def test_no_text_gives_more_names_than_can_be_looked_up() -> None:
    assert len(mentioned(" and ".join(f"Name{number} said" for number in range(500)))) <= MOST_KEYS
