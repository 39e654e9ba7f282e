"""THE PATH: one question from text to answer, each step in its own file.

    1. understand   steps/understand.py   is it worth searching, and what are its parts?
    2. plan         steps/plan.py         which source gets which lookup?
    3. search       steps/search.py       all lookups at once, under the deadline
    4. judge        steps/judge.py        enough, or weak? news, or none?
    5. rewrite      steps/rewrite.py      other words, other sources, found names; back to 3
    6. merge        steps/merge.py        the same thing once, ranked, every part covered
    7. replace      steps/replace.py      something better than weak pieces, or without them
    8. reconcile    steps/reconcile.py    contradictions marked on both sides
    9. weigh        steps/weigh.py        verdict, confidence, gaps
   10. answer       steps/answer.py       the context block and the answer in words

Owns the rounds and nothing else. What is learned from an answer comes after it, in `ingest/learn.py`.
tests/structure/test_path.py holds this list against the trace of a real run.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.rank.ranking import whole_ranking
from recollect.recipes import Recipe
from recollect.steps.answer import Budget, put_into_words
from recollect.steps.judge import Limits, judge
from recollect.steps.merge import merge
from recollect.steps.plan import first_plan
from recollect.steps.reconcile import reconcile
from recollect.steps.replace import better_plan, drop_weak
from recollect.steps.rewrite import rewrite
from recollect.steps.search import Means, search
from recollect.steps.understand import understand
from recollect.steps.weigh import weigh
from recollect.trace import Recorder
from recollect.values import Answer, Confidence, Enough, Findings, Label, Message, Question, Scope, Stop, VerdictKind


@dataclass(frozen=True, slots=True)
class Request:
    """One call: what is asked, where, how hard, until when, and how long the context may be."""

    text: str
    scope: Scope
    recipe: Recipe
    deadline: float
    budget: Budget
    messages: tuple[Message, ...] = ()


async def retrieve(request: Request, *, means: Means, trace: Recorder) -> Answer:
    """Answer one question by its deadline."""
    settings, clock, recipe, scope = means.settings, means.clock, request.recipe, request.scope
    now, said, until = clock.now(), request.messages, request.deadline
    with trace.step("understand"):
        question = understand(request.text, recipe=recipe, settings=settings, trace=trace, now=now, messages=said)
    if not question.parts:
        return _nothing(question, trace)
    with trace.step("plan"):
        plan = first_plan(question, scope=scope, settings=settings, trace=trace)
    findings: list[Findings] = []
    while True:
        with trace.step("search"):
            findings.append(await search(plan, means=means, deadline=until, trace=trace))
        with trace.step("judge"):
            limits = Limits(recipe, clock.monotonic() >= until, scope.sources)
            judgement = judge(question, findings, limits=limits, settings=settings, trace=trace)
        if isinstance(judgement, Enough):
            break
        with trace.step("rewrite"):
            other_words = rewrite(
                judgement, question=question, scope=scope, recipe=recipe, messages=said, settings=settings, trace=trace
            )
        if other_words is None:
            judgement = Enough(Stop.NOTHING_TO_TRY, judgement.states, judgement.progress)
            break
        plan = other_words
    with trace.step("merge"):
        evidence = merge(findings, judgement=judgement, settings=settings, now=now, trace=trace)
    with trace.step("replace"):
        better = better_plan(evidence, judgement=judgement, scope=scope, recipe=recipe, settings=settings, trace=trace)
    if better and clock.monotonic() < until:
        with trace.step("search"):
            findings.append(await search(better, means=means, deadline=until, trace=trace))
        with trace.step("merge"):
            evidence = merge(findings, judgement=judgement, settings=settings, now=now, trace=trace)
    with trace.step("reconcile"):
        evidence, conflicts = reconcile(evidence, parts=question.parts, settings=settings, trace=trace)
        evidence = drop_weak(evidence, recipe=recipe, settings=settings, trace=trace)
    with trace.step("weigh"):
        weighed = weigh(
            evidence, judgement=judgement, findings=findings, conflicts=conflicts, settings=settings, trace=trace
        )
    with trace.step("answer"):
        worded = put_into_words(
            evidence, judgement=judgement, weighed=weighed, conflicts=conflicts, budget=request.budget, trace=trace
        )
    degraded = tuple(dict.fromkeys(note for finding in findings for note in finding.degraded))
    return Answer(
        question, judgement.states, weighed.verdict, weighed.confidence, evidence, conflicts, weighed.gaps, degraded,
        judgement.stop if settings.enabled else Stop.DISABLED, worded.context, trace.finish(), worded.text,
        judgement.progress.gains, whole_ranking(evidence, findings),
    )  # fmt: skip


def _nothing(question: Question, trace: Recorder) -> Answer:
    sure = Confidence(0.0, Label.LOW)
    return Answer(question, (), VerdictKind.NONE, sure, (), (), (), (), Stop.TRIVIAL, "", trace.finish())
