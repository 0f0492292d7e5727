"""A device and the VMs of tasks that ask to be kept."""

from __future__ import annotations

import pytest

from tests.device.conftest import TASK, Clock
from walle.container.sandbox import Sandbox
from walle.device.running.sandboxed import SandboxExecutor

COUNTING = b"runs = 0\ndef run(inputs, context):\n    global runs\n    runs += 1\n    return {'y': runs}\n"
VM = {"keep": True, "idle_s": 600, "held_mb": 8}


async def test_what_is_kept_of_a_version_ends_when_another_takes_its_place(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    await device.agent.once()
    before = device.store.task(TASK).current.folder
    assert device.bench.ended == []
    repository.publish(TASK, "2.0.0", {"main.py": b"two"})
    await device.agent.once()
    assert device.bench.ended == [before]
    repository.remove(TASK)
    await device.agent.once()
    assert len(device.bench.ended) == 2


@pytest.mark.processes
async def test_reports_say_which_runs_were_cold_and_why_a_vm_had_ended(repository, devices):
    outputs = {"y": {"type": "integer"}}
    repository.publish(TASK, "1.0.0", {"main.py": COUNTING}, vm=VM, outputs=outputs, trigger={"every_s": 1})
    with Sandbox() as sandbox:
        seconds = Clock(0.0)
        device = await devices.start(executor=SandboxExecutor(sandbox), monotonic=seconds)
        for _ in range(3):
            await device.agent.once()
            seconds.now += 2
        sandbox.relieve(10**12)
        await device.agent.once()
    runs = [report for report in repository.reports if report["kind"] == "run"]
    assert {report.get("error_class") for report in runs} == {None}
    assert [report["output"] for report in runs] == [{"y": 1}, {"y": 2}, {"y": 3}, {"y": 1}]
    assert [report["start"] for report in runs] == ["cold", "warm", "warm", "cold"]
    assert [report.get("vm_end") for report in runs] == [None, None, None, "memory-pressure"]
