"""What is behind an answer, as trees for a terminal: the numbers of a score, and the path a question took.

The path is drawn from the wire shape of a trace, so that one just made and one kept look the same. Times stand on one
scale for all steps and lookups: what ran at the same time stands one above the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from recollect.doors.cli_render import VERDICTS, bar, lookup_outcome, milliseconds, plural
from recollect.doors.cli_text import clean, one_line
from recollect.doors.wire_stored import Json
from recollect.values import Evidence, Explained, Explanation, Hit, VerdictKind

NARROWEST_LANE, WIDEST_LANE = 8, 30
SHOWN_DECISIONS = 12  # of one step; a trace as JSON has them all
SEARCH = "search"


# --- the numbers behind a score ------------------------------------------------------------------


def explanations(values: Sequence[Hit | Evidence]) -> list[Tree]:
    """One tree for each, in order."""
    return [_explained(place, each) for place, each in enumerate(values, start=1)]


def explained(value: Explained) -> Tree:
    """Why one memory stands where it does, in sentences, and the numbers of its score."""
    root = sentences(value)
    if value.explanation is not None:
        _grow(root, value.explanation)
    return root


def sentences(value: Explained, *, name: str = "") -> Tree:
    """Why one memory stands where it does, in sentences."""
    label = Text.assemble((one_line(name, limit=60), "bold"), "  " if name else "", (clean(value.id), "dim"))
    root = Tree(label, guide_style="dim")
    for sentence in value.sentences:
        root.add(Text(clean(sentence)))
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


# --- the path ------------------------------------------------------------------------------------


def path(told: Json, *, width: int) -> Tree:
    """The question, its parts, every step with its lookups and decisions and when it ran, and the verdict."""
    heading = (one_line(told["question"], limit=max(20, width - 4)), "bold")
    root = Tree(Text.assemble(heading), guide_style="dim")
    if told.get("rewritten"):
        root.add(Text(f"read as: {one_line(told['rewritten'], limit=max(20, width - 20))}"))
    gaps = {gap["part"]: gap["reason"] for gap in told["gaps"]}
    for part in told["parts"]:
        root.add(_part(part, missing=gaps.get(part["number"])))
    lane = _Lane(told["steps"], width=width)
    rounds, gains = count(1), {gain["round"]: gain for gain in told["rounds"]}
    for step in told["steps"]:
        number = next(rounds) if step["name"] == SEARCH else None
        branch = root.add(lane.row(_step(step, number, gains.get(number or 0)), "", step))
        for lookup in step["inside"]:
            branch.add(lane.row(_lookup(lookup, parts=len(told["parts"])), _outcome(lookup), lookup))
        for line in _decisions(step["decisions"]):
            branch.add(line)
    for conflict in told["conflicts"]:
        root.add(_conflict(conflict))
    root.add(_verdict(told))
    return root


def kept_evidence(told: Json) -> Table:
    """The evidence of a kept trace, which holds no texts: place, score, id, and what it serves."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(style="dim")
    for place, piece in enumerate(told["evidence"], start=1):
        notes = [f"part {', '.join(str(part + 1) for part in piece['parts'])}"] if len(told["parts"]) > 1 else []
        notes += [", ".join(piece["sources"])]
        notes += [f"+{len(piece['corroborated_by'])} agree"] if piece["corroborated_by"] else []
        notes += ["contradicted"] if piece["contradicted_by"] else []
        table.add_row(str(place), bar(piece["score"]), Text(clean(piece["id"])), Text(clean(" · ".join(notes))))
    return table


