"""Running the service: a socket, one process or several, and an orderly end.

On SIGTERM no new request is taken, those in progress are finished within `service.stop_seconds`, and the engine is
closed, which writes what is still to be noted. Several processes share the socket; each opens the store for itself.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from recollect.doors.http.app import make_app
from recollect.doors.http.aside import aside
from recollect.doors.http.connections import Workers, guarded, listen
from recollect.doors.http.gate import is_loopback
from recollect.doors.http.keys import KeyRing
from recollect.engine import Recollect
from recollect.errors import InvalidInput
from recollect.settings import Settings

PLAN_VARIABLE = "RECOLLECT_SERVE"  # hands the plan to worker processes; not a setting, so the engine must not see it
FACTORY = "recollect.doors.http.serve:worker_app"
LOGGED = {
    "recollect": logging.INFO,
    "uvicorn": logging.WARNING,
    "asyncio": logging.WARNING,
    "concurrent.futures": logging.WARNING,
}
# How soon a thread that computes lets the loop have its turn. With Python's 5 ms two busy threads made the loop 315 ms
# late on two cores with other work on them, with 1 ms 71, with 0.2 ms 43.
TURN_SECONDS = 0.0005
# When Python looks for objects that only hold each other: nothing else runs meanwhile. With its own 700, 10, 10 it went
# through everything more than three times a second under load, 25 to 60 ms each, and found some hundred objects.
COLLECTED_AFTER = (10_000, 20, 1_000)


@dataclass(frozen=True, slots=True)
class ServePlan:
    """Which store is served, and with which settings."""

    store: Path
    config: Path | None
    arguments: Mapping[str, Any]
    environment: Mapping[str, str]

    def packed(self) -> str:
        """The same as text, for worker processes."""
        arguments = {name: str(value) if isinstance(value, Path) else value for name, value in self.arguments.items()}
        config = str(self.config) if self.config else None
        return json.dumps([str(self.store), config, arguments, dict(self.environment)])

    @classmethod
    def unpacked(cls, text: str) -> ServePlan:
        """From text."""
        store, config, arguments, environment = json.loads(text)
        return cls(Path(store), Path(config) if config else None, arguments, environment)


def check_open(settings: Settings) -> None:
    """Refuse to listen where others can reach it unless they need a key."""
    host = settings.service.host
    if not is_loopback(host) and not KeyRing(settings.store.path).required:
        message = (
            f"without keys anybody who reaches {host!r} could read everything; make one with 'recollect keys create', "
            "or listen on 127.0.0.1"
        )
        raise InvalidInput(message, field="service.host")


def open_app(plan: ServePlan) -> FastAPI:
    """The service over the store of this plan."""
    sys.setswitchinterval(TURN_SECONDS)
    gc.set_threshold(*COLLECTED_AFTER)
    return make_app(aside(_engine(plan)))


def _engine(plan: ServePlan) -> Recollect:
    return Recollect.open(plan.store, config=plan.config, environment=plan.environment, **plan.arguments)


def worker_app() -> FastAPI:
    """The same in a worker process."""
    log_to_stderr()
    return open_app(ServePlan.unpacked(os.environ[PLAN_VARIABLE]))


async def serve(plan: ServePlan, settings: Settings, *, listening: Callable[[str], None]) -> None:
    """Serve until told to stop; `listening` is told the address."""
    check_open(settings)
    with logging_to_stderr():
        await _serve(plan, settings, listening)


async def _serve(plan: ServePlan, settings: Settings, listening: Callable[[str], None]) -> None:
    with listen(settings.service.host, settings.service.port) as bound:
        host, port = bound.getsockname()[:2]
        address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        if settings.service.workers > 1:
            await _engine(plan).close()  # or processes that cannot open it would be started again and again
            os.environ[PLAN_VARIABLE] = plan.packed()
            workers = Workers(_config(FACTORY, settings, factory=True), sockets=[bound])
            listening(address)
            workers.run()
            return
        server = uvicorn.Server(_config(open_app(plan), settings))
        listening(address)
        with _ending_well():
            await server.serve(sockets=[bound])


def _config(app: FastAPI | str, settings: Settings, *, factory: bool = False) -> uvicorn.Config:
    return uvicorn.Config(app, factory=factory, workers=settings.service.workers, **guarded(settings.service))


@contextmanager
def logging_to_stderr() -> Iterator[None]:
    """Inside this block lines go to stderr as `log_to_stderr` says; a caller's own logging is put back after it."""
    loggers = [logging.getLogger(name) for name in LOGGED]
    before = [(each.handlers[:], each.level, each.propagate) for each in loggers]
    log_to_stderr()
    try:
        yield
    finally:
        for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
            logger.handlers[:] = handlers
            logger.setLevel(level)
            logger.propagate = propagate


class Lines(logging.Formatter):
    """Lines of JSON: ours as they are, those of the parts we use without what an error says, which may be content."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as one line."""
        message = record.getMessage()
        if message.startswith("{"):
            return message
        raised = record.exc_info[0] if record.exc_info else None
        line = {"event": "server", "level": record.levelname.lower(), "detail": message.partition("\n")[0]}
        return json.dumps({**line, "error": raised.__name__ if raised else None})


def log_to_stderr() -> None:
    """All lines that matter, as JSON; of the parts we use only warnings."""
    out = logging.StreamHandler(sys.stderr)
    out.setFormatter(Lines())
    for name, level in LOGGED.items():
        logger = logging.getLogger(name)
        logger.handlers[:] = [out]
        logger.setLevel(level)
        logger.propagate = False


@contextmanager
def _ending_well() -> Iterator[None]:
    """The server raises the signal that ended it once more; being told to stop is no failure."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
