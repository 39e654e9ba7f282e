"""Fit the relevance model on the fit half of labelled sets, report on the held-out half, and write it with --write.

A set is a folder as `recollect eval` takes it. Questions are split by their text (`recollect.evals.split`), so that a
question that stands in two sets is on one side only. What is fitted, in order:
- own: how a text stands beside the others of its list. Listwise softmax, every set weighing the same.
- mentions: what it adds that texts of the list name it, and, where all of them are code, how much more meaning counts
  there. Listwise, on top of the first, which stays as it is.
- chance: from that score to the chance of being right in a list that holds something right. Logistic.
- answers: whether a list answers. Logistic on the sets that have questions without an answer, each set with a level of
  its own, so that only what tells questions of one set apart counts.
- curve: from that to a chance. Rising, on all sets, without questions for what is not so; a set weighs by how many of
  its questions have no answer.

    python benchmarks/fit_relevance.py FOLDER [FOLDER …] [--questions 600] [--write]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect.candidates import Lineup
from recollect.evals.layout import LabelledSet, Query, read_set
from recollect.evals.load import Loaded, loaded
from recollect.evals.split import in_fit_half
from recollect.language.spellings import spellings
from recollect.lineup import text_of
from recollect.models.cached import CachedEmbedder, cache_folder
from recollect.ports import TextKind
from recollect.rank.answering import Signs
from recollect.rank.clues import Clues, Mention, Shape, as_written
from recollect.rank.complement import complemented
from recollect.rank.model import Arms, Model, terms_of
from recollect.records import Filters, Term, Vector
from recollect.settings import Settings
from recollect.sources.memory import MESSAGE_KINDS, MemorySource
from recollect.steps.understand import find_entities
from recollect.values import Lookup
from recollect.wiring import make_embedder

SHIPPED = Path(__file__).resolve().parents[1] / "src" / "recollect" / "data" / "relevance.json"
VERSION = 3
LIMIT = 25  # hits of one lookup, as settings.search_limit_per_query says
OWN = tuple(terms_of(Clues(), Shape()))
NEEDS_VECTORS = frozenset(
    name for name in OWN if "cosine" in name.replace("cosine_fall", "") or name.startswith("cosine_fall")
)
ON_TOP = tuple(name for name in OWN if name.startswith("codes_"))
SIGNS = tuple(name for name in Signs._fields if name not in ("turn", "another", "untold"))
# Hardly a question in any set shows these, so they are not fitted: where only another one is told of, or no amount of
# the sort asked for, a list falls from nearly anywhere on the curve to its foot.
ANOTHER, UNTOLD = -5.0, -4.0
START = {"keyword_share": 4.0, "cosine": 4.0}  # what the first look goes by: about linear fusion
RIDGE_OWN, RIDGE_MENTIONS, RIDGE_SIGNS = 1e-3, 1e-3, 2e-3
STEPS, PACE = 400, 0.05
BINS = 16
CONTENT = re.compile(r"\b[^\W\d_]{4,}\b")
REPLACED = 65  # per cent of the longer words
REWORDED_WEIGHT = 0.35  # of a set's questions in other words beside the same as they are
GAINS = (0.0, 1.0, 2.0, 3.0)
COSTS_NOTHING = 5e-4
LEAST_WEIGHT, BY_UNANSWERED = 0.4, 5.0


class Seen(NamedTuple):
    """One question: which half, its candidates in order of id, and what the list looked like."""

    fit: bool
    terms: np.ndarray
    mentions: np.ndarray
    relevant: np.ndarray
    gold: int
    signs: np.ndarray
    turn: float
    names: float
    answerable: bool | None
    words: tuple[Mapping[str, str], Sequence[Term]]  # which words of the question each candidate has, for complements


@dataclass(frozen=True)
class Cases:
    """One set."""

    name: str
    seen: Sequence[Seen]

    def half(self, fit: bool) -> list[Seen]:
        return [each for each in self.seen if each.fit is fit]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=600, help="of each set, at most; a fixed sample")
    parser.add_argument("--write", action="store_true", help="write src/recollect/data/relevance.json")
    options = parser.parse_args()
    asyncio.run(_fit(options.folders, options.questions, write=options.write))


async def _fit(folders: Sequence[Path], questions: int, *, write: bool) -> None:
    async with AsyncExitStack() as stack:
        sets = [await _opened(read_set(folder), questions, stack) for folder in folders]
        found = _fitted(sets)
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    for label, each in found.items():
        each["joined"] = shipped[label]["joined"]  # set by hand: most of these sets bring no statements
    if write:
        fitted = {
            "on": f"the fit half of up to {questions} questions of each of {', '.join(each.name for each in sets)}",
            "date": datetime.now(UTC).date().isoformat(),
            "command": f"python benchmarks/fit_relevance.py FOLDER... --questions {questions} --write",
            "by_hand": "joined; answers.another; answers.untold",
            "held_out": {label: each.pop("held_out") for label, each in found.items()},
        }
        text = json.dumps({"version": VERSION, "fitted": fitted, **found}, indent=1)
        SHIPPED.write_text(text + "\n", encoding="utf-8")
        print(f"written to {SHIPPED}")


def _fitted(sets: Sequence[Opened]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for label, vectors in (("with_vectors", True), ("keyword_only", False)):
        names = [name for name in OWN if name not in ON_TOP and (vectors or name not in NEEDS_VECTORS)]
        columns = [OWN.index(name) for name in names]
        first = _look(sets, _model(dict(START)), vectors=vectors)
        other = _look(sets, _model(dict(START)), vectors=vectors, reworded=True) if vectors else []
        own = _listwise([*first, *other], lambda each, chosen=columns: each.terms[:, chosen], RIDGE_OWN)
        weights = dict(zip(names, own.tolist(), strict=True))
        _report_own(label, first, other, names, own)
        cases = _look(sets, _model(weights), vectors=vectors)
        found[label] = _rest(label, cases, weights, vectors=vectors)
    return found


def _model(own: Mapping[str, float]) -> Model:
    arms = Arms(own, dict.fromkeys(Mention._fields, 0.0), 0.0, {"bias": 0.0, "slope": 1.0}, {}, ((0.0, 1.0),))
    return Model(arms, arms)


# --- looking -----------------------------------------------------------------------------------------


class Opened(NamedTuple):
    """A set in a store, with the questions to ask and their vectors."""

    given: LabelledSet
    ready: Loaded
    asked: Sequence[Query]
    vectors: Sequence[Vector]

    @property
    def name(self) -> str:
        return self.given.name


async def _opened(given: LabelledSet, questions: int, stack: AsyncExitStack) -> Opened:
    settings = Settings()
    embedder = CachedEmbedder(make_embedder(settings, None), cache_folder(settings.embedder.cache))
    asked = sorted(given.queries, key=lambda query: (hash_of(query.text), query.id))[:questions]
    ready = await stack.enter_async_context(
        loaded(given, settings=settings, embedder=embedder, progress=lambda *_: None)
    )
    print(f"{given.name}: {len(asked)} questions", flush=True)
    return Opened(given, ready, asked, await embedder.embed([query.text for query in asked], kind=TextKind.QUERY))


def _look(sets: Sequence[Opened], model: Model, *, vectors: bool, reworded: bool = False) -> list[Cases]:
    """Every question lined up. Reworded, it is searched by meaning as it is and by words as somebody might ask it who
    does not know how the texts put it: most of its words are others, taken from other questions of the set."""
    found = []
    for given, ready, asked, known in sets:
        pool = sorted({word for query in asked for word in CONTENT.findall(query.text)})
        seen = (
            _seen(given, query, vector if vectors else None, ready, model, words=pool if reworded else ())
            for query, vector in zip(asked, known, strict=True)
        )
        name = f"{given.name} reworded" if reworded else given.name
        found.append(Cases(name, [each for each in seen if each]))
    return found


def in_other_words(text: str, words: Sequence[str]) -> str:
    """The text with most of its longer words replaced by others; always the same ones."""

    def other(match: re.Match[str]) -> str:
        digits = int(hash_of(f"{text} {match.start()}"), 16)
        return words[digits // 100 % len(words)] if digits % 100 < REPLACED else match.group()

    return CONTENT.sub(other, text)


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _seen(
    given: LabelledSet, query: Query, vector: Vector | None, ready: Loaded, model: Model, *, words: Sequence[str] = ()
) -> Seen | None:
    space = ready.space_of(query)
    text = in_other_words(query.text, words) if words else query.text
    names = find_entities(text)
    lookup = Lookup(
        text, space.name, "memory", LIMIT,
        vector=vector, names=tuple(names), spellings=tuple(tuple(spellings(name)) for name in names),
    )  # fmt: skip
    settings = replace(Settings(), enable_messages=False)
    lineup = MemorySource(ready.store, settings=settings, now=lambda: space.moment, model=model).line_up(lookup)
    if not lineup.candidates:
        return None
    order = sorted(lineup.candidates)
    gold = given.gold(query.id)
    return Seen(
        in_fit_half(query.text),
        np.array([list(terms_of(lineup.candidates[id].clues, lineup.shape).values()) for id in order]),
        np.array([list(lineup.candidates[id].mention) for id in order]),
        np.array([float(space.documents[id] in gold) for id in order]),
        len(gold),
        np.array([getattr(lineup.signs, name) for name in SIGNS]),
        _turn(lineup),
        lineup.shape.names,
        given.labels_of(query.id).answerable,
        _words(
            lineup,
            order,
            as_written(ready.store.match(space.name, query.text, filters=Filters(), limit=1)[1], query.text),
        ),
    )


def _words(lineup: Lineup, order: Sequence[str], terms: Sequence[Term]) -> tuple[Mapping[str, str], Sequence[Term]]:
    """Texts that hold a mark for each word the candidate has: all that complements look at."""
    marks = [Term(f"<{number}>", term.idf) for number, term in enumerate(terms)]
    texts = {}
    for number, id in enumerate(order):
        text = text_of(lineup.candidates[id].memory)
        texts[str(number)] = "".join(mark.text for mark, term in zip(marks, terms, strict=True) if term.text in text)
    return texts, marks


def _turn(lineup: Lineup) -> float:
    return float(any(each.memory.kind in MESSAGE_KINDS for each in lineup.candidates.values()))


# --- fitting -----------------------------------------------------------------------------------------


def _listwise(
    sets: Sequence[Cases], features: Callable[..., np.ndarray], ridge: float, *, without: str = ""
) -> np.ndarray:
    """Softmax over the texts of each question of the fit half, by Adam: the right ones take all of it, equally."""
    rows, wanted, weight, begin = [], [], [], []
    count = 0
    for cases in sets:
        seen = [each for each in cases.half(True) if each.relevant.sum() and cases.name.partition(" ")[0] != without]
        for each in seen:
            rows.append(features(each))
            wanted.append(each.relevant / each.relevant.sum())
            weight.append(np.full(len(each.relevant), (REWORDED_WEIGHT if " " in cases.name else 1.0) / len(seen)))
            begin.append(count)
            count += len(each.relevant)
    raw, target, share = np.concatenate(rows), np.concatenate(wanted), np.concatenate(weight)
    share /= share.sum()
    starts = np.array(begin)
    sizes, spread = np.diff(starts, append=count), raw.std(axis=0) + 1e-9
    scaled = (raw - raw.mean(axis=0)) / spread
    weights, drift, swing = (np.zeros(raw.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        score = scaled @ weights
        raised = np.exp(score - np.repeat(np.maximum.reduceat(score, starts), sizes))
        chance = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        slope = scaled.T @ (share * (chance - target)) + ridge * weights
        drift, swing = 0.9 * drift + 0.1 * slope, 0.999 * swing + 0.001 * slope**2
        weights -= PACE * drift / (1 - 0.9**step) / (np.sqrt(swing / (1 - 0.999**step)) + 1e-8)
    return weights / spread


def _logistic(inputs: np.ndarray, target: np.ndarray, weight: np.ndarray, *, ridge: np.ndarray) -> np.ndarray:
    """By Newton's method; `ridge` for each column."""
    found, share = np.zeros(inputs.shape[1]), weight / weight.sum()
    for _ in range(60):
        chance = 1 / (1 + np.exp(-inputs @ found))
        bend = (inputs.T * (share * chance * (1 - chance))) @ inputs + np.diag(ridge + 1e-9)
        step = np.linalg.solve(bend, inputs.T @ (share * (chance - target)) + ridge * found)
        found -= step
        if np.abs(step).max() < 1e-9:
            break
    return found


