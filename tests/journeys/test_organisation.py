"""Three teams, three projects, and what somebody asks across them: routes, scopes, citations and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import BlockingRecollect, Filters
from recollect.values import Answer, QuestionType, VerdictKind

ORGANISATION = Path(__file__).parent / "organisation"
TEAMS = ("billing", "auth", "crm")
SAMPLE = """Find code similar to this error handling pattern:

```python
for attempt in range(3):
    try:
        return client.send(message)
    except Timeout:
        if attempt == 2:
            raise
        time.sleep(delay)
        delay *= 2
```
"""


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingRecollect]:
    """What three teams have written, read in as three projects of one space."""
    with BlockingRecollect.open(tmp_path_factory.mktemp("store"), embedder="static", environment={}) as memory:
        for team in TEAMS:
            memory.ingest(ORGANISATION / team, project=team)
        yield memory


def asked(answer: Answer) -> dict[str, list[str]]:
    """Which sources were asked in the first round, and how each lookup fared."""
    fared: dict[str, list[str]] = {}
    first = next(span for span in answer.trace.spans if span.name == "search")
    for lookup in first.inside:
        fared.setdefault(str(lookup.decisions[0].numbers["source"]), []).append(lookup.decisions[0].because)
    return fared


def decided(answer: Answer, what: str) -> list[dict[str, object]]:
    return [
        {"because": each.because, **each.numbers}
        for span in answer.trace.spans
        for each in span.decisions
        if each.what == what
    ]


# --- A: patterns across teams ------------------------------------------------------------------------


def test_what_other_teams_do_is_told_by_the_graph_and_shown_by_its_scope(memory: BlockingRecollect) -> None:
    answer = memory.retrieve("What patterns do other teams use for customer tables?")
    assert answer.question.type is QuestionType.CROSS_PROJECT
    assert answer.verdict is VerdictKind.ANSWERABLE
    first, *others = answer.evidence
    assert (first.memory.kind, first.sources) == ("pattern", ("graph",))
    assert first.memory.metadata["projects"] == ("auth", "billing", "crm")
    assert "email text (auth, billing, crm)" in first.memory.body
    assert "id uuid primary key (auth, billing)" in first.memory.body
    assert {(piece.memory.project, piece.memory.source_uri) for piece in others} == {
        (team, "db/schema.sql") for team in TEAMS
    }
    assert "[graph:customers]" in answer.text
    assert "[vector:billing/db/schema.sql:1-" in answer.text


def test_the_scope_the_graph_found_is_where_pieces_are_searched(memory: BlockingRecollect) -> None:
    answer = memory.retrieve("What patterns do other teams use for customer tables?")
    assert set(asked(answer)) >= {"graph", "vector"}
    (scope,) = decided(answer, "look within scope")
    assert scope["because"] == "graph_scope"
    assert scope["projects"] == "auth, billing, crm"
    (cut,) = decided(answer, "drop outside scope")
    assert cut["after"] <= cut["before"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("question", "projects"),
    [
        ("Which projects key customers by UUID?", ("auth", "billing")),
        ("Which projects key customers by bigint?", ("crm",)),
    ],
)
def test_what_recurs_is_counted_by_project(question: str, projects: tuple[str, ...], memory: BlockingRecollect) -> None:
    answer = memory.retrieve(question)
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert answer.evidence[0].memory.metadata["projects"] == projects


# --- B: a path -----------------------------------------------------------------------------------------


def test_how_two_things_connect_is_answered_by_the_path_alone(memory: BlockingRecollect) -> None:
    answer = memory.retrieve("How does OrderService connect to PaymentGateway?")
    assert answer.question.type is QuestionType.RELATIONSHIP
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert "vector" not in asked(answer), "skipped: the path is enough"
    assert {"source": "vector", "because": "routing", "part": 0, "type": "relationship"} in decided(
        answer, "skip source"
    )
    first = answer.evidence[0]
    assert first.memory.kind == "path"
    assert first.memory.body == (
        "OrderService.place calls PaymentAdapter.charge (crm/orders.py:21); "
        "PaymentAdapter.charge calls PaymentGateway.capture (billing/payments/adapter.py:21)"
    )
    assert "[graph:OrderService]" in answer.text.splitlines()[0]
    assert all("graph" in piece.sources for piece in answer.evidence)
    assert answer.conflicts == (), "two ways between the same ends do not contradict each other"


def test_what_calls_it_is_a_set_across_projects(memory: BlockingRecollect) -> None:
    answer = memory.retrieve("What calls PaymentAdapter.charge?")
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert set(answer.evidence[0].memory.metadata["entities"]) == {
        "billing::py:billing.invoices.write_invoice",
        "crm::py:crm.orders.OrderService.place",
    }


def test_a_path_between_things_nobody_connected_is_not_made_up(memory: BlockingRecollect) -> None:
    answer = memory.retrieve("How does SessionService connect to PaymentGateway?")
    assert not [piece for piece in answer.evidence if piece.memory.kind == "path"]


# --- C: code like this -----------------------------------------------------------------------------


def test_code_like_a_sample_is_found_by_similarity_alone(memory: BlockingRecollect) -> None:
    answer = memory.retrieve(SAMPLE)
    assert answer.question.type is QuestionType.SIMILARITY
    assert {"vector"} <= set(asked(answer)) <= {"vector", "memory", "messages"}
    assert answer.verdict is VerdictKind.ANSWERABLE
    best = answer.evidence[0]
    assert best.sources == ("vector",)
    assert (best.memory.project, best.memory.source_uri) == ("billing", "billing/payments/adapter.py")
    assert "[vector:billing/billing/payments/adapter.py:" in answer.text


# --- scope modes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "lookups"),
    [("parallel_then_rescope", 2), ("sequential", 1), ("independent", 1)],
)
def test_each_scope_mode_asks_as_it_says(mode: str, lookups: int, tmp_path: Path) -> None:
    with BlockingRecollect.open(tmp_path, embedder="static", environment={}, scope_mode=mode) as memory:
        for team in TEAMS:
            memory.ingest(ORGANISATION / team, project=team)
        answer = memory.retrieve("What patterns do other teams use for customer tables?")
    assert len(asked(answer)["vector"]) == lookups
    assert bool(decided(answer, "look within scope")) is (mode != "independent")
    assert answer.verdict is VerdictKind.ANSWERABLE


def test_a_scope_of_the_callers_is_used_as_it_is(memory: BlockingRecollect) -> None:
    only = Filters(projects=frozenset({"crm"}))
    answer = memory.retrieve("Which columns does the customers table have?", filters=only)
    assert {piece.memory.project for piece in answer.evidence} == {"crm"}
    assert not decided(answer, "look within scope")
