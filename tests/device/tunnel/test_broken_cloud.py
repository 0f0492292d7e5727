"""The tunnel of a device against a cloud, or something between, that does not keep to the protocol."""

from __future__ import annotations

import asyncio
import itertools
import random
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.server import ServerConnection

from tests.device.tunnel.cloud import TunnelCloud, serving
from tests.device.tunnel.test_service import settled
from walle.device.tunnel import connection
from walle.device.tunnel.connection import TunnelConnector
from walle.protocol import tunnel_frames as wire


async def connected(tunnel):
    await tunnel.until(lambda: tunnel.service.connected)


async def left(tunnel, *, connections: int) -> None:
    """So many connections have ended."""
    await tunnel.until(lambda: tunnel.names().count("tunnel-closed") == connections)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (wire.write_frame(wire.Welcome(0, 1000)), "frame-unexpected"),
        (wire.write_frame(wire.StreamOpened(1, bytes(32), "/walle/v1/artifacts/a")), "frame-unexpected"),
        (wire.write_frame(wire.Acknowledge(7, 1000)), "frame-out-of-order"),
        (wire.write_frame(wire.Hello(bytes(8), 1)), "frame-unexpected"),
        ("text", "frame-malformed"),
        (b"nonsense", "frame-damaged"),
    ],
    ids=["second Welcome", "answer to nothing", "acknowledgement of nothing", "Hello", "text", "nonsense"],
)
async def test_what_the_cloud_must_not_say_ends_the_connection(tunnel, cloud, said, code):
    await connected(tunnel)
    side = cloud.open[0].socket
    await side.send(said)
    await left(tunnel, connections=1)
    await side.wait_closed()
    assert (side.close_code, side.close_reason.partition(":")[0]) == (wire.MALFORMED, code)


async def test_features_are_kept_that_were_never_made_by_what_the_cloud_acknowledges(tunnel, cloud):
    cloud.window = 0
    for number in range(3):
        tunnel.upload({"n": number})
    await tunnel.until(lambda: tunnel.service.connected and cloud.streams)
    await cloud.send(wire.Acknowledge(wire.MAX_NUMBER, 1 << 20))
    await left(tunnel, connections=1)
    cloud.window = 1 << 20
    await tunnel.until(lambda: len(cloud.values) == 3, pace=1)
    assert [values["n"] for values in cloud.values] == [0, 1, 2]


async def test_a_feature_is_given_up_only_for_what_it_is(tunnel, cloud):
    cloud.refuses, cloud.complaint = (lambda values: values["n"] == 2), "frame-damaged"
    for number in range(5):
        tunnel.upload({"n": number})
    await tunnel.until(lambda: len(cloud.hellos) == 5, pace=1)
    cloud.refuses = lambda values: False
    await tunnel.until(lambda: len(cloud.values) == 5, pace=1)
    assert tunnel.service.counts()["given_up"] == 0


async def test_what_is_wrong_with_the_clouds_frames_is_no_features_fault(tunnel, cloud):
    cloud.refuses, cloud.complaint = (lambda values: True), "frame-damaged"
    tunnel.upload({"n": 1})
    await tunnel.until(lambda: len(cloud.hellos) == 2, pace=1)  # from now on it goes alone
    cloud.refuses, cloud.acknowledges = (lambda values: False), False
    await tunnel.until(lambda: cloud.values, pace=1)
    await cloud.open[-1].socket.send(b"nonsense")
    hellos = len(cloud.hellos)
    await tunnel.until(lambda: len(cloud.hellos) > hellos, pace=1)
    assert tunnel.service.counts()["given_up"] == 0


class Sending(TunnelCloud):
    """Says what it is told to after each Welcome."""

    def __init__(self, *frames: wire.CloudFrame) -> None:
        super().__init__()
        self.frames, self.then = frames, 0

    async def handle(self, socket: ServerConnection) -> None:
        hello = wire.read_device_frame(await socket.recv())
        self.hellos.append(hello)
        for frame in (wire.Welcome(0, 1 << 20), *self.frames):
            await socket.send(wire.write_frame(frame))
        if self.then:
            await socket.close(self.then)
        await socket.wait_closed()


