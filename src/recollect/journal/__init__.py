"""Answers as the journal keeps them: `keep.py` writes them down, `read.py` reads them, `reasons.py` finds the words."""

from recollect.journal.keep import trace_record
from recollect.journal.read import explain, opened

__all__ = ["explain", "opened", "trace_record"]
