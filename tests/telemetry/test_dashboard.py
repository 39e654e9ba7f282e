"""The dashboard asks only for what is there: every metric and label of every query is in the metrics of real calls."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from .telling import Told

FILE = Path(__file__).parents[2] / "docs" / "grafana" / "recollect.json"
METRIC = re.compile(r"\brecollect_\w+")
MATCHED = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
EQUAL = re.compile(r"(\w+)=\"(\w+)\"")
RATED = re.compile(r"((?:rate|increase)\()?\b(recollect_\w+)")
LEGEND = re.compile(r"\{\{(\w+)\}\}")
COLUMNS = 24


def dashboard() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = dashboard()["panels"]
    return found


def queries() -> Iterator[tuple[str, str]]:
    """Each query and the labels its legend shows."""
    for panel in panels():
        for target in panel.get("targets", ()):
            yield target["expr"], target["legendFormat"]
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["definition"]).groups()  # type: ignore[union-attr]
            assert variable["query"]["query"] == variable["definition"]
            yield f"sum by ({label}) ({metric})", ""


@pytest.fixture
def labels(told: Callable[..., Told], tmp_path: Path) -> dict[str, set[str]]:
    """The labels of every sample there is after a few calls."""
    (tmp_path / "rent.md").write_text("# Rent\n\nThe rent is 900 euros.\n")
    here = told()
    here.run(
        lambda engine: engine.remember("Ana moved the standup to nine thirty."),
        lambda engine: engine.remember(" "),
        lambda engine: engine.retrieve("When is the standup?"),
        lambda engine: engine.ingest(tmp_path / "rent.md", project="home"),
        here.metrics.look_at,
    )
    found: dict[str, set[str]] = defaultdict(set)
    for family in text_string_to_metric_families(here.text):
        for sample in family.samples:
            found[sample.name] |= set(sample.labels)
    return found


def test_every_query_asks_for_metrics_and_labels_that_are_there(labels: dict[str, set[str]]) -> None:
    asked = list(queries())
    assert len(asked) > 20
    for expression, legend in asked:
        names = METRIC.findall(expression)
        assert names, expression
        wanted = set(MATCHED.findall(expression)) | set(LEGEND.findall(legend))
        wanted |= {each.strip() for group in GROUPED.findall(expression) for each in group.split(",")}
        for name in names:
            assert name in labels, f"{name} is not there"
            assert wanted <= labels[name], f"{name} has no {wanted - labels[name]}"


def test_every_query_asks_for_values_that_are_there(told: Callable[..., Told]) -> None:
    here = told()
    here.run(lambda engine: engine.remember("Ana moved the standup to nine thirty."))
    values: dict[str, set[str]] = defaultdict(set)
    for family in text_string_to_metric_families(here.text):
        for sample in family.samples:
            for label, each in sample.labels.items():
                values[label].add(each)
    wanted = {pair for expression, _ in queries() for pair in EQUAL.findall(expression)}
    assert len(wanted) > 1
    assert [(label, each) for label, each in sorted(wanted) if each not in values[label]] == []


def test_what_only_rises_is_shown_as_a_rate_and_sizes_as_they_are() -> None:
    for panel in panels():
        for target in panel.get("targets", ()):
            for rated, name in RATED.findall(target["expr"]):
                rises = name.endswith(("_total", "_bucket", "_sum", "_count"))
                assert rises == bool(rated), target["expr"]
            if "histogram_quantile" in target["expr"] or target.get("format") == "heatmap":
                assert all(name.endswith("_bucket") for name in METRIC.findall(target["expr"]))
                assert all("le" in group for group in GROUPED.findall(target["expr"]))


def test_every_metric_is_on_the_dashboard(labels: dict[str, set[str]]) -> None:
    shown = {
        re.sub(r"_(bucket|sum|count)$", "", name) for expression, _ in queries() for name in METRIC.findall(expression)
    }
    there = {re.sub(r"_(bucket|sum|count)$", "", name) for name in labels}
    assert there - shown == {"recollect_info"}


def test_brackets_match_in_every_query() -> None:
    for expression, _ in queries():
        for opening, closing in ("()", "[]", "{}"):
            assert expression.count(opening) == expression.count(closing), expression


def test_it_is_what_grafana_imports() -> None:
    whole = dashboard()
    assert {"uid", "title", "schemaVersion", "panels", "templating", "time"} <= whole.keys()
    assert "id" not in whole, "an id would overwrite somebody else's dashboard"
    variables = {each["name"] for each in whole["templating"]["list"]}
    assert set(re.findall(r"\$\{?([a-z]\w*)", json.dumps(whole["panels"]))) <= variables
    assert len({panel["id"] for panel in panels()}) == len(panels())
    for panel in panels():
        if panel["type"] != "row":
            assert panel["title"] and panel["description"] and panel["fieldConfig"]["defaults"]["unit"]
            assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
            references = [target["refId"] for target in panel["targets"]]
            assert references and len(set(references)) == len(references)


def test_panels_lie_beside_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= COLUMNS
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
