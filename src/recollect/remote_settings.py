"""The settings for a Recollect elsewhere: where its service is, and how patient its client is with it.

Each field carries what it does, where its number came from, and the bounds outside which it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.setting_groups import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSettings:
    """A service elsewhere, for `recollect.client` and for the source `remote`."""

    base_url: str | None = setting(None, "for the source remote: address of the service, like http://127.0.0.1:8765")
    api_key: str | None = field(
        default=None,
        repr=False,
        metadata={"what": "for the source remote: the key, sent as a bearer token and never logged"},
    )
    space: str | None = setting(
        None, "for the source remote: the space asked there; none: the one of the same name", origin="nothing is mixed"
    )
    timeout_seconds: float = setting(
        65.0,
        "a call without a deadline is given up after this",
        origin="a little longer than the service's own limit",
        low=0.01,
        high=86_400,
    )
    network_seconds: float = setting(
        2.0,
        "how long after its deadline an answer may still arrive",
        origin="hand-set: a slow line, not a lost one",
        low=0.01,
        high=600,
    )
    retries: int = setting(
        2, "times a call is made again, where that is safe", origin="hand-set; as for embeddings", low=0, high=10
    )
    retry_wait_seconds: float = setting(
        0.2, "wait before the first repetition, doubled each time, unless the service says how long", low=0, high=60
    )
