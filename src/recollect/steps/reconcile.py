"""Evidence -> Evidence with contradictions marked on both sides, and the preferred side named.

Takes what was kept and compares it pair by pair; gives the same pieces and the conflicts. A contradiction is stated by
a link, or read off what two short texts say, also as answers to a part that expects one; that is cautious, since a
false one takes away what is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from typing import NamedTuple

from recollect.language.answers import answers_differ
from recollect.language.one_answer import Asked, asked_once
from recollect.language.rivals import Frame, Rival, frame_of, rival
from recollect.language.statements import Statement, disagree, find_statements
from recollect.rank.disputes import conflict_kind, moment_of
from recollect.rank.identity import NEGATION, NUMBER, details, is_told
from recollect.rank.snippet import COMMON, WORD
from recollect.rank.standing import TRUST, UNKNOWN_TRUST
from recollect.readings import remembered
from recollect.records import Memory
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Conflict, ConflictKind, Evidence, Explanation, Part, Strategy

# strategy             prefers                                               the other side
# latest_wins          what supersedes the other, else the later             is halved and marked superseded
# highest_confidence   the more relevant                                     stays, behind it
# source_priority      by SOURCES; then the more trusted; then the higher    stays, behind it
# ask_user             nobody: somebody has to say                           stays where it is, the conflict is open
# include_both         nobody: each may hold in its own setting              stays where it is, the conflict is open
#
# Where a strategy finds both sides equal, the conflict is open too. `by_kind` goes by this table:
BY_KIND = {
    ConflictKind.TEMPORAL: Strategy.LATEST_WINS,
    ConflictKind.FACTUAL: Strategy.SOURCE_PRIORITY,
    ConflictKind.SCOPE: Strategy.INCLUDE_BOTH,
}
SOURCES = ("graph", "vector", "local")  # the first is believed most; memory and all others come after
LATER_FIRST = frozenset({Strategy.BY_KIND, Strategy.LATEST_WINS})  # where the later stands first of two that may differ
NO_TIME = timedelta()
SUPERSEDED_SHARE = 0.5  # of its score, kept by what no longer holds

# Things that happened: one does not undo another that happened at another time.
EVENT_KINDS = frozenset("episode message signal trade event observation meeting conversation log".split())
SAID_KINDS = frozenset({"message", "conversation"})  # what is said in them may hold on: "I live in Porto"

LONGEST_STATEMENT = 300  # characters: a longer text is a passage, and two passages differ in many details
LONGEST_READ = 1_000  # characters read for statements
SAME_WORDS = 0.7  # of the words that count, shared under one title: less, and they speak of different things
NEARLY_ALL_WORDS = 0.85  # shared without a common title
FEWEST_WORDS = 3  # that count: "It is 3" says nothing about what
# Before a number that is said of something; not a part of its name ("ticket 17 was closed") or when it happened.
HOLDS_NOW = re.compile(
    r"\b(?:is|are|has|have|will|must|should|can|costs?|needs?|allows?|runs?|takes?)\b", re.IGNORECASE
)
NEAR_THE_BEST = 0.3  # of the relevance of a part's best piece: less, and it hardly answers
FIRST_PERSON = frozenset("i me my mine we us our ours".split())

STATED = "stated_contradiction"
SUPERSEDED = "stated_supersession"
ANSWERS = "answers_differ"
NUMBERS, NAMES, POLARITY = "numbers_differ", "names_differ", "polarity_differs"


class Side(NamedTuple):
    """A piece as one side of a possible conflict: all ids it stands for, and what it states."""

    piece: Evidence
    ids: frozenset[str]
    title: str
    statements: Mapping[tuple[str, str], Sequence[Statement]]
    words: frozenset[str] | None
    frame: Frame | None = None


class Ask(NamedTuple):
    """A part that expects one answer, and how relevant a piece must be to count as one."""

    part: int
    asked: Asked
    least: float


def reconcile(
    evidence: Sequence[Evidence], *, parts: Sequence[Part], settings: Settings, trace: Recorder
) -> tuple[tuple[Evidence, ...], tuple[Conflict, ...]]:
    """The evidence with both sides of each contradiction marked, what no longer holds moved down, and the conflicts."""
    if len(evidence) < 2:
        return tuple(evidence), ()
    strategy = Strategy(settings.conflict_strategy)
    conflicts: list[Conflict] = []
    followed: list[tuple[str, str]] = []  # the later of two that may be about the same, and the earlier
    asks = list(_asks(parts, evidence))
    for one, other in combinations([_side(piece) for piece in evidence], 2):
        if _may_both_hold(one, other):
            continue
        found = _contradiction(one, other)
        if not (found and found.sure) and _two_answers(one, other, asks):
            found = Rival(ANSWERS, sure=True)
        if found and found.sure:
            conflicts.append(_conflict(one.piece, other.piece, reason=found.reason, strategy=strategy))
        elif found and strategy in LATER_FIRST:
            here, there = one.piece.memory, other.piece.memory
            if apart := moment_of(here) - moment_of(there):
                followed.append((here.id, there.id) if apart > NO_TIME else (there.id, here.id))
    if not conflicts and not followed:
        return tuple(evidence), ()
    _tell(trace, conflicts, followed)
    ordered = _in_order(_marked(evidence, conflicts), conflicts) if conflicts else tuple(evidence)
    return _later_first(ordered, followed), tuple(conflicts)


def _tell(trace: Recorder, conflicts: Sequence[Conflict], followed: Sequence[tuple[str, str]]) -> None:
    for each in conflicts:
        trace.decide(
            "prefer" if each.settled else "leave open", each.strategy.value,
            preferred=each.preferred, other=each.other, kind=each.kind.value, reason=each.reason,
        )  # fmt: skip
    for later, earlier in followed:
        trace.decide("put before", "later_first", preferred=later, other=earlier)
    if conflicts:
        trace.count(conflicts_detected=len(conflicts), conflicts_resolved=sum(each.settled for each in conflicts))


# --- is it one? ----------------------------------------------------------------------------------


def _side(piece: Evidence) -> Side:
    """A long text is read only where it speaks of what was asked: elsewhere it may say what it likes."""
    memory = piece.memory
    is_read = is_told(memory)
    is_short = is_read and len(memory.body) <= LONGEST_STATEMENT
    said = (memory.body if is_short or not piece.snippets else piece.snippet)[:LONGEST_READ]
    stated = _stated(said, memory.title) if is_read else {}
    if not is_short and not memory.title:  # whose "average age" it is, stands elsewhere in it
        stated = {key: found for key, found in stated.items() if _is_named(key[0], said)}
    return Side(
        piece,
        frozenset((memory.id, *piece.absorbed)),
        " ".join(memory.title.casefold().split()),
        stated,
        _words_that_count(memory.body) if is_short else None,
        _frame(memory.body) if is_short else None,
    )


def _is_named(subject: str, said: str) -> bool:
    """Whether a subject is written with a capital, or is the speaker."""
    words = subject.removesuffix("'s").split()
    return words[0] in FIRST_PERSON or any(f" {word.title()}" in f" {said}" for word in words)


_frame = remembered(frame_of)
_asked_once = remembered(asked_once)


@remembered
def _stated(text: str, title: str) -> Mapping[tuple[str, str], Sequence[Statement]]:
    statements: dict[tuple[str, str], list[Statement]] = {}
    for each in find_statements(text, title=title):
        statements.setdefault((each.subject, each.relation), []).append(each)
    return statements


@remembered
def _words_that_count(body: str) -> frozenset[str]:
    """Its words without numbers, denials, and those that any text has."""
    words = WORD.findall(NEGATION.sub(" ", NUMBER.sub(" ", body)).lower())
    return frozenset(words) - COMMON


def _may_both_hold(one: Side, other: Side) -> bool:
    """Whether somebody said so of the two, by a link."""
    return not other.ids.isdisjoint(one.piece.coexists) or not one.ids.isdisjoint(other.piece.coexists)


def _contradiction(one: Side, other: Side) -> Rival | None:
    """Why two pieces cannot both hold, and whether that is sure; None where nothing speaks against it."""
    for says, said in ((one, other), (other, one)):
        if not said.ids.isdisjoint(says.piece.supersedes):
            return Rival(SUPERSEDED, sure=True)
        if not said.ids.isdisjoint(says.piece.contradicts):
            return Rival(STATED, sure=True)
    if _happened_apart(one.piece.memory, other.piece.memory):
        only_said = {one.piece.memory.kind, other.piece.memory.kind} <= SAID_KINDS
        reason = _statements_differ(one, other) if only_said else None
        return Rival(reason, sure=True) if reason else None
    if reason := _statements_differ(one, other) or _details_differ(one, other):
        return Rival(reason, sure=True)
    return _frames_differ(one, other)


def _frames_differ(one: Side, other: Side) -> Rival | None:
    """What whole short texts have against each other."""
    if not one.frame or not other.frame or _each_of_its_own(one, other):
        return None
    return rival(one.frame, other.frame)


def _two_answers(one: Side, other: Side, asks: Sequence[Ask]) -> bool:
    """Whether two short texts of one kind answer a part differently of which only one answer can be right."""
    here, there = one.piece, other.piece
    relevance, serves = min(here.relevance, there.relevance), {*here.parts} & {*there.parts}
    asks = [each for each in asks if each.part in serves and relevance >= each.least]
    if not asks or not one.frame or not other.frame or _each_of_its_own(one, other):
        return False
    if here.memory.kind != there.memory.kind or _happened_apart(here.memory, there.memory):
        return False
    return any(answers_differ(each.asked, one.frame, other.frame) for each in asks)


def _asks(parts: Sequence[Part], evidence: Sequence[Evidence]) -> Iterator[Ask]:
    for part in parts:
        best = max((piece.relevance for piece in evidence if part.number in piece.parts), default=0.0)
        if asked := _asked_once(part.text):
            yield Ask(part.number, asked, best * NEAR_THE_BEST)


def _each_of_its_own(one: Side, other: Side) -> bool:
    """Whether two titles speak of two things, or two speakers each of himself."""
    assert one.frame and other.frame
    same = one.frame.subject & other.frame.subject
    each_of_himself = one.piece.memory.author != other.piece.memory.author and not FIRST_PERSON.isdisjoint(same)
    two_titles = one.title and other.title and one.title != other.title and one.frame.subject != other.frame.subject
    return bool(each_of_himself or two_titles)


def _happened_apart(one: Memory, other: Memory) -> bool:
    both = one.kind in EVENT_KINDS and other.kind in EVENT_KINDS
    return both and (one.event_time or one.created_at) != (other.event_time or other.created_at)


def _statements_differ(one: Side, other: Side) -> str | None:
    same_speaker = one.piece.memory.author == other.piece.memory.author
    for key in one.statements:
        if key not in other.statements:
            continue
        if not same_speaker and key[0].split(" ", 1)[0] in FIRST_PERSON:
            continue  # each speaks of himself
        for this in one.statements[key]:
            for that in other.statements[key]:
                if reason := disagree(this, that):
                    return reason
    return None


def _details_differ(one: Side, other: Side) -> str | None:
    """Two short texts in the same words, of one title or of none, that differ in a detail."""
    if one.words is None or other.words is None:
        return None
    titled = one.title and one.title == other.title and one.piece.memory.kind == other.piece.memory.kind
    if titled:
        return _details_under_one_title(one, other)
    if one.title and other.title and one.title != other.title:
        return None
    together = len(one.words | other.words)
    if together < FEWEST_WORDS or len(one.words & other.words) < NEARLY_ALL_WORDS * together:
        return None
    (numbers, names, denies), (numbers2, names2, denies2) = (details(side.piece.memory.body) for side in (one, other))
    if names != names2:
        return None
    if denies != denies2:
        return POLARITY
    said_of_it = all(_number_is_said(side.piece.memory.body) for side in (one, other))
    return NUMBERS if said_of_it and numbers != numbers2 and len(numbers) == len(numbers2) else None


def _details_under_one_title(one: Side, other: Side) -> str | None:
    assert one.words is not None and other.words is not None
    (numbers, names, denies), (numbers2, names2, denies2) = (details(side.piece.memory.body) for side in (one, other))
    named = names | names2
    words, words2 = one.words - named, other.words - named
    shared = len(words & words2)
    if not (words <= words2 or words2 <= words) and shared < SAME_WORDS * len(words | words2):
        return None
    if numbers != numbers2:
        return NUMBERS
    if names != names2:
        return NAMES
    return POLARITY if denies != denies2 else None


def _number_is_said(body: str) -> bool:
    number = NUMBER.search(body)
    return number is not None and HOLDS_NOW.search(body, 0, number.start()) is not None


# --- what to do about it -------------------------------------------------------------------------


def _conflict(one: Evidence, other: Evidence, *, reason: str, strategy: Strategy) -> Conflict:
    """The conflict of two pieces of which `one` ranks higher, and who is preferred."""
    kind = conflict_kind(one.memory, other.memory, superseded=reason == SUPERSEDED)
    if strategy is Strategy.BY_KIND:
        strategy = BY_KIND[kind]
    match strategy:
        case Strategy.LATEST_WINS:
            first, second = _lateness(one, other), _lateness(other, one)
        case Strategy.HIGHEST_CONFIDENCE:
            first, second = (one.relevance,), (other.relevance,)
        case Strategy.SOURCE_PRIORITY:
            first, second = _priority(one), _priority(other)
        case _:
            first = second = ()
    preferred, behind = (other, one) if second > first else (one, other)
    return Conflict(preferred.memory.id, behind.memory.id, reason, kind, strategy, settled=first != second)


def _lateness(piece: Evidence, other: Evidence) -> tuple[float, ...]:
    """What supersedes the other is the later one, whatever their moments say."""
    supersedes = not {other.memory.id, *other.absorbed}.isdisjoint(piece.supersedes)
    return float(supersedes), moment_of(piece.memory).timestamp()


def _priority(piece: Evidence) -> tuple[float, ...]:
    source = min((SOURCES.index(name) for name in piece.sources if name in SOURCES), default=len(SOURCES))
    return -float(source), TRUST.get(piece.memory.trust, UNKNOWN_TRUST), piece.score


# --- marks and order -----------------------------------------------------------------------------


def _marked(evidence: Sequence[Evidence], conflicts: Sequence[Conflict]) -> list[Evidence]:
    against: dict[str, set[str]] = {}
    superseded: dict[str, str] = {}
    for each in conflicts:
        against.setdefault(each.preferred, set()).add(each.other)
        against.setdefault(each.other, set()).add(each.preferred)
        if each.strategy is Strategy.LATEST_WINS and each.settled:
            superseded.setdefault(each.other, each.preferred)
    marked = []
    for piece in evidence:
        id = piece.memory.id
        if id in against:
            piece = replace(piece, contradicted_by=tuple(sorted(against[id])))
        marked.append(_halved(piece, by=superseded[id]) if id in superseded else piece)
    return marked


def _halved(piece: Evidence, *, by: str) -> Evidence:
    """What no longer holds: once, however many say so; the explanation still adds up."""
    score = piece.score * SUPERSEDED_SHARE
    taken = Explanation(score - piece.score, f"superseded by {by}")
    why = Explanation(score, "score", (piece.explanation, taken), sums=True)
    return replace(piece, score=score, explanation=why, superseded=True)


def _in_order(evidence: Sequence[Evidence], conflicts: Sequence[Conflict]) -> tuple[Evidence, ...]:
    """By score, or where parts take turns in their order with what no longer holds at the end; and nothing stands
    before what is preferred to it, as far as that is possible."""
    waits_for: dict[str, set[str]] = {}
    for each in conflicts:
        if each.settled:
            waits_for.setdefault(each.other, set()).add(each.preferred)
    if len({part for piece in evidence for part in piece.parts}) > 1:
        left = sorted(evidence, key=lambda piece: piece.superseded)
    else:
        left = sorted(evidence, key=lambda piece: -piece.score)
    ordered: list[Evidence] = []
    while left:
        ids = {piece.memory.id for piece in left}
        free = (n for n, piece in enumerate(left) if ids.isdisjoint(waits_for.get(piece.memory.id, ())))
        ordered.append(left.pop(next(free, 0)))  # in a circle, the best comes first
    return tuple(ordered)


def _later_first(evidence: Sequence[Evidence], followed: Sequence[tuple[str, str]]) -> tuple[Evidence, ...]:
    """Each piece right behind the later ones that may take its place; what nothing follows keeps its turn."""
    later_of: dict[str, list[str]] = {}
    for later, earlier in followed:
        later_of.setdefault(earlier, []).append(later)
    pieces = {piece.memory.id: piece for piece in evidence}
    order: dict[str, None] = {}

    def place(id: str, waiting: frozenset[str]) -> None:
        for later in sorted(later_of.get(id, ()), key=lambda each: moment_of(pieces[each].memory), reverse=True):
            if later not in order and later not in waiting and not pieces[later].superseded:
                place(later, waiting | {id})
        order.setdefault(id)

    for id in pieces:
        place(id, frozenset())
    return tuple(pieces[id] for id in order)
