"""A crowd of devices that only check in: a process of its own, which counts what it was answered in each second.

`python -m benchmarks.support.rehearsal.crowd PORT CERTIFICATE REQUESTS` reads rates (check-ins a second, 0 for as many
as are answered) as lines, and ends with its input. Each second it writes a line of JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import ssl
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final

import uvloop

CONNECTIONS: Final = 48
SEPARATOR: Final = b"\r\n\r\n"
TIMEOUT_S: Final = 10.0
_AGAIN_S: Final = 0.1
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Crowd:
    """Connections that are kept open, each with one request outstanding."""

    def __init__(self, port: int, tls: ssl.SSLContext, requests: list[bytes]) -> None:
        self._port, self._tls, self._requests = port, tls, itertools.cycle(requests)
        self._rate: float | None = None
        self._latencies: list[float] = []
        self._refused: Counter[str] = Counter()

    async def live(self) -> None:
        lines = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        tasks = [asyncio.create_task(self._connection(index)) for index in range(CONNECTIONS)]
        tasks.append(asyncio.create_task(self._tell()))
        while line := await lines.readline():
            self._rate = float(line)
        for task in tasks:
            task.cancel()

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            latencies, self._latencies = sorted(self._latencies), []
            refused, self._refused = self._refused, Counter()
            said = {"at": time.time(), "answered": len(latencies), "refused": refused, "ms": _quantiles(latencies)}
            print(json.dumps(said), flush=True)

    async def _connection(self, index: int) -> None:
        streams: Streams | None = None
        due = time.monotonic()
        while True:
            if self._rate is None:
                await asyncio.sleep(_AGAIN_S)
                due = time.monotonic() + _AGAIN_S * index / CONNECTIONS
                continue
            if self._rate:
                # A crowd does not hurry because its last answers came late.
                due = max(due + CONNECTIONS / self._rate, time.monotonic() - 1.0)
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            streams = await self._ask(streams)

    async def _ask(self, streams: Streams | None) -> Streams | None:
        """Check in once; return the connection for the next time, None if it is closed."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                if streams is None or streams[0].at_eof() or streams[1].is_closing():
                    streams = await asyncio.open_connection(
                        "127.0.0.1", self._port, ssl=self._tls, server_hostname="localhost"
                    )
                reader, writer = streams
                writer.write(next(self._requests))
                head = await reader.readuntil(SEPARATOR)
        except (OSError, EOFError, TimeoutError) as error:
            self._refused[type(error).__name__] += 1
            _close(streams)
            await asyncio.sleep(_AGAIN_S)
            return None
        status = head[9:12].decode()
        if status == "204":
            self._latencies.append(1000 * (time.monotonic() - began))
        else:
            self._refused[status] += 1
        if status != "204" or b"connection: close" in head.lower():
            _close(streams)
            return None
        return streams


def _close(streams: Streams | None) -> None:
    if streams is not None:
        with contextlib.suppress(OSError):
            streams[1].transport.abort()


def _quantiles(ordered: list[float]) -> list[float]:
    """Return the median, the 99th percentile and the longest."""
    if not ordered:
        return [0.0, 0.0, 0.0]
    return [round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) for share in (0.5, 0.99, 1.0)]


def main() -> None:
    port, certificate, requests = sys.argv[1:]
    tls = ssl.create_default_context(cafile=certificate)
    written = [part + SEPARATOR for part in Path(requests).read_bytes().split(SEPARATOR) if part]
    uvloop.run(Crowd(int(port), tls, written).live())


if __name__ == "__main__":
    main()