def _rest(label: str, cases: Sequence[Cases], weights: Mapping[str, float], *, vectors: bool) -> dict[str, object]:
    """All but the first fit, and the report."""
    first = np.array([weights.get(name, 0.0) for name in OWN])
    on_top = [name for name in ON_TOP if vectors or name not in NEEDS_VECTORS]
    columns = [OWN.index(name) for name in on_top]

    def features(each: Seen) -> np.ndarray:
        return np.column_stack([each.terms @ first, each.mentions, each.terms[:, columns]])

    found = _listwise(cases, features, RIDGE_MENTIONS)
    mentions, more = np.split(found[1:] / found[0], [len(Mention._fields)])
    weights = {**weights, **dict(zip(on_top, more.tolist(), strict=True))}
    own = np.array([weights.get(name, 0.0) for name in OWN])

    def plain(each: Seen) -> np.ndarray:
        return np.asarray(each.terms @ own + each.mentions @ mentions)

    gain = _gain(cases, plain)

    def score(each: Seen) -> np.ndarray:
        return _complemented(each, plain(each), gain)

    bias, slope = _chance(cases, score)
    names = [name for name in SIGNS if vectors or name != "cosine"]
    answers, turn, curve = _answers(cases, names)
    held_out = _report(label, cases, score, lambda each: _value(each, names, answers, turn), curve)
    return {
        "held_out": held_out,
        "own": {name: round(value, 4) for name, value in weights.items()},
        "mentions": {name: round(float(value), 4) for name, value in zip(Mention._fields, mentions, strict=True)},
        "complement": gain,
        "chance": {"bias": round(float(bias), 4), "slope": round(float(slope), 4)},
        "answers": {
            **{name: round(float(v), 4) for name, v in zip(names, answers, strict=True)},
            "another": ANOTHER,
            "untold": UNTOLD,
            "turn": round(turn, 4),
        },
        "curve": [[round(float(at), 4), round(float(chance), 4)] for at, chance in curve],
    }


