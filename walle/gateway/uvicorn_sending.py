"""uvicorn's HTTP protocol with the ASGI extension `http.response.zerocopysend`, which uvicorn itself does not have.

An application may answer a GET with `{"type": "http.response.zerocopysend", "file": ..., "offset": ..., "count": ...}`
after a start that names the Content-Length; that part of the file is then copied to the socket without passing through
this process (walle.artifacts.sending). It is offered on plain TCP only, because TLS has to encrypt the bytes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from walle.artifacts.http import ZERO_COPY
from walle.artifacts.sending import AVAILABLE, FileSender, Transfer
from walle.gateway.uvicorn_heads import BoundedHeadProtocol

_sender = FileSender()


class FileSendingProtocol(BoundedHeadProtocol):
    """uvicorn's protocol with the extension for sending files."""

    _transfer: Transfer | None = None

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        if AVAILABLE and self.scheme == "http" and cycle.scope["method"] == "GET":
            app = partial(self._run, app, cycle)
        super()._start_asgi_task(cycle, app)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transfer:
            self._transfer.abort()
        super().connection_lost(exc)

    async def _run(self, app: Any, cycle: RequestResponseCycle, scope: Any, receive: Any, send: Any) -> None:
        async def send_or_copy(message: Any) -> None:
            if message["type"] == ZERO_COPY:
                await self._send_file(cycle, message["file"].fileno(), message["offset"], message["count"])
                await send({"type": "http.response.body", "more_body": message.get("more_body", False)})
            else:
                await send(message)

        await app({**scope, "extensions": {ZERO_COPY: {}}}, receive, send_or_copy)

    async def _send_file(self, cycle: RequestResponseCycle, file: int, offset: int, count: int) -> None:
        if not cycle.response_started or cycle.chunked_encoding or count > cycle.expected_content_length:
            raise RuntimeError("expected a response with a Content-Length that the part of the file does not exceed")
        await self._flush()
        if cycle.disconnected or not count:
            return
        connection = self.transport.get_extra_info("socket").fileno()
        self._transfer = _sender.start(connection, file, range(offset, offset + count))
        try:
            await self._transfer.finished()
            cycle.expected_content_length -= count
        except ConnectionError:
            # The transfer notices this first; the event loop only when it reads.
            cycle.disconnected = True
            self.transport.abort()
        finally:
            self._transfer = None

    async def _flush(self) -> None:
        """Return when the transport has nothing left to write, so that the transfer may write to the socket."""
        if not self.transport.get_write_buffer_size():
            return
        low, high = self.transport.get_write_buffer_limits()
        self.transport.set_write_buffer_limits(high=0)
        await self.flow.drain()
        if not self.transport.is_closing():
            self.transport.set_write_buffer_limits(high, low)
