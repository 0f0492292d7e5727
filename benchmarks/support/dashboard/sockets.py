"""The sockets of many browsers in one process, for little processor time: the part of RFC 6455 that servers use.

    python -m benchmarks.support.dashboard.sockets PLAN

PLAN is a JSON file, see `Plan`; the result is written beside it as JSON, see `Received`.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import re
import resource
import sys
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

EVENT = re.compile(rb'"event":\{"id":(\d+)')
CLOSE, PING, PONG = 8, 9, 10


@dataclass
class Plan:
    """The clients by their cookies, what each sends, and for how long is counted once all have received something."""

    port: int
    path: str
    cookies: list[str]
    messages: list[list[str]]
    seconds: float
    deflate: bool = False


@dataclass
class Received:
    """The result. `arrivals` are (event, monotonic seconds) of every client; the window is between the two moments."""

    begun: float = 0.0
    ended: float = 0.0
    frames: int = 0
    payload: int = 0
    closed: int = 0
    cpu_s: float = 0.0
    arrivals: list[tuple[int, float]] = field(default_factory=list)


class Socket(asyncio.Protocol):
    def __init__(self, plan: Plan, number: int, received: Received, opened: asyncio.Future[None]) -> None:
        self.plan, self.received, self.opened = plan, received, opened
        self.cookie, self.messages = plan.cookies[number], plan.messages[number]
        self.buffer = bytearray()
        self.shaken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n" if self.plan.deflate else ""
        key = base64.b64encode(b"0123456789abcdef").decode()
        host = f"127.0.0.1:{self.plan.port}"
        self.transport.write(
            f"GET {self.plan.path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{extension}"
            f"Cookie: {self.cookie}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.shaken:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if b" 101 " not in self.buffer[:20]:
                raise SystemExit(bytes(self.buffer[:200]))
            del self.buffer[: end + 4]
            self.shaken = True
            for text in self.messages:
                self.send(1, text.encode())
            if not self.messages:
                self._open()
        while self._frame():
            pass

    def _frame(self) -> bool:
        buffer = self.buffer
        if len(buffer) < 2:
            return False
        length, start = buffer[1] & 127, 2
        if length >= 126:
            start = 4 if length == 126 else 10
            length = int.from_bytes(buffer[2:start], "big")
        if len(buffer) < start + length:
            return False
        code, payload = buffer[0] & 15, bytes(buffer[start : start + length])
        del buffer[: start + length]
        self._take(code, payload)
        return True

    def _take(self, code: int, payload: bytes) -> None:
        if code == PING:
            self.send(PONG, payload)
            return
        if code == CLOSE:
            self.received.closed += 1
            return
        self._open()
        self.received.frames += 1
        self.received.payload += len(payload)
        if not self.plan.deflate:
            now = time.monotonic()
            self.received.arrivals += [(int(event), now) for event in EVENT.findall(payload)]

    def _open(self) -> None:
        if not self.opened.done():
            self.opened.set_result(None)

    def send(self, code: int, payload: bytes) -> None:
        """Send a frame masked with zeros, which servers cannot distinguish from another mask."""
        length = len(payload)
        head = (
            bytes([0x80 | code, 0x80 | length])
            if length < 126
            else bytes([0x80 | code, 0xFE]) + length.to_bytes(2, "big")
        )
        self.transport.write(head + bytes(4) + payload)


async def listen(plan: Plan) -> Received:
    loop, received, waiting = asyncio.get_running_loop(), Received(), []
    for number in range(len(plan.cookies)):
        opened: asyncio.Future[None] = loop.create_future()
        await loop.create_connection(
            lambda number=number, opened=opened: Socket(plan, number, received, opened), "127.0.0.1", plan.port
        )
        waiting.append(opened)
        if number % 20 == 0:
            await asyncio.sleep(0.05)
    await asyncio.wait_for(asyncio.gather(*waiting), 120)
    print("ready", flush=True)
    await asyncio.sleep(2)
    received.frames = received.payload = 0
    received.begun, cpu = time.monotonic(), _cpu()
    await asyncio.sleep(plan.seconds)
    received.ended, received.cpu_s = time.monotonic(), _cpu() - cpu
    frames, payload = received.frames, received.payload
    # Events committed within the time may still arrive.
    await asyncio.sleep(3)
    # A copy, because the sockets receive more until the loop is closed.
    return replace(received, frames=frames, payload=payload, arrivals=received.arrivals.copy())


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    import uvloop

    place = Path(sys.argv[1])
    # Searching all arrivals again and again would delay the next ones.
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        found = runner.run(listen(Plan(**json.loads(place.read_text()))))
    place.with_suffix(".heard").write_text(json.dumps(asdict(found)))