def _complemented(each: Seen, scores: np.ndarray, gain: float) -> np.ndarray:
    if each.turn or not each.names or not gain:
        return scores
    by_place = {str(number): float(score) for number, score in enumerate(scores)}
    found = complemented(by_place, *each.words, gain=gain)
    return np.array([found[str(number)] for number in range(len(scores))])


def _gain(sets: Sequence[Cases], plain: Callable[[Seen], np.ndarray]) -> float:
    """What complements are worth: the most of a few that costs nothing on the fit half, by recall at 5 and nDCG at 10.

    Sides of a question that are all there are worth something by themselves.
    """
    found = {}
    for gain in GAINS:
        figures = [_ranked(cases, lambda each, g=gain: _complemented(each, plain(each), g), fit=True) for cases in sets]
        found[gain] = round(float(np.nanmean(figures)), 4)
    print(f"\ncomplements on the fit half: {found}")
    return max(gain for gain in GAINS if found[gain] >= max(found.values()) - COSTS_NOTHING)


def _chance(sets: Sequence[Cases], score: Callable[[Seen], np.ndarray]) -> tuple[float, float]:
    """Bias and slope, on lists that hold something right; every set weighs the same."""
    scores, right, weight = [], [], []
    for cases in sets:
        seen = [each for each in cases.half(True) if each.relevant.sum()]
        rows = sum(len(each.relevant) for each in seen)
        for each in seen:
            scores.append(score(each))
            right.append(each.relevant)
            weight.append(np.full(len(each.relevant), 1 / rows))
    column = np.concatenate(scores)
    found = _logistic(
        np.column_stack([np.ones_like(column), column]),
        np.concatenate(right),
        np.concatenate(weight),
        ridge=np.zeros(2),
    )
    return float(found[0]), float(found[1])


