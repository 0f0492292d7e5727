"""A connection between a gateway and PostgreSQL that can be cut: TCP on one side, a unix socket on the other."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Literal

from benchmarks.support.walle import free_port

Cut = Literal["silence", "reset"]
_CHUNK = 1 << 16


class Link:
    """Forwards connections both ways until `cut`; runs in a thread of its own.

    Cut by "silence", data is held back and delivered when the link is repaired, as over a network that comes back; cut
    by "reset", connections break and new ones are refused.
    """

    def __init__(self, socket: Path) -> None:
        self.port = free_port()
        self._socket = socket
        self._loop = asyncio.new_event_loop()
        self._open = asyncio.Event()
        self._open.set()
        self._refusing = False
        self._transports: set[asyncio.WriteTransport] = set()
        self._carrying: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"link-{self.port}", daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._accept, "127.0.0.1", self.port))

    def cut(self, how: Cut) -> None:
        self._run(self._cut(how))

    def mend(self) -> None:
        self._run(self._mend())

    def close(self) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _cut(self, how: Cut) -> None:
        self._open.clear()
        if how == "reset":
            self._refusing = True
            self._abort()

    async def _mend(self) -> None:
        self._refusing = False
        self._open.set()

    async def _close(self) -> None:
        self._server.close()
        self._abort()
        for task in self._carrying:
            task.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    def _abort(self) -> None:
        for transport in tuple(self._transports):
            transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._carrying.add(task)
        try:
            await self._open.wait()
            await self._carry(reader, writer)
        finally:
            self._carrying.discard(task)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner, outer = await asyncio.open_unix_connection(self._socket)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer.transport, outer.transport}
        self._transports |= ends
        try:
            await asyncio.gather(self._pump(reader, outer), self._pump(inner, writer))
        finally:
            self._transports -= ends
            for end in ends:
                end.abort()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(_CHUNK):
                await self._open.wait()
                target.write(data)
                await target.drain()
        target.transport.abort() if target.is_closing() else target.close()
