"""What is written: JSON that loads, a run that keeps its order, verdict lines, and a picture that parses."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from recollect.evals.baselines import Scored
from recollect.evals.diagram import reliability_svg
from recollect.evals.metrics import reliability
from recollect.evals.report import as_json, run_lines, verdict_lines
from recollect.evals.run import Outcome, Ran
from recollect.evals.scores import score_set
from recollect.questions import Part
from recollect.values import PartState

from .test_scores import GIVEN, OUTCOMES, PLAIN

SVG = "{http://www.w3.org/2000/svg}"


def found(*ranking: Scored) -> Outcome:
    states = (PartState(Part(0, "who?"), 0.71, True), PartState(Part(1, "when?"), 0.1, False))
    return Outcome("q", ranking, (), 0, "partial", 0.4321987, states, "no_novelty", 0.1, 5, 2)


def test_a_run_keeps_its_order_for_whoever_sorts_by_score() -> None:
    tied = found(Scored("z", 0.5), Scored("b", 0.5), Scored("a", 0.5), Scored("c", 0.0), Scored("d", 0.0))
    lines = [line.split() for line in run_lines([tied])]
    assert lines[0] == ["q", "Q0", "z", "1", "0.500000", "recollect"]
    assert [line[3] for line in lines] == ["1", "2", "3", "4", "5"]
    again = sorted(lines, key=lambda line: (-float(line[4]), line[2]))
    assert [line[2] for line in again] == ["z", "b", "a", "c", "d"]
    assert len({line[4] for line in lines}) == len(lines)


def test_verdict_lines_hold_what_is_promised() -> None:
    (line,) = verdict_lines([found()])
    assert json.loads(line) == {
        "query_id": "q",
        "verdict": "partial",
        "confidence": 0.432199,
        "parts": [
            {"text": "who?", "best": 0.71, "passed": True},
            {"text": "when?", "best": 0.1, "passed": False},
        ],
        "stop_reason": "no_novelty",
    }


def test_the_report_is_plain_data() -> None:
    scores = score_set(Ran(GIVEN, OUTCOMES, 1.5, "hashing", {"bm25": PLAIN, "rrf": PLAIN}))
    report = as_json([scores], made={"recipe": "fast"})
    assert json.loads(json.dumps(report)) == report
    (each,) = report["sets"]
    assert report["recipe"] == "fast"
    assert each["ranking"]["questions"] == 2
    assert each["ranking"]["recall@2"]["value"] == 0.75
    assert each["ranking"]["recall@2"]["low"] <= 0.75 <= each["ranking"]["recall@2"]["high"]
    assert each["confidence"]["AUROC"]["value"] == 1.0
    assert len(each["confidence"]["reliability"]) == 10
    assert each["baselines"]["bm25"]["AUROC"]["value"] == 0.5
    assert each["baselines"]["rrf"]["AUROC"] is None
    assert each["cost"]["p50_ms"] == 10.0


def test_the_diagram_has_a_bar_for_each_range_that_is_not_empty() -> None:
    bins = reliability([0.05, 0.95, 1.0, 0.5], [False, True, True, False])
    root = ElementTree.fromstring(reliability_svg(bins, title="a < b", subtitle='ECE "0.1"'))
    bars = root.findall(f"{SVG}rect")
    assert len(bars) == 3
    assert [float(bar.attrib["height"]) for bar in bars] == [0, 0, 320]
    assert root.findall(f"{SVG}text")[0].text == "a < b"
    assert "prefers-color-scheme:dark" in (root.findall(f"{SVG}style")[0].text or "")
    dashed = [path for path in root.findall(f"{SVG}path") if "ideal" in path.attrib["class"]]
    assert len(dashed) == 1
