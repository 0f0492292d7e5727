"""One more service beside the usual ones: its turns, its waking, its recovery, its end, and what its faults do not do.

That it recovers after a kill at any moment is in test_killed.py.
"""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from tests.device.conftest import TASK, running, stopped, until
from tests.support.waiting import ANSWER_S
from walle.device.agent import Agent
from walle.device.service import DeviceService, Wake


class Diary(DeviceService):
    """Writes down what the agent calls. `turn` rests until it is woken."""

    def __init__(self, name: str = "", book: list[str] | None = None) -> None:
        self.wake, self._name = Wake(), name
        self.book: list[str] = [] if book is None else book
        self.threads: set[threading.Thread] = set()

    def _write(self, what: str) -> None:
        self.book.append(f"{self._name} {what}".strip())
        self.threads.add(threading.current_thread())

    def recover(self) -> None:
        self._write("recover")

    async def turn(self) -> float | None:
        self._write("turn")
        return None

    async def once(self) -> None:
        self._write("once")

    async def stop(self) -> None:
        self._write("stop")


class Faulty(Diary):
    """Fails in everything that it is asked for, with `fault`."""

    def __init__(self, fault: BaseException, name: str = "", book: list[str] | None = None) -> None:
        super().__init__(name, book)
        self._fault = fault

    def _write(self, what: str) -> None:
        super()._write(what)
        raise self._fault


async def test_a_service_more_has_its_turns_beside_the_usual_ones(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, trigger={"every_s": 0.05})
    diary = Diary()
    device = await devices.start(services=[diary])
    task = await running(device)
    await until(lambda: any(report["kind"] == "run" for report in repository.reports))
    assert diary.book == ["recover", "turn"], "nothing woke it"
    thread = threading.Thread(target=diary.wake.up)
    thread.start()
    await until(lambda: diary.book.count("turn") == 2)
    thread.join()
    await stopped(device, task)
    assert diary.book == ["recover", "turn", "turn", "stop"]
    assert diary.threads == {threading.current_thread()}


async def test_a_service_that_asks_for_it_has_its_next_turn_by_itself():
    class Restless(Diary):
        async def turn(self) -> float | None:
            await super().turn()
            return 0.001

    service = Restless()
    agent = Agent([service])
    life = asyncio.create_task(agent.run())
    await until(lambda: service.book.count("turn") > 3)
    agent.stop()
    await asyncio.wait_for(life, 10)


async def test_a_call_during_a_turn_leads_to_another_and_several_calls_to_one():
    class Slow(Diary):
        def __init__(self) -> None:
            super().__init__()
            self.go_on = asyncio.Event()

        async def turn(self) -> float | None:
            await super().turn()
            await self.go_on.wait()
            return None

    service = Slow()
    agent = Agent([service])
    life = asyncio.create_task(agent.run())
    await until(lambda: service.book == ["recover", "turn"])
    for _ in range(3):
        service.wake.up()
    service.go_on.set()
    await until(lambda: service.book.count("turn") == 2)
    agent.stop()
    await asyncio.wait_for(life, 10)
    assert service.book == ["recover", "turn", "turn", "stop"]


async def test_all_recover_before_the_first_turn_and_end_after_the_last_in_the_order_of_the_list():
    book: list[str] = []
    first, second = Diary("first", book), Diary("second", book)
    agent = Agent([first, second])
    life = asyncio.create_task(agent.run())
    await until(lambda: len(book) == 4)
    agent.stop()
    await asyncio.wait_for(life, 10)
    assert book == ["first recover", "second recover", "first turn", "second turn", "first stop", "second stop"]


async def test_once_every_service_does_all_that_there_is_in_the_order_of_the_list():
    book: list[str] = []
    agent = Agent([Diary("first", book), Diary("second", book)])
    await agent.once()
    await agent.once()
    recovered = ["first recover", "second recover"]
    assert book == [*recovered, *["first once", "second once"] * 2], "recovered once only"


@pytest.mark.parametrize("fault", [RuntimeError("a bug"), asyncio.CancelledError("what it waited for was cancelled")])
async def test_the_faults_of_a_service_are_its_own(repository, devices, caplog, fault):
    caplog.set_level(logging.CRITICAL)
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, trigger={"every_s": 0.05})
    faulty, diary = Faulty(fault), Diary()
    if isinstance(fault, asyncio.CancelledError):
        faulty.recover = lambda: None
    device = await devices.start(services=[faulty, diary])
    task = await running(device)
    await until(lambda: any(report["kind"] == "run" for report in repository.reports))
    await until(lambda: faulty.book[-1] == "turn")
    faulty.wake.up()
    await until(lambda: faulty.book.count("turn") == 2)
    diary.wake.up()
    await until(lambda: diary.book.count("turn") == 2)
    await stopped(device, task)
    assert faulty.book[-1] == "stop"
    assert diary.book == ["recover", "turn", "turn", "stop"]
    assert {notice.text for notice in device.notices_named("error")} == {f"{type(fault).__name__}: {fault}"}


async def test_the_faults_of_a_service_are_its_own_when_all_is_done_once(repository, devices, caplog):
    caplog.set_level(logging.CRITICAL)
    diary = Diary()
    device = await devices.start(services=[Faulty(RuntimeError("a bug")), diary])
    await device.agent.once()
    assert diary.book == ["recover", "once"]
    assert repository.seen("/checkin")
    assert [notice.text for notice in device.notices_named("error")] == ["RuntimeError: a bug"] * 2


@pytest.mark.parametrize("fault", [RuntimeError("a bug"), asyncio.CancelledError("what it waited for was cancelled")])
async def test_an_agent_that_is_cancelled_ends_in_the_middle_of_a_turn_and_stops_its_services(caplog, fault):
    class Endless(Diary):
        async def turn(self) -> float | None:
            await super().turn()
            await asyncio.Event().wait()
            return None

        async def stop(self) -> None:
            await super().stop()
            raise fault

    caplog.set_level(logging.CRITICAL)
    book: list[str] = []
    agent = Agent([Endless("endless", book), Diary("good", book)])
    life = asyncio.create_task(agent.run())
    await until(lambda: "good turn" in book)
    life.cancel()
    done, _ = await asyncio.wait([life], timeout=ANSWER_S)
    assert done
    assert life.cancelled()
    assert book[-2:] == ["endless stop", "good stop"]


async def test_an_apps_handler_that_fails_stops_nothing(repository, devices, caplog):
    caplog.set_level(logging.CRITICAL)
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, trigger={"every_s": 0.05})

    def on_notice(notice):
        raise RuntimeError("the app's own fault")

    device = await devices.start(on_notice=on_notice, services=[Faulty(RuntimeError("a bug"))])
    task = await running(device)
    await until(lambda: len([report for report in repository.reports if report["kind"] == "run"]) >= 2)
    await stopped(device, task)
