"""The settings of the service: where it listens, what one caller may ask of it, and what it writes down.

Each field carries what it does, where its number came from, and the bounds outside which it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.setting_groups import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """`recollect serve`: address, limits for each caller, times, and the log."""

    host: str = setting("127.0.0.1", "address to listen on; beyond loopback it needs keys", origin="safe by default")
    port: int = setting(8765, "port to listen on; 0 takes a free one", origin="hand-set", low=0, high=65_535)
    mcp_port: int = setting(
        8766, "port of `recollect mcp --http`; 0 takes a free one", origin="the one beside", low=0, high=65_535
    )
    workers: int = setting(
        1,
        "processes that serve; each opens the store and counts its own limits",
        origin="one keeps models and caches once",
        low=1,
        high=64,
    )
    allowed_hosts: str = setting("", "names a request may call this host by, beside its own, separated by commas")
    allowed_origins: str = setting(
        "", "origins of web pages that may ask, such as https://notes.example, separated by commas"
    )
    max_body_bytes: int = setting(
        2_000_000,
        "a larger request is refused",
        origin="ten memories of the greatest length; reading it holds the loop about 10 ms",
        low=1_000,
        high=1_000_000_000,
    )
    requests_per_second: float = setting(
        500.0,
        "requests of one caller a second, over time",
        origin="more than one process answers on two cores",
        low=0.01,
        high=1_000_000,
    )
    burst: int = setting(
        1_000, "requests one caller may make at once before that counts", origin="hand-set", low=1, high=1_000_000
    )
    concurrent_requests: int = setting(
        128, "requests of one caller in progress, at most", origin="twice 64 clients on one key", low=1, high=100_000
    )
    questions_at_once: int = setting(
        4,
        "questions a process answers at the same time; the others wait for their turn",
        origin="benchmarks/serve_load.py, two cores",
        low=1,
        high=1_000,
    )
    request_seconds: float = setting(
        60.0, "a request that takes longer is ended", origin="twenty times the usual deadline", low=0.1, high=86_400
    )
    stop_seconds: int = setting(
        10,
        "how long stopping waits for requests in progress",
        origin="hand-set: less than the 30 seconds most supervisors wait",
        low=0,
        high=3_600,
    )
    log_content: bool = setting(
        False, "also write tracebacks of bugs to the log; they may quote what was asked and stored"
    )
    ingest_roots: str = setting(
        "",
        "folders below which projects may be read in over HTTP, separated by commas; empty: none is",
        origin="safe by default",
    )
