"""Many tasks on one device: which run first, how many at a time, and what a start with all of them does."""

from __future__ import annotations

import asyncio

from tests.device.conftest import Bench, Clock, running, stopped, until
from walle.device.running.runner import Execution
from walle.device.running.taking_turns import Turns

KEPT = {"keep": True, "idle_s": 600, "held_mb": 8}


class Crowd(Bench):
    """Counts the runs that go on at a time; each ends when no other can begin."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.most = 0, 0

    async def __call__(self, bundle, manifest, inputs) -> Execution:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(20):
            await asyncio.sleep(0)
        self.now -= 1
        return await super().__call__(bundle, manifest, inputs)

    def peak(self) -> int:
        """The most at a time since the last call."""
        most, self.most = self.most, 0
        return most


def publish(repository, count, **more):
    for number in range(count):
        repository.publish(f"camera/task-{number}", "1.0.0", {"main.py": f"{number}".encode()}, **more)


async def test_a_device_with_one_turn_runs_its_tasks_by_priority(repository, devices):
    triggers = {"a-first": {"every_s": 3600}, "b-late": {"every_s": 3600, "background": True}, "c": {"every_s": 3600}}
    for name, trigger in triggers.items():
        repository.publish(f"camera/{name}", "1.0.0", {"main.py": name.encode()}, trigger=trigger)
    device = await devices.start(executor=Crowd(), turns=Turns(1))
    await device.agent.once()
    assert [code for code, _ in device.bench.ran] == [b"a-first", b"c", b"b-late"]


async def test_background_runs_wait_while_the_app_is_busy(repository, devices):
    repository.publish("camera/later", "1.0.0", {"main.py": b"later"}, trigger={"every_s": 3600, "background": True})
    repository.publish("camera/now", "1.0.0", {"main.py": b"now"})
    device = await devices.start(turns=Turns(2))
    device.parts.turns.app_is("busy")
    life = await running(device)
    await until(lambda: len(device.notices_named("installed")) == 2 and device.notices_named("ran"))
    assert [code for code, _ in device.bench.ran] == [b"now"]
    device.parts.turns.app_is("idle")
    await until(lambda: len(device.notices_named("ran")) == 2)
    assert [code for code, _ in device.bench.ran] == [b"now", b"later"]
    await stopped(device, life)


async def test_a_run_that_had_to_wait_takes_the_inputs_and_the_version_of_when_its_turn_comes(repository, devices):
    repository.publish("camera/later", "1.0.0", {"main.py": b"1"}, trigger={"every_s": 3600, "background": True})
    asked = []
    device = await devices.start(inputs=lambda task, manifest: asked.append(manifest.version) or {"x": len(asked)})
    device.parts.turns.app_is("busy")
    life = await running(device)
    await until(lambda: device.notices_named("installed"))
    repository.publish("camera/later", "1.1.0", {"main.py": b"2"}, trigger={"every_s": 3600, "background": True})
    await until(lambda: len(device.notices_named("installed")) == 2)
    assert asked == []
    device.parts.turns.app_is("idle")
    await until(lambda: device.notices_named("ran"))
    assert (asked[0], device.bench.ran[0]) == ("1.1.0", (b"2", {"x": 1}))
    await stopped(device, life)


async def test_two_tasks_load_at_a_time_and_as_many_run_as_have_turns_once_they_are_kept(repository, devices):
    publish(repository, 4, vm=KEPT)
    crowd, monotonic = Crowd(), Clock(0.0)
    device = await devices.start(executor=crowd, turns=Turns(3), monotonic=monotonic)
    await device.agent.once()
    assert (len(crowd.ran), crowd.peak()) == (4, 2)
    monotonic.now += 3600
    await device.agent.once()
    assert (len(crowd.ran), crowd.peak()) == (8, 3)
    monotonic.now += 3600
    device.clock.now += 601
    await device.agent.once()
    assert (len(crowd.ran), crowd.peak()) == (12, 2)


async def test_a_device_that_starts_with_many_tasks_spreads_their_first_runs(repository, devices):
    publish(repository, 5)
    device = await devices.start(monotonic=Clock(0.0))
    await device.agent.once()
    again = await devices.restart(device)
    again.bench.ran.clear()
    wait = await again.parts.tasks.turn()
    await again.parts.tasks.settle()
    assert again.bench.ran == []
    assert 0 < wait < 4
    again.monotonic.now = 4.0
    await again.parts.tasks.turn()
    await again.parts.tasks.settle()
    assert len(again.bench.ran) == 5


async def test_all_that_is_due_runs_where_each_task_is_to_run_once(repository, devices):
    publish(repository, 5)
    device = await devices.start()
    await device.agent.once()
    assert len(device.bench.ran) == 5


async def test_a_device_that_slept_or_whose_wall_clock_was_set_keeps_its_schedules(repository, devices):
    publish(repository, 1)
    device = await devices.start(monotonic=Clock(0.0))
    await device.agent.once()

    async def ran():
        device.bench.ran.clear()
        wait = await device.parts.tasks.turn()
        await device.parts.tasks.settle()
        return len(device.bench.ran), wait

    for wall in (-86_400.0, 400 * 86_400.0):
        device.clock.now += wall
        assert await ran() == (0, 3600.0)
    device.monotonic.now += 8 * 3600 + 600
    assert await ran() == (1, 3000.0)
    assert await ran() == (0, 3000.0)
