"""Tunnels through uvicorn: what happens when it stops, and to peers that it would wait for or give up."""

from __future__ import annotations

import asyncio
import socket
from asyncio.selector_events import _SelectorSocketTransport as _SelectorTransport
from typing import Any
from unittest.mock import Mock

import pytest
from websockets.exceptions import InvalidStatus

from tests.gateway.serving import eventually, serving
from tests.gateway.simulator import Cloud
from tests.gateway.tunnel.conftest import Opening
from tests.gateway.tunnel.sinks import MemorySink
from tests.gateway.tunnel.wire import SPOOL, Wire, feature
from walle.gateway import uvicorn_tunnels
from walle.gateway.application import GatewayApplication
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.uvicorn_protocol import CheckInProtocol
from walle.gateway.uvicorn_tunnels import TunnelProtocol
from walle.protocol.tunnel_frames import Answer, Drain, StreamOpened, write_frame

KEY = ("shop", "device-1", SPOOL)


async def test_a_server_that_is_stopped_drains_first(
    application: GatewayApplication, cloud: Cloud, tunnel: TunnelEndpoint, sink: MemorySink
) -> None:
    async def leave(wire: Wire) -> None:
        assert await wire.next(Drain) == Drain(int(tunnel.limits.drain_s * 1000))
        await wire.send(feature(1))
        await wire.acknowledged(1)
        await wire.socket.close()

    async with serving(application, http=CheckInProtocol, ws=TunnelProtocol) as address:
        leaving = await Wire.open(address, cloud.headers("device-1"))
        staying = await Wire.open(address, cloud.headers("device-2"))
        await leaving.hello()
        await staying.hello()
        left, closed = asyncio.create_task(leave(leaving)), asyncio.create_task(staying.closed())
    await left
    assert await closed == (1012, "draining")
    assert sink.sequences(KEY) == [1]
    assert sink.closed == 1


