"""The moment for new versions: what the app or a condition puts off, for how long, and what never waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.device.conftest import TASK, Clock, running, stopped, until
from walle.device.storage.state import DeviceState
from walle.device.updates.moments import Moments, on_battery, put_off
from walle.protocol.deferrals import DEFERRAL, MOST_S, read_deferral


def allow(repository, seconds):
    repository.mangle = lambda offer: replace(offer, defer_s=seconds)


def said(repository):
    return [read_deferral(headers.get(DEFERRAL.lower(), "").encode()) for headers in repository.seen("/checkin")]


async def test_what_may_wait_waits_and_nothing_of_it_is_fetched(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    allow(repository, 3600)
    device = await devices.start()
    device.parts.moments.not_now("in-call", 600)
    await device.agent.once()
    assert device.version() is None
    assert not repository.requests_to("/artifacts")
    assert repository.reports == []
    (notice,) = device.notices_named("put-off")
    assert notice.data["code"] == "in-call"
    assert (said(repository)[-1].reason, 599 <= said(repository)[-1].seconds <= 600) == ("in-call", True)
    device.parts.moments.any_time()
    await device.agent.once()
    assert device.version() == "1.0.0"
    assert said(repository)[-1] is None
    assert device.store.state.put_off == {}


async def test_what_may_not_wait_is_carried_out_at_once(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    device = await devices.start(conditions=[lambda: "on-battery"])
    await device.agent.once()
    assert device.version() == "1.0.0"
    repository.remove(TASK)
    await device.agent.once()
    assert device.version() is None


async def test_the_bound_counts_from_the_first_time_also_across_a_restart(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    allow(repository, 3600)
    device = await devices.start(conditions=[lambda: "on-battery"])
    await device.agent.once()
    device.clock.now += 3599
    device = await devices.restart(device, conditions=[lambda: "on-battery"])
    await device.agent.once()
    assert (device.version(), said(repository)[-1].due) == (None, frozenset())
    device.clock.now += 1
    await device.agent.once()
    assert said(repository)[-2].due == {TASK}
    assert device.version() == "1.0.0"


async def test_another_version_may_wait_anew(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    allow(repository, 3600)
    device = await devices.start(conditions=[lambda: "on-battery"])
    await device.agent.once()
    device.clock.now += 3000
    repository.publish(TASK, "2.0.0", {"main.py": b"two"})
    await device.agent.once()
    device.clock.now += 3000
    await device.agent.once()
    assert device.version() is None


async def test_a_download_stops_at_the_next_file_and_goes_on_later(repository, devices):
    repository.publish(TASK, "1.0.0", {"a.py": b"a", "main.py": b"b", "z.py": b"c"})
    allow(repository, 3600)
    answers = [None, None, None, "in-call"]  # the check-in, the offer, the first file, the second one
    device = await devices.start(conditions=[lambda: answers.pop(0) if answers else None])
    await device.agent.once()
    assert device.version() is None
    fetched = [request.path for request in repository.requests_to("/artifacts")]
    assert len(fetched) == 2, "the manifest and one file"
    await device.agent.once()
    assert device.version() == "1.0.0"
    again = [request.path for request in repository.requests_to("/artifacts")][2:]
    assert not set(again) & set(fetched)


async def test_when_the_moment_comes_it_checks_in_at_once(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    allow(repository, 3600)
    repository.retry_after = 3600
    device = await devices.start()
    device.parts.moments.not_now("in-use", 600)
    task = await running(device)
    await until(lambda: device.notices_named("put-off"))
    device.parts.moments.any_time()
    await until(lambda: device.version() == "1.0.0")
    await stopped(device, task)


def test_the_newest_bound_counts_and_no_device_waits_for_more_than_a_week() -> None:
    state = DeviceState()
    first = put_off(state, TASK, "m", 100, now=1000.0)
    assert first is not None
    state = state.with_put_off(TASK, first)
    shorter = put_off(state, TASK, "m", 10, now=1009.0)
    assert shorter is not None
    assert (shorter.since, shorter.until) == (1000.0, 1010.0)
    assert put_off(state, TASK, "m", 10, now=1010.0) is None
    assert put_off(state, TASK, "m", 100, now=999.0) is None, "the clock was set back"
    assert put_off(state, TASK, "m", 0, now=1001.0) is None
    longest = put_off(state, TASK, "m", 10**12, now=1001.0)
    assert longest is not None
    assert longest.until == 1000.0 + MOST_S
    assert DeviceState.from_dict(state.to_dict()) == state


def test_what_the_app_says_ends_by_itself_and_goes_before_conditions() -> None:
    clock = Clock(100.0)
    moments = Moments(clock, [lambda: "metered"])
    moments.not_now("in-call", 60)
    assert moments.present() == ("in-call", 60.0)
    clock.now += 60
    assert moments.present() == ("metered", 3600.0)
    for reason, seconds in (("a call", 60), ("in-call", 0), ("in-call", MOST_S + 1)):
        with pytest.raises(ValueError, match="expected"):
            moments.not_now(reason, seconds)


@pytest.mark.parametrize(
    ("supplies", "reason"),
    [
        ({"BAT0": {"type": "Battery", "status": "Discharging"}, "AC": {"type": "Mains", "online": "0"}}, "on-battery"),
        ({"BAT0": {"type": "Battery", "status": "Discharging"}, "AC": {"type": "Mains", "online": "1"}}, None),
        ({"BAT0": {"type": "Battery", "status": "Charging"}}, None),
        ({}, None),
    ],
)
def test_on_battery_is_what_linux_says(tmp_path: Path, supplies: dict[str, dict[str, str]], reason: str | None) -> None:
    for name, files in supplies.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(f"{text}\n")
    assert on_battery(tmp_path) == reason
