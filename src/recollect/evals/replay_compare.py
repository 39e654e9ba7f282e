"""What replies are worth, and what the second side changed: measures, confusion of labels and verdicts, differences.

Rankings count before the cut-off; where one side is stored traces, which keep no more, the evidence counts on both.
A difference is one a caller sees: other evidence, another order of it, another verdict or label. Words and files are
in `replay_report.py`, bounds in `replay_gate.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.evals.metrics import Estimate, mean_estimates, ndcg_at, percentile, recall_at
from recollect.evals.replay import Gold, Replayed, Side
from recollect.evals.replay_requests import Reply, Request
from recollect.values import Label, VerdictKind

JUDGED = ("recall@5", "recall@10", "nDCG@10")  # where a request says what it expects
LABELLED = ("verdicts",)  # the share that is right, where a request says whether it is answerable
COSTS = ("rounds", "tokens", "p50 ms")  # the less, the better
ALIKE = ("overlap@5", "overlap@10", "agreement@10")  # of the second side with the first
DEPTH = 10
LABELS = tuple(label.value for label in Label)
VERDICTS = tuple(verdict.value for verdict in VerdictKind)

Confusion = Mapping[str, Mapping[str, int]]


class Figure(NamedTuple):
    """One measure over so many questions: a value per side (None: not known), and how the second differs."""

    questions: int
    sides: tuple[Estimate | None, ...]
    change: Estimate | None = None


class Moved(NamedTuple):
    """A memory in the evidence of both sides, at another place among those that stayed."""

    id: str
    before: int
    after: int


class Difference(NamedTuple):
    """What the second side changed for one request; verdicts, labels and confidences are of both sides."""

    request: Request
    entered: tuple[str, ...]
    left: tuple[str, ...]
    moved: tuple[Moved, ...]
    verdicts: tuple[str, str]
    labels: tuple[str, str]
    confidences: tuple[float, float]
    agreement: float

    @property
    def is_one(self) -> bool:
        """Whether anything changed at all."""
        told = self.verdicts[0] != self.verdicts[1] or self.labels[0] != self.labels[1]
        return bool(told or self.entered or self.left or self.moved)


class Comparison(NamedTuple):
    """Everything there is to say. With one side there are no likenesses, no confusion and no differences."""

    names: tuple[str, ...]
    questions: int
    over: str
    figures: Mapping[str, Figure]
    verdicts: tuple[Mapping[str, int], ...]
    alike: Mapping[str, Estimate]
    label_confusion: Confusion
    verdict_confusion: Confusion
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]

    @property
    def changed(self) -> float:
        """The share of the requests that changed."""
        return len(self.differences) / self.questions


def compare(replayed: Replayed) -> Comparison:
    """The figures of one side, or of two beside each other."""
    sides = replayed.sides
    whole = all(reply.ranking is not None for side in sides for reply in side.replies)
    orders = [[_order(reply, whole=whole) for reply in side.replies] for side in sides]
    two = len(sides) == 2
    return Comparison(
        tuple(side.name for side in sides),
        len(replayed.requests),
        "ranking" if whole else "evidence",
        _figures(replayed.requests, sides, orders),
        tuple(_counted(side) for side in sides),
        _alike(*orders) if two else {},
        _confusion(sides, LABELS, "label") if two else {},
        _confusion(sides, VERDICTS, "verdict") if two else {},
        tuple(_differences(replayed)) if two else (),
        replayed.notes,
    )


def _order(reply: Reply, *, whole: bool) -> tuple[str, ...]:
    return reply.ranking if whole and reply.ranking is not None else reply.kept


# --- measures ------------------------------------------------------------------------------------


def _figures(
    requests: Sequence[Request], sides: Sequence[Side], orders: Sequence[Sequence[Sequence[str]]]
) -> dict[str, Figure]:
    judged = [number for number, request in enumerate(requests) if request.expect]
    labelled = [number for number, request in enumerate(requests) if _label(request) is not None]
    columns = {name: [[0.0] * len(judged) for _ in sides] for name in JUDGED}
    for place, (side, order) in enumerate(zip(sides, orders, strict=True)):
        for row, number in enumerate(judged):
            names, grades = _by_name(order[number], side.gold[number], requests[number].expect)
            columns["recall@5"][place][row] = recall_at(names, grades, 5)
            columns["recall@10"][place][row] = recall_at(names, grades, 10)
            columns["nDCG@10"][place][row] = ndcg_at(names, grades, 10)
    columns["verdicts"] = [
        [float(_is_right(side.replies[number], requests[number])) for number in labelled] for side in sides
    ]
    figures = {name: _figure(values) for name, values in columns.items() if values[0]}
    figures["rounds"] = _figure([[float(reply.rounds) for reply in side.replies] for side in sides])
    known = [[float(each) for reply in side.replies if (each := reply.tokens) is not None] for side in sides]
    figures["tokens"] = _figure([values if len(values) == len(requests) else None for values in known])
    times = [percentile([reply.seconds for reply in side.replies], 0.5) * 1_000 for side in sides]
    figures["p50 ms"] = Figure(len(requests), tuple(Estimate(each) for each in times), _less(times))
    return figures


def _label(request: Request) -> bool | None:
    """Whether it is answerable, where that is known; what is expected answers it."""
    return True if request.expect and request.answerable is None else request.answerable


def _is_right(reply: Reply, request: Request) -> bool:
    return (reply.verdict == VerdictKind.ANSWERABLE) is _label(request)


def _by_name(order: Sequence[str], gold: Gold, expect: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """The ranking with expected things by their names, each once, and a grade of one for each of them."""
    return list(dict.fromkeys(gold.get(id, id) for id in order)), dict.fromkeys(expect, 1)


def _figure(values: Sequence[Sequence[float] | None]) -> Figure:
    """Means with intervals, and of two sides the mean difference, question by question."""
    columns = {str(place): each for place, each in enumerate(values) if each is not None}
    if len(columns) == 2:
        columns["change"] = [after - before for before, after in zip(columns["0"], columns["1"], strict=True)]
    found = mean_estimates(columns)
    questions = len(next(iter(columns.values()), ()))
    return Figure(questions, tuple(found.get(str(place)) for place in range(len(values))), found.get("change"))


def _less(values: Sequence[float]) -> Estimate | None:
    return Estimate(values[1] - values[0]) if len(values) == 2 else None


def _counted(side: Side) -> dict[str, int]:
    return {name: sum(reply.verdict == name for reply in side.replies) for name in VERDICTS}


# --- likeness ------------------------------------------------------------------------------------


def _alike(before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]) -> dict[str, Estimate]:
    pairs = list(zip(before, after, strict=True))
    columns = {f"overlap@{k}": [overlap_at(one, other, k) for one, other in pairs] for k in (5, 10)}
    columns["agreement@10"] = [agreement_at(one, other, DEPTH) for one, other in pairs]
    return mean_estimates(columns)


def overlap_at(one: Sequence[str], other: Sequence[str], k: int) -> float:
    """The share of the first k that both have, of the longer one where there are fewer; two empty ones are alike.

    >>> overlap_at(["a", "b"], ["b", "c", "a"], 2), overlap_at([], [], 5)
    (0.5, 1.0)
    """
    longer = max(len(one[:k]), len(other[:k]))
    return len(set(one[:k]) & set(other[:k])) / longer if longer else 1.0


def agreement_at(one: Sequence[str], other: Sequence[str], k: int) -> float:
    """How far two orders agree, the top counting most: the mean overlap of the first 1, of the first 2 … of the first k
    (average overlap; Fagin, Kumar, Sivakumar 2003).

    >>> agreement_at(["a", "b"], ["a", "b"], 10), agreement_at(["a", "b"], ["b", "a"], 10)
    (1.0, 0.5)
    """
    depth = min(k, max(len(one), len(other)))
    return sum(overlap_at(one, other, each) for each in range(1, depth + 1)) / depth if depth else 1.0


def _confusion(sides: Sequence[Side], names: Sequence[str], field: str) -> Confusion:
    """How many requests had which on the first side (rows) and which on the second (columns)."""
    table = {row: dict.fromkeys(names, 0) for row in names}
    for before, after in zip(sides[0].replies, sides[1].replies, strict=True):
        table[getattr(before, field)][getattr(after, field)] += 1
    return table


# --- differences ---------------------------------------------------------------------------------


def _differences(replayed: Replayed) -> Iterator[Difference]:
    """What changed, most changed first: other verdicts, then the least agreement, then other labels."""
    before, after = (side.replies for side in replayed.sides)
    found = [_difference(*each) for each in zip(replayed.requests, before, after, strict=True)]
    yield from sorted((each for each in found if each.is_one), key=_weight)


def _weight(found: Difference) -> tuple[bool, float, bool]:
    return found.verdicts[0] == found.verdicts[1], round(found.agreement, 9), found.labels[0] == found.labels[1]


def _difference(request: Request, before: Reply, after: Reply) -> Difference:
    one, other = before.evidence, after.evidence
    return Difference(
        request,
        tuple(id for id in other if id not in one),
        tuple(id for id in one if id not in other),
        tuple(_moved(one, other)),
        (before.verdict, after.verdict),
        (before.label, after.label),
        (before.confidence, after.confidence),
        agreement_at(one, other, DEPTH),
    )


def _moved(one: Sequence[str], other: Sequence[str]) -> Iterator[Moved]:
    """Those in both whose place among them is another; one that enters above moves nobody."""
    stayed = [id for id in one if id in other]
    for place, id in enumerate(id for id in other if id in one):
        if stayed[place] != id:
            yield Moved(id, one.index(id) + 1, other.index(id) + 1)
