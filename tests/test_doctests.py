"""Every example in a docstring holds. Modules that need weights or a network to import are none."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import recollect

MODULES = sorted(each.name for each in pkgutil.walk_packages(recollect.__path__, "recollect.") if not each.ispkg)


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    failed, _ = doctest.testmod(import_module(name))
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = sum(bool(test.examples) for name in MODULES for test in finder.find(import_module(name)))
    assert found > 10
