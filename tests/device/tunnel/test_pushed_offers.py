"""Offers that come by the tunnel are believed as little as any others: forged ones change nothing."""

from __future__ import annotations

from dataclasses import replace

from tests.device.conftest import TASK, Device, Devices, running, stopped, until
from tests.device.tunnel.cloud import TunnelCloud
from walle.conformance.client.repository import ReferenceRepository
from walle.device.tunnel.connection import TunnelConnector
from walle.protocol.canonical import canonical_json
from walle.protocol.headers import Offer, write_offers
from walle.protocol.signing_libraries import CryptoSigner
from walle.protocol.tunnel_frames import Offers

HOUR_S = 3600


def signed(repository: ReferenceRepository, **changes: object) -> dict[str, object]:
    """An assignment that differs in something, with the cloud's own signature."""
    payload = canonical_json(repository.assignment(TASK).to_dict() | changes)
    return {"assignment": payload, **repository.signature(payload)}


def forgeries(repository: ReferenceRepository, genuine: Offer, now: float) -> dict[str, Offer]:
    """Offers of the version that somebody else made, changed or kept, by what is wrong with them."""
    payload = genuine.assignment
    stranger = repository.signature(payload, CryptoSigner.generate_ed25519())
    return {
        "another signature": replace(genuine, signature=bytes(64)),
        "a stranger's signature": replace(genuine, **stranger),
        "a stranger's signature under the cloud's key": replace(genuine, signature=stranger["signature"]),
        "another manifest": replace(genuine, assignment=payload.replace(b"install", b"remove!")),
        "another app": replace(genuine, **signed(repository, app="bank")),
        "an older table": replace(genuine, **signed(repository, number=1)),
        "a time that is over": replace(genuine, **signed(repository, expires=int(now) - 10 * HOUR_S)),
        "a removal": replace(genuine, action="remove", url=None, digest=None, size=None),
    }


async def connected(devices: Devices, base: str, repository: ReferenceRepository) -> Device:
    repository.retry_after = HOUR_S
    repository.publish(TASK, "0.9.0", {"main.py": b"0"})
    repository.publish(TASK, "1.0.0", {"main.py": b"1"})
    return await devices.start(interval=HOUR_S, tunnel=TunnelConnector(base))


async def test_forged_offers_change_nothing_and_genuine_ones_are_carried_out(
    devices: Devices, base: str, cloud: TunnelCloud, repository: ReferenceRepository
) -> None:
    device = await connected(devices, base, repository)
    agent = await running(device)
    await until(lambda: device.version() == "1.0.0" and cloud.hellos)
    before = device.store.state
    repository.publish(TASK, "2.0.0", {"main.py": b"2"})
    name = str(before.credential and before.credential.device)
    genuine = repository.offer(name, TASK, "update")
    forged = forgeries(repository, genuine, device.clock.now)
    for number, offer in enumerate(forged.values(), start=1):
        await cloud.send(Offers(number, write_offers([offer]).encode()))
        await until(lambda number=number: len(device.notices_named("refused")) == number)
    await cloud.send(Offers(99, b"\x00 no offers at all"))
    after = device.store.state
    assert (after.tasks, after.highest, device.version()) == (before.tasks, before.highest, "1.0.0")

    await cloud.send(Offers(100, write_offers([genuine]).encode()))
    await until(lambda: device.version() == "2.0.0")
    assert cloud.received == [*range(1, len(forged) + 1), 100]
    assert len(repository.requests_to("/checkin")) == 1
    await stopped(device, agent)
