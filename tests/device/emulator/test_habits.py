"""Emulated devices that put new versions off: who, when, and that they install them in the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.device.conftest import TASK
from tests.device.emulator.test_emulator import CODE, OFTEN, emulator, end, latest  # noqa: F401 - a fixture
from tests.support.waiting import wait_for
from walle.device.emulator.habits import Habits
from walle.device.emulator.population import Distribution, generate_population
from walle.protocol.deferrals import DEFERRAL, read_deferral

PEOPLE = generate_population("shop", 400, 1, Distribution(), prefix="light")


def reasons(habits: Habits, at: float) -> list[str | None]:
    return [condition() for person in PEOPLE for condition in habits.of(person, lambda: at)]


def test_a_share_of_them_does_each_for_one_reason_that_comes_and_goes() -> None:
    habits = Habits(share=0.25, period_s=60, reasons={"in-call": 3, "metered": 1})
    now, later, again = (reasons(habits, at) for at in (1000.0, 1060.0, 1120.0))
    assert len(now) == pytest.approx(100, abs=25)
    assert sum(reason is not None for reason in now) == pytest.approx(len(now) / 2, abs=25)
    assert [reason is None for reason in now] == [reason is not None for reason in later]
    assert now == again
    named = [one or other for one, other in zip(now, later, strict=True)]
    assert named.count("in-call") > named.count("metered") > 0
    assert reasons(Habits(), 1000.0) == []


def test_light_devices_put_off_what_may_wait_and_install_it_in_the_end(emulator, repository):  # noqa: F811
    repository.mangle = lambda offer: replace(offer, defer_s=3600)
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    child = emulator("--devices", "0", "--light", "8", "--not-now", "1", "--not-now-period", "2")
    wait_for(lambda: latest(child)["installed"] == {f"{TASK}@1.0.0": 8}, describe=child.output)
    assert end(child)["events"]["put-off"] > 0
    said = [read_deferral(headers.get(DEFERRAL.lower(), "").encode()) for headers in repository.seen("/checkin")]
    assert {deferral.reason for deferral in said if deferral} <= {"in-call", "on-battery", "metered"}
    assert any(said)
