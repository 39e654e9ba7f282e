"""`--explain`: the numbers behind a score and the path of a question, as trees."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from rich.tree import Tree

from recollect.doors.cli_render import milliseconds
from recollect.doors.cli_text import clean, one_line
from recollect.values import Decision, Evidence, Explanation, Hit, Trace

STEP_BAR = 20


def explanations(values: Sequence[Hit | Evidence]) -> list[Tree]:
    """One tree for each, in order."""
    return [_explained(place, each) for place, each in enumerate(values, start=1)]


def path(trace: Trace) -> Tree:
    """The steps a question went through, how long each took, and what each decided and why."""
    root = Tree(Text(f"trace {trace.id}  {milliseconds(trace.seconds)}", style="bold"), guide_style="dim")
    longest = max((span.seconds for span in trace.spans), default=0.0) or 1.0
    for span in trace.spans:
        share = "▇" * round(span.seconds / longest * STEP_BAR)
        line = Text.assemble((f"{span.name:<11}", "bold cyan"), f"{milliseconds(span.seconds):>8}  ", (share, "cyan"))
        step = root.add(line)
        for decision in span.decisions:
            step.add(_decided(decision))
    return root


def _explained(place: int, found: Hit | Evidence) -> Tree:
    name = one_line(found.memory.title or found.memory.body, limit=60)
    root = Tree(Text.assemble(f"{place}  ", (name, "bold"), f"  relevance {found.relevance:.2f}"), guide_style="dim")
    _grow(root, found.explanation)
    return root


def _grow(tree: Tree, explanation: Explanation) -> None:
    line = Text.assemble((f"{explanation.value:.4f}", "cyan"), f"  {clean(explanation.what)}")
    if explanation.sums:
        line.append("  = the sum of", style="dim")
    branch = tree.add(line)
    for detail in explanation.details:
        _grow(branch, detail)


def _decided(decision: Decision) -> Text:
    numbers = "  ".join(f"{name} {_short(value)}" for name, value in decision.numbers.items())
    return Text.assemble(clean(decision.what), "  ", (decision.because, "yellow"), "  ", (clean(numbers), "dim"))


def _short(value: float | int | str) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
