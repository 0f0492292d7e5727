"""Waiting for a turn: cancelled or not, told of what the app does from any thread."""

from __future__ import annotations

import asyncio
import threading

import pytest

from walle.device.running.taking_turns import Turns
from walle.device.running.turns import Priority


class Visit:
    """A run that stays until it is told to go."""

    def __init__(self, turns: Turns, priority: Priority = Priority.PERIODIC) -> None:
        self.began, self._end = asyncio.Event(), asyncio.Event()
        self.task = asyncio.create_task(self._stay(turns, priority))

    async def _stay(self, turns: Turns, priority: Priority) -> None:
        async with turns.turn(priority, cold=False):
            self.began.set()
            await self._end.wait()

    def let_go(self) -> None:
        self._end.set()

    async def end(self) -> None:
        self.let_go()
        await self.task


async def settle() -> None:
    """Lets all tasks come as far as they can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def visits(turns: Turns, *priorities: Priority) -> list[Visit]:
    made = [Visit(turns, priority) for priority in priorities]
    await settle()
    return made


async def test_a_turn_is_handed_on_to_the_most_urgent():
    turns = Turns(1)
    first, background, triggered = await visits(turns, Priority.PERIODIC, Priority.BACKGROUND, Priority.TRIGGERED)
    assert (first.began.is_set(), background.began.is_set(), triggered.began.is_set()) == (True, False, False)
    await first.end()
    await settle()
    assert (background.began.is_set(), triggered.began.is_set()) == (False, True)
    await triggered.end()
    await background.end()


async def test_who_gives_up_waiting_takes_no_turn():
    turns = Turns(1)
    first, gone, last = await visits(turns, *[Priority.PERIODIC] * 3)
    gone.task.cancel()
    await first.end()
    await settle()
    assert gone.task.cancelled()
    assert last.began.is_set()
    await last.end()


@pytest.mark.parametrize("steps", range(4))
async def test_who_is_cancelled_as_the_turn_comes_hands_it_on(steps):
    turns = Turns(1)
    first, gone, last = await visits(turns, *[Priority.PERIODIC] * 3)
    first.let_go()
    for _ in range(steps):
        await asyncio.sleep(0)
    gone.task.cancel()
    await settle()
    assert last.began.is_set()
    await first.task
    await last.end()
    with pytest.raises(asyncio.CancelledError):
        await gone.task


async def test_a_run_that_fails_gives_its_turn_back():
    turns = Turns(1)
    with pytest.raises(ZeroDivisionError):
        async with turns.turn(Priority.PERIODIC, cold=True):
            raise ZeroDivisionError
    async with turns.turn(Priority.PERIODIC, cold=True):
        pass


async def test_the_background_waits_while_the_app_is_busy_and_goes_on_when_any_thread_says_so():
    asyncio.get_running_loop().set_debug(True)  # then what is not safe in other threads raises there
    turns = Turns(2)
    turns.app_is("busy")
    background, periodic = await visits(turns, Priority.BACKGROUND, Priority.PERIODIC)
    assert (background.began.is_set(), periodic.began.is_set()) == (False, True)
    thread = threading.Thread(target=turns.app_is, args=("idle",))
    thread.start()
    thread.join()
    async with asyncio.timeout(10):
        await background.began.wait()
    await background.end()
    await periodic.end()


async def test_what_the_app_does_is_one_of_three_words():
    with pytest.raises(ValueError, match="expected one of idle, active, busy, found 'foreground'"):
        Turns(1).app_is("foreground")  # type: ignore[arg-type]
