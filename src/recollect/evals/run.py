"""A labelled set asked through the public `retrieve`, one question after another.

Takes a set and settings; gives for each question what came back, with documents by their own ids. The
engine sees text, group, now and messages of a question and nothing else. What the outcomes are worth is in `scores.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from recollect.evals.baselines import METHODS, Scored, plain_rankings
from recollect.evals.layout import LabelledSet, Query, halved, limited
from recollect.evals.load import Loaded, Progress, loaded
from recollect.evals.split import Half
from recollect.evals.triples import Triples
from recollect.models.cached import CachedEmbedder, cache_folder
from recollect.models.tokens import TokenCounter
from recollect.ports import Embedder, TextKind
from recollect.records import EMPTY
from recollect.settings import Settings
from recollect.values import Answer, PartState
from recollect.wiring import make_embedder

Download = Callable[[str, int, int | None], None]


class Outcome(NamedTuple):
    """What came back for one question.

    `ranking` is all that was found, before the cut-off; `evidence` what is left after it, with what each piece
    absorbed; both by document, each once. `conflicts` are pairs of documents that were said to contradict each other.
    """

    query: str
    ranking: tuple[Scored, ...]
    evidence: tuple[str, ...]
    pieces: int
    verdict: str
    confidence: float
    parts: tuple[PartState, ...]
    stop: str
    seconds: float
    tokens: int
    rounds: int
    degraded: tuple[str, ...] = ()
    conflicts: frozenset[frozenset[str]] = frozenset()


class Ran(NamedTuple):
    """A set that was asked: the outcomes in the order of the queries, and what plain methods rank, by method."""

    given: LabelledSet
    outcomes: tuple[Outcome, ...]
    load_seconds: float
    embedder: str
    baselines: Mapping[str, tuple[tuple[Scored, ...], ...]] = EMPTY
    notes: tuple[str, ...] = ()


class Manner(NamedTuple):
    """How to run: the recipe (None: as the settings say), how many questions, whether plain methods run too, and which
    half of the questions is asked (None: both), and with whose statements the graph is filled (None: there is none)."""

    recipe: str | None = None
    limit: int | None = None
    baselines: bool = False
    half: Half | None = None
    triples: Triples | None = None


async def run_set(
    given: LabelledSet, *, settings: Settings, manner: Manner, progress: Progress, download: Download | None = None
) -> Ran:
    """Ask a set. Vectors of documents come from the user's cache where it has them; questions are embedded anew, since
    that belongs to the time an answer takes."""
    given = limited(halved(given, manner.half), manner.limit)
    embedder = make_embedder(settings, download)
    kept = CachedEmbedder(embedder, cache_folder(settings.embedder.cache), kinds=[TextKind.DOCUMENT])
    began = time.perf_counter()
    async with loaded(given, settings=settings, embedder=kept, progress=progress, triples=manner.triples) as ready:
        load_seconds = time.perf_counter() - began
        count_tokens = TokenCounter()
        outcomes = []
        for number, query in enumerate(given.queries, start=1):
            outcomes.append(await _ask(query, ready, recipe=manner.recipe, count_tokens=count_tokens))
            progress("asking", number, len(given.queries))
        plain = await _baselines(given, ready, embedder) if manner.baselines else EMPTY
    notes = [f"{given.unread_times} times of documents cannot be read"] if given.unread_times else []
    notes += [kept.uncached] if kept.uncached else []
    return Ran(given, tuple(outcomes), load_seconds, embedder.identity, plain, tuple(notes))


async def _ask(query: Query, ready: Loaded, *, recipe: str | None, count_tokens: TokenCounter) -> Outcome:
    space = ready.space_of(query)
    ready.clock.set_now(query.now or space.moment)
    began = time.perf_counter()
    answer = await ready.engine.retrieve(query.text, space=space.name, messages=query.messages, recipe=recipe)
    seconds = time.perf_counter() - began
    return _outcome(query, answer, space.documents, seconds=seconds, tokens=count_tokens(answer.context))


def _outcome(query: Query, answer: Answer, documents: Mapping[str, str], *, seconds: float, tokens: int) -> Outcome:
    kept = [id for piece in answer.evidence for id in (piece.memory.id, *piece.absorbed)]
    return Outcome(
        query.id,
        _as_documents(answer.ranking, documents),
        tuple(dict.fromkeys(documents[id] for id in kept if id in documents)),
        len(answer.evidence),
        answer.verdict.value,
        answer.confidence.score,
        answer.parts,
        answer.stop.value,
        seconds,
        tokens,
        len(answer.gains),
        answer.degraded,
        frozenset(
            frozenset((documents[each.preferred], documents[each.other]))
            for each in answer.conflicts
            if each.preferred in documents and each.other in documents
        ),
    )


async def _baselines(
    given: LabelledSet, ready: Loaded, embedder: Embedder
) -> dict[str, tuple[tuple[Scored, ...], ...]]:
    found: dict[str, list[tuple[Scored, ...]]] = {name: [] for name in METHODS}
    for query in given.queries:
        space = ready.space_of(query)
        (vector,) = await embedder.embed([query.text], kind=TextKind.QUERY)
        for name, ranking in plain_rankings(ready.store, space.name, query.text, vector).items():
            found[name].append(_as_documents(ranking, space.documents))
    return {name: tuple(rankings) for name, rankings in found.items()}


def _as_documents(ranking: Iterable[tuple[str, float]], documents: Mapping[str, str]) -> tuple[Scored, ...]:
    """The ranking by document; where two memories are one document, it stands where the better one does. What is no
    document of the set, such as an answer of the graph, takes no place."""
    best: dict[str, float] = {}
    for id, score in ranking:
        if id in documents:
            best.setdefault(documents[id], score)
    return tuple(Scored(document, score) for document, score in best.items())
