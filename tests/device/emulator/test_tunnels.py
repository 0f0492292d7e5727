"""Emulated devices of both kinds keep tunnels open, in one process with the test."""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager

import httpx
import pytest

from tests.device.conftest import FACTS, TASK, Bench, until
from tests.device.tunnel.cloud import TunnelCloud, serving
from tests.support.waiting import ANSWER_S
from walle.device.emulator.faults import FaultProfile, FaultRates
from walle.device.emulator.full import EmulationContext, FullDevice, Tunnels
from walle.device.emulator.light import LightDevice, SharedDocuments
from walle.device.emulator.population import Person
from walle.device.link.cloud import CloudClient
from walle.device.link.enrolment import Enrolment
from walle.device.running.taking_turns import Turns
from walle.device.tunnel.connection import TunnelConnector
from walle.protocol import tunnel_frames as wire
from walle.protocol.headers import write_offers

UPLOADS = {"upload": {"outputs": ["y"]}, "outputs": {"y": {"type": "number"}}, "trigger": {"every_s": 0.2}}


@pytest.fixture
async def emulated(address, repository, tmp_path):
    """Makes a living device of a kind, whose share of devices with a tunnel is given; and its cloud."""

    @asynccontextmanager
    async def live(kind: str, share: float = 1.0):
        cloud, person = TunnelCloud(), Person(0, "light-00000", FACTS, "1:light:0")
        async with serving(cloud) as base, httpx.AsyncClient(timeout=ANSWER_S) as client:
            context = EmulationContext(
                cloud=CloudClient(address, client),
                executor=Bench(),
                enrolment=Enrolment("shop", app_key="app-key"),
                inputs=lambda task, manifest: {"x": 1},
                turns=Turns(2),
                interval=60.0,
                initial_root=repository.roots[1],
                on_notice=lambda notice: None,
                tunnels=Tunnels(TunnelConnector(base), share),
            )
            faults = FaultProfile(FaultRates(), random.Random(1))
            if kind == "full":
                device = FullDevice(person, tmp_path / "full", context, faults)
            else:
                documents = SharedDocuments(context.cloud, context.initial_root, tmp_path / "shared")
                device = LightDevice(person, tmp_path / "light", context, faults, documents)
            life = asyncio.create_task(device.live(0))
            try:
                yield device, cloud
            finally:
                device.stop()
                await asyncio.wait_for(life, 10)

    return live


@pytest.mark.parametrize("kind", ["full", "light"])
async def test_outputs_go_up_and_a_removal_comes_down(emulated, repository, kind):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"}, **UPLOADS)
    async with emulated(kind) as (device, cloud):
        await until(lambda: cloud.values)
        assert list(cloud.values[0]) == ["y"]
        assert cloud.streams[0].task == TASK
        await until(lambda: device.uploaded() >= 1)
        await until(lambda: len(repository.seen("/checkin")) == 2)  # with the next one in a minute
        repository.remove(TASK)
        offer = repository.offer(cloud.handshakes[0]["Walle-Device"].split('"')[1], TASK)
        await cloud.send(wire.Offers(1, write_offers([offer]).encode()))
        await until(lambda: not device.installed())
        await until(lambda: cloud.profiles and TASK.encode() not in cloud.profiles[-1])
        assert cloud.received == [1]


@pytest.mark.parametrize("kind", ["full", "light"])
async def test_a_share_of_none_has_no_tunnels(emulated, repository, kind):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"}, **UPLOADS)
    async with emulated(kind, share=0.0) as (device, cloud):
        await until(device.installed)
        assert device.uploaded() == 0
    assert cloud.handshakes == []


async def test_a_light_device_that_is_started_again_has_a_spool_of_its_own(emulated, repository):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"}, **UPLOADS)
    spools = []
    for _ in range(2):
        async with emulated("light") as (_, cloud):
            await until(lambda cloud=cloud: cloud.values)
            spools.append(cloud.hellos[0].spool)
    assert len(set(spools)) == 2
