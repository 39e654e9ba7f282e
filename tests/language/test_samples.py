from __future__ import annotations

import pytest

from recollect.language.samples import find_sample

from .loading import load


@pytest.mark.parametrize(("text", "request_"), load("samples"))
def test_the_sample_a_question_brings(text: str, request_: str | None) -> None:
    found = find_sample(text.replace("\\n", "\n"))
    assert (found.request if found else "none") == request_


def test_the_sample_is_what_was_pasted_without_its_fence() -> None:
    found = find_sample("Find code like this:\n```python\nfor each in rows:\n    send(each)\n```\n")
    assert found is not None and found.text == "for each in rows:\n    send(each)"


def test_a_long_text_is_read_in_no_time() -> None:
    for text in ("a" * 200_000, "x = 1\n" * 50_000, "```\n" * 50_000, ":\n" * 50_000, "why (so)? " * 20_000):
        find_sample(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("run", ["\n", "\n ", "`", "~", "\n```"])
def test_a_long_run_of_the_same_is_read_in_no_time(run: str) -> None:
    for ending in ("y", "?", "\nWhat is it?"):
        find_sample("x\n" + run * (1_000_000 // len(run)) + ending)
