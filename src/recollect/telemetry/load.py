"""From settings to observers. Spans and metrics are loaded on use; without the extra they name it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect.errors import MissingExtra
from recollect.settings import TelemetrySettings
from recollect.telemetry.logs import Logs

if TYPE_CHECKING:
    from recollect.telemetry.metrics import Metrics

EXTRA = "telemetry"


def make_observers(settings: TelemetrySettings) -> list[Any]:
    """Spans and logs, as far as they are switched on; implements `ports.Observer`, each of them."""
    made: list[Any] = []
    if settings.otel:
        made.append(_loaded("recollect.telemetry.spans", needs="opentelemetry", what="telemetry.otel").Spans(settings))
    if settings.logs:
        made.append(Logs(settings))
    return made


def make_metrics(settings: TelemetrySettings) -> Metrics:
    """Metrics, for who serves them: hand them to the engine as an observer, and give out what they render."""
    what = "telemetry.metrics"
    made: Metrics = _loaded("recollect.telemetry.metrics", needs="prometheus_client", what=what).Metrics(settings)
    return made


def _loaded(module: str, *, needs: str, what: str) -> Any:
    try:
        import_module(needs)
    except ImportError as error:
        raise MissingExtra(what, extra=EXTRA) from error
    return import_module(module)
