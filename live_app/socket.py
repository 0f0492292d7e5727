"""The ASGI application at /live; walleweb.asgi checks the origin and the session first.

Frames go by `server_send` of the scope, the server's own (walleweb.sockets).

It is no consumer of Channels': that would hand each message through a dispatcher of its own, client by client
(docs/adr/0013).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from live_app import protocol
from live_app.client import LiveClient, Send
from live_app.counts import COUNTS
from live_app.hub import MOST_SOCKETS, Hub
from live_app.protocol import LOG_IN, TOO_MANY, Subscribe, SubscriptionRefused, Unsubscribe, read_message

Receive = Callable[[], Awaitable[dict[str, Any]]]


class LiveSocket:
    """The ASGI application: each connection is a client of the hub of this process."""

    def __init__(self) -> None:
        self._hub: Hub | None = None

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        if not scope["user"].is_authenticated:
            # Accepted first: of a refused handshake browsers tell pages no reason.
            await send({"type": "websocket.close", "code": LOG_IN})
            return
        hub = self._hub = self._hub or Hub()
        if not hub.has_room(scope["user"]):
            COUNTS.closed["too-many"] += 1
            reason = f"expected at most {MOST_SOCKETS} sockets"
            await send({"type": "websocket.close", "code": TOO_MANY, "reason": reason})
            return
        client = LiveClient(scope["user"], scope["session"].session_key, scope["server_send"], hub.waits)
        hub.enter(client)
        try:
            await _either(client.over, _listen(hub, client, receive))
        finally:
            client.end()
            hub.leave(client)


async def _either(*works: Any) -> None:
    """Wait until one of both ends, and cancel the other."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        # A client that is gone while something is sent to it (OSError) is nothing special.
        if isinstance(result, Exception) and not isinstance(result, OSError):
            raise result


async def _listen(hub: Hub, client: LiveClient, receive: Receive) -> None:
    """Receive messages until the client disconnects, one at a time: further ones wait for the answer."""
    while (message := await receive())["type"] == "websocket.receive":
        try:
            await _obey(hub, client, message.get("text"))
        except SubscriptionRefused as error:
            client.refuse(error)


async def _obey(hub: Hub, client: LiveClient, text: str | None) -> None:
    match read_message(text):
        case Subscribe(topic, after):
            await hub.subscribe(client, topic, after)
        case Unsubscribe(topic):
            hub.unsubscribe(client, topic)
        case _:
            client.enqueue("", protocol.PONG)