def _value(each: Seen, names: Sequence[str], answers: np.ndarray, turn: float) -> float:
    return float(each.signs[[SIGNS.index(name) for name in names]] @ answers + turn * each.turn)


def _labelled(cases: Cases, fit: bool) -> list[Seen]:
    return [each for each in cases.half(fit) if each.answerable is not None]


def _answers(sets: Sequence[Cases], names: Sequence[str]) -> tuple[np.ndarray, float, list[tuple[float, float]]]:
    """The weights of the signs, what turns add, and the curve."""
    columns = [SIGNS.index(name) for name in names]
    mixed = [cases for cases in sets if _share_unanswered(cases) >= 0.1]
    rows, level, target, weight = [], [], [], []
    for number, cases in enumerate(mixed):
        seen = _labelled(cases, True)
        for each in seen:
            rows.append(each.signs[columns])
            level.append(np.eye(len(mixed))[number])
            target.append(float(each.answerable or False))
            weight.append(1 / len(seen))
    raw = np.array(rows)
    spread = raw.std(axis=0) + 1e-9
    inputs = np.column_stack([np.array(level), (raw - raw.mean(axis=0)) / spread])
    ridge = np.r_[np.full(len(mixed), 1e-6), np.full(len(columns), RIDGE_SIGNS)]
    answers = _logistic(inputs, np.array(target), np.array(weight), ridge=ridge)[len(mixed) :] / spread
    asked = {cases.name: _plainly_asked(cases) for cases in sets}
    seen = [each for cases in sets for each in asked[cases.name]]
    weights = np.concatenate([_weights(cases, asked[cases.name]) for cases in sets])
    right = np.array([float(each.answerable or False) for each in seen])
    value = np.array([_value(each, names, answers, 0.0) for each in seen])
    turns = np.array([each.turn for each in seen])
    plain = _logistic(
        np.column_stack([np.ones_like(value), value, turns]), right, weights, ridge=np.array([0, 0, 1e-5])
    )
    turn = float(plain[2] / plain[1]) if turns.any() and plain[1] > 0 else 0.0
    return answers, turn, _rising(value + turn * turns, right, weights)


