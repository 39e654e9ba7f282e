"""Values as people read them in a terminal. Takes values, gives things rich can print; decides nothing else.

Texts of memories only ever enter as `Text`, cleaned: never as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.doors.cli_text import clean, one_line
from recollect.records import Link, Memory
from recollect.values import Answer, Conflict, Evidence, Fate, Health, Hit, Label, Remembered, Trace, VerdictKind

BAR = 10
SNIPPET = 300
CITATION = re.compile(r"\[(?:[^\[\]:]+:)?(?P<place>[^\[\]]+)\]")
TOLD_ELSEWHERE = ("Missing: ", "Conflict (")  # lines of an answer in words that have a place of their own here
VERDICTS = {
    VerdictKind.ANSWERABLE: ("✓ answerable", "bold green"),
    VerdictKind.PARTIAL: ("◐ partial", "bold yellow"),
    VerdictKind.NONE: ("✗ none", "bold red"),
}
LABELS = {Label.HIGH: "green", Label.MEDIUM: "yellow", Label.LOW: "red"}
CAME_BACK = ("found", "empty")  # lookups of which the number of hits says it all
FATES = {
    Fate.STORED: "Stored as",
    Fate.DUPLICATE: "Not stored: the same is there as",
    Fate.REPEATED: "Not stored again: this key was used for",
}


# --- the answer ----------------------------------------------------------------------------------


def answer(value: Answer, *, weak_below: float) -> Iterator[RenderableType]:
    """Verdict, parts, the answer in words, evidence, conflicts, what it had to do without, and how it went."""
    yield verdict(value)
    yield from _parts(value)
    yield from _in_words(value)
    if value.evidence:
        yield heading("Evidence")
        yield evidence(value.evidence, weak_below=weak_below, parts=len(value.question.parts))
    if value.conflicts:
        yield heading("Conflicts")
        yield from (conflict(each, value.evidence) for each in value.conflicts)
    yield from notes(value.degraded)
    yield Text()
    yield footer(value)


def verdict(value: Answer) -> Text:
    """The verdict in colour, with the confidence."""
    words, style = VERDICTS[value.verdict]
    sure = value.confidence
    return Text.assemble((words, style), "   confidence ", (f"{sure.score:.2f} {sure.label.value}", LABELS[sure.label]))


def evidence(pieces: Sequence[Evidence], *, weak_below: float, parts: int) -> Table:
    """The evidence, best first, each with its bar, its snippet and where it belongs."""
    table = _grid()
    for place, piece in enumerate(pieces, start=1):
        notes = [f"for part {', '.join(str(part + 1) for part in piece.parts)}"] if parts > 1 else []
        notes += _remarks(piece, weak_below=weak_below)
        table.add_row(
            str(place), bar(piece.score), _found(piece.memory, piece.snippet, notes), style=_style(piece, weak_below)
        )
    return table


def conflict(value: Conflict, pieces: Sequence[Evidence]) -> Text:
    """Which of two memories is preferred, by their place in the evidence, and why."""
    places = {piece.memory.id: f"{number} ({_day(piece.memory)})" for number, piece in enumerate(pieces, start=1)}
    preferred, other = (places.get(id, id) for id in (value.preferred, value.other))
    how = value.strategy.value if value.settled else "open"
    joint = "is preferred to" if value.settled else "and"
    ending = "" if value.settled else " contradict each other"
    return Text(clean(f"  {preferred} {joint} {other}{ending}: {value.reason}, {how}".replace("_", " ")))


def footer(value: Answer) -> Text:
    """Why and when the search ended."""
    rounds = sum(span.name == "search" for span in value.trace.spans)
    said = [f"stopped: {value.stop.value.replace('_', ' ')}", plural(rounds, "round", "rounds")]
    said.append(f"{milliseconds(value.trace.seconds)} ({_slowest(value.trace)})")
    return Text(f"{' · '.join(said)}\ntrace {value.trace.id}", style="dim")


def _parts(value: Answer) -> Iterator[RenderableType]:
    """The parts with a tick or a cross; the only part of a question that is answered would just repeat it."""
    gaps = {gap.part: gap.reason for gap in value.gaps}
    for part in value.question.parts if gaps or len(value.question.parts) > 1 else ():
        reason = gaps.get(part.number)
        mark, style = ("✗", "red") if reason else ("✓", "green")
        line = Text.assemble("  ", (f"{mark} ", style), clean(part.text))
        if reason:
            line.append(f"  missing: {reason}", style="red")
        yield line


def _in_words(value: Answer) -> Iterator[RenderableType]:
    """The answer's sentences, citing evidence by its place in the list below."""
    places = {piece.memory.id: place for place, piece in enumerate(value.evidence, start=1)}

    def cited(match: re.Match[str]) -> str:
        place = places.get(match["place"])
        return f"[{place}]" if place else match[0]

    lines = [line for line in value.text.splitlines() if not line.startswith(TOLD_ELSEWHERE)]
    if lines and value.evidence:
        yield heading("Answer")
        yield from (_spoken(clean(CITATION.sub(cited, line))) for line in lines)


