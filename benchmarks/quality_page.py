"""The page `quality.py` writes: what was measured, as Markdown. Pure: reports in, text out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

MEASURES = ("recall@2", "recall@5", "recall@10", "all@5", "nDCG@10", "MRR")
SUMMED_UP = ("recall@5", "all@5", "nDCG@10", "AUROC")
NOTHING = "–"
COMMAND = "make quality DATA=FOLDER"

HALVES = {
    "all": "All questions of the sets given are asked, those of the half to fit on among them.",
    "held-out": "Of the sets given, only the held-out half is asked.",
    "fit": "Of the sets given, only the half to fit on is asked.",
}
FITTED = """\
The sets in [`evals/`](../evals/README.md) were written for this project; no weights are fitted on them, though one
constant (`BELIEVED_FROM` in `rank/model.py`) was chosen with them in view, and all their questions are asked.
Each question of other sets belongs to one of two halves, told by a hash of its text
(`recollect.evals.split`): one to fit on, the other held out to measure with. Weights that say below that they were
fitted on other halves, or on both, have seen some of the questions that are held out here."""
READING = """\
- *recall@k*: the share of the right documents among the first k; *all@5*: questions with all of them among the first
  five; *nDCG@10*, *MRR*: how high they stand. Over the questions that have an answer, on the whole ranking before the
  cut-off, with 95 % intervals by resampling the questions.
- *AUROC*: how often an answerable question gets more confidence than an unanswerable one; for a plain method its best
  score is taken. *ECE* and *Brier*: how far the confidence is from the share that is answerable.
- The plain methods rank the same store in the same run: BM25, cosine of the same embedder, reciprocal rank fusion, and
  half of each added.
- *cut-off*: precision and recall of the evidence that is given back, beside those of the first ten.
- *time*: one call after another, with the question's embedding; it depends on the machine, everything else does not."""


class Made(NamedTuple):
    """By what, of what and when the page was made; `fitted` names each file of weights with what it says of itself."""

    commit: str
    version: str
    settings: Mapping[str, str]
    recipe: str
    embedder: str
    date: str
    machine: str
    limit: int | None
    half: str
    fitted: Sequence[tuple[str, str, str]]


def page(measured: Sequence[Mapping[str, Any]], made: Made, *, pictures: str) -> str:
    """The whole page; `pictures` is the folder with a diagram for each set that has one."""
    own = [each for each in measured if each["own"]]
    shared = [each for each in measured if not each["own"]]
    parts = ["# Quality", _about(made), "## What was fitted on what", _fitted(made, halved=bool(shared))]
    parts += ["## Against the best plain method", *_summaries(own, shared), "## How to read it", READING]
    for title, sets in (("The project's own sets", own), ("The sets given", shared)):
        if sets:
            parts += [f"## {title}", *(_section(each, pictures) for each in sets)]
    return "\n\n".join(parts) + "\n"


def _about(made: Made) -> str:
    changed = ", ".join(f"`{name}` = {value}" for name, value in made.settings.items())
    rows = {
        "commit": made.commit,
        "version": made.version,
        "settings": changed or "defaults",
        "recipe": made.recipe,
        "embedder": made.embedder,
        "questions": f"at most {made.limit} of each set" if made.limit else "all",
        "date": made.date,
        "machine": made.machine,
    }
    return f"Made by `{COMMAND}`; not written by hand.\n\n" + _table(("", ""), [list(row) for row in rows.items()])


def _fitted(made: Made, *, halved: bool) -> str:
    lines = [f"- `{name}` ({date}): {on}." for name, on, date in made.fitted]
    files = ["What each file of weights says of itself:", "\n".join(lines)] if lines else []
    return "\n\n".join([FITTED, *([HALVES[made.half]] if halved else []), *files])


