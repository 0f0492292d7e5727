"""A WebSocket application for tests of what stands before a server: it accepts every handshake and echoes messages."""

from typing import Any


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answer a WebSocket with its own messages; every other scope is refused by returning."""
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "bytes": message["bytes"]})
