"""Full TLS handshakes against resumed ones: a server that ends TLS itself, or nginx, with a certificate of its own."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

_REQUEST = "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@dataclass
class Handshakes:
    """The handshakes of one kind: seconds of each, the server's CPU seconds and the bytes of all, how many resumed."""

    seconds: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    bytes_each: list[int] = field(default_factory=list)
    resumed: int = 0

    @property
    def median_ms(self) -> float:
        return float(np.median(self.seconds)) * 1e3

    @property
    def bytes_median(self) -> float:
        """Bytes of a handshake in both directions, up to the client's last message."""
        return float(np.median(self.bytes_each))

    @property
    def cpu_us(self) -> float:
        """CPU time of the server for one connection."""
        return self.cpu_s / len(self.seconds) * 1e6


def shake_hands(
    port: int, certificate: Path, path: str, count: int, cpu_seconds: Callable[[], float]
) -> dict[str, Handshakes]:
    """Connect `count` times in either way, in turns, with one request each, whose answer brings the next session."""
    context = ssl.create_default_context(cafile=str(certificate))
    request = _REQUEST.format(path=path).encode()
    found = {"full": Handshakes(), "resumed": Handshakes()}
    session = _connect(port, context, request, None, Handshakes())
    for _ in range(count):
        for kind, shaken in found.items():
            before = cpu_seconds()
            session = _connect(port, context, request, session if kind == "resumed" else None, shaken)
            shaken.cpu_s += cpu_seconds() - before
    return found


def _connect(
    port: int, context: ssl.SSLContext, request: bytes, session: ssl.SSLSession | None, shaken: Handshakes
) -> ssl.SSLSession:
    with socket.create_connection(("127.0.0.1", port), 30) as plain:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost", session=session)
        wire = _Wire(plain, incoming, outgoing)
        began = time.perf_counter()
        wire.run(tls.do_handshake)
        shaken.seconds.append(time.perf_counter() - began)
        shaken.bytes_each.append(wire.passed)
        wire.run(lambda: tls.write(request))
        while wire.run(lambda: tls.read(1 << 16)):
            pass
        shaken.resumed += tls.session_reused or False
        if tls.session is None:
            raise SystemExit("expected the server to give a TLS session, found none")
        return tls.session


class _Wire:
    """Moves what TLS writes and reads over a blocking socket, and counts the bytes."""

    def __init__(self, plain: socket.socket, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> None:
        self._plain, self._incoming, self._outgoing = plain, incoming, outgoing
        self.passed = 0

    def run(self, step: Callable[[], Any]) -> Any:
        """Do a step of TLS, with as much moved as it needs; empty bytes at the end."""
        while True:
            try:
                done = step()
            except ssl.SSLWantReadError:
                self._flush()
                data = self._plain.recv(1 << 16)
                self.passed += len(data)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                return b""
            else:
                self._flush()
                return done

    def _flush(self) -> None:
        if written := self._outgoing.read():
            self.passed += len(written)
            self._plain.sendall(written)
