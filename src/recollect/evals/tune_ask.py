"""The questions of a labelled set, asked again and again with other settings, over one loaded store.

Takes a loaded set; gives what tuning looks at in an answer. The same settings are asked once only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from recollect.engine import Recollect
from recollect.evals.layout import LabelledSet, Query
from recollect.evals.load import Loaded, Progress
from recollect.ports import Embedder, TextKind
from recollect.records import Vector
from recollect.settings import Settings
from recollect.values import Answer
from recollect.wiring import make_sources

Changes = Mapping[str, Any]


class Asked(NamedTuple):
    """What came back for a question: documents before and after the cut-off, the best relevance of each part, the
    verdict, and the confidence with what it is made of."""

    query: str
    ranking: tuple[str, ...]
    evidence: tuple[str, ...]
    bests: tuple[float, ...]
    verdict: str
    label: str
    confidence: float
    signs: Mapping[str, float]


class OnceEmbedded:
    """An embedder that keeps the vectors of questions in memory: each is asked dozens of times."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, Vector] = {}

    @property
    def identity(self) -> str:
        return self._inner.identity

    @property
    def note(self) -> str | None:
        return self._inner.note

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        if kind is not TextKind.QUERY:
            return await self._inner.embed(texts, kind=kind)
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            made = await self._inner.embed(missing, kind=kind)
            self._known |= zip(missing, made, strict=True)
        return [self._known[text] for text in texts]

    async def close(self) -> None:
        await self._inner.close()


class Variant(Recollect):
    """An engine with other settings over the parts of a loaded one; it is never closed, since they are used again."""

    def __init__(self, ready: Loaded, settings: Settings) -> None:
        like = ready.engine
        parts: dict[str, Any] = {"embedder": like._embedder, "knowledge": like._knowledge}
        sources = make_sources(settings, ready.store, ready.clock, **parts)
        super().__init__(settings, store=ready.store, sources=sources, clock=ready.clock, **parts)
        self._count_tokens = like._count_tokens  # to load another takes longer than a question


class Bench:
    """A loaded set and what was asked of it so far."""

    def __init__(self, given: LabelledSet, ready: Loaded, *, recipe: str | None) -> None:
        self.given = given
        self.settings: Settings = ready.engine.settings
        self._ready = ready
        self._recipe = recipe
        self._known: dict[tuple[Any, ...], dict[str, Asked]] = {}

    async def ask(self, changes: Changes, queries: Sequence[Query], *, progress: Progress) -> tuple[Asked, ...]:
        """The answers to these questions under the settings with these changes, in their order."""
        known = self._known.setdefault(tuple(sorted(changes.items())), {})
        missing = [query for query in queries if query.id not in known]
        engine = Variant(self._ready, with_changes(self.settings, changes)) if missing else None
        for number, query in enumerate(missing, start=1):
            assert engine is not None
            space = self._ready.space_of(query)
            self._ready.clock.set_now(query.now or space.moment)
            answer = await engine.retrieve(query.text, space=space.name, messages=query.messages, recipe=self._recipe)
            known[query.id] = _asked(query, answer, space.documents)
            progress(_named(changes), number, len(missing))
        return tuple(known[query.id] for query in queries)


def with_changes(settings: Settings, changes: Changes) -> Settings:
    """The settings with some of them, by dotted name, set to something else.

    >>> with_changes(Settings(), {"rank.time": 1.0}).rank.time
    1.0
    """
    changed: Settings = _with(settings, changes)
    return changed


def value_of(settings: Settings, name: str) -> Any:
    """The setting of that dotted name."""
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _with(tree: Any, changes: Changes) -> Any:
    here: dict[str, Any] = {}
    for each in fields(tree):
        value = getattr(tree, each.name)
        if is_dataclass(value):
            inner = {
                name.removeprefix(f"{each.name}."): new
                for name, new in changes.items()
                if name.startswith(f"{each.name}.")
            }
            if inner:
                here[each.name] = _with(value, inner)
        elif each.name in changes:
            here[each.name] = changes[each.name]
    return replace(tree, **here)


def _named(changes: Changes) -> str:
    last = list(changes.items())[-1:]
    return f"asking with {last[0][0]} {last[0][1]:g}" if last and isinstance(last[0][1], float) else "asking"


def _asked(query: Query, answer: Answer, documents: Mapping[str, str]) -> Asked:
    kept = [id for piece in answer.evidence for id in (piece.memory.id, *piece.absorbed)]
    return Asked(
        query.id,
        _once(documents[id] for id, _ in answer.ranking),
        _once(documents[id] for id in kept),
        tuple(state.best for state in answer.parts),
        answer.verdict.value,
        answer.confidence.label.value,
        answer.confidence.score,
        dict(answer.confidence.components),
    )


def _once(documents: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(documents))
