"""Counting tokens with a real tokenizer: the one inside the static embedder's package, which is always there."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recollect.readings import remembered

TOKENIZER_FILE = "l2_supercat_tokenizer_config.json"


class TokenCounter:
    """Counts tokens; the tokenizer is loaded at the first count."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokenizer: Any = None
        self._count = remembered(self._count_now)

    @property
    def is_loaded(self) -> bool:
        return self._tokenizer is not None

    def __call__(self, text: str) -> int:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _load()
        return self._count(text)

    def _count_now(self, text: str) -> int:
        (encoded,) = self._tokenizer.encode_batch_fast([text], add_special_tokens=False)
        return len(encoded)


def _load() -> Any:
    from tokenizers import Tokenizer

    package = find_spec("wordllama")
    assert package is not None and package.origin is not None
    tokenizer = Tokenizer.from_file(str(Path(package.origin).parent / "tokenizers" / TOKENIZER_FILE))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
