"""A receiver of webhooks: a real HTTP server that answers as it is told to, and remembers what it was sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """`answers` are given one after the other, the last one for ever: a status, "drop", "hold", or raw bytes.

    One that holds answers 200 as soon as `release` is set.
    """

    port: int = 0
    answers: list[int | str | bytes] = field(default_factory=lambda: [200])
    received: list[Received] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    scheme: str = "http"
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hooks?team=red"

    def next_answer(self) -> int | str | bytes:
        with self._lock:
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.receiver.received.append(Received(self.path, headers, body))
        self._answer(self.receiver.next_answer())

    def _answer(self, answer):
        self.close_connection = True
        if answer == "hold":
            self.receiver.release.wait(30)
            answer = 200
        if answer == "drop":
            return
        if isinstance(answer, int):
            answer = f"HTTP/1.1 {answer} X\r\ncontent-length: 2\r\nlocation: {self.receiver.url}\r\n\r\nOK".encode()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that is gone is what some tests are about."""


@contextmanager
def receiving(*answers: int | str | bytes, trust: Any = None) -> Iterator[Receiver]:
    """A receiver that runs for the length of the block; with TLS if it is given a context."""
    receiver = Receiver(answers=list(answers) or [200], scheme="https" if trust else "http")
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"receiver": receiver}))
    if trust:
        server.socket = trust.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
