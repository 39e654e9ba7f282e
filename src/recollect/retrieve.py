"""THE PATH: one question from text to answer, each step in its own file.

    1. understand   steps/understand.py   is it worth searching, and what are its parts?
    2. plan         steps/plan.py         which source gets which lookup?
    3. search       steps/search.py       all lookups at once, under the deadline
    4. judge        steps/judge.py        enough, or weak? news, or none?
    5. rewrite      steps/rewrite.py      other words for the weak parts; back to 3
    6. merge        steps/merge.py        the same thing once, ranked, every part covered
    7. reconcile    steps/reconcile.py    contradictions marked on both sides
    8. weigh        steps/weigh.py        verdict, confidence, gaps
    9. answer       steps/answer.py       the context block and the whole answer

Owns the rounds and nothing else. tests/structure/test_path.py holds this list against the trace of a real run.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.recipes import Recipe
from recollect.steps.answer import TokenCounter, build_context
from recollect.steps.judge import Limits, judge
from recollect.steps.merge import merge
from recollect.steps.plan import first_plan
from recollect.steps.reconcile import reconcile
from recollect.steps.rewrite import rewrite
from recollect.steps.search import Means, search
from recollect.steps.understand import understand
from recollect.steps.weigh import weigh
from recollect.trace import Recorder
from recollect.values import Answer, Confidence, Enough, Findings, Label, Message, Question, Scope, Stop, VerdictKind


@dataclass(frozen=True, slots=True)
class Request:
    """One call: what is asked, where, how hard, and until when."""

    text: str
    scope: Scope
    recipe: Recipe
    deadline: float
    messages: tuple[Message, ...] = ()


async def retrieve(request: Request, *, means: Means, count_tokens: TokenCounter, trace: Recorder) -> Answer:
    """Answer one question by its deadline."""
    settings, clock = means.settings, means.clock
    with trace.step("understand"):
        question = understand(
            request.text,
            recipe=request.recipe,
            settings=settings,
            trace=trace,
            now=clock.now(),
            messages=request.messages,
        )
    if not question.parts:
        return _nothing(question, trace)
    with trace.step("plan"):
        plan = first_plan(question, scope=request.scope, sources=means.sources, trace=trace)
    findings: list[Findings] = []
    while True:
        with trace.step("search"):
            findings.append(await search(plan, means=means, deadline=request.deadline, trace=trace))
        with trace.step("judge"):
            limits = Limits(request.recipe, deadline_passed=clock.monotonic() >= request.deadline)
            judgement = judge(question, findings, limits=limits, settings=settings, trace=trace)
        if isinstance(judgement, Enough):
            break
        with trace.step("rewrite"):
            reworded = rewrite(judgement, scope=request.scope, sources=means.sources, trace=trace)
        if reworded is None:
            judgement = Enough(Stop.NOTHING_TO_TRY, judgement.states, judgement.progress)
            break
        plan = reworded
    with trace.step("merge"):
        evidence = merge(findings, judgement=judgement, settings=settings, trace=trace)
    with trace.step("reconcile"):
        evidence, conflicts = reconcile(evidence, trace=trace)
    with trace.step("weigh"):
        weighed = weigh(evidence, judgement=judgement, findings=findings, settings=settings, trace=trace)
    with trace.step("answer"):
        context = build_context(evidence, settings=settings, count_tokens=count_tokens, trace=trace)
    degraded = tuple(dict.fromkeys(note for finding in findings for note in finding.degraded))
    return Answer(
        question, judgement.states, weighed.verdict, weighed.confidence, evidence, conflicts, weighed.gaps, degraded,
        judgement.stop if settings.enabled else Stop.DISABLED, context, trace.finish(),
    )  # fmt: skip


def _nothing(question: Question, trace: Recorder) -> Answer:
    sure = Confidence(0.0, Label.LOW)
    return Answer(question, (), VerdictKind.NONE, sure, (), (), (), (), Stop.TRIVIAL, "", trace.finish())
