"""Devices that pull one file at the same time, in a process of their own, and one that is killed midway.

The pulling devices discard the bytes in their sockets without copying them (MSG_TRUNC), so that one core of them is
faster than the servers it measures.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import httpx
import numpy as np

from walle.device.storage.disk import Disk
from walle.device.storage.files import Files
from walle.device.updates.downloader import Downloader, DownloadTarget

FORK = multiprocessing.get_context("fork")
_LOW_PRIORITY = 10
_MOST = 1 << 20


@dataclass(frozen=True)
class Pulls:
    """The result of pulls that began together: seconds until the last ended, seconds of each, bytes of all."""

    seconds: float
    each: list[float]
    size: int

    @property
    def rate_mb(self) -> float:
        """Million bytes per second, of all devices together."""
        return self.size / self.seconds / 1e6

    def percentile_ms(self, q: float) -> float:
        return float(np.percentile(self.each, q)) * 1e3


class _Device:
    """Requests the file and reads the answer, once or repeatedly."""

    def __init__(self, port: int, path: str, size: int) -> None:
        self.size = size
        self._request = f"GET {path} HTTP/1.1\r\nHost: walle\r\n\r\n".encode()
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)

    def request(self) -> None:
        self.left: int | None = None
        self.head = b""
        self.requested = time.perf_counter()
        self.socket.send(self._request)

    def take(self) -> bool:
        """Read the available bytes; return whether the answer is complete."""
        if self.left is None:
            self._read_head()
        else:
            self.left -= self._some(min(self.left, _MOST))
        return self.left == 0

    def _read_head(self) -> None:
        self.head += self.socket.recv(4096)
        head, end, body = self.head.partition(b"\r\n\r\n")
        if end:
            if not head.startswith(b"HTTP/1.1 200") or b"content-length: %d" % self.size not in head.lower():
                raise SystemExit(f"expected the whole file, found {head[:200]!r}")
            self.left = self.size - len(body)
        elif not self.head:
            raise SystemExit("the server closed a connection")

    def _some(self, most: int) -> int:
        taken = self.socket.recv_into(_DISCARDED, most, socket.MSG_TRUNC)
        if not taken:
            raise SystemExit("the server closed a connection in the middle of a file")
        return taken


_DISCARDED = bytearray(_MOST)


def pull(port: int, path: str, size: int, devices: int) -> Pulls:
    """Have a number of devices pull the file once, starting together."""
    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = FORK.Process(target=lambda: sending.send(_pull(port, path, size, devices)))
    process.start()
    sending.close()
    pulls: Pulls = receiving.recv()
    process.join()
    return pulls


def _pull(port: int, path: str, size: int, devices: int) -> Pulls:
    started = time.perf_counter()
    each = list(_ends(port, path, size, devices, again=False))
    return Pulls(time.perf_counter() - started, each, size * devices)


def _ends(port: int, path: str, size: int, devices: int, *, again: bool) -> Iterator[float]:
    """Yield the seconds that each pull took, as they end."""
    poll = select.epoll()
    present = {}
    for _ in range(devices):
        device = _Device(port, path, size)
        present[device.socket.fileno()] = device
        poll.register(device.socket, select.EPOLLIN)
    for device in present.values():
        device.request()
    while present:
        for descriptor, _ in poll.poll():
            device = present[descriptor]
            if not device.take():
                continue
            yield time.perf_counter() - device.requested
            if again:
                device.request()
            else:
                device.socket.close()
                del present[descriptor]


@contextmanager
def pulling(port: int, path: str, size: int, devices: int) -> Iterator[None]:
    """Have devices pull the file repeatedly for the length of the block, with low priority on their core."""

    def work() -> None:
        os.nice(_LOW_PRIORITY)
        for _ in _ends(port, path, size, devices, again=True):
            pass

    process = FORK.Process(target=work, daemon=True)
    process.start()
    time.sleep(0.5)
    try:
        yield
        if not process.is_alive():
            raise SystemExit("the pulling devices did not last")
    finally:
        process.kill()
        process.join()


def fetched(port: int, path: str, content: DownloadTarget, folder: Path) -> Path:
    """Return the file after the device SDK's downloader fetched and verified it."""
    files = Files(folder / "files", folder / "partial", Disk())

    async def fetch() -> Path:
        async with httpx.AsyncClient() as client:
            downloader = Downloader(client, files, randomness=random.Random(1).random)
            return await downloader.fetch(f"http://127.0.0.1:{port}{path}", content)

    return asyncio.run(fetch())


def resumed(port: int, path: str, content: DownloadTarget, folder: Path) -> tuple[int, int]:
    """Kill a device when it has two fifths of the file, and let another process continue.

    Returns the bytes that were missing then, and those sent over the network afterwards, headers included.
    """
    with _Relay(port, stop_after=content.size * 2 // 5) as relay:
        process = FORK.Process(target=fetched, args=(relay.port, path, content, folder))
        process.start()
        relay.stopped.wait(60)
        time.sleep(0.2)  # for the device to write down what it has received
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    missing = content.size - (folder / "partial" / content.digest).stat().st_size
    with _Relay(port, stop_after=None) as relay:
        process = FORK.Process(target=fetched, args=(relay.port, path, content, folder))
        process.start()
        process.join()
        came = relay.passed
    if sha256((folder / "files" / content.digest).read_bytes()).hexdigest() != content.digest:
        raise SystemExit("the resumed file is another one")
    return missing, came


class _Relay:
    """Forwards connections between devices and a server, and counts the bytes that the server sends."""

    def __init__(self, port: int, *, stop_after: int | None) -> None:
        self._target, self._limit = port, stop_after
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.passed = 0
        self.stopped = threading.Event()

    def __enter__(self) -> _Relay:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                device, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                threading.Thread(target=self._pass_on, args=(device, server), daemon=True).start()
                threading.Thread(target=self._count, args=(server, device), daemon=True).start()

    def _pass_on(self, device: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := device.recv(1 << 16):
                server.sendall(data)
        server.close()

    def _count(self, server: socket.socket, device: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                device.sendall(data)
                self.passed += len(data)
                if self._limit is not None and self.passed >= self._limit:
                    self.stopped.set()
                    return
        device.close()
