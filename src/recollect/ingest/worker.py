"""The program a reading process runs: an order, then batches of jobs on stdin; results on stdout, until stdin ends."""

from __future__ import annotations

import gc
import os
import signal
import sys

from recollect.ingest.pool import read_job, receive, send


def main() -> None:
    """Read what is asked for until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that a library prints gets between the answers
    order = receive(sys.stdin.buffer)
    gc.freeze()
    gc.disable()  # syntax trees are many small objects: collecting while they are made takes a third of the time
    while (batch := receive(sys.stdin.buffer)) is not None:
        send(answers, [read_job(job, order) for job in batch])
        gc.collect()


if __name__ == "__main__":
    main()