def _spoken(line: str) -> RenderableType:
    """One line of an answer, indented; what follows a dash keeps to the right of it."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    dash, _, said = line.partition(" ") if line.startswith("- ") else ("", "", line)
    table.add_row(f"  {dash}" if dash else " ", Text(said))
    return table


def _remarks(piece: Evidence, *, weak_below: float) -> Iterator[str]:
    """What a reader should know of a piece besides its text."""
    if piece.relevance < weak_below:
        yield "weak"
    if piece.contradicted_by:
        yield "contradicted"
    if piece.superseded and piece.memory.valid_to is None:
        yield "superseded"
    if piece.corroborated_by:
        yield f"{plural(len(piece.corroborated_by), 'other agrees', 'others agree')}"
    if piece.reached_by:
        yield "through links"
    if piece.flags:
        yield "looks like an instruction"


def _style(piece: Evidence, weak_below: float) -> str:
    return "dim" if piece.relevance < weak_below else ""


def _slowest(trace: Trace, *, most: int = 3) -> str:
    totals: dict[str, float] = {}
    for span in trace.spans:
        totals[span.name] = totals.get(span.name, 0.0) + span.seconds
    slowest = sorted(totals.items(), key=lambda item: -item[1])[:most]
    return ", ".join(f"{name} {milliseconds(seconds)}" for name, seconds in slowest)


# --- hits and memories ---------------------------------------------------------------------------


def hits(values: Sequence[Hit]) -> Table:
    """Hits of a plain search, best first."""
    table = _grid()
    for place, each in enumerate(values, start=1):
        table.add_row(str(place), bar(each.relevance), _found(each.memory, each.memory.body, []))
    return table


def memories(values: Iterable[Memory], *, relevance: dict[str, float]) -> Table:
    """Memories in order, with their relevance where there is one."""
    table = _grid() if relevance else _grid(bars=0)
    for place, each in enumerate(values, start=1):
        bars = [bar(relevance[each.id])] if relevance else []
        table.add_row(str(place), *bars, _found(each, each.body, []))
    return table


def memory(value: Memory, links: Sequence[Link]) -> Iterator[RenderableType]:
    """One memory with everything about it."""
    yield Text(one_line(value.title or value.kind, limit=200), style="bold")
    yield Padding(Text(clean(value.body)), (0, 0, 1, 0))
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, said in _about(value).items():
        if said:
            table.add_row(name, Text(clean(said)))
    for link in links:
        outward = link.from_id == value.id
        table.add_row(
            "link", Text(f"{'→' if outward else '←'} {link.relation} {link.to_id if outward else link.from_id}")
        )
    yield table


def remembered(value: Remembered) -> Iterator[RenderableType]:
    """What became of a text."""
    mark, style = ("✓", "green") if value.fate is Fate.STORED else ("=", "yellow")
    yield Text.assemble((f"{mark} ", style), f"{FATES[value.fate]} ", (value.id, "cyan"))
    if value.fate is Fate.STORED:
        yield from (Text(f"  similar to {id} (cosine {cosine:.2f})", style="dim") for id, cosine in value.similar)
    yield from (Text(f"  ! {clean(note)}", style="yellow") for note in value.notes)


def health(values: Sequence[Health]) -> Table:
    """A check-up as a table, the remedy under what needs it."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for each in values:
        mark = Text("✓", style="green") if each.ok else Text("✗", style="red")
        seen: RenderableType = Text(clean(each.seen))
        if each.remedy:
            seen = Group(seen, Text(f"→ {clean(each.remedy)}", style="yellow"))
        table.add_row(mark, Text(clean(each.what)), seen)
    return table