def _summaries(own: Sequence[Mapping[str, Any]], shared: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "Ours, then the best of BM25, dense, RRF and linear fusion on that set, then the difference."
    rows = [
        [each["set"], str(each["ranking"]["questions"]), *(_beside(each, name) for name in SUMMED_UP)]
        for each in [*own, *shared]
    ]
    yield _table(("set", "n", *SUMMED_UP), rows)


def _beside(each: Mapping[str, Any], measure: str) -> str:
    """Our figure, the best plain one with its method, and the difference."""
    ours = _ours(each, measure)
    plain = {name: found[measure]["value"] for name, found in each["baselines"].items() if (found.get(measure) or {})}
    if ours is None or not plain:
        return NOTHING if ours is None else share(ours["value"])
    best = max(plain, key=lambda name: plain[name])
    gap = ours["value"] - plain[best]
    sign = "+" if gap > 0.0005 else "−" if gap < -0.0005 else "±"
    figures = f"{share(ours['value'])} / {share(plain[best])} {best}"
    return f"{figures}, **{sign}{share(abs(gap))}**" if sign == "+" else f"{figures}, {sign}{share(abs(gap))}"


def _ours(each: Mapping[str, Any], measure: str) -> Mapping[str, Any] | None:
    held: Mapping[str, Any] = (each["confidence"] or {}) if measure == "AUROC" else each["ranking"]
    return held.get(measure)


def _section(each: Mapping[str, Any], pictures: str) -> str:
    rows = [["**recollect**", *(_cell(_ours(each, name)) for name in (*MEASURES, "AUROC"))]]
    rows += [
        [name, *(_cell(found.get(measure)) for measure in (*MEASURES, "AUROC"))]
        for name, found in each["baselines"].items()
    ]
    parts = [f"### {each['set']}", _heading(each), _table(("", *MEASURES, "AUROC"), rows), "\n".join(_facts(each))]
    if each["svg"]:
        parts.append(f"![Reliability of the confidence on {each['set']}]({pictures}/{each['set']}.svg)")
    return "\n\n".join(parts)


def _heading(each: Mapping[str, Any]) -> str:
    half = f" ({each['half']} half)" if each["half"] else ""
    return (
        f"{each['documents']:,} documents, {each['queries']:,} questions{half}, "
        f"{each['ranking']['questions']:,} of them with an answer."
    )


def _facts(each: Mapping[str, Any]) -> Iterator[str]:
    """What else was measured, a line each."""
    told, cut, cost = each["confidence"], each["cut_off"], each["cost"]
    if told:
        yield f"- confidence: ECE {share(told['ECE'])}, Brier {share(told['Brier'])}"
        for name, counts in told["verdicts"].items():
            if counts:
                yield f"- verdicts where {name}: {_counts(counts)}"
    if cut:
        yield (
            f"- cut-off: precision {_cell(cut['precision'])} (first ten {_cell(cut['precision@10'])}), "
            f"recall {_cell(cut['recall'])} (first ten {_cell(cut['recall@10'])})"
        )
    if each["updates"]:
        yield "- contradictions: " + ", ".join(f"{name} {_cell(found)}" for name, found in each["updates"].items())
    yield f"- context: {cost['pieces']:.1f} pieces, {cost['tokens']:.0f} tokens (p95 {cost['p95_tokens']:.0f})"
    yield f"- time: p50 {cost['p50_ms']:.0f} ms, p95 {cost['p95_ms']:.0f} ms; {cost['rounds']:.2f} rounds"
    yield f"- stopped by: {_counts(each['stop_reasons'])}"
    yield from (f"- note: {note}" for note in each["notes"])


def _cell(estimate: Mapping[str, Any] | None) -> str:
    """A figure and its interval."""
    if estimate is None:
        return NOTHING
    if estimate["low"] is None:
        return share(estimate["value"])
    return f"{share(estimate['value'])} ({estimate['low']:.2f}–{estimate['high']:.2f})".replace("0.", ".")


def share(value: float) -> str:
    """A figure from 0 to 1 without the zero that says nothing.

    >>> share(0.9333), share(1)
    ('.933', '1.00')
    """
    return f"{value:.2f}" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    line = "| " + " | ".join(columns) + " |"
    rule = "| --- |" + " ---: |" * (len(columns) - 1)
    return "\n".join([line, rule, *("| " + " | ".join(row) + " |" for row in rows)])
