"""Whatever devices, connections and the sink do: what is acknowledged is stored, once each, in order.

The endpoint is driven without sockets, so that every interleaving is one that the test has chosen.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.simulator import Clock, Cloud, make_gateway
from tests.gateway.tunnel.sinks import MemorySink
from tests.gateway.tunnel.wire import DIGEST, SPOOL, TASK, feature
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.tunnel.limits import TunnelLimits
from walle.protocol.tunnel_frames import (
    SUBPROTOCOL,
    Acknowledge,
    Frame,
    Hello,
    OpenStream,
    Skip,
    Welcome,
    read_cloud_frame,
    write_frame,
)

LIMITS = TunnelLimits(retry_s=0, retry_most_s=0, close_s=1, group=5, ahead=3000, total=6000)
"""A device may have three features waiting, all of them together six."""


@dataclass
class Connected:
    """One connection as ASGI shows it."""

    inbox: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    closed: bool = False

    def send(self, frame: Frame) -> None:
        self.send_bytes(write_frame(frame))

    def send_bytes(self, data: bytes) -> None:
        self.inbox.put_nowait({"type": "websocket.receive", "bytes": data})

    def cut(self) -> None:
        self.closed = True
        self.inbox.put_nowait({"type": "websocket.disconnect", "code": 1006})


class Device:
    """A device with a spool: `made` features, of which those up to `acknowledged` or `dropped` are gone."""

    def __init__(self, name: str, endpoint: TunnelEndpoint, cloud: Cloud, sink: MemorySink) -> None:
        self.key = ("shop", name, SPOOL)
        self.endpoint, self.sink = endpoint, sink
        headers = [(key.lower().encode(), value.encode()) for key, value in cloud.headers(name).items()]
        self.scope = {"type": "websocket", "path": "/", "headers": headers, "subprotocols": [SUBPROTOCOL]}
        self.made = self.acknowledged = self.following = 0
        self.dropped: set[int] = set()
        self.wrong: list[int] = []
        """What was acknowledged before it was stored."""
        self.connection: Connected | None = None
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def oldest(self) -> int:
        return max([self.acknowledged, *self.dropped]) + 1

    def connect(self) -> None:
        connection = self.connection = Connected()
        connection.inbox.put_nowait({"type": "websocket.connect"})

        async def send(message: dict[str, Any]) -> None:
            await asyncio.sleep(0)
            if message["type"] == "websocket.close":
                connection.closed = True
            elif message["type"] == "websocket.send" and not connection.closed:
                self.learn(read_cloud_frame(message["bytes"]))

        self.tasks.append(asyncio.create_task(self.endpoint(self.scope, connection.inbox.get, send)))
        connection.send(Hello(SPOOL, self.oldest))
        connection.send(OpenStream(1, TASK, DIGEST, b""))
        self.following = self.oldest

    def learn(self, frame: Frame) -> None:
        if isinstance(frame, Welcome | Acknowledge):
            number = frame.acknowledged if isinstance(frame, Welcome) else frame.sequence
            if number > self.sink.position_of(self.key):
                self.wrong.append(number)
            self.acknowledged = max(self.acknowledged, number)

    def act(self, action: str, number: int) -> None:
        if action == "send":
            self.made += number
        if action == "connect" or self.connection is None:
            self.connect()
            return
        connection = self.connection
        if action == "send":
            while self.following <= self.made:
                connection.send(feature(self.following))
                self.following += 1
        elif action == "repeat":
            for sequence in range(max(self.oldest, self.following - number), self.following):
                connection.send(feature(sequence))
        elif action == "jump":
            connection.send(feature(max(self.following, self.acknowledged + 1) + number))
        elif action == "damage":
            data = bytearray(write_frame(feature(self.following)))
            data[number] ^= 1
            connection.send_bytes(bytes(data))
        elif action == "drop" and self.following <= self.made:
            self.dropped.update(range(self.oldest, self.following + 1))
            self.following += 1
            connection.send(Skip(self.following))
        elif action == "cut":
            connection.cut()
            self.connection = None


DEVICE_ACTIONS = st.tuples(
    st.sampled_from(["send", "send", "send", "repeat", "jump", "damage", "drop", "cut", "connect", "connect"]),
    st.integers(0, 1),
    st.integers(1, 7),
)
SINK_ACTIONS = st.tuples(st.just("sink"), st.sampled_from(["up", "down", "forgetful", "slow"]), st.just(0))
PAUSES = st.tuples(st.just("pause"), st.just(0), st.integers(1, 30))


def set_sink(sink: MemorySink, mode: str) -> None:
    sink.down, sink.forgetful = mode == "down", mode == "forgetful"
    if mode == "slow":
        sink.held = sink.held or asyncio.Event()
    elif sink.held is not None:
        sink.held.set()
        sink.held = None


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def run(actions: list[tuple[str, Any, int]]) -> None:
    cloud, sink = Cloud(), MemorySink()
    gateway = make_gateway(cloud, Clock())
    await gateway.tables.refresh()
    endpoint = TunnelEndpoint(gateway, sink, None, LIMITS)
    await endpoint.start()
    devices = [Device(f"device-{number}", endpoint, cloud, sink) for number in range(2)]
    for action, which, number in actions:
        if action == "sink":
            set_sink(sink, which)
        elif action == "pause":
            await turns(number)
        else:
            devices[which].act(action, number)
            await turns(4 * number)
    set_sink(sink, "up")
    for device in devices:
        device.connect()
        device.act("send", 1)
    async with asyncio.timeout(10):
        while any(device.acknowledged < device.made and device.made not in device.dropped for device in devices):
            await asyncio.sleep(0)
        await endpoint.intake.settle()
    for device in devices:
        assert not device.wrong
        stored = sink.sequences(device.key)
        assert stored == sorted(set(stored)), "stored twice, or out of order"
        assert set(range(1, device.made + 1)) - device.dropped <= set(stored), "acknowledged, but not stored"
        device.act("cut", 0)
    assert not sink.repeated
    assert all(each.values == b'{"number":%d}' % each.sequence for each in sink.stored)
    await asyncio.gather(*(task for device in devices for task in device.tasks))
    assert endpoint.intake.waiting_bytes == endpoint.parts.used == len(endpoint.connections) == 0
    assert not endpoint.intake._spools
    await endpoint.stop()


@given(st.lists(st.one_of(DEVICE_ACTIONS, DEVICE_ACTIONS, SINK_ACTIONS, PAUSES), min_size=20, max_size=60))
@settings(deadline=None)
def test_every_interleaving(actions: list[tuple[str, Any, int]]) -> None:
    asyncio.run(run(actions))
