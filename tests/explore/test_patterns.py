from __future__ import annotations

import pytest

from recollect.explore.patterns import Pattern, find_pattern
from recollect.graph.inmemory import InMemoryKnowledge

from .graphs import SPACE, code_graph


@pytest.fixture(scope="module")
def code() -> InMemoryKnowledge:
    return code_graph()


def found(code: InMemoryKnowledge, question: str) -> Pattern:
    pattern = find_pattern(question, code, space=SPACE)
    assert pattern is not None
    return pattern


@pytest.mark.parametrize(
    "question", ["which projects key customers by UUID?", "Which projects use UUID for customer ids?"]
)
def test_projects_with_a_property_are_listed(code: InMemoryKnowledge, question: str) -> None:
    assert found(code, question).projects == ("auth", "billing")


def test_what_recurs_is_counted_by_project(code: InMemoryKnowledge) -> None:
    pattern = found(code, "What patterns do other teams use for customer tables?")
    assert [(each.what, each.projects) for each in pattern.recurring] == [
        ("email TEXT", ("auth", "billing", "crm")),
        ("id UUID PRIMARY KEY", ("auth", "billing")),
    ]


def test_evidence_has_its_file_and_line(code: InMemoryKnowledge) -> None:
    said = found(code, "which projects key customers by UUID?").recurring[0].statements
    assert {(each.project, each.path, each.line) for each in said} == {
        ("auth", "schema.sql", 2),
        ("billing", "schema.sql", 2),
    }


@pytest.mark.parametrize("question", ["what calls load_orders", "which projects key invoices by UUID?", ""])
def test_other_questions_are_about_no_pattern(code: InMemoryKnowledge, question: str) -> None:
    assert find_pattern(question, code, space=SPACE) is None


def test_projects_outside_the_filter_do_not_count(code: InMemoryKnowledge) -> None:
    only = find_pattern("which projects key customers by UUID?", code, space=SPACE, projects=frozenset({"auth"}))
    assert only is not None and only.projects == ("auth",)
