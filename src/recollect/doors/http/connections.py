"""Connections and processes of the server, where uvicorn would wait without end.

It gives a client all the time it wants to send the head of a request, which needs no key; and while several processes
stop, the one that started them keeps the socket open, so that whoever connects then waits for nobody.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.supervisors import Multiprocess

from recollect.errors import Unavailable
from recollect.settings import ServiceSettings

BACKLOG = 2_048


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on the address, or an error that says what to do.

    It says that it speaks TCP: only then does asyncio have the rest of a reply sent at once. Otherwise that waits until
    the client has confirmed the first part, which takes 40 ms.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        message = f"cannot listen on {host!r}, port {port}: {error.strerror}; choose another with --host or --port"
        raise Unavailable(message) from error
    told = socket.socket(family, kind, protocol, fileno=bound.detach())
    told.set_inheritable(True)
    return told


def guarded(service: ServiceSettings) -> dict[str, Any]:
    """How a server of ours is set up, whatever it serves: nobody holds it up, learns what it is or says who he is."""
    return {
        "http": Prompt,
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,  # an address a client can claim is not one to trust
        "timeout_graceful_shutdown": service.stop_seconds,
        "ws": "none",
    }


class Prompt(H11Protocol):
    """A connection that is closed unless the whole head of a request arrives within the time one may be idle."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head."""
        super().connection_made(transport)
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for the next one."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for any more."""
        super().connection_lost(exc)
        if self._waiting is not None:
            self._waiting.cancel()

    def _wait(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self.loop.call_later(self.timeout_keep_alive, self._give_up, self.cycle)

    def _give_up(self, before: RequestResponseCycle | None) -> None:
        """Close it, unless another request than the one before has come, or that one is not answered yet."""
        if self.cycle is before and (before is None or before.response_complete):
            self.transport.close()


class Workers(Multiprocess):
    """Processes that share a socket, which nobody holds open once they are to stop."""

    def terminate_all(self) -> None:
        """Tell all processes to stop."""
        for each in self.sockets:
            each.close()
        super().terminate_all()
