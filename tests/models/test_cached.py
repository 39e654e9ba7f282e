"""Vectors that are kept: by content, kind and identity, for several processes, and never at the price of an answer."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from recollect.errors import Unavailable
from recollect.models.cached import FILE, CachedEmbedder, cache_folder
from recollect.models.fallback import FallbackEmbedder
from recollect.models.hashing import HashingEmbedder
from recollect.ports import Embedder, TextKind
from recollect.records import Vector
from recollect.testing.embedder_contract import EmbedderContract


class Counting(HashingEmbedder):
    """Remembers which texts it was given."""

    def __init__(self, *, dimensions: int = 64) -> None:
        super().__init__(dimensions=dimensions)
        self.asked: list[str] = []
        self.closed = False

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        self.asked += texts
        return await super().embed(texts, kind=kind)

    async def close(self) -> None:
        self.closed = True


class Missing(HashingEmbedder):
    """Has no weights."""

    @property
    def identity(self) -> str:
        return "missing"

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        raise Unavailable("no weights")


def embed(embedder: Embedder, *texts: str, kind: TextKind = TextKind.DOCUMENT) -> list[Vector]:
    return asyncio.run(embedder.embed(texts, kind=kind))


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> CachedEmbedder:
        return CachedEmbedder(HashingEmbedder(), tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


class TestContractOfWhatIsKept(EmbedderContract):
    """Later tests find what earlier ones had embedded."""

    @pytest.fixture
    def embedder(self, shared: Path) -> CachedEmbedder:
        return CachedEmbedder(HashingEmbedder(), shared)


def test_only_what_is_missing_is_embedded(tmp_path: Path) -> None:
    inner = Counting()
    first = embed(CachedEmbedder(inner, tmp_path), "a", "b", "a")
    again = embed(CachedEmbedder(inner, tmp_path), "c", "b", "a")
    assert inner.asked == ["a", "b", "c"]
    assert first == embed(HashingEmbedder(), "a", "b", "a")
    assert again == embed(HashingEmbedder(), "c", "b", "a")


def test_kinds_are_kept_apart(tmp_path: Path) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, tmp_path)
    embed(cached, "a")
    embed(cached, "a", kind=TextKind.QUERY)
    assert inner.asked == ["a", "a"]


def test_kinds_that_are_not_to_be_kept_go_straight_through(tmp_path: Path) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, tmp_path, kinds=[TextKind.DOCUMENT])
    for _ in range(2):
        embed(cached, "a", kind=TextKind.QUERY)
        embed(cached, "b")
    assert inner.asked == ["a", "b", "a"]


def test_embedders_do_not_get_each_others_vectors(tmp_path: Path) -> None:
    embed(CachedEmbedder(HashingEmbedder(dimensions=8), tmp_path), "a")
    (found,) = embed(CachedEmbedder(HashingEmbedder(dimensions=16), tmp_path), "a")
    assert found.dimensions == 16


def test_a_stand_in_that_takes_over_gives_all_the_vectors(tmp_path: Path) -> None:
    stand_in = HashingEmbedder()
    known = CachedEmbedder(stand_in, tmp_path)
    embed(known, "a")
    cached = CachedEmbedder(FallbackEmbedder(Missing(), stand_in), tmp_path)
    found = embed(cached, "a", "b")
    assert found == embed(stand_in, "a", "b")
    assert cached.identity == stand_in.identity


def test_many_texts_are_looked_up(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(1_700)]
    inner = Counting(dimensions=4)
    for _ in range(2):
        found = embed(CachedEmbedder(inner, tmp_path), *texts)
    assert inner.asked == texts
    assert found == embed(HashingEmbedder(dimensions=4), *texts)


def test_a_damaged_file_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"this is no database, whatever its name says" * 100)
    cached = CachedEmbedder(HashingEmbedder(), tmp_path)
    assert embed(cached, "a") == embed(HashingEmbedder(), "a")
    assert cached.uncached is not None and FILE in cached.uncached


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cached = CachedEmbedder(HashingEmbedder(), tmp_path / "file" / "folder")
    assert embed(cached, "a") == embed(HashingEmbedder(), "a")
    assert cached.uncached is not None


def test_closing_closes_what_is_inside(tmp_path: Path) -> None:
    inner = Counting()
    asyncio.run(CachedEmbedder(inner, tmp_path).close())
    assert inner.closed


def test_several_processes_share_one_file(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from pathlib import Path
from recollect.models.cached import CachedEmbedder
from recollect.models.hashing import HashingEmbedder
from recollect.ports import TextKind
cached = CachedEmbedder(HashingEmbedder(), Path({str(tmp_path)!r}))
for number in range(30):
    texts = [f"text {{number}}", f"text {{number}} of {{sys.argv[1]}}"]
    assert asyncio.run(cached.embed(texts, kind=TextKind.DOCUMENT))
assert cached.uncached is None, cached.uncached
"""
    writers = [subprocess.Popen([sys.executable, "-c", code, str(number)]) for number in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    inner = Counting()
    embed(CachedEmbedder(inner, tmp_path), *(f"text {number}" for number in range(30)), "text 29 of 2")
    assert inner.asked == []


def test_it_is_beside_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "recollect"
    assert cache_folder(Path("/elsewhere")) == Path("/elsewhere/recollect")
