"""Connections that ask for nothing are not kept; those whose request is being answered are, however long it takes."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
import uvicorn

from recollect.doors.http.connections import Prompt, listen
from recollect.errors import Unavailable

PATIENCE = 60.0
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", REQUEST[:20], REQUEST + REQUEST[:20]], ids=["nothing", "half", "one and a half"])
def test_a_connection_that_brings_no_whole_request_is_closed(sent: bytes) -> None:
    idle_is_closed = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/slow":
            await asyncio.wait_for(idle_is_closed.wait(), PATIENCE)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def talk() -> tuple[bytes, bytes]:
        listener = listen("127.0.0.1", 0)
        config = uvicorn.Config(app, http=Prompt, timeout_keep_alive=1, lifespan="off", log_config=None, ws="none")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        address = listener.getsockname()
        from_slow, to_slow = await asyncio.open_connection(*address)
        to_slow.write(REQUEST.replace(b"/ ", b"/slow "))
        from_idle, to_idle = await asyncio.open_connection(*address)
        to_idle.write(sent)
        idle = await asyncio.wait_for(from_idle.read(), PATIENCE)  # until it is closed
        idle_is_closed.set()
        slow = await asyncio.wait_for(from_slow.readline(), PATIENCE)
        for each in (to_slow, to_idle):
            each.close()
        server.should_exit = True
        await serving
        return idle, slow

    idle, slow = asyncio.run(talk())
    assert idle.count(b"204 No Content") == sent.count(REQUEST)
    assert b"204" in slow


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_no_reply_waits_for_the_client_to_confirm_its_first_part(host: str) -> None:
    async def sends_at_once() -> int:
        accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def met(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        try:
            bound = listen(host, 0)
        except Unavailable as error:
            pytest.skip(str(error))
        async with await asyncio.start_server(met, sock=bound):
            _, client = await asyncio.open_connection(*bound.getsockname()[:2])
            client.close()
            return await asyncio.wait_for(accepted, PATIENCE)

    assert asyncio.run(sends_at_once()) == 1


def test_an_address_in_use_is_told_with_a_remedy() -> None:
    with listen("127.0.0.1", 0) as bound, pytest.raises(Unavailable, match=r"in use.*choose another with --host or"):
        listen("127.0.0.1", bound.getsockname()[1])
