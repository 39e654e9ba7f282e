"""The program a reading process runs: batches of jobs on stdin, with their project's order where it is another than
before; results on stdout, until stdin ends."""

from __future__ import annotations

import gc
import os
import signal
import sys

from recollect.ingest.jobs import Order, plain, read_job, receive, send

COLLECTED = 16  # batches; readers leave next to nothing that is not freed at once


def main() -> None:
    """Read what is asked for until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that a library prints gets between the answers
    gc.disable()  # syntax trees are many small objects: collecting while they are made takes a third of the time
    batches = 0
    order: Order | None = None
    while (batch := receive(sys.stdin.buffer)) is not None:
        told, jobs = batch
        order = told or order
        assert order is not None, "a project's order comes with its first batch"
        send(answers, [plain(read_job(job, order)) for job in jobs])
        batches += 1
        if batches % COLLECTED == 0:
            gc.collect()
        if batches == 1:
            gc.freeze()  # what was loaded stays, and need not be looked through each time