@pytest.mark.parametrize(
    ("said", "then", "expected"),
    [
        (wire.Acknowledge(0, 1 << 20), 1011, [0.5, 1, 2, 4]),
        (wire.Drain(1), wire.GOING_AWAY, [0.5, 1, 2, 4]),
        (wire.Acknowledge(1, 1 << 20), 1011, [0.5, 0.5, 0.5, 0.5]),
        (wire.Acknowledge(1, 1 << 20), wire.REPLACED, [0.5, 1, 2, 4]),
    ],
    ids=["acknowledges nothing", "goes away", "acknowledges", "acknowledges, and is replaced"],
)
async def test_only_a_connection_that_was_of_use_makes_good_for_others(start, said, then, expected):
    cloud = Sending(said)
    cloud.then = then
    async with serving(cloud) as base:
        tunnel = start(connector=TunnelConnector(base))
        found = []
        for number in range(1, 5):
            tunnel.upload({"n": number})
            await tunnel.service._parts.queue.settle()
            if isinstance(said, wire.Acknowledge) and said.sequence:
                cloud.frames = (wire.Acknowledge(number, 1 << 20),)
            await tunnel.until(lambda number=number: tunnel.names().count("tunnel-closed") == number)
            tunnel.service._parts.queue._sync_due = float("inf")
            found.append(await tunnel.service.turn())
            tunnel.monotonic.now += found[-1]
    assert found == pytest.approx(expected)


async def test_servers_that_send_it_away_one_after_the_other_are_asked_later_and_later(start):
    cloud = Sending(wire.Drain(0))
    async with serving(cloud) as base:
        tunnel = start(connector=TunnelConnector(base))
        moments = []
        for number in range(1, 7):
            await tunnel.until(lambda number=number: len(cloud.hellos) == number, pace=0.05)
            moments.append(tunnel.monotonic.now)
        await tunnel.service.stop()
    gaps = [after - before for before, after in itertools.pairwise(moments)]
    assert gaps[0] < 0.5
    assert gaps[-1] > 3


@asynccontextmanager
async def deaf_cloud() -> AsyncIterator[tuple[TunnelCloud, str]]:
    """A cloud that welcomes a device, and then reads nothing any more."""
    cloud = TunnelCloud()
    cloud.window = 1 << 40

    async def handle(side: ServerConnection) -> None:
        side.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        cloud.hellos.append(wire.read_device_frame(await side.recv()))
        await side.send(wire.write_frame(wire.Welcome(0, cloud.window)))
        side.transport.pause_reading()
        try:
            await finished.wait()
        finally:
            side.transport.abort()

    finished = asyncio.Event()
    cloud.handle = handle  # type: ignore[method-assign]
    async with serving(cloud, ping_interval=None) as base:
        try:
            yield cloud, base
        finally:
            finished.set()


async def test_a_cloud_that_reads_nothing_holds_nobody_up(start):
    async with deaf_cloud() as (_, base):
        tunnel = start(connector=TunnelConnector(base))
        await connected(tunnel)

        device = tunnel.service._session.connection._socket
        device.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        for number in range(6):
            tunnel.upload({"text": random.Random(number).randbytes(400_000).hex()})
        await tunnel.until(lambda: device.paused)
        tunnel.headers["Walle-Profile"] = "camera/digits;d=:BBBBBBBBBBBBBBBB:"
        async with asyncio.timeout(20):
            await tunnel.service.turn()
            await tunnel.service.stop()
        assert not tunnel.service.connected


async def test_a_cloud_that_answers_no_ping_is_left(start, monkeypatch):
    monkeypatch.setattr(connection, "PONG_S", 0.05)
    async with deaf_cloud() as (_, base):
        tunnel = start(connector=TunnelConnector(base, keepalive=0.01))
        await left(tunnel, connections=1)
        assert "answers no ping" in tunnel.notices[-1].text


async def test_a_cloud_that_answers_pings_is_not_left(start, base):
    tunnel = start(connector=TunnelConnector(base, keepalive=0.0))
    await connected(tunnel)
    device = tunnel.service._session.connection._socket
    for _ in range(5):
        before = device.heard_at
        await tunnel.until(lambda before=before: device.heard_at != before)
    assert tunnel.names() == ["tunnel-opened"]


async def test_a_spool_that_cannot_be_replaced_is_tried_again_later(tunnel, cloud, monkeypatch):
    await connected(tunnel)
    tunnel.upload({"n": 1})
    await settled(tunnel)
    cloud.acknowledges = False
    tunnel.upload({"n": 2})
    await tunnel.until(lambda: len(cloud.values) == 2)
    cloud.stored[cloud.hellos[0].spool][99] = {"n": "of a folder that was restored since"}
    spool = tunnel.service._parts.queue._spool

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("the folder is read-only")

    monkeypatch.setattr(spool._disk, "rename", refuse)
    monkeypatch.setattr(spool._disk, "remove_tree", refuse)
    await cloud.open[0].socket.close()
    for attempt in range(2, 5):
        await tunnel.until(lambda attempt=attempt: len(cloud.hellos) == attempt, pace=1)
        await left(tunnel, connections=attempt)
        assert tunnel.service._due > tunnel.monotonic.now
    assert tunnel.service.counts()["dropped"] == 0
