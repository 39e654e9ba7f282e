"""How much one caller may ask: a bucket of tokens that fills up over time, and a count of what is in progress.

Counted in this process. Over a limit the caller is told how long to wait.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil

from recollect.doors.http.errors import TOO_MANY, Rejected, Told
from recollect.settings import ServiceSettings

MOST_CALLERS = 10_000  # remembered; whoever has not asked for longest is forgotten, which only fills their bucket
SOON = 1  # seconds, when it is another request that has to end first


class Bucket:
    """Tokens of one caller: one a request, filling up at a steady rate to `burst`."""

    __slots__ = ("at", "busy", "tokens")

    def __init__(self, tokens: float, at: float) -> None:
        self.tokens = tokens
        self.at = at
        self.busy = 0


class Limits:
    """The buckets of all callers."""

    def __init__(self, settings: ServiceSettings, monotonic: Callable[[], float]) -> None:
        self._settings = settings
        self._monotonic = monotonic
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    @contextmanager
    def admitted(self, who: str) -> Iterator[None]:
        """Inside this block the request counts as in progress; one over a limit is turned away."""
        bucket = self._bucket(who)
        self._take(bucket)
        if bucket.busy >= self._settings.concurrent_requests:
            most = self._settings.concurrent_requests
            raise _too_many(f"{most} requests of this caller are in progress already", SOON)
        bucket.busy += 1
        try:
            yield
        finally:
            bucket.busy -= 1

    def _bucket(self, who: str) -> Bucket:
        found = self._buckets.get(who)
        if found is None:
            found = self._buckets[who] = Bucket(float(self._settings.burst), self._monotonic())
            self._forget_some()
        self._buckets.move_to_end(who)
        return found

    def _take(self, bucket: Bucket) -> None:
        now, rate = self._monotonic(), self._settings.requests_per_second
        bucket.tokens = min(float(self._settings.burst), bucket.tokens + (now - bucket.at) * rate)
        bucket.at = now
        if bucket.tokens < 1:
            raise _too_many(f"more than {rate:g} requests a second", max(1, ceil((1 - bucket.tokens) / rate)))
        bucket.tokens -= 1

    def _forget_some(self) -> None:
        if len(self._buckets) > MOST_CALLERS:
            oldest = next((who for who, bucket in self._buckets.items() if not bucket.busy), None)
            if oldest is not None:
                del self._buckets[oldest]


def _too_many(detail: str, seconds: int) -> Rejected:
    remedy = f"try again in {seconds} s"
    return Rejected(TOO_MANY, Told(detail, remedy=remedy, headers={"Retry-After": str(seconds)}))