class _Lane:
    """Rows that end in a bar on one common scale of time."""

    def __init__(self, steps: Sequence[Json], *, width: int) -> None:
        ends = [each["began"] + each["seconds"] for step in steps for each in (step, *step["inside"])]
        self._total = max(ends, default=0.0) or 1.0
        self._cells = max(NARROWEST_LANE, min(WIDEST_LANE, width // 5))

    def row(self, what: Text, outcome: str, span: Json) -> Table:
        """What it is, how it ended, how long it took, and when."""
        grid = Table.grid(expand=True, padding=(0, 1))
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_column(justify="right", no_wrap=True)
        grid.add_column(justify="right", no_wrap=True, width=7)
        grid.add_column(no_wrap=True, width=self._cells)
        grid.add_row(what, outcome, milliseconds(span["seconds"]), self._bar(span["began"], span["seconds"]))
        return grid

    def _bar(self, began: float, seconds: float) -> Text:
        first = min(self._cells - 1, int(began / self._total * self._cells))
        length = min(self._cells - first, max(1, round(seconds / self._total * self._cells)))
        rest = self._cells - first - length
        return Text.assemble(("·" * first, "dim"), ("━" * length, "cyan"), ("·" * rest, "dim"))


def _part(part: Json, *, missing: str | None) -> Table:
    mark, style = ("✗", "red") if missing else ("✓", "green")
    grid = Table.grid(expand=True, padding=(0, 1))
    grid.add_column(ratio=1, overflow="fold")
    grid.add_column(no_wrap=True)
    what = Text.assemble((f"{mark} ", style), f"part {part['number'] + 1}  {clean(part['text'])}")
    if missing:
        what.append(f"  missing: {clean(missing)}", style="red")
    grid.add_row(what, Text.assemble(f"best {part['best']:.2f}  coverage ", bar(part["coverage"])))
    return grid


def _step(step: Json, number: int | None, gain: Json | None) -> Text:
    if number is None:
        return Text(step["name"], style="bold cyan")
    line = Text.assemble((f"round {number}", "bold cyan"), f"  {plural(len(step['inside']), 'lookup', 'lookups')}")
    if gain:
        line.append(f", {plural(gain['new_facts'], 'new fact', 'new facts')}, coverage {gain['coverage_score']:.2f}")
    return line


def _lookup(lookup: Json, *, parts: int) -> Text:
    numbers = _said(lookup)["numbers"]
    which = f" part {int(numbers['part']) + 1}" if parts > 1 and "part" in numbers else ""
    origin = str(numbers.get("origin", "")).replace("_", " ")
    origin = "" if which and origin == "part" else f" {clean(origin)}"
    line = Text.assemble((clean(str(numbers.get("source", lookup["name"]))), "bold"), f"{which}{origin}")
    if numbers.get("text"):
        line.append(f" “{one_line(str(numbers['text']), limit=120)}”", style="dim")
    return line


def _outcome(lookup: Json) -> str:
    said = _said(lookup)
    return clean(lookup_outcome(said["because"], int(said["numbers"].get("hits", 0))))


def _said(lookup: Json) -> Json:
    """The one decision of something that ran inside a step."""
    return dict(lookup["decisions"][0]) if lookup["decisions"] else {"because": "", "numbers": {}}


def _decisions(decisions: Sequence[Json]) -> Iterator[RenderableType]:
    yield from (_decided(each) for each in decisions[:SHOWN_DECISIONS])
    if len(decisions) > SHOWN_DECISIONS:
        yield Text(f"… {len(decisions) - SHOWN_DECISIONS} more; --json shows all", style="dim")


def _decided(decision: Json) -> Text:
    numbers = "  ".join(_number(name, value) for name, value in decision["numbers"].items() if value != "")
    because = clean(decision["because"])
    return Text.assemble(clean(decision["what"]), "  ", (because, "yellow"), "  ", (clean(numbers), "dim"))


def _conflict(conflict: Json) -> Text:
    joint = "is preferred to" if conflict["settled"] else "contradicts"
    how = f"{conflict['kind']}, {conflict['reason']}, {conflict['strategy'] if conflict['settled'] else 'open'}"
    sides = clean(f"{conflict['preferred']} {joint} {conflict['other']}")
    return Text.assemble(("conflict  ", "bold yellow"), sides, (f"  {clean(how.replace('_', ' '))}", "dim"))


def _verdict(told: Json) -> Text:
    words, style = VERDICTS[VerdictKind(told["verdict"])]
    sure = told["confidence"]
    made = ", ".join(f"{name} {value:.2f}" for name, value in sure["components"].items())
    stop = told["stop_reason"].replace("_", " ")
    line = Text.assemble((words, style), f"  confidence {sure['score']:.2f} {sure['label']}")
    line.append(f"  {made}" if made else "", style="dim")
    return line.append(f"  stopped: {stop}")


def _number(name: str, value: float | int | str) -> str:
    """A number by its name; people count parts from one."""
    if name == "part" and isinstance(value, int):
        value += 1
    return f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
