"""Requests counted and timed, as Prometheus reads them: by route, method and status, never by who asked for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"  # a caller may make up a method; that must not make up a series
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Counts:
    """What was asked of this process so far."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._times: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}

    def add(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[method if method in METHODS else OTHER, route, status] += 1
        self._times[route] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds
        for bound in SECONDS:
            if seconds <= bound:
                self._within[route, bound] += 1

    def text(self) -> str:
        """All of it, in the text format.

        >>> counts = Counts()
        >>> counts.add(method="GET", route="/health", status=200, seconds=0.5)
        >>> counts.text().splitlines()[2]
        'recollect_http_requests_total{method="GET",route="/health",status="200"} 1'
        """
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# HELP recollect_http_requests_total Requests served."
        yield "# TYPE recollect_http_requests_total counter"
        for (method, route, status), count in sorted(self._requests.items()):
            yield f'recollect_http_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield "# HELP recollect_http_request_seconds How long requests took."
        yield "# TYPE recollect_http_request_seconds histogram"
        for route, times in sorted(self._times.items()):
            for bound in SECONDS:
                within = self._within[route, bound]
                yield f'recollect_http_request_seconds_bucket{{route="{route}",le="{bound}"}} {within}'
            yield f'recollect_http_request_seconds_bucket{{route="{route}",le="+Inf"}} {times}'
            yield f'recollect_http_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'recollect_http_request_seconds_count{{route="{route}"}} {times}'
