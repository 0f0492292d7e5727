"""Withdrawals and answers go down a real tunnel, and both end with it."""

from __future__ import annotations

import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.gateway.tunnel.conftest import Opening
from tests.gateway.tunnel.test_answers import MemoryAnswers
from tests.gateway.tunnel.test_withdrawals import BAD, GOOD, TASK, profile
from tests.gateway.tunnel.wire import SPOOL
from walle.gateway.ports import PendingAnswer
from walle.gateway.tunnel.downward import deliver_answers, push_withdrawals
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.tunnel.withdrawals import Withdrawals
from walle.protocol.documents import Assignment
from walle.protocol.headers import read_offers, write_profile
from walle.protocol.tunnel_frames import Answer, Offers, Profile, Received


@pytest.fixture
async def source() -> MemoryAnswers:
    return MemoryAnswers()


@pytest.fixture
async def withdrawals(tunnel: TunnelEndpoint, source: MemoryAnswers, cloud: Cloud) -> Withdrawals:
    cloud.entries[:] = [BAD, GOOD]
    cloud.publish()
    deliver_answers(tunnel, source)
    return push_withdrawals(tunnel)


def roll_back(cloud: Cloud) -> None:
    cloud.entries[:] = [GOOD]
    cloud.withdrawn = [(TASK, BAD.manifest)]
    cloud.publish()


def assigned(frame: Offers) -> list[str | None]:
    return [Assignment.from_payload(offer.assignment).manifest for offer in read_offers(frame.value)]


async def test_a_rollback_goes_down_and_is_done_with_when_the_device_says_so(
    withdrawals: Withdrawals, opening: Opening, cloud: Cloud, tunnel: TunnelEndpoint
) -> None:
    """Its new version is known without a check-in of its own."""
    wire = await opening(profile=profile(BAD))
    await wire.hello()
    roll_back(cloud)
    frame = await wire.next(Offers)
    assert assigned(frame) == [GOOD.manifest]
    await wire.send(Received(frame.number))
    await eventually(lambda: tunnel.counts.offers_received == 1)
    assert withdrawals.waiting == 1
    await wire.send(Profile(write_profile(profile(GOOD)).encode()))
    await eventually(lambda: withdrawals.waiting == 0)
    await eventually(lambda: [record.claims.profile for record in cloud.check_ins] == [profile(BAD), profile(GOOD)])


async def test_a_version_that_was_withdrawn_while_it_was_being_installed_is_given_up(
    withdrawals: Withdrawals, opening: Opening, cloud: Cloud
) -> None:
    wire = await opening(profile=profile(GOOD))
    await wire.hello()
    roll_back(cloud)
    await wire.send(Profile(write_profile(profile(BAD)).encode()))
    assert assigned(await wire.next(Offers)) == [GOOD.manifest]


async def test_an_answer_goes_down_to_who_waits_and_to_who_comes_back(
    withdrawals: Withdrawals, opening: Opening, source: MemoryAnswers, clock: Clock
) -> None:
    wire = await opening()
    await wire.hello()
    answer = PendingAnswer("shop", "device-1", SPOOL, 3, 0, b'{"n":3}', clock.now + 30)
    source.give(answer)
    assert await wire.next(Answer) == Answer(3, 0, b'{"n":3}')
    again = await opening()
    await again.hello()
    assert await again.next(Answer) == Answer(3, 0, b'{"n":3}')
