"""A faster path for check-ins through uvicorn: `uvicorn --http walle.gateway.uvicorn_protocol:CheckInProtocol`.

The check-in is an ordinary ASGI request and works on any server. Under uvicorn more than half of its cost is the
machinery of every ASGI request (a task, a request cycle, three messages), which an answer from memory does not need.
This protocol extends uvicorn's own and answers plain check-ins as soon as their headers are read. All others (an error,
a closing connection, a pipeline, an access log) take uvicorn's usual path.
"""

from __future__ import annotations

from typing import Any, Final

from walle.gateway.checkin import STATE_KEY, CheckInHandler, walle_headers
from walle.gateway.uvicorn_sending import FileSendingProtocol

_URL: Final = b"/walle/v1/checkin"
_STATUS: Final = b"HTTP/1.1 204 No Content\r\n"


class CheckInProtocol(FileSendingProtocol):
    """uvicorn's HTTP protocol with a faster path for check-ins and another one for files."""

    _answered = False

    def on_headers_complete(self) -> None:
        if self.url == _URL and self._is_plain():
            handler: CheckInHandler = self.app_state[STATE_KEY]
            answer = handler.answer(walle_headers(self.headers))
            if answer.problem is None:
                self._answered = True
                self._write(answer.headers)
                return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self._answered:
            self._silent = 0
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self._answered:
            self._answered = False
        else:
            super().on_message_complete()

    def _is_plain(self) -> bool:
        """Return whether request, connection and server settings allow the faster path."""
        return (
            self.parser.get_method() == b"POST"
            and self.parser.should_keep_alive()
            and self.parser.get_http_version() == "1.1"
            and not self.parser.should_upgrade()
            and not self.expect_100_continue
            and (self.cycle is None or self.cycle.response_complete)
            and not self.flow.write_paused
            and not self.config.access_log
            and not self.root_path
            and self.limit_concurrency is None
            and STATE_KEY in self.app_state
        )

    def _write(self, headers: list[tuple[bytes, bytes]]) -> None:
        lines: list[Any] = [_STATUS]
        for name, value in (*self.server_state.default_headers, *headers):
            lines += (name, b": ", value, b"\r\n")
        lines.append(b"\r\n")
        self.transport.write(b"".join(lines))
        self.on_response_complete()
