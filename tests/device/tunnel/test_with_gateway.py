"""A whole device and the real gateway with its tunnel: features arrive once each, whatever is cut in between."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.device.conftest import TASK, Bench, running, stopped, until
from tests.device.test_with_gateway import Releases, make_device
from tests.gateway.serving import serving
from tests.gateway.simulator import Cloud
from tests.gateway.tunnel.sinks import MemoryDictionaries, MemorySink
from tests.support.waiting import ANSWER_S
from walle.artifacts import LocalStore
from walle.device.assembly import AssembledDevice
from walle.device.running.runner import Execution
from walle.device.storage.disk import Disk
from walle.device.storage.store import DeviceStore
from walle.device.tunnel.connection import TunnelConnector
from walle.gateway.application import GatewayApplication
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.uvicorn_tunnels import TunnelProtocol
from walle.protocol.headers import short_digest

OFTEN = {"trigger": {"every_s": 0.02}, "upload": {"outputs": ["y"]}}


class Counting(Bench):
    """Its runs give 1, 2, 3 and so on."""

    def __init__(self) -> None:
        super().__init__()
        numbers = itertools.count(1)
        self.behaviour = lambda code: Execution(output={"y": next(numbers), "secret": 7}, duration_ms=1.0)


@pytest.fixture
async def releases(tmp_path) -> Releases:
    return Releases(Cloud(), tmp_path)


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.fixture
async def tunnels(releases, sink) -> TunnelEndpoint:
    limits = TunnelLimits(retry_s=0.01, retry_most_s=0.02, close_s=0.5, drain_s=0.5)
    return TunnelEndpoint(releases.gateway, sink, MemoryDictionaries(), limits)


@pytest.fixture
async def address(releases, tunnels, tmp_path) -> AsyncIterator[str]:
    application = GatewayApplication(
        releases.gateway, LocalStore(tmp_path / "artifacts"), releases.cloud, tunnel=tunnels
    )
    async with serving(application, ws=TunnelProtocol, ws_per_message_deflate=False, ws_max_size=65536) as address:
        yield address


@pytest.fixture
async def device(address, releases, tmp_path) -> AsyncIterator[AssembledDevice]:
    async with httpx.AsyncClient(timeout=ANSWER_S) as client:
        with DeviceStore(tmp_path / "device", disk=Disk(sync=False)) as store:
            connector = TunnelConnector(f"{address}/walle/v1")
            root = releases.cloud.roots[1]
            yield make_device(
                store, address, client, root, tunnel=connector, executor=Counting(), randomness=lambda: 0.05
            )


def numbers(sink: MemorySink) -> list[int]:
    return [json.loads(feature.values)["y"] for feature in sink.stored]


async def test_outputs_of_runs_arrive_with_their_version_and_nothing_else(device, releases, sink):
    digest = await releases.release("1.0.0", {"main.py": b"one"}, **OFTEN)
    life = await running(device)
    await until(lambda: len(sink.stored) >= 5)
    await stopped(device, life)
    feature = sink.stored[0]
    assert (feature.app, feature.task, feature.manifest) == ("shop", TASK, short_digest(digest).hex())
    assert feature.device == device.store.state.credential.device
    assert json.loads(feature.values) == {"y": 1}
    assert numbers(sink) == list(range(1, len(sink.stored) + 1))
    assert device.tunnel.counts()["connects"] == 1


async def test_once_waits_for_the_acknowledgement(device, releases, sink):
    await releases.release("1.0.0", {"main.py": b"one"}, **OFTEN)
    await device.agent.once()
    assert numbers(sink) == [1]
    assert device.tunnel.counts()["waiting"] == 0


async def test_connections_that_break_and_a_sink_that_fails_lose_and_repeat_nothing(
    device,
    releases,
    sink,
    tunnels,
):
    await releases.release("1.0.0", {"main.py": b"one"}, **OFTEN)
    life = await running(device)
    for attempt in range(1, 6):
        await until(lambda least=4 * attempt: len(sink.stored) >= least)
        sink.down, sink.forgetful = attempt % 2 == 0, attempt % 3 == 0
        [connection] = tunnels.connections
        connection._task.cancel()  # as a connection that fails on the server's side
        await until(lambda count=attempt: device.tunnel.counts()["connects"] == count or sink.down)
        sink.down = sink.forgetful = False
        await until(lambda count=attempt + 1: device.tunnel.counts()["connects"] == count)
    await stopped(device, life)
    await until(lambda: len(sink.stored) >= 20)
    assert numbers(sink) == list(range(1, len(sink.stored) + 1))


async def test_a_drain_moves_the_device_and_loses_nothing(device, releases, sink, tunnels):
    await releases.release("1.0.0", {"main.py": b"one"}, **OFTEN)
    life = await running(device)
    await until(lambda: len(sink.stored) >= 3)
    tunnels.drain()
    await until(lambda: not len(tunnels.connections))
    tunnels._draining = None  # the next server
    least = len(sink.stored) + 3
    await until(lambda: len(sink.stored) >= least)
    await stopped(device, life)
    assert numbers(sink) == list(range(1, len(sink.stored) + 1))


async def test_a_new_version_is_said_over_the_open_connection(device, releases, sink, tunnels):
    await releases.release("1.0.0", {"main.py": b"one"}, **OFTEN)
    life = await running(device)
    await until(lambda: sink.stored)
    second = short_digest(await releases.release("2.0.0", {"main.py": b"two"}, **OFTEN))
    device.check_ins.pacer._due = 0.0
    device.check_ins.wake.up()
    await until(lambda: list(tunnels.connections.with_installed(TASK, second)))
    await until(lambda: sink.stored[-1].manifest == second.hex())
    await stopped(device, life)
    assert device.tunnel.counts()["connects"] == 1


async def test_a_credential_that_is_not_valid_any_more_is_renewed_and_the_tunnel_opened(device, releases, sink):
    await releases.release("1.0.0", {"main.py": b"one"}, **OFTEN)
    await device.agent.once()
    before = device.store.state.credential
    for _ in range(2):
        releases.cloud.rotate_device_key()
    await releases.publish()
    life = await running(device)
    await until(lambda: len(sink.stored) >= 3)
    await stopped(device, life)
    after = device.store.state.credential
    assert (after.device, after.token != before.token) == (before.device, True)
    assert numbers(sink) == list(range(1, len(sink.stored) + 1))