def _plainly_asked(cases: Cases) -> list[Seen]:
    """Those of the fit half that ask for nothing that is not so: such questions are rare, but for one set that has many
    of them without an answer, and would bend the curve for all others."""
    denied = SIGNS.index("denied")
    return [each for each in _labelled(cases, True) if not each.signs[denied]]


def _share_unanswered(cases: Cases) -> float:
    labelled = [each for each in cases.seen if each.answerable is not None]
    return sum(not each.answerable for each in labelled) / len(labelled) if labelled else 0.0


def _weights(cases: Cases, seen: Sequence[Seen]) -> np.ndarray:
    whole = LEAST_WEIGHT + BY_UNANSWERED * min(_share_unanswered(cases), 1 - _share_unanswered(cases))
    return np.full(len(seen), whole / max(len(seen), 1))


def _rising(value: np.ndarray, right: np.ndarray, weight: np.ndarray) -> list[tuple[float, float]]:
    """The chance over equal shares of the weight, neighbours that fall pooled until none does."""
    order = np.argsort(value, kind="stable")
    value, right, weight = value[order], right[order], weight[order]
    bins = np.minimum((np.cumsum(weight) / weight.sum() * BINS).astype(int), BINS - 1)
    pools: list[tuple[float, float, float]] = []
    for number in range(BINS):
        here = bins == number
        if not here.any():
            continue
        total = weight[here].sum()
        pools.append((value[here] @ weight[here] / total, right[here] @ weight[here] / total, total))
        while len(pools) > 1 and pools[-2][1] >= pools[-1][1]:
            (at, chance, heavy), (at2, chance2, heavy2) = pools.pop(), pools.pop()
            both = heavy + heavy2
            pools.append(((at * heavy + at2 * heavy2) / both, (chance * heavy + chance2 * heavy2) / both, both))
    return [(at, chance) for at, chance, _ in pools]