async def test_connections_are_no_news_in_the_log(opening: Opening, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    caplog.set_level("INFO", logger="uvicorn.error")
    await (await opening()).hello()
    assert [record.getMessage() for record in caplog.records if "connect" in record.getMessage().lower()] == []
    assert not [record for record in caplog.records if "WebSocket" in record.getMessage()]


async def test_reading_is_not_paused_for_one_message_after_another(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = await opening()
    await wire.hello()
    await wire.next(StreamOpened)
    paused = Mock()
    monkeypatch.setattr(_SelectorTransport, "pause_reading", paused)
    for number in range(1, 5):
        await wire.send(feature(number))
        await wire.acknowledged(number)
    assert not paused.called


class OtherSocket:
    """An application with a socket that is no tunnel."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await receive()


async def test_other_sockets_are_closed_at_once(cloud: Cloud) -> None:
    async with serving(OtherSocket(), lifespan="off", ws=TunnelProtocol) as address:
        wire = await Wire.open(address, {}, subprotocols=None)
        closed = asyncio.create_task(wire.closed())
    assert (await closed)[0] == 1012


class Watched(TunnelProtocol):
    """Counts what happens to connections."""

    unanswered = 0
    lost = 0

    def keepalive_timeout(self) -> None:
        Watched.unanswered += 1
        super().keepalive_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        Watched.lost += 1
        super().connection_lost(exc)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    monkeypatch.setattr(uvicorn_tunnels, "PING_S", 0.02)
    monkeypatch.setattr(uvicorn_tunnels, "ABORT_S", 0.02)
    monkeypatch.setattr(Watched, "unanswered", 0)
    monkeypatch.setattr(Watched, "lost", 0)
    return Watched


PINGS = {"ws_ping_interval": 0.02, "ws_ping_timeout": 0.02}


async def test_a_device_that_is_not_read_is_not_given_up(
    application: GatewayApplication, cloud: Cloud, sink: MemorySink, tunnel: TunnelEndpoint, watched: type[Watched]
) -> None:
    sink.held = asyncio.Event()
    tunnel.intake._room.most = 1
    async with (
        serving(application, ws=watched, **PINGS) as address,
        await Wire.open(address, cloud.headers()) as wire,
    ):
        await wire.hello()
        await wire.send(*(feature(number) for number in range(1, 6)))
        await eventually(lambda: watched.unanswered >= 3)
        sink.held.set()
        await wire.acknowledged(5)


async def test_a_device_that_is_gone_is_given_up(
    application: GatewayApplication, cloud: Cloud, tunnel: TunnelEndpoint, watched: type[Watched]
) -> None:
    async with (
        serving(application, ws=watched, **PINGS) as address,
        await Wire.open(address, cloud.headers()) as wire,
    ):
        await wire.hello()
        wire.socket.transport.pause_reading()
        await eventually(lambda: not len(tunnel.connections))
        assert watched.unanswered == 1
        wire.socket.transport.abort()


async def test_a_peer_that_takes_nothing_is_cut_off(
    application: GatewayApplication, cloud: Cloud, tunnel: TunnelEndpoint, watched: type[Watched]
) -> None:
    async with serving(application, ws=watched) as address:
        wire = await Wire.open(address, cloud.headers())
        await wire.hello()
        wire.socket.transport.pause_reading()
        connection = tunnel.connections.of("shop", "device-1")
        assert connection is not None
        while connection.ending is None:
            connection.send(Answer(1, 0, bytes(30_000)))
            await asyncio.sleep(0)
        await eventually(lambda: watched.lost == 1)
        wire.socket.transport.abort()


async def raw(address: str, cloud: Cloud, **options: Any) -> Wire:
    """A tunnel whose WebSocket frames the test writes itself."""
    wire = await Wire.open(address, cloud.headers(), ping_interval=None, **options)
    await wire.hello()
    return wire


def masked(opcode: int, data: bytes = b"") -> bytes:
    """A frame as a client writes it, with a mask of zeros."""
    return bytes((opcode, 0x80 | len(data))) + bytes(4) + data


async def test_answers_to_pings_do_not_pile_up_for_a_peer_that_takes_none(
    application: GatewayApplication, cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn_tunnels, "MOST_CONTROL", 1 << 30)
    protocols: list[TunnelProtocol] = []

    class Kept(TunnelProtocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            protocols.append(self)
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            super().connection_made(transport)

    async with serving(application, ws=Kept) as address:
        small = socket.socket()
        small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        small.connect(("127.0.0.1", int(address.rpartition(":")[2])))
        wire = await raw(address, cloud, sock=small)
        wire.socket.transport.pause_reading()
        most = 0
        for number in range(1, 31):
            wire.socket.transport.write(masked(0x89, bytes(100)) * 1000)
            await eventually(lambda number=number: protocols[0].controls == 1000 * number, 60)
            most = max(most, protocols[0].transport.get_write_buffer_size())
        assert 0 < most < 1 << 20
        wire.socket.transport.abort()


async def test_pings_without_end(application: GatewayApplication, cloud: Cloud) -> None:
    async with serving(application, ws=TunnelProtocol) as address:
        wire = await raw(address, cloud)
        wire.socket.transport.write(masked(0x8A) * 500 + masked(0x89) * 499)
        await wire.send(feature(1))
        await wire.acknowledged(1)
        wire.socket.transport.write(masked(0x89) * 3)
        assert (await wire.closed())[0] == 1008


async def test_a_message_of_fragments_without_end(application: GatewayApplication, cloud: Cloud) -> None:
    async with serving(application, ws=TunnelProtocol) as address:
        wire = await raw(address, cloud)
        wire.socket.transport.write(masked(0x02) + masked(0x00) * 5000)
        assert (await wire.closed())[0] == 1008


async def test_a_message_of_a_few_fragments(application: GatewayApplication, cloud: Cloud) -> None:
    async with serving(application, ws=TunnelProtocol) as address, await raw(address, cloud) as wire:
        written = write_frame(feature(1))
        await wire.socket.send([written[:5], written[5:6], b"", written[6:]])
        await wire.acknowledged(1)


async def test_a_refused_handshake_is_no_error_of_the_server(
    application: GatewayApplication, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(application, ws=TunnelProtocol) as address:
        with pytest.raises(InvalidStatus) as refused:
            await Wire.open(address, {})
    assert refused.value.response.status_code == 400
    assert [record.message for record in caplog.records if record.name == "uvicorn.error"] == []
