from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.ids import ALPHABET, new_id
from recollect.testing.clock import START

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
moments = st.integers(0, 253_402_300_799).map(lambda seconds: EPOCH + timedelta(seconds=seconds))


@settings(max_examples=100, deadline=None)
@given(moments, moments)
def test_ids_sort_by_the_moment_they_were_made(one: datetime, other: datetime) -> None:
    early, late = sorted((one, other))
    if late > early:
        assert new_id(early, entropy=lambda count: b"\xff" * count) < new_id(late, entropy=bytes)


@settings(max_examples=100, deadline=None)
@given(moments, st.binary(min_size=10, max_size=10))
def test_every_id_has_26_characters_of_the_alphabet(moment: datetime, entropy: bytes) -> None:
    id = new_id(moment, entropy=lambda count: entropy)
    assert len(id) == 26
    assert set(id) <= set(ALPHABET)


def test_ids_of_one_moment_differ() -> None:
    assert len({new_id(START, entropy=os.urandom) for _ in range(1_000)}) == 1_000


def test_the_same_moment_and_entropy_give_the_same_id() -> None:
    assert new_id(START, entropy=Random(1).randbytes) == new_id(START, entropy=Random(1).randbytes)


def test_the_zone_of_the_moment_does_not_matter() -> None:
    elsewhere = START.astimezone(timezone(timedelta(hours=9)))
    assert new_id(START, entropy=bytes) == new_id(elsewhere, entropy=bytes)
