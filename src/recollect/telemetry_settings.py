"""The settings of telemetry: who is told what the verbs do, and how much.

Each field carries what it does, where its number came from, and the bounds outside which it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.setting_groups import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySettings:
    """Spans, metrics and logs. Everything but `metrics` is off until it is switched on."""

    otel: bool = setting(
        False,
        "a span for each call, step and lookup, to this process's tracer provider; needs the extra telemetry",
    )
    logs: bool = setting(False, "a JSON line for each call, on the logger 'recollect'")
    metrics: bool = setting(True, "the service counts its calls for GET /metrics; needs the extra telemetry")
    content: bool = setting(False, "let questions, lookups and memories stand in spans and logs; never in metrics")
    spaces: bool = setting(False, "let the names of spaces stand in spans, logs and metrics")
    sizes_seconds: float = setting(
        60.0,
        "how old the store sizes in metrics may be before the spaces are counted again",
        origin="hand-set: counting opens every space",
        low=0,
        high=86_400,
    )
