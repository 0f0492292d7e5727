"""uvicorn's HTTP protocol with bounds on the head of a request, enforced while it arrives.

httptools accepts request lines, headers and trailers of any number and length, and joins each from the pieces in which
it arrives. So a long one that is sent slowly is copied with every piece, on the event loop, before any authentication.
This protocol answers 431 as soon as a head is too large, and drops the rest of what its sender sends.
"""

from __future__ import annotations

from typing import Final, NoReturn

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from walle.gateway.problems import HttpProblem

MAX_LINES: Final = 100
"""The most header lines of a request, trailers after a chunked body included."""
MAX_HEAD: Final = 64 << 10
"""The most bytes of a request's target and of the names and values of its headers together."""
_LINGER_S: Final = 2.0
"""How long the connection stays open after the answer: the reset of an earlier close could destroy the answer."""


class HeadTooLarge(Exception):
    """Ends the parsing of a request whose head is too large."""


class BoundedHeadProtocol(HttpToolsProtocol):
    """uvicorn's protocol with bounds on the head of a request."""

    _head = 0  # bytes of the head so far
    _silent = 0  # bytes that the parser has taken since its last callback: it buffers them, or they are no request
    _too_large = False
    _refused = False

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._silent += len(data)
        super().data_received(data)
        if self._silent > MAX_HEAD and not self._refused:
            self._refuse()

    def on_message_begin(self) -> None:
        self._head = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._grow(len(name) + len(value))
        if len(self.headers) == MAX_LINES:
            self._stop()
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._silent = 0
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be parsed; uvicorn calls this also if HeadTooLarge ended the parsing."""
        if self._too_large:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _grow(self, size: int) -> None:
        self._silent = 0
        self._head += size
        if self._head > MAX_HEAD:
            self._stop()

    def _stop(self) -> NoReturn:
        self._too_large = True
        raise HeadTooLarge

    def _refuse(self) -> None:
        self._refused = True
        self._unset_keepalive_if_required()
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.close()  # in the middle of another answer
            return
        self.transport.write(self._refusal())
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self.loop.call_later(_LINGER_S, self.transport.close)
        else:
            self.transport.close()

    def _refusal(self) -> bytes:
        expected = f"expected at most {MAX_LINES} header lines, and {MAX_HEAD} bytes of target and headers"
        problem = HttpProblem(431, "headers-too-large", expected)
        headers = [*self.server_state.default_headers, *problem.headers(), (b"connection", b"close")]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        return b"HTTP/1.1 431 Request Header Fields Too Large\r\n%b\r\n%b" % (lines, problem.body())
