"""Uploads over either protocol, one at a time or many at once; an upload ends with its acknowledgement."""

from __future__ import annotations

import asyncio
import json
import math
import ssl
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.support.tunnel import client, mqtt
from benchmarks.support.tunnel.client import LeanTunnel
from walle.gateway.checkin import RawCheckIn
from walle.protocol.compression import Dictionary, compress
from walle.protocol.tunnel_messages import write_values

TOPIC: Final = "features/shop/ipv"
_TIMEOUT_S: Final = 60.0

Values = dict[str, object]


class _Counting:
    """Counts acknowledgements, and wakes the one who waits for a number of them."""

    def __init__(self) -> None:
        self.acknowledged_count = 0
        self.on_progress: Callable[[], None] | None = None
        self._awaited, self._reached = 0, asyncio.Event()

    def _count(self, count: int) -> None:
        self.acknowledged_count = count
        if count >= self._awaited:
            self._reached.set()
        if self.on_progress is not None:
            self.on_progress()

    async def acknowledged(self, count: int, timeout_s: float = _TIMEOUT_S) -> None:
        """Wait until so many uploads are acknowledged. Raises TimeoutError."""
        if self.acknowledged_count < count:
            self._awaited = count
            self._reached.clear()
            await asyncio.wait_for(self._reached.wait(), timeout_s)


class TunnelUploader(_Counting):
    """Uploads over a tunnel, compressed as devices do it."""

    def __init__(self, headers: RawCheckIn, task: str, manifest: bytes, dictionary: Dictionary | None = None) -> None:
        super().__init__()
        self._headers, self._stream, self._dictionary = headers, (task, manifest), dictionary
        self._sequence = 0

    async def open(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.tunnel = await client.open_tunnel(port, lambda: LeanTunnel(self._headers, self._count), tls=tls)
        digest = self._dictionary.digest if self._dictionary else b""
        opened = await self.tunnel.greet(*self._stream, digest)
        if opened.dictionary != digest:
            self._dictionary = None

    def send(self, values: Values) -> None:
        self._sequence += 1
        encoding, body = compress(write_values(values), self._dictionary)
        self.tunnel.transport.write(client.feature(self._sequence, time.time(), encoding, body))

    def close(self) -> None:
        self.tunnel.transport.close()


class MqttUploader(_Counting):
    """Publishes values as JSON, as clients of MQTT do: the protocol has no compression of its own."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._number = name, 0

    async def open(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        _, self._publisher = await loop.create_connection(
            lambda: mqtt.Publisher(self._name, lambda number: self._count(self.acknowledged_count + 1)),
            "127.0.0.1",
            port,
        )
        await self._publisher.ready

    def send(self, values: Values) -> None:
        self._number = self._number % 65_535 + 1
        payload = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        self._publisher.publish(self._number, TOPIC, payload)

    def close(self) -> None:
        self._publisher.transport.close()


async def consume(port: int) -> mqtt.Consumer:
    """Have a broker hand the topic's messages to a consumer, or, if that is closed, keep them for it."""
    _, consumer = await asyncio.get_running_loop().create_connection(
        lambda: mqtt.Consumer("consumer"), "127.0.0.1", port
    )
    await consumer.ready
    consumer.subscribe(TOPIC)
    await consumer.subscribed
    return consumer


@dataclass(frozen=True)
class Rate:
    """Uploads per second, the CPU seconds that the server used for each, and how many there were."""

    per_s: float
    cpu_s: float
    count: int

    @property
    def per_core(self) -> float:
        """Uploads that one core of the server takes in a second; NaN where they took less than a tick of its clock."""
        return 1 / self.cpu_s if self.cpu_s else math.nan


async def saturate(
    uploaders: Sequence[TunnelUploader | MqttUploader],
    values: Sequence[Values],
    seconds: float,
    in_flight: int,
    cpu_seconds: Callable[[], float],
) -> Rate:
    """Keep `in_flight` uploads of each on the way for so many seconds; what is acknowledged within them counts.

    On a busy machine nothing may be yet, in a tiny run: then it lasts until something is.
    """
    queue = deque(values)

    def refill(uploader: TunnelUploader | MqttUploader, sent: list[int]) -> None:
        while sent[0] - uploader.acknowledged_count < in_flight:
            queue.rotate(1)
            uploader.send(queue[0])
            sent[0] += 1

    for uploader in uploaders:
        sent = [uploader.acknowledged_count]
        uploader.on_progress = lambda uploader=uploader, sent=sent: refill(uploader, sent)
        refill(uploader, sent)
    await asyncio.sleep(min(1.0, seconds / 4))
    count, cpu, began = _total(uploaders), cpu_seconds(), time.perf_counter()
    await asyncio.sleep(seconds)
    while _total(uploaders) == count and time.perf_counter() - began < _TIMEOUT_S:
        await asyncio.sleep(0.05)
    count, cpu, took = _total(uploaders) - count, cpu_seconds() - cpu, time.perf_counter() - began
    for uploader in uploaders:
        uploader.on_progress = None
    if not count:
        raise SystemExit("expected uploads to be acknowledged, found none")
    return Rate(count / took, cpu / count, count)


def _total(uploaders: Sequence[TunnelUploader | MqttUploader]) -> int:
    return sum(uploader.acknowledged_count for uploader in uploaders)
