"""The least work of a server: it sends a prepared text to everybody who is connected, ten times a second."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

EVERY_S = 0.1
_sends: set[Any] = set()
_tasks: list[asyncio.Task[None]] = []
TEXT = Path(os.environ["BENCH_BROADCAST"]).read_text() if "BENCH_BROADCAST" in os.environ else ""


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    _sends.add(send)
    if not _tasks:
        _tasks.append(asyncio.create_task(broadcast()))
    try:
        while (await receive())["type"] != "websocket.disconnect":
            pass
    finally:
        _sends.discard(send)


async def broadcast() -> None:
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        message = {"type": "websocket.send", "text": TEXT}
        for send in list(_sends):
            await send(message)
        due += EVERY_S
        await asyncio.sleep(max(0.0, due - loop.time()))
