"""All that a lookup may bring, side by side: found by words and by meaning, beside them in a conversation, or named by
them; each with its clues, its place among the others, and whether the whole answers.

Takes what the two searches brought; gives a `Lineup`. Decides who else is looked at. What links add, and what is made
of it, is left to the memory source; the weights are the model's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from recollect.candidates import Arms, Candidate, Lineup
from recollect.explore.documents import told_of, unasked
from recollect.language.asked_for import AskedFor, asked_for, tells
from recollect.language.mentions import LOOKED_AT, SHORTEST, mentioned
from recollect.ports import Knowledge, Store
from recollect.rank.answering import Signs, signs_of
from recollect.rank.clues import (
    BRACKETED,
    NOT_NAMED,
    Clues,
    Mention,
    TitleMatch,
    best_sentence,
    codeness,
    codeness_of_all,
    is_question,
    length,
    mention,
    most_of,
    said_by,
    seed_strengths,
    shape,
    share_of,
    stands_in,
    title_key,
    titles_named,
    wanted,
    words_in,
)
from recollect.rank.complement import complemented
from recollect.rank.joined import NOT_JOINED, Reached, joined_score, raised, reached_from
from recollect.rank.model import Arms as Weights
from recollect.rank.model import chance_in_list, chance_of_answer, full_score, scorer
from recollect.rank.relevance import named, strength
from recollect.readings import remembered
from recollect.records import Beside, Memory, goes_by, whole_text
from recollect.values import Lookup

TURNS = frozenset({"message"})
LOOKED_BESIDE = 10  # best matches whose neighbours in a conversation are looked at too
MOST_OF_ONE_NAME = 3  # memories of one title; a title that more have names none of them
NAMED_BY_OTHERS = 8  # best matches whose names are looked for in the others
MOST_NAMED = 10  # memories that come in because a match names them
READ_AT_ONCE = 2 * MOST_NAMED  # of those that are named: some are hidden
JOINED_FROM = 3  # best matches whose names are looked up among what is stated
LEAST_FAR = 0.05  # of the strongest: what a weaker match names says nothing
MOST_JOINED = 20  # memories that come in because they speak of what a match speaks of
ALONE = Beside()
_names_in = remembered(mentioned)


class Looking:
    """One lookup being lined up."""

    def __init__(
        self,
        store: Store,
        lookup: Lookup,
        arms: Arms,
        *,
        weights: Weights,
        passes: Callable[[Memory], bool],
        knowledge: Knowledge | None = None,
    ) -> None:
        self._store, self._lookup, self._arms = store, lookup, arms
        self._knowledge = knowledge
        self._weights, self._passes = weights, passes
        self._cosines = dict(arms.semantic)
        self._wanted = wanted(arms.terms)
        self._best_keyword = max(arms.keyword.values(), default=0.0)
        strongest = strength(self._best_keyword, highest=arms.highest)
        self._shape = shape(lookup.names, arms.keyword, arms.semantic, strongest=strongest)
        self._score = scorer(self._shape, weights.own)
        self._best_cosine = max(arms.semantic.values(), default=0.0)
        self._beside: dict[str, Beside] = {}
        self._turns: dict[str, Memory] = {}  # those before a candidate, read for whether they ask
        self._kind = AskedFor.ANYTHING
        self._texts: dict[str, str] = {}
        self._named: dict[str, TitleMatch] = {}

    def line_up(self, matched: Sequence[Memory], *, read_for_names: int) -> Lineup:
        """The lineup of what matched, best first by both searches, and of what they lead to."""
        if not matched:
            return self._valued({}, turns=False)
        self._shape = self._shape._replace(code=codeness_of_all([memory.body for memory in matched]))
        self._score = scorer(self._shape, self._weights.own)
        memories = {memory.id: memory for memory in matched}
        turns = matched[0].kind in TURNS
        if turns:
            memories |= self._neighbours([memory for memory in matched if memory.kind in TURNS])
            self._read_around({id: memory for id, memory in memories.items() if memory.kind in TURNS})
        self._compare(memories)
        own = {id: self._candidate(memory) for id, memory in memories.items()}
        mentions = self._mentions(own, most=read_for_names)
        reached = {} if turns or self._knowledge is None else self._reached(own, self._knowledge)
        new = self._read_named([id for id in mentions if id not in memories], most=MOST_NAMED)
        new |= self._read_named([id for id in reached if id not in memories and id not in new], most=MOST_JOINED)
        if new:
            self._compare(new)
            own |= {id: self._candidate(memory) for id, memory in new.items()}
        candidates = self._with_mentions(own, {id: by for id, by in mentions.items() if id in own})
        for id, share in self._naming(own).items():
            each = candidates[id]
            candidates[id] = each._replace(mention=each.mention._replace(names=share))
        return self._valued(_with_joined(candidates, reached), turns=turns)

    def add(self, lineup: Lineup, memories: Sequence[Memory]) -> list[Candidate]:
        """Others beside a lineup that stands: what links led to."""
        self._compare({memory.id: memory for memory in memories})
        found = {memory.id: self._candidate(memory) for memory in memories}
        return list(self._with_mentions(found, {}, named=any_named(lineup.candidates)).values())

    # --- who else ----------------------------------------------------------------------------------

    def _neighbours(self, turns: Sequence[Memory]) -> dict[str, Memory]:
        """The turns right before and after the best ones: what answers often stands beside what was asked."""
        space = self._lookup.space
        self._beside = self._store.around(space, [memory.id for memory in turns])
        best = [self._beside.get(memory.id, ALONE) for memory in turns[:LOOKED_BESIDE]]
        known = {memory.id for memory in turns}
        wanted = [id for pair in best for id in pair if id and id not in known]
        found = [memory for memory in self._store.read(space, list(dict.fromkeys(wanted))) if self._passes(memory)]
        self._beside |= self._store.around(space, [memory.id for memory in found])
        return {memory.id: memory for memory in found}

    def _read_around(self, turns: Mapping[str, Memory]) -> None:
        """What stands beside each turn, where it may be seen, and before that."""
        self._kind = asked_for(self._lookup.text)
        beside = dict.fromkeys(id for pair in self._beside.values() for id in pair if id and id not in turns)
        read = [memory for memory in self._store.read(self._lookup.space, list(beside)) if self._passes(memory)]
        self._turns = {**turns, **{memory.id: memory for memory in read}}
        if len(read) < len(beside):  # what may not be seen says nothing for others either
            seen = self._turns
            for id, pair in self._beside.items():
                self._beside[id] = Beside(*(other if other in seen else None for other in pair))
        before = [pair.before for pair in self._beside.values() if pair.before]
        self._beside |= self._store.around(self._lookup.space, [id for id in before if id not in self._beside])

    def _read_named(self, ids: Sequence[str], *, most: int) -> dict[str, Memory]:
        """Of those that are named, in order, the first that may be seen; the others take up no place."""
        found: dict[str, Memory] = {}
        for start in range(0, len(ids), READ_AT_ONCE):
            read = self._store.read(self._lookup.space, ids[start : start + READ_AT_ONCE])
            found |= {memory.id: memory for memory in read if self._passes(memory)}
            if len(found) >= most:
                break
        return dict(list(found.items())[:most])

    def _compare(self, memories: Mapping[str, Memory]) -> None:
        """Cosines of those, and of the turns beside them, that the search by meaning did not bring."""
        self._named |= titles_named(self._lookup.text, list(memories.values()), self._wanted)
        if self._lookup.vector is None or not self._arms.semantic:
            return
        beside = [id for each in memories for id in self._beside.get(each, ALONE) if id]
        missing = [id for id in dict.fromkeys([*memories, *beside]) if id not in self._cosines]
        if missing:
            self._cosines |= self._store.cosines(self._lookup.space, self._lookup.vector, missing)

    # --- clues -------------------------------------------------------------------------------------

    def _candidate(self, memory: Memory) -> Candidate:
        clues = self._clues(memory)
        return Candidate(memory, clues, self._score(clues))

    def _clues(self, memory: Memory) -> Clues:
        lookup, arms = self._lookup, self._arms
        bm25, cosine = arms.keyword.get(memory.id, 0.0), self._cosines.get(memory.id, 0.0)
        text = self._texts[memory.id] = text_of(memory)
        there = words_in(self._wanted, text)
        beside = self._beside.get(memory.id, ALONE)
        by_named, by_other = said_by(memory.author, lookup.names)
        title = self._named.get(memory.id, NOT_NAMED)
        asked = self._turns.get(beside.before or "")
        turn = memory.id in self._turns
        return Clues(
            cosine=cosine,
            strength=strength(bm25, highest=arms.highest),
            named=named(lookup.names, memory, spellings=lookup.spellings),
            keyword_share=self._share(memory.id),
            cosine_share=cosine / self._best_cosine if self._best_cosine > 0 else 0.0,
            coverage=share_of(there),
            sentence=best_sentence(there, memory.body, text[len(text) - len(memory.body) :]),
            length=length(text),
            before_keyword=self._share(beside.before),
            after_keyword=self._share(beside.after),
            before_cosine=self._cosines.get(beside.before or "", 0.0),
            after_cosine=self._cosines.get(beside.after or "", 0.0),
            asked_keyword=self._share(beside.before) if asked and is_question(asked.body) else 0.0,
            earlier_keyword=self._share(self._beside.get(beside.before or "", ALONE).before),
            asks=float(turn and is_question(memory.body)),
            tells=float(turn and tells(memory.body, self._kind)),
            by_named=by_named,
            by_other=by_other,
            titled=title.whole,
            titled_alike=title.alike,
            title_share=title.share,
            code=codeness(memory.body),
        )

    def _share(self, id: str | None) -> float:
        return self._arms.keyword.get(id or "", 0.0) / self._best_keyword if self._best_keyword else 0.0

    # --- names that are titles of others -----------------------------------------------------------

    def _mentions(self, own: Mapping[str, Candidate], *, most: int) -> dict[str, dict[str, float]]:
        """By id of a memory whose title is named: the ids that name it, with how far to go by each."""
        scores = {id: each.own for id, each in own.items()}
        strengths = seed_strengths(scores, self._named)
        seeds = sorted(scores, key=lambda id: (-strengths[id], -scores[id], id))[:most]
        names = {id: self._names(own[id].memory) for id in seeds}
        titled = self._store.titled(self._lookup.space, sorted({name for found in names.values() for name in found}))
        mentions: dict[str, dict[str, float]] = {}
        for seed in seeds if titled else ():
            for name in names[seed]:
                for id in titled.get(name, ()) if len(titled.get(name, ())) <= MOST_OF_ONE_NAME else ():
                    if id != seed:
                        mentions.setdefault(id, {})[seed] = strengths[seed]
        return mentions

    def _naming(self, own: Mapping[str, Candidate]) -> dict[str, float]:
        """By id of a memory that names one that stands high: how much of the question it has that the named one lacks,
        as far as that one stands high. What the question names itself is no news."""
        scores = {id: each.own for id, each in own.items()}
        strengths = seed_strengths(scores, self._named)
        question = self._lookup.text.lower()
        found: dict[str, float] = {}
        for seed in sorted(scores, key=lambda id: (-strengths[id], -scores[id], id))[:NAMED_BY_OTHERS]:
            memory = own[seed].memory
            name = BRACKETED.sub("", goes_by(memory.title, memory.body)).strip().lower()
            lacking = [pair for pair in self._wanted if pair[0] not in self._texts[seed]]
            if len(name) < SHORTEST or name in question or not lacking:
                continue
            for id in own:
                text, other = self._texts[id], own[id].memory
                start = len(text) - len(other.body)
                if id == seed or name in text[:start] or not stands_in(name, text[start : start + LOOKED_AT]):
                    continue
                share = strengths[seed] * share_of(words_in(lacking, text))
                found[id] = max(found.get(id, 0.0), share)
        return found

    def _names(self, memory: Memory) -> list[str]:
        """The names in its text, but for those that are part of the one it goes by."""
        title = f" {title_key(goes_by(memory.title, memory.body))} "
        return [name for name in _names_in(memory.body[:LOOKED_AT]) if f" {name} " not in title]

    def _with_mentions(
        self,
        own: Mapping[str, Candidate],
        mentions: Mapping[str, Mapping[str, float]],
        *,
        named: bool | None = None,
    ) -> dict[str, Candidate]:
        """The candidates with what others say for them, and what it means that nobody does."""
        if named is None:
            named = any_named(own)
        names = {seed: 0 for by in mentions.values() for seed in by}
        for by in mentions.values():
            for seed in by:
                names[seed] += 1
        found = {}
        for id, each in own.items():
            by = mentions.get(id, {})
            told = [self._mention(each.memory, own[seed].memory, far, names[seed]) for seed, far in by.items()]
            said = most_of(told)
            if named and not by and not (each.clues.titled or each.clues.titled_alike):
                said = said._replace(beside=1.0)
            ways = sorted(by, key=lambda seed: (-by[seed], seed))
            found[id] = each._replace(mention=said, named_by=tuple(ways)) if by or said.beside else each
        return found

    def _mention(self, memory: Memory, seed: Memory, far: float, names: int) -> Mention:
        return mention(goes_by(memory.title, memory.body), seed.body, self._wanted, strength=far, named=names)

    # --- names that others state something of ------------------------------------------------------

    def _reached(self, own: Mapping[str, Candidate], knowledge: Knowledge) -> dict[str, Reached]:
        """By id, the memories that speak of what the best matches name and the question does not; the surest first."""
        scores = {id: each.own for id, each in own.items()}
        strengths = seed_strengths(scores, self._named)
        best = sorted(scores, key=lambda id: (-strengths[id], -scores[id], id))[:JOINED_FROM]
        seeds = {id: strengths[id] for id in best if strengths[id] >= LEAST_FAR}
        names = {id: unasked(_names_in(own[id].memory.body[:LOOKED_AT]), self._lookup.text) for id in seeds}
        told = told_of(knowledge, self._lookup.space, sorted({name for found in names.values() for name in found}))
        reached = reached_from(seeds, names, told, self._wanted) if told else {}
        worth = {id: joined_score(each.joined, self._weights.joined) for id, each in reached.items()}
        return {id: reached[id] for id in sorted(reached, key=lambda id: (-worth[id], id))}

    # --- what it is worth --------------------------------------------------------------------------

    def _valued(self, candidates: Mapping[str, Candidate], *, turns: bool) -> Lineup:
        weights = self._weights
        if not candidates:
            return Lineup(candidates, self._shape, Signs(), weights)
        scores = {id: full_score(each.own, each.mention, weights.mentions) for id, each in candidates.items()}
        joined = _lifts(scores, candidates, weights)
        scores = {id: score + joined.get(id, 0.0) for id, score in scores.items()} if joined else scores
        if self._lookup.names and not turns:  # turns of one conversation repeat its words, whatever they say
            scores = complemented(scores, self._texts, self._arms.terms, gain=weights.complement)
        order = sorted(candidates, key=lambda id: (-scores[id], id))
        memories = [candidates[id].memory for id in order]
        clues = [candidates[id].clues for id in order]
        signs = signs_of(self._lookup.text, memories, clues, self._arms.terms, turns=turns)
        answers = chance_of_answer(signs._asdict(), weights)
        chance = chance_in_list(scores[order[0]], weights.chance)
        return Lineup(candidates, self._shape, signs, weights, scores, answers, chance, joined)


def _with_joined(candidates: Mapping[str, Candidate], reached: Mapping[str, Reached]) -> dict[str, Candidate]:
    found = dict(candidates)
    for id in reached.keys() & found.keys():
        joined, by = reached[id]
        found[id] = found[id]._replace(joined=joined, named_by=found[id].named_by or by)
    return found


def _lifts(scores: Mapping[str, float], candidates: Mapping[str, Candidate], weights: Weights) -> dict[str, float]:
    """What each score is raised by, of those that statements join with the best."""
    more = {
        id: joined_score(each.joined, weights.joined) for id, each in candidates.items() if each.joined != NOT_JOINED
    }
    after = raised(scores, more) if more else scores
    return {id: after[id] - scores[id] for id in more}


def text_of(memory: Memory) -> str:
    """All words of a memory, in small letters."""
    return whole_text(memory).lower()


def any_named(candidates: Mapping[str, Candidate]) -> bool:
    """Whether the question names the title of one of them."""
    return any(each.clues.titled or each.clues.titled_alike for each in candidates.values())
