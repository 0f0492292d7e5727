"""How tunnels end: for what a device did, for what became of it, or because the server stops."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest
import zstandard
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.gateway.tunnel.conftest import Opening
from tests.gateway.tunnel.sinks import MemorySink
from tests.gateway.tunnel.wire import DIGEST, SPOOL, TASK, Wire, feature
from walle.gateway import uvicorn_tunnels
from walle.gateway.tunnel import endpoint
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.tunnel.pace import Pace, Paces, cost_of
from walle.protocol.tunnel_frames import (
    RAW,
    Answer,
    Drain,
    Frame,
    Hello,
    OpenStream,
    Part,
    Profile,
    Received,
    StreamOpened,
    Welcome,
    write_frame,
)

KEY = ("shop", "device-1", SPOOL)
MALFORMED, CREDENTIAL, REPLACED, TOO_LARGE, TOO_MUCH, GOING_AWAY = 4400, 4401, 4409, 4413, 4429, 1012


@pytest.fixture
async def neighbour(opening: Opening, sink: MemorySink) -> AsyncIterator[Wire]:
    """Another device, which must not notice anything."""
    wire = await opening("device-2")
    await wire.hello()
    yield wire
    await wire.send(feature(1))
    assert (await wire.acknowledged(1)).sequence == 1


BOMB = zstandard.ZstdCompressor().compress(b'"' + bytes(50 << 20) + b'"')


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([Hello(SPOOL, 1)], (MALFORMED, "frame-unexpected")),
        ([feature(2)], (MALFORMED, "frame-out-of-order")),
        ([feature(1), feature(3)], (MALFORMED, "frame-out-of-order")),
        ([feature(1, stream=2)], (MALFORMED, "stream-unknown")),
        ([feature(1, encoding=0, body=b"[1]")], (MALFORMED, "body-malformed")),
        ([feature(1, encoding=0, body=b'{"a":1')], (MALFORMED, "body-malformed")),
        ([feature(1, encoding=0, body=b'{"a":"\\u0000"}')], (MALFORMED, "body-malformed")),
        ([feature(1, encoding=1, body=b"no frame of zstd")], (MALFORMED, "body-malformed")),
        ([feature(1, encoding=2)], (MALFORMED, "body-malformed")),
        ([feature(1, encoding=1, body=BOMB)], (TOO_LARGE, "body-too-large")),
        ([Part(1, 5, 100_000, b"middle")], (MALFORMED, "frame-out-of-order")),
        ([Part(1, 0, 100_000, b"a" * 50_000), feature(1)], (MALFORMED, "frame-out-of-order")),
        ([Part(1, 0, 70_000, b"a" * 50_000), Part(1, 50_000, 70_000, b"a" * 20_000)], (MALFORMED, "frame-damaged")),
        ([Profile(b"nonsense")], (MALFORMED, "frame-malformed")),
        ([Drain(1)], (MALFORMED, "frame-unexpected")),
    ],
)
async def test_what_a_device_may_not_send(
    opening: Opening, neighbour: Wire, tunnel: TunnelEndpoint, frames: list[Frame], expected: tuple[int, str]
) -> None:
    wire = await opening()
    await wire.hello()
    await wire.send(*frames)
    assert await wire.closed() == expected
    assert tunnel.counts.closes[expected[0]] == 1
    assert tunnel.parts.used == tunnel.intake.waiting_bytes == 0


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"", (MALFORMED, "frame-damaged")),
        (random.Random(3).randbytes(500), (MALFORMED, "frame-damaged")),
        ("text", (MALFORMED, "frame-malformed")),
        (bytes(62_000), (TOO_LARGE, "frame-too-large")),
        (bytes(70_000), (1009, "frame with 70000 bytes exceeds limit of 65536 bytes")),
    ],
)
async def test_messages_that_are_no_frames(
    opening: Opening, neighbour: Wire, message: Any, expected: tuple[int, str]
) -> None:
    wire = await opening()
    await wire.hello()
    await wire.socket.send(message)
    code, reason = await wire.closed()
    assert code == expected[0]
    assert code == 1009 or reason == expected[1]


async def test_ten_thousand_streams(opening: Opening, neighbour: Wire) -> None:
    wire = await opening()
    await wire.hello()
    with contextlib.suppress(ConnectionClosed):
        for number in range(1, 257):
            await wire.send(OpenStream(number, f"camera/t{number}", DIGEST, b""))
        opened = b"\x02\x90\x4e" + write_frame(OpenStream(1, TASK, DIGEST, b""))[2:-4]
        await wire.socket.send(opened + crc32(opened).to_bytes(4, "little"))
    assert await wire.closed() == (MALFORMED, "frame-malformed")


async def test_the_first_frame_is_hello(opening: Opening) -> None:
    wire = await opening()
    await wire.send(feature(1))
    assert await wire.closed() == (MALFORMED, "hello-late")


class TestTimeOfHello:
    @pytest.fixture
    def limits(self, limits: TunnelLimits) -> TunnelLimits:
        return replace(limits, hello_s=0.05)

    async def test_it_has_to_come_soon(self, opening: Opening) -> None:
        assert await (await opening()).closed() == (MALFORMED, "hello-late")


class TestTimeOfParts:
    @pytest.fixture
    def limits(self, limits: TunnelLimits) -> TunnelLimits:
        return replace(limits, part_s=0.05)

    async def test_parts_that_never_end(self, opening: Opening, tunnel: TunnelEndpoint) -> None:
        wire = await opening()
        await wire.hello()
        await wire.send(Part(1, 0, 1_000_000, b"a" * 50_000))
        assert await wire.closed() == (MALFORMED, "part-late")
        assert tunnel.parts.used == 0


class TestBackPressure:
    @pytest.fixture
    def limits(self, limits: TunnelLimits) -> TunnelLimits:
        return replace(limits, window=10_000, ahead=4 << 20, total=6 << 20)

    async def test_a_device_that_sends_beyond_its_window(
        self, opening: Opening, sink: MemorySink, neighbour: Wire, tunnel: TunnelEndpoint
    ) -> None:
        sink.held = asyncio.Event()
        wire = await opening()
        await wire.hello()
        noise = random.Random(1).randbytes(20_000).hex()
        for number in range(1, 100):
            with contextlib.suppress(ConnectionClosed):
                await wire.send(feature(number, values={"noise": noise}))
        assert await wire.closed() == (TOO_MUCH, "window-exceeded")
        sink.held.set()
        await eventually(lambda: not tunnel.intake.waiting)
        stored = sink.sequences(KEY)
        assert stored == list(range(1, len(stored) + 1))
        assert sum(each.wire_bytes for each in sink.stored) < tunnel.limits.unacknowledged + 60_000


LASTING = TunnelLimits(rate=1000, saved=5000, lasting=10)


def test_the_pace_of_a_device() -> None:
    pace = Pace(LASTING, now=50.0)
    assert pace.wait(1000, 50.0) == 0, "what a second allows may come at once"
    assert pace.wait(500, 50.0) == 0.5
    assert pace.wait(100, 50.5) == pytest.approx(0.1)
    assert pace.wait(1000, 100.0) == 0, "no more than a second is saved up"
    assert pace.wait(1, 100.0) > 0


def test_the_pace_of_a_device_that_goes_on_for_hours() -> None:
    pace = Pace(LASTING, now=0.0)
    assert [pace.wait(1000, float(second)) for second in range(5)] == [0.0] * 5
    assert pace.wait(100, 5.0) == pytest.approx(5)
    assert pace.wait(0, 10.0) == 0


def test_many_short_values_count_more_than_few_long_ones() -> None:
    assert cost_of(b'{"x":[' + b"[]," * 1000 + b"0]}") > 10 * cost_of(b'{"x":"' + b"y" * 3000 + b'"}')


def test_a_device_that_connects_anew_has_the_budget_that_it_had() -> None:
    paces = Paces(LASTING)
    pace = paces.of(("shop", "device-1"), 0.0)
    assert paces.of(("shop", "device-1"), 0.0) is pace
    assert paces.of(("shop", "device-2"), 0.0) is not pace


def test_budgets_that_are_whole_again_are_forgotten() -> None:
    paces = Paces(LASTING)
    for number in range(3000):
        pace = paces.of(("shop", f"device-{number}"), float(number))
        pace.wait(1500, float(number))
        paces.keep(("shop", f"device-{number}"), pace, float(number))
    assert len(paces) < 1100


class TestPace:
    @pytest.fixture
    def limits(self, limits: TunnelLimits, monkeypatch: pytest.MonkeyPatch) -> TunnelLimits:
        monkeypatch.setattr(endpoint, "CONNECTION", 0)
        monkeypatch.setattr(uvicorn_tunnels, "LOST_S", 0.1)
        return replace(limits, rate=2000)

    async def test_a_device_that_brings_too_much_is_not_read_for_a_while(
        self, opening: Opening, neighbour: Wire, sink: MemorySink
    ) -> None:
        wire = await opening()
        await wire.hello()
        await wire.send(feature(1, values={"zeros": "0" * 90_000}), feature(2))
        await wire.acknowledged(1)
        for _ in range(5):
            other = await opening("device-3")
            await other.hello()
        assert sink.sequences(KEY) == [1]

    async def test_nor_may_it_connect_anew(self, opening: Opening, neighbour: Wire) -> None:
        wire = await opening()
        await wire.hello()
        await wire.send(feature(1, values={"zeros": "0" * 90_000}))
        await wire.acknowledged(1)
        with pytest.raises(InvalidStatus) as refused:
            await opening()
        assert refused.value.response.status_code == 503

    async def test_a_device_that_is_gone_meanwhile_is_noticed(self, opening: Opening, tunnel: TunnelEndpoint) -> None:
        wire = await opening()
        await wire.hello()
        await wire.send(feature(1, values={"zeros": "0" * 90_000}))
        await wire.acknowledged(1)
        await wire.send(Received(1), Received(2))
        await wire.socket.close()
        await eventually(lambda: not len(tunnel.connections))

    async def test_what_a_malformed_body_costs_counts(self, opening: Opening) -> None:
        wire = await opening()
        await wire.hello()
        await wire.send(feature(1, encoding=RAW, body=b'{"x":[' + b"0," * 10_000 + b"}"))
        assert await wire.closed() == (MALFORMED, "body-malformed")
        with pytest.raises(InvalidStatus):
            await opening()

    async def test_a_changed_profile_counts_more_than_its_length(
        self, opening: Opening, neighbour: Wire, tunnel: TunnelEndpoint
    ) -> None:
        numbers: list[int] = []
        tunnel.on_received.append(lambda connection, number: numbers.append(number))
        wire = await opening()
        await wire.hello()
        await wire.send(Received(1), Profile(b""), Received(2))
        await eventually(lambda: numbers)
        for _ in range(3):
            other = await opening("device-3")
            await other.hello()
        assert numbers == [1]

    async def test_a_task_that_the_app_does_not_have_counts(
        self, opening: Opening, neighbour: Wire, tunnel: TunnelEndpoint
    ) -> None:
        numbers: list[int] = []
        tunnel.on_received.append(lambda connection, number: numbers.append(number))
        wire = await opening()
        await wire.hello(task="bank/scores")
        await wire.next(StreamOpened)
        await wire.send(Received(1))
        for _ in range(3):
            other = await opening("device-3")
            await other.hello()
        assert numbers == []

    async def test_many_short_messages_count(self, opening: Opening, neighbour: Wire, tunnel: TunnelEndpoint) -> None:
        numbers: list[int] = []
        tunnel.on_received.append(lambda connection, number: numbers.append(number))
        wire = await opening()
        await wire.hello()
        await wire.send(*(Received(number) for number in range(1, 41)))
        for _ in range(5):
            other = await opening("device-3")
            await other.hello()
        assert len(numbers) < 40


class TestMemory:
    @pytest.fixture
    def limits(self, limits: TunnelLimits) -> TunnelLimits:
        return replace(limits, ahead=400_000, total=600_000)

    async def test_what_small_messages_grow_to_is_not_read_further(
        self, opening: Opening, sink: MemorySink, tunnel: TunnelEndpoint
    ) -> None:
        sink.held = asyncio.Event()
        grown = {"zeros": "0" * 90_000}
        wires = [await opening(f"device-{number}") for number in range(4)]
        for wire in wires:
            await wire.hello()
            await wire.send(*(feature(number, values=grown) for number in range(1, 11)))
        await eventually(lambda: tunnel.intake.waiting_bytes >= tunnel.limits.total)
        assert tunnel.intake.waiting_bytes <= tunnel.limits.total + 100_000
        assert tunnel.intake.window == 0
        sink.held.set()
        for wire in wires:
            await wire.acknowledged(10)
        assert tunnel.intake.waiting_bytes == 0


async def test_a_device_that_does_not_read(opening: Opening, neighbour: Wire, tunnel: TunnelEndpoint) -> None:
    wire = await opening()
    await wire.hello()
    connection = tunnel.connections.of("shop", "device-1")
    assert connection is not None
    wire.socket.transport.pause_reading()
    body = json.dumps("x" * 30_000).encode()
    number = 0
    while connection.ending is None:
        number += 1
        assert number < 10_000
        connection.send(Answer(number, 0, body))
        await asyncio.sleep(0)
    assert connection.ending.name == "unread"
    await eventually(lambda: tunnel.connections.of("shop", "device-1") is None)
    wire.socket.transport.abort()


async def test_a_newer_connection_of_the_device_takes_its_place(opening: Opening, tunnel: TunnelEndpoint) -> None:
    older = await opening()
    await older.hello()
    newer = await opening()
    assert await older.closed() == (REPLACED, "replaced")
    await newer.hello()
    await newer.send(feature(1))
    await newer.acknowledged(1)
    assert len(tunnel.connections) == 1


async def test_a_device_that_is_revoked(opening: Opening, cloud: Cloud, neighbour: Wire) -> None:
    wire = await opening()
    await wire.hello()
    cloud.revoked.add("device-1")
    cloud.refresh()
    assert await wire.closed() == (CREDENTIAL, "device-revoked")


async def test_a_credential_whose_key_is_retired(opening: Opening, cloud: Cloud) -> None:
    wire = await opening()
    await wire.hello()
    cloud.rotate_device_key()
    cloud.rotate_device_key()
    assert await wire.closed() == (CREDENTIAL, "credential-key-retired")


class TestChecks:
    @pytest.fixture
    def limits(self, limits: TunnelLimits) -> TunnelLimits:
        return replace(limits, check_s=0.02)

    async def test_a_credential_that_expires_meanwhile(self, opening: Opening, clock: Clock) -> None:
        wire = await opening()
        await wire.hello()
        clock.now += 91 * 86_400
        assert await wire.closed() == (CREDENTIAL, "credential-expired")


async def test_devices_leave_when_the_server_stops(opening: Opening, tunnel: TunnelEndpoint, sink: MemorySink) -> None:
    leaving, staying = await opening("device-1"), await opening("device-2")
    await leaving.hello()
    await staying.hello()
    tunnel.drain()
    assert await leaving.next(Drain) == Drain(int(tunnel.limits.drain_s * 1000))
    await leaving.send(feature(1))
    await leaving.acknowledged(1)
    await leaving.socket.close()
    assert await staying.closed() == (GOING_AWAY, "draining")
    assert sink.sequences(KEY) == [1]


async def test_what_was_received_is_stored_before_the_server_stops(
    opening: Opening, tunnel: TunnelEndpoint, sink: MemorySink
) -> None:
    tunnel.limits = replace(tunnel.limits, close_s=30)
    sink.held = asyncio.Event()
    wire = await opening()
    await wire.hello()
    await wire.send(feature(1), feature(2))
    await eventually(lambda: tunnel.intake.waiting == 2)
    stopping = asyncio.create_task(tunnel.stop())
    await asyncio.sleep(0)
    sink.held.set()
    await stopping
    assert sink.sequences(KEY) == [1, 2]


async def test_a_failure_ends_its_own_tunnel_only(
    opening: Opening, neighbour: Wire, tunnel: TunnelEndpoint, caplog: Any
) -> None:
    def fail(connection: object, number: int) -> None:
        raise RuntimeError("a bug")

    tunnel.on_received.append(fail)
    wire = await opening()
    await wire.hello()
    await wire.send(Received(1))
    assert await wire.closed() == (1011, "internal-error")
    assert await (await opening()).hello() == Welcome(0, tunnel.limits.window)
