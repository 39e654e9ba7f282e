from __future__ import annotations

from recollect.readings import LONGEST_TEXT, forget_readings, remembered


def test_a_text_is_read_once_until_it_is_forgotten() -> None:
    read: list[str] = []

    @remembered
    def length(text: str) -> int:
        read.append(text)
        return len(text)

    assert [length("abc"), length("abc")] == [3, 3]
    assert read == ["abc"]
    forget_readings()
    assert length("abc") == 3
    assert read == ["abc", "abc"]


def test_a_long_text_is_read_once_too() -> None:
    read: list[int] = []

    @remembered
    def length(text: str) -> int:
        read.append(len(text))
        return len(text)

    assert [length("x" * LONGEST_TEXT), length("x" * LONGEST_TEXT)] == [LONGEST_TEXT] * 2
    assert len(read) == 1
    forget_readings()
    length("x" * LONGEST_TEXT)
    assert len(read) == 2


def test_the_longest_texts_are_not_kept() -> None:
    read: list[int] = []

    @remembered
    def length(text: str) -> int:
        read.append(len(text))
        return len(text)

    for _ in range(2):
        assert length("x" * (LONGEST_TEXT + 1)) == LONGEST_TEXT + 1
    assert len(read) == 2


def test_several_texts_are_told_apart() -> None:
    @remembered
    def joined(one: str, other: str) -> str:
        return f"{one}|{other}"

    assert [joined("a", "bc"), joined("ab", "c")] == ["a|bc", "ab|c"]
