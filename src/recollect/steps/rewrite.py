"""Judgement -> next Plan: other sources, other words, wider filters and found names for the weak parts, or None.

Each part has its ideas in a fixed order; one of each part is taken in turn until the round is full. Nothing is looked
up twice, so this ends by itself. Leaves to `judge` whether to go on at all.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from math import sqrt

from recollect.language.content import content_words, words_of
from recollect.language.entities import LOOKED_AT, find_entities
from recollect.language.fallbacks import cut_at_word, fallback_queries
from recollect.language.related import related
from recollect.rank.routes import lookups_for, roles_of, scope_of, untried_sources
from recollect.rank.scopes import scoped
from recollect.recipes import Recipe
from recollect.records import Filters
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import (
    Lookup,
    Message,
    Observation,
    Origin,
    Part,
    PartState,
    Plan,
    Progress,
    Question,
    Role,
    Scope,
    Tried,
    Weak,
)

# The words a question is wrapped in, which say nothing about what is looked for.
SCAFFOLDING = re.compile(
    r"""^\s*
    (?:(?:can|could|would)\s+you\s+(?:please\s+)?|please\s+)?
    (?:tell\s+me\s+(?:about\s+)?|show\s+me\s+|find\s+|remind\s+me\s+(?:of\s+|about\s+)?)?
    (?:(?:(?:what|how|why|when|where|who|which)
         (?:['’]s|\s+(?:is|are|was|were|do|does|did|has|have|had|can|should|would))?
       |is\s+there|are\s+there|did|does|do|has|have)\s+)?
    (?:(?:i|my|the|we|our)\s+)?""",
    re.IGNORECASE | re.VERBOSE,
)
SHORTEST = 3
WORD = re.compile(r"\w+")
# What the caller narrowed and may be widened again, in this order, one step. Space, lifecycles, moment, projects,
# paths, trusts and ids are no preferences: whoever gave them must not be shown anything else.
WIDER: tuple[tuple[str, Callable[[Filters], Filters]], ...] = (
    ("kinds", lambda filters: replace(filters, kinds=frozenset())),
    ("tags and clusters", lambda filters: replace(filters, tags=frozenset(), clusters=frozenset())),
    ("time", lambda filters: replace(filters, time=None)),
)
MOST_BRIDGES = 3  # found names looked up for one part in one round: further ones are seldom on the way
TEXTS_FOR_A_PASSED_PART = 2  # it has something good already; the round belongs to those that have not
ROUNDS_BEFORE_FALLBACKS = 2  # the first as asked, the second reworded
LONGEST_TEXT = 120  # characters of a text in the trace


@dataclass(frozen=True, slots=True)
class Idea:
    """One text to search for, by these lookups, and why; where filters are widened, which was dropped; and the ids of
    the memories whose words are in it."""

    reason: str
    lookups: tuple[Lookup, ...]
    dropped: str = ""
    drawn_from: tuple[str, ...] = ()


def rewrite(
    weak: Weak,
    *,
    question: Question,
    scope: Scope,
    recipe: Recipe,
    messages: Sequence[Message],
    settings: Settings,
    trace: Recorder,
) -> Plan | None:
    """The next round's lookups, or None when nothing is left to try. Past the recipe's rounds only stand-ins are."""
    states = {state.part.number: state for state in weak.states}
    taken = set(weak.progress.tried)
    turns: deque[Iterator[Idea]] = deque()
    for part in weak.weak_parts:
        state = states[part.number]
        around = Around(state, question, scope_of(part, scope), tuple(messages), settings, weak.progress)
        tiers = [_stand_ins(around)] if weak.progress.rounds >= recipe.max_rounds else _tiers(around)
        ideas = _first_that_brings_any(tiers, taken)
        turns.append(islice(ideas, TEXTS_FOR_A_PASSED_PART if state.passed else None))
    chosen: list[Idea] = []
    while turns and len(chosen) < settings.lookups_per_round:
        turn = turns.popleft()
        idea = next(turn, None)
        if idea is not None:
            chosen.append(idea)
            turns.append(turn)
    _record(chosen, weak.weak_parts, full=bool(turns), trace=trace)
    lookups = tuple(lookup for idea in chosen for lookup in idea.lookups)
    return Plan(weak.progress.rounds + 1, lookups) if lookups else None


def rewordings(part: Part) -> Iterator[tuple[str, Origin]]:
    """Other ways to look for a part, best first, all different.

    >>> [text for text, _ in rewordings(Part(0, "What is the SOL plan?", ("SOL",)))][:2]
    ['SOL plan', 'SOL']
    """
    seen = {part.text.casefold()}
    for text, origin in _rewordings(part):
        if text and text.casefold() not in seen:
            seen.add(text.casefold())
            yield text, origin


def _rewordings(part: Part) -> Iterator[tuple[str, Origin]]:
    stripped = SCAFFOLDING.sub("", part.text).strip(" ?!.")
    if len(stripped) >= SHORTEST:
        yield stripped, Origin.REWORDED
    if part.target and part.target.entity and part.target.attribute:
        yield f"{part.target.entity} {part.target.attribute}", Origin.ATTRIBUTE
    yield " ".join(part.entities), Origin.ENTITY
    words = content_words(part.text)
    for place, word in enumerate(words):
        for other in () if word in part.entities else related(word)[:1]:
            yield " ".join([*words[:place], other, *words[place + 1 :]]), Origin.RELATED


# --- what can be tried for one part, in order ------------------------------------------------------


@dataclass(frozen=True)
class Around:
    """A part, how it stands, and what the ideas for it are made from; `scope` is the part's own."""

    state: PartState
    question: Question
    scope: Scope
    messages: tuple[Message, ...]
    settings: Settings
    progress: Progress

    @property
    def part(self) -> Part:
        return self.state.part

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        return roles_of(self.part.type, self.scope.sources)

    @cached_property
    def asked(self) -> Mapping[str, Role]:
        """The sources that the part's other words go to."""
        return {source: role for source, role in self.roles.items() if role is not Role.SKIPPED}

    @cached_property
    def untried(self) -> list[str]:
        return untried_sources(self.part, sources=self.scope.sources, tried=self.progress.tried)

    @property
    def beliefs(self) -> Iterator[Observation]:
        return (each for each in self.progress.pool.window if each.is_belief)

    def lookups(self, text: str, origin: Origin, *, to: Mapping[str, Role] | None = None) -> tuple[Lookup, ...]:
        """The text to the part's sources, or to those given."""
        limit, roles = self.settings.secondary_limit, self.asked if to is None else to
        made = lookups_for(self.part, text, origin=origin, scope=self.scope, roles=roles, secondary_limit=limit)
        return tuple(scoped(made, self.settings))


def _tiers(around: Around) -> Iterator[Iterable[Idea]]:
    """Ideas by what they cost and promise: the next tier is for a part the ones before have nothing new for.

    A part nobody has answered for is first asked of somebody else, in its own words. Fallback queries are many and
    wide, so they come when rewording and found names are used up, or have had their round.
    """
    yield _stand_ins(around)
    directed = (_skipped_sources, _other_words, _wider, _bridges) if not around.state.passed else (_bridges,)
    ideas = chain.from_iterable(rule(around) for rule in directed)
    if around.progress.rounds < ROUNDS_BEFORE_FALLBACKS:
        yield ideas
        yield _fallbacks(around)
    else:
        yield chain(ideas, _fallbacks(around))


def _stand_ins(around: Around) -> Iterator[Idea]:
    """The next source in order, where those that were asked have all failed or timed out."""
    if around.state.served or not around.settings.fallback_on_timeout:
        return
    order = [name.strip() for name in around.settings.fallback_order.split(",")]
    for source in sorted(around.untried, key=lambda name: order.index(name) if name in order else len(order))[:1]:
        to = {source: around.roles[source]}
        yield Idea("fallback_on_timeout", around.lookups(around.part.text, Origin.STAND_IN, to=to))


def _skipped_sources(around: Around) -> Iterator[Idea]:
    """Those that routing left out: the others have brought nothing good."""
    to = {source: around.roles[source] for source in around.untried if around.roles[source] is Role.SKIPPED}
    yield Idea("skipped_source_after_all", around.lookups(around.part.text, Origin.STAND_IN, to=to))


def _other_words(around: Around) -> Iterator[Idea]:
    for text, origin in islice(rewordings(around.part), around.settings.max_retries):
        yield Idea("below_gate", around.lookups(text, origin))


def _wider(around: Around) -> Iterator[Idea]:
    """The same words without the first of the caller's filters that may be dropped."""
    filters = around.scope.filters
    for name, widened in WIDER if around.settings.max_retries and not filters.strict else ():
        wider = widened(filters)
        if wider != filters:
            lookups = around.lookups(around.part.text, Origin.BROADENED)
            yield Idea("filters_narrow", tuple(replace(each, filters=wider) for each in lookups), name)
            return


def _bridges(around: Around) -> Iterator[Idea]:
    """Names found beside what was asked for, each with what the place it was found in does not say of the question."""
    wanted = content_words(around.part.text)
    for name, words, belief in islice(_found_names(around, wanted), MOST_BRIDGES):
        missing = [word for word in wanted if word.lower() not in words]
        yield _bridge(name, missing or wanted, belief, around)


def _found_names(around: Around, wanted: Sequence[str]) -> Iterator[tuple[str, set[str], Observation]]:
    """Names nobody has asked about yet, in what was seen with most attention first, and the words around them."""
    texts = {around.question.text, around.part.text, *(each.text for each in around.progress.tried)}
    said = {_folded(text) for text in texts}
    for belief in around.beliefs:
        text = f"{belief.hit.memory.title}\n{belief.hit.memory.body}"[:LOOKED_AT]
        words = {word.lower() for word in words_of(text)}
        if not _serves(words, wanted, around):
            continue
        for name in find_entities(text):
            folded = _folded(name)
            if not any(folded in text for text in said):
                said.add(folded)
                yield name, words, belief


def _bridge(name: str, words: Sequence[str], found_in: Observation, around: Around) -> Idea:
    """A name with what is still asked of it, which is also what its hits are judged by.

    Judged by the whole part they would miss the words the first hop has answered already. A first hop is no answer,
    so that its relevance says too little of how likely it leads on; the square root stands between that and certainty.
    """
    text = cut_at_word(" ".join((name, *words)), around.settings.fallback_max_query_length)
    belief, via = sqrt(found_in.hit.relevance), found_in.hit.memory.id
    lookups = around.lookups(text, Origin.BRIDGE)
    return Idea("name_found", tuple(replace(each, belief=belief, via=via, names=(name,), about="") for each in lookups))


def _serves(words: set[str], wanted: Iterable[str], around: Around) -> bool:
    """Whether what was seen speaks of this part: it shares a word with it. Where there is one part, all of it does."""
    return len(around.question.parts) == 1 or any(word.lower() in words for word in wanted)


def _fallbacks(around: Around) -> Iterator[Idea]:
    settings = around.settings
    queries = fallback_queries(
        around.part,
        goal=around.question.rewritten or around.question.text,
        messages=around.messages,
        seen=[f"{each.hit.memory.title}\n{each.hit.memory.body}" for each in around.beliefs],
        most=settings.fallback_max_queries,
        longest=settings.fallback_max_query_length,
    )
    read = tuple(each.hit.memory.id for each in around.beliefs)
    for query in queries:
        drawn_from = read if query.origin is Origin.COOCCURRING else ()
        yield Idea("fallback_query", around.lookups(query.text, query.origin), drawn_from=drawn_from)


# --- choosing and writing down -----------------------------------------------------------------------


def _first_that_brings_any(tiers: Iterable[Iterable[Idea]], taken: set[Tried]) -> Iterator[Idea]:
    for tier in tiers:
        fresh = _fresh(tier, taken)
        first = next(fresh, None)
        if first is not None:
            yield first
            yield from fresh
            return


def _fresh(ideas: Iterable[Idea], taken: set[Tried]) -> Iterator[Idea]:
    """The ideas without what was tried or is taken by now."""
    for idea in ideas:
        lookups = tuple(each for each in idea.lookups if each.key not in taken)
        taken.update(each.key for each in lookups)
        if lookups:
            yield replace(idea, lookups=lookups)


def _folded(text: str) -> str:
    """The words of a text between spaces, so that a name is found in it only as a whole."""
    return f" {' '.join(WORD.findall(text.casefold()))} "


def _record(chosen: Sequence[Idea], parts: Sequence[Part], *, full: bool, trace: Recorder) -> None:
    for idea in chosen:
        first = idea.lookups[0]
        numbers: dict[str, str | float] = {"text": first.text[:LONGEST_TEXT], "origin": first.origin.value}
        numbers["sources"] = ", ".join(each.source for each in idea.lookups)
        if idea.dropped:
            numbers["dropped"] = idea.dropped
        if idea.drawn_from:
            numbers["ids"] = ", ".join(idea.drawn_from)
        if first.via:
            numbers |= {"via": first.via, "belief": round(first.belief, 6)}
        trace.decide("look up again", idea.reason, part=first.part, **numbers)
    helped = {idea.lookups[0].part for idea in chosen}
    for part in parts:
        if part.number not in helped:
            trace.decide("leave part", "round_is_full" if full else "nothing_to_try", part=part.number)
    if full:
        trace.decide("leave the rest", "lookups_per_round", texts=len(chosen))
    trace.count(queries_generated=len(chosen))
