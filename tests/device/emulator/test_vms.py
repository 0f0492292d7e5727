"""The VMs that light devices pretend: cold after an installation or an end, warm in between, only where kept."""

from __future__ import annotations

import random
from dataclasses import replace

from walle.device.emulator.vms import CAUSES, PretendedVms, VmRates
from walle.device.storage.state import Installation

FIRST = Installation("camera/digits", "1.0.0", "a" * 64, "a" * 32, 1, "token", 0.0)


def vms(ended: float) -> PretendedVms:
    return PretendedVms(VmRates(ended, 45.0), random.Random(1))


def test_only_a_kept_task_runs_warm():
    device = vms(0.0)
    assert [device.start(FIRST, kept=False).start for _ in range(3)] == ["cold"] * 3
    assert [device.start(FIRST, kept=True) for _ in range(3)] == [("cold", None, 45.0), *[("warm", None, 0.0)] * 2]


def test_a_new_version_begins_cold_and_tells_of_no_end():
    device, second = vms(0.0), replace(FIRST, version="2.0.0", manifest="b" * 64)
    starts = [device.start(version, kept=True)[:2] for version in (FIRST, FIRST, second, second)]
    assert starts == [("cold", None), ("warm", None), ("cold", None), ("warm", None)]


def test_a_failed_run_ends_its_vm_and_the_next_tells_it_once():
    device = vms(0.0)
    device.start(FIRST, kept=True)
    device.fail(FIRST.task)
    assert [device.start(FIRST, kept=True)[:2] for _ in range(2)] == [("cold", "failed"), ("warm", None)]


def test_vms_end_as_often_as_asked_for_causes_that_are_drawn():
    device = vms(0.25)
    starts = [device.start(FIRST, kept=True) for _ in range(2000)][1:]
    ends = [start.vm_end for start in starts if start.start == "cold"]
    assert set(ends) == set(CAUSES)
    assert 400 < len(ends) < 600
