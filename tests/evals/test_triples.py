"""A labelled set with a graph: the triples it brings, or what its documents are read to state."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect.evals.layout import LabelledSet, read_set, read_triples
from recollect.evals.run import Manner, Ran, run_set
from recollect.evals.triples import MENTIONED, Triples, triples_of_set
from recollect.knowledge import Relation
from recollect.settings import EmbedderSettings, Settings
from recollect.testing.corpus import make_memory

from .small import write_set

SETTINGS = Settings(embedder=EmbedderSettings(name="hashing"), enable_graph=False)
GIVEN = [
    {"doc_id": "d1", "entities": ["Ada Kern", "Brenn"], "triples": [["Lighthouse", "built by", "Ada Kern", "1871"]]},
    {"doc_id": "d6", "entities": [], "triples": [["Ada Kern", "lived in", "Faro, Brenn"], ["too", "short"]]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = write_set(tmp_path / "island")
    lines = "".join(f"{json.dumps(line)}\n" for line in GIVEN)
    (made / "triples.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return made


def run(given: LabelledSet, **manner: Any) -> Ran:
    return asyncio.run(run_set(given, settings=SETTINGS, manner=Manner(**manner), progress=lambda *_: None))


def test_given_triples_are_of_their_documents_and_mentions_weigh_less(folder: Path) -> None:
    given = read_set(folder)._replace(triples=read_triples(folder))
    lighthouse = make_memory(0, id="m1", title="Lighthouse")
    found = list(triples_of_set(given, Triples.GIVEN, [lighthouse], {"m1": "d1"}))
    assert found[0][:3] == ("Lighthouse", "built by", "Ada Kern")
    assert found[0].sentence == "Lighthouse built by Ada Kern"
    assert {(each.relation, each.object, each.weight) for each in found[1:]} == {
        (Relation.MENTIONS, "Ada Kern", MENTIONED),
        (Relation.MENTIONS, "Brenn", MENTIONED),
    }
    assert {each.memory for each in found} == {"m1"}


def test_a_place_within_a_place_is_also_the_place(folder: Path) -> None:
    given = read_set(folder)._replace(triples=read_triples(folder))
    ada = make_memory(0, id="m6", title="Ada Kern")
    found = triples_of_set(given, Triples.GIVEN, [ada], {"m6": "d6"})
    assert [each.object for each in found] == ["Faro, Brenn", "Faro"]


@pytest.mark.parametrize("whose", list(Triples))
def test_a_set_is_asked_with_a_graph(folder: Path, whose: Triples) -> None:
    given = read_set(folder)._replace(triples=read_triples(folder))
    ran = run(given, triples=whose)
    assert [each.degraded for each in ran.outcomes] == [()] * len(given.queries)
    assert ran.outcomes[0].ranking[0].id == "d1" and "d6" in {each.id for each in ran.outcomes[0].ranking}


def test_a_set_without_triples_has_none_to_give(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "bare")
    with pytest.raises(InvalidInput, match="triples"):
        read_triples(folder)
    with pytest.raises(InvalidInput, match="triples own"):
        run(read_set(folder), triples=Triples.GIVEN)