def facts(pairs: dict[str, str]) -> Table:
    """Names and what they are, in two columns."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, said in pairs.items():
        table.add_row(name, Text(clean(said)))
    return table


# --- small things --------------------------------------------------------------------------------


def heading(text: str) -> Text:
    """A heading with a line of air above it."""
    return Text(f"\n{text}", style="bold")


def notes(degraded: Sequence[str]) -> list[RenderableType]:
    """What a search had to do without, if anything."""
    lines = [Text(f"  ! {clean(note)}", style="yellow") for note in degraded]
    return [heading("Degraded"), *lines] if lines else []


def plain(text: str) -> Text:
    """Foreign text, as it is."""
    return Text(clean(text))


def done(text: str) -> Text:
    """A line that says something went well."""
    return Text.assemble(("✓ ", "green"), clean(text))


def bar(share: float) -> Text:
    """A share of one as a bar and a number."""
    full = round(max(0.0, min(1.0, share)) * BAR)
    return Text.assemble(("█" * full, "cyan"), ("░" * (BAR - full), "dim"), f" {share:.2f}")


def milliseconds(seconds: float) -> str:
    """A duration to read.

    >>> milliseconds(0.0004), milliseconds(0.0234), milliseconds(1.5)
    ('0.4 ms', '23 ms', '1.50 s')
    """
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def plural(count: int, one: str, many: str) -> str:
    """A count with its noun.

    >>> plural(1, "memory", "memories"), plural(2, "memory", "memories")
    ('1 memory', '2 memories')
    """
    return f"{count:,} {one if count == 1 else many}"


def lookup_outcome(because: str, hits: int) -> str:
    """How a lookup ended: what it brought, or why it brought nothing.

    >>> lookup_outcome("found", 3), lookup_outcome("empty", 0), lookup_outcome("timed_out", 0)
    ('3 hits', '0 hits', 'timed out')
    """
    return plural(hits, "hit", "hits") if because in CAME_BACK else because.replace("_", " ")


def _grid(*, bars: int = 1) -> Table:
    """Columns for a place, so many bars, and what was found."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    for _ in range(bars):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    return table


def _found(memory: Memory, snippet: str, notes: list[str]) -> Group:
    """Title, what and when, the words that matter, and the id to go on with."""
    about = [memory.kind, _day(memory), *notes] + (["superseded"] if memory.valid_to else [])
    first = Text(one_line(memory.title, limit=120), style="bold") if memory.title else Text()
    first.append(("  " if memory.title else "") + clean(" · ".join(about)), style="not bold dim")
    return Group(first, Text(one_line(snippet or memory.body, limit=SNIPPET)), Text(memory.id, style="dim"))


def _about(value: Memory) -> dict[str, str]:
    times = {
        "happened": value.event_time,
        "stored": value.created_at,
        "changed": value.updated_at if value.updated_at != value.created_at else None,
        "holds from": value.valid_from,
        "holds until": value.valid_to,
    }
    return {
        "id": value.id,
        "kind": value.kind,
        **{name: moment.isoformat(sep=" ", timespec="seconds") for name, moment in times.items() if moment},
        "lifecycle": value.lifecycle.value,
        "project": value.project or "",
        "author": value.author or "",
        "trust": value.trust,
        "tags": ", ".join(value.tags),
        "clusters": ", ".join(value.clusters),
        "source": value.source_uri or "",
        "metadata": ", ".join(f"{name}={said!r}" for name, said in value.metadata.items()),
        "read": plural(value.access_count, "time", "times"),
    }


def _day(memory: Memory) -> str:
    return (memory.event_time or memory.created_at).date().isoformat()
