from __future__ import annotations

import asyncio
import json
import logging
import struct
from itertools import permutations

import pytest

from recollect.models.convert import read_tensors
from recollect.models.minilm import MiniLM
from recollect.models.quiet import untouched_root_logger
from recollect.ports import TextKind
from recollect.records import Vector
from recollect.testing.embedder_contract import cosine, embed

PASSAGES = (
    "The database migration was rolled back because the index took too long to build.",
    "Anna prefers tea over coffee in the morning.",
    "The train to Basel leaves at nine from platform four.",
    "We agreed to ship the release on the tenth of March.",
    "Photosynthesis turns light into chemical energy.",
    "The plumber repaired the kitchen sink yesterday.",
)
QUESTIONS = ("When do we ship the release?", "What does Anna drink?", "Who fixed the sink?")
CLEARLY_APART = 0.05


@pytest.mark.weights
def test_fp32_gives_the_published_similarities(minilm_fp32: MiniLM) -> None:
    # The example on the model's own page, which the original implementation answers with these figures.
    texts = ("That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day")
    first, *others = embed(minilm_fp32, *texts)
    assert [cosine(first, other) for other in others] == pytest.approx([0.6946, 0.9429, 0.2569], abs=1e-4)


@pytest.mark.weights
def test_int8_is_close_to_fp32_and_ranks_alike(minilm: MiniLM, minilm_fp32: MiniLM) -> None:
    small, full = embed(minilm, *PASSAGES), embed(minilm_fp32, *PASSAGES)
    assert min(cosine(one, two) for one, two in zip(small, full, strict=True)) > 0.95
    for question in QUESTIONS:
        (asked_small,), (asked_full,) = embed(minilm, question), embed(minilm_fp32, question)
        rough = [cosine(asked_small, passage) for passage in small]
        exact = [cosine(asked_full, passage) for passage in full]
        assert rough.index(max(rough)) == exact.index(max(exact)), question
        # Near ties do change places in int8; whatever fp32 holds clearly apart must not.
        for one, two in permutations(range(len(PASSAGES)), 2):
            if exact[one] > exact[two] + CLEARLY_APART:
                assert rough[one] > rough[two], (question, PASSAGES[one], PASSAGES[two])


@pytest.mark.weights
def test_similar_sentences_are_near_and_unrelated_ones_far(minilm: MiniLM) -> None:
    texts = ("How do I reset my password?", "I forgot my password, how can I set a new one?", PASSAGES[4])
    one, two, far = embed(minilm, *texts)
    assert cosine(one, two) > 0.6
    assert cosine(one, far) < 0.3


@pytest.mark.weights
def test_text_beyond_128_tokens_still_counts(minilm: MiniLM) -> None:
    start = "tea " * 150
    alone, more = embed(minilm, start, start + "database migration index " * 20)
    assert cosine(alone, more) < 0.99


@pytest.mark.weights
def test_cancelled_embedding_leaves_the_embedder_usable(minilm: MiniLM) -> None:
    async def cancel_then_embed() -> list[Vector]:
        task = asyncio.create_task(minilm.embed(["long text " * 200] * 200, kind=TextKind.DOCUMENT))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        return await minilm.embed(PASSAGES, kind=TextKind.DOCUMENT)

    assert len(asyncio.run(cancel_then_embed())) == len(PASSAGES)


def test_tensors_are_read_by_their_offsets() -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "b": {"dtype": "F32", "shape": [2, 1], "data_offsets": [8, 16]},
    }
    text = json.dumps(header).encode()
    tensors = read_tensors(struct.pack("<Q", len(text)) + text + bytes(8) + struct.pack("<2f", 1.5, -2))
    assert {name: tensor.tolist() for name, tensor in tensors.items()} == {"b": [[1.5], [-2.0]]}


def test_root_logger_stays_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), list(root.filters), root.level)
    with untouched_root_logger("test_convert"):
        logging.basicConfig(level=logging.DEBUG)
        logging.warning("unheard")
    assert (root.handlers, root.filters, root.level) == before
    assert "unheard" not in caplog.text
