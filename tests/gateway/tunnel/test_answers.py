"""Answers reach the device and the spool that they are for, over the next connection too, until they are delivered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock
from walle.gateway.checkin import RawCheckIn
from walle.gateway.ports import PendingAnswer, PortUnavailable
from walle.gateway.tunnel import answers as module
from walle.gateway.tunnel.answers import SETTLE_S, Answers
from walle.gateway.tunnel.connections import Connections, TunnelConnection
from walle.gateway.tunnel.counts import TunnelCounts
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.tunnel.pace import Pace
from walle.protocol.tunnel_frames import ANSWERED, Answer, read_cloud_frame

SPOOL, OTHER_SPOOL = b"spool-01", b"spool-02"
PACE = Pace(TunnelLimits(), 0.0)


@dataclass
class MemoryAnswers:
    """A source as the port says, for one gateway."""

    kept: list[PendingAnswer] = field(default_factory=list)
    down: bool = False
    refused: int = 0
    closed: bool = False

    def __post_init__(self) -> None:
        self._new: asyncio.Queue[PendingAnswer] = asyncio.Queue()

    def give(self, answer: PendingAnswer) -> None:
        self.kept.append(answer)
        self._new.put_nowait(answer)

    async def next(self) -> Sequence[PendingAnswer]:
        answer = await self._new.get()
        try:
            self._check_up()
        except PortUnavailable:
            self._new.put_nowait(answer)
            raise
        return [answer]

    async def pending(self, app: str, device: str) -> Sequence[PendingAnswer]:
        self._check_up()
        return [answer for answer in self.kept if (answer.app, answer.device) == (app, device)]

    async def delivered(self, answers: Sequence[PendingAnswer]) -> None:
        self.kept = [answer for answer in self.kept if answer not in answers]

    async def close(self) -> None:
        self.closed = True

    def _check_up(self) -> None:
        if self.down:
            self.refused += 1
            raise PortUnavailable("answers are down")


class Phone:
    """A connected device, of which only the server's end is real."""

    def __init__(self, device: str, app: str, spool: bytes) -> None:
        self.answers: list[Answer] = []
        headers = RawCheckIn(b"", b"", b"")
        self.connection = TunnelConnection(app, device, headers, {}, PACE, send=self._take, unread=1 << 20)
        self.connection.spool = spool
        self.connection._task = None  # nobody reads here, so that there is nothing to cancel

    async def _take(self, message: dict[str, Any]) -> None:
        frame = read_cloud_frame(message["bytes"])
        assert isinstance(frame, Answer)
        self.answers.append(frame)

    @property
    def answered(self) -> list[int]:
        return [answer.sequence for answer in self.answers]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AGAIN_S", 0.01)


@pytest.fixture
async def source() -> MemoryAnswers:
    return MemoryAnswers()


@pytest.fixture
def connections() -> Connections:
    return Connections()


@pytest.fixture
async def delivering(source: MemoryAnswers, connections: Connections, clock: Clock) -> AsyncIterator[Answers]:
    times = {"clock": lambda: clock.now, "monotonic": lambda: clock.monotonic}
    found = Answers(source, connections, TunnelCounts(), **times)
    task = asyncio.create_task(found.run())
    yield found
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert source.closed


@pytest.fixture
def connect(delivering: Answers, connections: Connections) -> Callable[..., Phone]:
    def connect(device: str = "phone", app: str = "shop", spool: bytes = SPOOL) -> Phone:
        phone = Phone(device, app, spool)
        connections.add(phone.connection)
        delivering.connected(phone.connection)
        return phone

    return connect


@pytest.fixture
def answer(clock: Clock) -> Callable[..., PendingAnswer]:
    def answer(sequence: int, **changed: Any) -> PendingAnswer:
        made = PendingAnswer("shop", "phone", SPOOL, sequence, ANSWERED, b"{}", clock.now + 30)
        return made._replace(**changed)

    return answer


Answering = Callable[..., PendingAnswer]


async def test_an_answer_reaches_its_device_and_no_other(
    connect: Callable[..., Phone], source: MemoryAnswers, answer: Answering
) -> None:
    phone, others = connect(), [connect("other"), connect("phone", app="bank")]
    source.give(answer(7, status=1, body=b"nothing to say"))
    source.give(answer(8, spool=OTHER_SPOOL))
    source.give(answer(9))
    await eventually(lambda: len(phone.answers) == 2)
    assert phone.answers == [Answer(7, 1, b"nothing to say"), Answer(9, ANSWERED, b"{}")]
    assert [other.answers for other in others] == [[], []]


async def test_what_nobody_waits_for_any_more_is_not_sent(
    connect: Callable[..., Phone], source: MemoryAnswers, answer: Answering, clock: Clock
) -> None:
    phone = connect()
    source.give(answer(1, expires=clock.now))
    source.give(answer(2))
    await eventually(lambda: phone.answers)
    assert phone.answered == [2]


async def test_who_connects_gets_what_came_meanwhile(
    connect: Callable[..., Phone], source: MemoryAnswers, answer: Answering
) -> None:
    source.kept += [answer(1), answer(2), answer(3, spool=OTHER_SPOOL), answer(1, device="other")]
    phone = connect()
    await eventually(lambda: len(phone.answers) == 2)
    assert phone.answered == [1, 2]


async def test_an_answer_is_sent_once_over_a_connection_and_again_over_the_next(
    connect: Callable[..., Phone], source: MemoryAnswers, answer: Answering, clock: Clock
) -> None:
    first = connect()
    source.give(answer(1))
    source.give(answer(1))
    source.give(answer(2))
    await eventually(lambda: first.answered == [1, 2])
    clock.monotonic += SETTLE_S / 2
    second = connect()
    await eventually(lambda: second.answered == [1, 2])
    clock.monotonic += SETTLE_S / 2
    source.give(answer(3))
    await eventually(lambda: second.answered == [1, 2, 3])
    assert {kept.sequence for kept in source.kept} == {1, 2, 3}
    clock.monotonic += SETTLE_S
    await eventually(lambda: not source.kept)
    assert first.answered == [1, 2]


async def test_an_answer_whose_connection_ended_soon_is_kept(
    connect: Callable[..., Phone], connections: Connections, source: MemoryAnswers, answer: Answering, clock: Clock
) -> None:
    gone, there = connect(), connect("other")
    source.give(answer(1))
    source.give(answer(1, device="other"))
    await eventually(lambda: gone.answers and there.answers)
    connections.remove(gone.connection)
    clock.monotonic += SETTLE_S
    await eventually(lambda: len(source.kept) == 1)
    assert source.kept[0].device == "phone"


async def test_answers_wait_while_their_source_cannot_be_reached(
    connect: Callable[..., Phone], source: MemoryAnswers, answer: Answering
) -> None:
    source.down = True
    source.kept.append(answer(1))
    phone = connect()
    source.give(answer(2))
    await eventually(lambda: source.refused > 3)
    assert phone.answers == []
    source.down = False
    await eventually(lambda: sorted(phone.answered) == [1, 2])


@pytest.mark.parametrize("way", ["connected", "next"])
async def test_a_device_gets_more_answers_than_may_wait_for_it(
    connect: Callable[..., Phone], source: MemoryAnswers, answer: Answering, way: str
) -> None:
    """It is not taken for one that does not read."""
    given = [answer(number, body=bytes(30_000)) for number in range(1, 101)]
    source.kept += given if way == "connected" else ()
    phone = connect()
    for each in given if way == "next" else ():
        source.give(each)
    await eventually(lambda: sorted(phone.answered) == list(range(1, 101)))
    assert phone.connection.ending is None
