"""Keep libraries that configure the root logger from doing so.

Both wordllama and onnxruntime's quantiser call `logging.basicConfig(level=INFO)` when imported, and the
quantiser warns through the root logger. A library must not decide what its user's program logs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def untouched_root_logger(noisy: str) -> Iterator[None]:
    """Meanwhile nobody configures the root logger, and what `noisy`'s own files say through it is dropped."""

    def keep(record: logging.LogRecord) -> bool:
        return noisy not in record.pathname

    root = logging.getLogger()
    placeholder = logging.NullHandler()  # basicConfig leaves a root logger alone that has a handler
    root.addHandler(placeholder)
    root.addFilter(keep)
    try:
        yield
    finally:
        root.removeFilter(keep)
        root.removeHandler(placeholder)
