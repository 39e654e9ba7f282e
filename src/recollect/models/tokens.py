"""Counting tokens with a real tokenizer: the one inside the static embedder's package, which is always there.

None of its tokens goes over from one word to the next, so that a text has as many as its words have, and a word that
was counted once need not be read again.
"""

from __future__ import annotations

import re
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recollect.readings import forget_with_readings, remembered

TOKENIZER_FILE = "l2_supercat_tokenizer_config.json"
WORDS_KNOWN = 50_000
LONGEST_WORD = 40  # characters: what is longer hardly comes again
ONLY_SPACE = ""  # what is left of a space at the end of a text
# Each begins a word with one space of those before it, which the tokenizer puts there by itself.
WORD = re.compile(r" ( *[^ ]*)")
SPACE = "\u2581"  # in the tokenizer's own writing
NOT_BY_WORDS = (SPACE, "<s>", "</s>", "<unk>")  # what it reads as something else than letters


class TokenCounter:
    """Counts tokens; the tokenizer is loaded at the first count."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokenizer: Any = None
        self._count = remembered(self._count_now)
        self._beginnings: frozenset[int] = frozenset()
        self._words = {ONLY_SPACE: 1}
        forget_with_readings(self._forget)

    @property
    def is_loaded(self) -> bool:
        return self._tokenizer is not None

    def __call__(self, text: str) -> int:
        with self._lock:
            if self._tokenizer is None:
                tokenizer = _load()
                vocabulary = tokenizer.get_vocab(with_added_tokens=False)
                self._beginnings = frozenset(id for token, id in vocabulary.items() if token[0] == SPACE)
                self._tokenizer = tokenizer
        return self._count(text)

    def _count_now(self, text: str) -> int:
        if not text or any(mark in text for mark in NOT_BY_WORDS):
            return len(self._encode([text])[0])
        words = WORD.findall(f" {text}") if "  " in text or text[0] == " " else text.split(" ")
        known = self._words
        missing = [word for word in dict.fromkeys(words) if word not in known]
        if not missing:
            return sum(map(known.__getitem__, words))
        counted = self._counted(missing)
        short = {word: tokens for word, tokens in counted.items() if len(word) <= LONGEST_WORD}
        if len(known) + len(short) > WORDS_KNOWN:
            self._words = {ONLY_SPACE: 1}
        self._words.update(short)
        return sum([counted[word] if word in counted else known[word] for word in words])

    def _counted(self, words: list[str]) -> dict[str, int]:
        """The tokens of each: read one after the other as a text, in which every word shows by its first token. Those
        that begin with spaces would show more than once: they are read alone."""
        spaced = [word for word in words if word[0] == " "]
        counted = dict(zip(spaced, map(len, self._encode(spaced)), strict=True)) if spaced else {}
        plain = [word for word in words if word[0] != " "]
        if plain:
            (encoded,) = self._encode([" ".join(plain)])
            begins = [place for place, token in enumerate(encoded.ids) if token in self._beginnings]
            ends = [*begins[1:], len(encoded.ids)]
            counted |= {word: end - begin for word, begin, end in zip(plain, begins, ends, strict=True)}
        return counted

    def _encode(self, texts: list[str]) -> Any:
        return self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)

    def _forget(self) -> None:
        self._words = {ONLY_SPACE: 1}


def _load() -> Any:
    from tokenizers import Tokenizer

    package = find_spec("wordllama")
    assert package is not None and package.origin is not None
    tokenizer = Tokenizer.from_file(str(Path(package.origin).parent / "tokenizers" / TOKENIZER_FILE))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
