"""Work that follows an answer: noting its trace, learning from it. The answer never waits for it.

One daemon thread does it in order. What fails is kept in `problems`, for `doctor` to show; it never reaches a caller.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable

from recollect.errors import RecollectError

MOST_WAITING = 1_000  # jobs; beyond that new ones are left out and counted, so that a stuck disk cannot fill the memory
MOST_PROBLEMS = 20

Job = Callable[[], object]


class Aftermath:
    """Jobs done in the order they were given, by a thread that starts with the first."""

    def __init__(self) -> None:
        self._jobs: queue.Queue[Job] = queue.Queue(maxsize=MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.problems: deque[str] = deque(maxlen=MOST_PROBLEMS)
        self.left_out = 0

    def then(self, job: Job) -> None:
        """Do this later."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self.left_out += 1
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():  # not alive: forked, or never started
                self._start()

    def settle(self, seconds: float) -> bool:
        """Wait until all that was given so far is done, no longer than this; whether it is."""
        if self._thread is None:
            return True
        done = threading.Event()
        try:
            self._jobs.put(done.set, timeout=seconds)
        except queue.Full:
            return False
        return done.wait(seconds)

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._work, name="recollect-aftermath", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            while True:
                self._do(self._jobs.get())
        finally:  # only a bug ends it, and loudly; what waits is done all the same
            with self._lock:
                self._start()

    def _do(self, job: Job) -> None:
        try:
            job()
        except RecollectError as error:
            self.problems.append(f"{type(error).__name__}: {error}")
