"""Real servers on loopback for the tests of this folder."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from recollect.models.hashing import hash_text

Reply = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@contextmanager
def serve(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def black_hole() -> Iterator[str]:
    """A host that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def hub(files: Mapping[str, bytes]) -> Iterator[str]:
    """A model hub that serves these contents, whatever the path before the file name."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = files.get(self.path.rsplit("/", 1)[-1])
            send(self, 404 if data is None else 200, data or b"", headers={})

        def log_message(self, *args: Any) -> None:
            pass

    with serve(Handler) as url:
        yield url


class EmbeddingServer:
    """Speaks OpenAI's protocol with hashed vectors; `script` holds what to answer instead, one a request."""

    def __init__(self) -> None:
        self.script: deque[Reply] = deque()
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.url = ""

    def handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.keys.append(self.headers["Authorization"])
                reply = server.script.popleft() if server.script else embeddings
                reply(self, body)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    with serve(server.handler()) as url:
        server.url = f"{url}/v1"
        yield server


def send(handler: BaseHTTPRequestHandler, status: int, data: bytes, *, headers: Mapping[str, str]) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(data)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    with suppress(OSError):  # the client had enough
        handler.wfile.write(data)


def embeddings(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """A right answer, in reverse order and not of length one, as servers may send it."""
    assert all(body["input"]), "OpenAI refuses an empty text"
    rows = [unpack(hash_text(text, dimensions=body.get("dimensions", 32))) for text in body["input"]]
    items = [{"index": place, "embedding": [3 * value for value in row]} for place, row in enumerate(rows)]
    send(handler, 200, json.dumps({"object": "list", "data": items[::-1]}).encode(), headers={})


def status(code: int, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, body: send(
        handler, code, json.dumps({"error": handler.headers["Authorization"]}).encode(), headers=named
    )


def answer(value: Any) -> Reply:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda handler, body: send(handler, 200, data, headers={})


def slow(seconds: float) -> Reply:
    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        time.sleep(seconds)
        embeddings(handler, body)

    return reply


def hang_up(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.close_connection = True


def unpack(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)
