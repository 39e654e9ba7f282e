"""Sentences about one memory in an opened trace: why it stands where it does, or what became of it.

Takes the payload of a kept trace as `journal.py` opens it, gives plain words. Decides only what is worth saying.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from recollect.records import Lifecycle, Memory

Told: TypeAlias = dict[str, Any]

LEAST = 0.0005  # a share of a score below this is not worth a word
SHOWN = 4  # of a long list; the rest is counted
ID, IDS = (
    frozenset({"id", "via", "one", "other", "preferred", "into"}),
    "ids",
)  # numbers of a decision that name memories


def reasons(told: Told, id: str) -> Iterator[str]:
    """Why a memory stands where it does in an answer, or what became of it."""
    place = next((place for place, piece in enumerate(told["evidence"]) if piece["id"] == id), None)
    yield from _absence(id, told) if place is None else _presence(place, told)


def named_ids(numbers: Mapping[str, Any]) -> Iterator[str]:
    """The memories a decision names.

    >>> list(named_ids({"id": "a", "ids": "b, c", "text": "d", "via": ""}))
    ['a', 'b', 'c']
    """
    for name, value in numbers.items():
        if name in ID and value:
            yield value
        elif name == IDS:
            yield from value.replace(",", " ").split()


def _presence(place: int, told: Told) -> Iterator[str]:
    piece, count = told["evidence"][place], len(told["evidence"])
    yield f"It is number {place + 1} of {count} in the evidence, with a score of {_short(piece['score'])}."
    yield from _serving(place, told)
    yield _finding(piece)
    yield from _relevance(piece)
    yield from _shares(piece)
    yield from _company(piece)
    yield from _disputes(piece, told["conflicts"])
    if piece["superseded"]:
        yield "A later piece supersedes it."
    if piece["reached_by"]:
        yield f"It was reached through links from {_listed(piece['reached_by'])}."
    if piece["flags"]:
        flags = _listed(_words(flag) for flag in piece["flags"])
        yield f"Its text looks like an instruction rather than a fact ({flags}); it is shown as data."
    yield from _mentions(piece["id"], told["spans"], without={"reconcile"})


def _serving(place: int, told: Told) -> Iterator[str]:
    """Which parts it answers, and whether nothing answers them better."""
    piece, texts = told["evidence"][place], {part["number"]: part["text"] for part in told["parts"]}
    for number in piece["parts"]:
        first = next(rank for rank, each in enumerate(told["evidence"]) if number in each["parts"])
        standing = "; nothing stands above it there" if first == place else ""
        yield f"It serves part {number + 1}, “{texts.get(number, '')}”{standing}."


def _finding(piece: Told) -> str:
    rounds = [f"round {number}" for number in piece["rounds"]]
    lookups = [f"“{each}”" for each in piece["lookups"]] or piece["sources"]
    return f"It was found in {_listed(rounds)} by {_listed(lookups, most=SHOWN)}."


def _relevance(piece: Told) -> Iterator[str]:
    """The relevance, and what spoke for and against it."""
    odds = _first_sum(piece["explanation"], named="log-odds")
    made = [f"{each['what']} ({_signed(each['value'])})" for each in odds["details"]] if odds else []
    yield f"Its relevance is {_short(piece['relevance'])}" + (f", in log-odds {_listed(made)}." if made else ".")
    signals = [f"{name} {_short(each['value'])}" for name, each in piece["signals"].items()]
    if signals:
        yield f"Its signals: {_listed(signals)}."


def _shares(piece: Told) -> Iterator[str]:
    """What the score adds up from, beside the relevance."""
    shares = [(each["what"], each["value"] or 0.0) for each in _summands(piece["explanation"])]
    if len(shares) < 2:  # nothing but the relevance
        return
    beside = [(what, value) for what, value in shares if not what.startswith("relevance") and abs(value) >= LEAST]
    raised = [f"{what} ({_signed(value)})" for what, value in beside if value > 0]
    lowered = [f"{what} ({_signed(value)})" for what, value in beside if value < 0]
    if raised:
        yield f"Its score was raised by {_listed(raised)}."
    if lowered:
        yield f"Its score was lowered by {_listed(lowered)}."


def _company(piece: Told) -> Iterator[str]:
    if piece["corroborated_by"]:
        yield f"Others say the same on their own account: {_listed(piece['corroborated_by'], most=SHOWN)}."
    repeats = [each for each in piece["absorbed"] if each not in piece["corroborated_by"]]
    if repeats:
        yield f"It also stands for what only repeats it: {_listed(repeats, most=SHOWN)}."


def _disputes(piece: Told, conflicts: Iterable[Told]) -> Iterator[str]:
    for each in conflicts:
        sides = (each["preferred"], each["other"])
        if piece["id"] not in sides:
            continue
        against = sides[1] if piece["id"] == sides[0] else sides[0]
        winner = "this one" if piece["id"] == sides[0] else against
        outcome = f"{winner} is preferred" if each["settled"] else "the conflict is open"
        yield f"It contradicts {against} ({_words(each['reason'])}, {each['kind']}): {outcome}."


def _absence(id: str, told: Told) -> Iterator[str]:
    """What became of a memory that is not in the evidence."""
    count = len(told["evidence"])
    for place, piece in enumerate(told["evidence"], start=1):
        if id in piece["absorbed"]:
            says = "says the same" + (" on its own account" if id in piece["corroborated_by"] else "")
            yield f"It was merged into {piece['id']}, which {says} and is number {place} of {count}."
            return
    mentions = list(_mentions(id, told["spans"], without=()))
    led_to = [piece["id"] for piece in told["evidence"] if id in piece["reached_by"]]
    mentions += [f"Links from it led to {_listed(led_to, most=SHOWN)}."] if led_to else []
    if mentions:
        yield "It is not in the evidence, though this call met it."
        yield from mentions
        return
    kept = f"{count} {'piece was' if count == 1 else 'pieces were'} kept"
    yield f"It is not in the evidence, and nothing in this trace names it: {kept}."
    yield "Either no lookup found it, or it was found and not good enough to be kept; such hits are counted, not named."


def standing(memory: Memory, *, asked_at: datetime) -> Iterator[str]:
    """What is stored of a memory now that kept it out then."""
    if memory.created_at > asked_at:
        yield "It was stored after this question was asked."
    if memory.lifecycle is Lifecycle.ARCHIVED:
        yield "It is archived, which keeps it out of every search."
    if memory.valid_to is not None and memory.valid_to <= asked_at:
        yield "It was superseded by then, which keeps it out unless superseded memories are asked for."


def _mentions(id: str, spans: Iterable[Told], *, without: Iterable[str]) -> Iterator[str]:
    """What the steps decided about a memory, and the lookups it led to."""
    for span in spans:
        if span["name"] in without:
            continue
        for decision in span["decisions"]:
            if id in named_ids(decision["numbers"]):
                numbers, because = _aside(decision["numbers"]), _words(decision["because"])
                yield f"In {span['name']}: {decision['what']}, because of {because}{numbers}."
        for lookup in span["inside"]:
            for decision in lookup["decisions"]:
                if id in named_ids(decision["numbers"]):
                    yield _onward(decision["numbers"])


def _onward(numbers: Told) -> str:
    hits = numbers.get("hits", 0)
    brought = f", which brought {hits} {'hit' if hits == 1 else 'hits'}"
    origin, source = _words(str(numbers.get("origin", "further"))), numbers.get("source", "a source")
    return f"It led to a {origin} lookup in {source}, “{numbers.get('text', '')}”{brought}."


def _aside(numbers: Told) -> str:
    """The true numbers of a decision in brackets; ids and words are told elsewhere."""
    shown = [f"{_words(name)} {_short(value)}" for name, value in numbers.items() if isinstance(value, int | float)]
    return f" ({', '.join(shown)})" if shown else ""


def _summands(node: Told) -> Iterator[Told]:
    """The leaves of the sum a node stands for."""
    if not node["sums"]:
        yield node
        return
    for detail in node["details"]:
        yield from _summands(detail)


def _first_sum(node: Told, *, named: str) -> Told | None:
    """The first node of that name whose details add up to it."""
    if node["sums"] and named in node["what"]:
        return node
    return next((found for each in node["details"] if (found := _first_sum(each, named=named))), None)


def _words(code: str) -> str:
    return code.replace("_", " ")


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _signed(value: float | None) -> str:
    return "none" if value is None else f"{value:+.3f}"


def _listed(values: Iterable[str], *, most: int = 100) -> str:
    """Things said one after the other.

    >>> _listed(["a"]), _listed(["a", "b", "c"]), _listed(["a", "b", "c"], most=1)
    ('a', 'a, b and c', 'a and 2 more')
    """
    said = list(values)
    said = said if len(said) <= most else [*said[:most], f"{len(said) - most} more"]
    return " and ".join(filter(None, (", ".join(said[:-1]), said[-1]))) if said else "nothing"
