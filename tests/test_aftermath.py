"""What follows an answer is done in order, holds nobody up, and cannot hurt."""

from __future__ import annotations

import threading

import pytest

from recollect.aftermath import MOST_WAITING, Aftermath
from recollect.errors import StoreError

PATIENCE = 120.0  # seconds that no test waits: what it waits for happens long before


def test_jobs_are_done_in_the_order_given() -> None:
    aftermath, done = Aftermath(), list[int]()
    for number in range(50):
        aftermath.then(lambda number=number: done.append(number))
    assert aftermath.settle(PATIENCE)
    assert done == list(range(50))


def test_nobody_waits_for_a_slow_job_longer_than_they_said() -> None:
    aftermath, gate = Aftermath(), threading.Event()
    aftermath.then(lambda: gate.wait(PATIENCE) and None)
    assert not aftermath.settle(0.05)
    gate.set()
    assert aftermath.settle(PATIENCE)


def test_a_failure_is_kept_and_the_next_job_is_done() -> None:
    aftermath, done = Aftermath(), list[str]()

    def fails() -> None:
        raise StoreError("the disk is full")

    aftermath.then(fails)
    aftermath.then(lambda: done.append("next"))
    assert aftermath.settle(PATIENCE)
    assert done == ["next"]
    assert list(aftermath.problems) == ["StoreError: the disk is full"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # a bug of ours is not hushed up
def test_a_bug_in_one_job_does_not_keep_the_others_waiting() -> None:
    aftermath, begun, done, broken = Aftermath(), threading.Event(), list[str](), list[threading.Thread]()

    def breaks() -> None:
        broken.append(threading.current_thread())
        begun.wait(PATIENCE)
        raise KeyError("a bug")

    aftermath.then(breaks)
    aftermath.then(lambda: done.append("next"))
    begun.set()
    assert aftermath.settle(PATIENCE)
    assert done == ["next"]
    broken[0].join()  # or its bug is told of in the middle of the next test


def test_what_cannot_be_queued_is_left_out_and_counted() -> None:
    aftermath, gate, begun = Aftermath(), threading.Event(), threading.Event()

    def blocks() -> None:
        begun.set()
        gate.wait(PATIENCE)

    aftermath.then(blocks)
    assert begun.wait(PATIENCE)
    for _ in range(MOST_WAITING + 3):
        aftermath.then(lambda: None)
    assert aftermath.left_out == 3
    gate.set()
    assert aftermath.settle(PATIENCE)


def test_settling_before_anything_was_given_takes_no_thread() -> None:
    before = set(threading.enumerate())  # some of them may end meanwhile
    assert Aftermath().settle(PATIENCE)
    assert not [each for each in set(threading.enumerate()) - before if each.name == "recollect-aftermath"]