# --- the held-out half ---------------------------------------------------------------------------


def _report_own(
    label: str, sets: Sequence[Cases], other: Sequence[Cases], names: Sequence[str], own: np.ndarray
) -> None:
    """How the first fit carries over to sets it has not seen, and to questions in other words."""
    columns = [OWN.index(name) for name in names]
    arms = [OWN.index("keyword_share"), OWN.index("cosine")]
    print(f"\n{label}: nDCG@10 on the held-out half: fitted with the set, without it, linear, meaning alone")
    for cases in (*sets, *other):
        plain = cases.name.partition(" ")[0]
        rest = _listwise([*sets, *other], lambda each: each.terms[:, columns], RIDGE_OWN, without=plain)
        ours = _ranked(cases, lambda each: each.terms[:, columns] @ own)[0]
        without = _ranked(cases, lambda each, w=rest: each.terms[:, columns] @ w)[0]
        linear = _ranked(cases, lambda each: each.terms[:, arms].sum(axis=1))[0]
        dense = _ranked(cases, lambda each: each.terms[:, arms[1]])[0]
        print(f"{cases.name:22} {ours:.3f}  {without:.3f}  {linear:.3f}  {dense:.3f}", flush=True)


def _ranked(cases: Cases, score: Callable[..., np.ndarray], *, fit: bool = False) -> tuple[float, float]:
    """nDCG at 10 and recall at 5."""
    discount = 1 / np.log2(np.arange(2, 12))
    gains, recalls = [], []
    for each in cases.half(fit):
        if each.gold:
            right = each.relevant[np.argsort(-score(each), kind="stable")][:10]
            gains.append(right @ discount[: len(right)] / discount[: each.gold].sum())
            recalls.append(right[:5].sum() / each.gold)
    return (float(np.mean(gains)), float(np.mean(recalls))) if gains else (float("nan"), float("nan"))


def _report(
    label: str,
    sets: Sequence[Cases],
    score: Callable[[Seen], np.ndarray],
    value: Callable[[Seen], float],
    curve: Sequence[tuple[float, float]],
) -> dict[str, dict[str, float]]:
    print(f"\n{label}, held-out half: nDCG@10, recall@5, AUROC and ECE of whether it answers")
    found: dict[str, dict[str, float]] = {}
    everything: list[tuple[float, float]] = []
    at, chance = zip(*curve, strict=True)
    for cases in sets:
        ndcg, recall = _ranked(cases, score)
        pairs = [(float(np.interp(value(each), at, chance)), float(each.answerable or False), value(each))
                 for each in _labelled(cases, False)]  # fmt: skip
        everything += [pair[:2] for pair in pairs]
        figures = {"ndcg": round(ndcg, 3), "recall5": round(recall, 3)}
        if pairs:
            right = np.array([pair[1] for pair in pairs])
            figures["ece"] = round(_ece(np.array([pair[0] for pair in pairs]), right), 3)
            auroc = _auroc(np.array([pair[2] for pair in pairs]), right > 0)
            figures |= {} if auroc is None else {"auroc": round(auroc, 3)}
        found[cases.name] = figures
        print(f"{cases.name:16} " + "  ".join(f"{name} {figure:.3f}" for name, figure in figures.items()), flush=True)
    if everything:
        chances, right = np.array(everything).T
        print(f"all labelled questions together: ECE {_ece(chances, right):.3f}")
    return found


def _ece(chances: np.ndarray, right: np.ndarray) -> float:
    bins = np.minimum((chances * 10).astype(int), 9)
    return float(sum(abs((chances - right)[bins == each].mean()) * (bins == each).mean() for each in np.unique(bins)))


def _auroc(value: np.ndarray, right: np.ndarray) -> float | None:
    if right.all() or not right.any():
        return None
    above = value[right][:, None] - value[~right]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


if __name__ == "__main__":
    main()
