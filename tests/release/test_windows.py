"""Time windows: against a plain minute-by-minute reading of a clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walle.release.windows import EVERY_DAY, LONGEST_BACK, Window, WindowMalformed

ZONES = ("Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC")
times = st.builds(time, st.integers(0, 23), st.sampled_from([0, 1, 30, 59]))
windows = st.builds(
    Window,
    st.sampled_from(ZONES),
    times,
    times,
    st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))),
)
moments = st.integers(0, 366 * 1440).map(lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes))


def on_the_wall(window: Window, now: datetime) -> bool:
    """Whether it is open, from what a clock on a wall of the zone shows (not near a change of the clocks)."""
    local = now.astimezone(ZoneInfo(window.zone))
    clock, today = local.time(), local.weekday()
    if window.end > window.start:
        return today in window.days and window.start <= clock < window.end
    began_today = today in window.days and clock >= window.start
    return began_today or ((today - 1) % 7 in window.days and clock < window.end)


def near_a_change_of_the_clocks(window: Window, now: datetime) -> bool:
    offsets = {(now + timedelta(days=days)).astimezone(ZoneInfo(window.zone)).utcoffset() for days in range(-2, 3)}
    return len(offsets) > 1


@settings(max_examples=300)
@given(windows, moments)
def test_open_as_the_clock_on_the_wall_says(window: Window, now: datetime) -> None:
    if not near_a_change_of_the_clocks(window, now):
        assert window.is_open(now) == on_the_wall(window, now)


@settings(max_examples=200)
@given(windows, moments, st.integers(0, 3000), st.integers(0, 3000))
def test_open_seconds_add_up(window: Window, since: datetime, one: int, other: int) -> None:
    middle, until = since + timedelta(minutes=one), since + timedelta(minutes=one + other)
    parts = window.open_seconds(since, middle) + window.open_seconds(middle, until)
    assert parts == window.open_seconds(since, until)
    assert 0 <= parts <= (until - since).total_seconds()


@settings(max_examples=200)
@given(windows, moments)
def test_it_is_open_until_it_closes(window: Window, now: datetime) -> None:
    closes = window.closes(now)
    if closes is None:
        assert window.open_seconds(now, now + timedelta(seconds=1)) == 0
        return
    assert window.open_seconds(now, closes) == (closes - now).total_seconds()
    assert window.is_open(closes - timedelta(seconds=1))


@settings(max_examples=200)
@given(windows, moments, st.integers(1, 200_000))
def test_going_back_is_the_inverse_of_open_seconds(window: Window, now: datetime, seconds: int) -> None:
    most = window.open_seconds(now - LONGEST_BACK, now)
    assert window.open_seconds(window.back(now, seconds), now) == pytest.approx(min(seconds, most))


def test_the_hour_that_does_not_exist_and_the_one_that_comes_twice() -> None:
    night = Window("Europe/Berlin", time(2, 0), time(3, 0))
    spring = datetime(2026, 3, 29, 0, 0, tzinfo=UTC)
    autumn = datetime(2026, 10, 24, 22, 0, tzinfo=UTC)
    assert night.open_seconds(spring, spring + timedelta(hours=12)) == 0
    assert night.open_seconds(autumn, autumn + timedelta(hours=12)) == 7200


@given(windows)
def test_round_trip(window: Window) -> None:
    assert Window.from_dict(window.to_dict()) == window


NIGHT = {"zone": "UTC", "from": "01:00", "to": "02:00"}


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (None, ["window"]),
        ({}, ["window.zone", "window.from", "window.to"]),
        ({**NIGHT, "zone": "Mars/Olympus"}, ["window.zone"]),
        ({**NIGHT, "zone": "../../etc/passwd"}, ["window.zone"]),
        ({**NIGHT, "zone": "Europe"}, ["window.zone"]),
        ({**NIGHT, "zone": 1}, ["window.zone"]),
        ({**NIGHT, "from": "24:00"}, ["window.from"]),
        ({**NIGHT, "from": "1:00"}, ["window.from"]),
        ({"zone": "UTC", "from": "01:00"}, ["window.to"]),
        ({**NIGHT, "days": []}, ["window.days"]),
        ({**NIGHT, "days": [7]}, ["window.days[0]"]),
        ({**NIGHT, "days": [0, True]}, ["window.days[1]"]),
        ({**NIGHT, "holidays": []}, ["window.holidays"]),
        ({"zone": "Mars", "from": 1, "to": "02:00", "days": 0}, ["window.zone", "window.from", "window.days"]),
    ],
)
def test_nonsense_is_refused_with_all_its_faults(value: Any, fields: list[str]) -> None:
    with pytest.raises(WindowMalformed) as refused:
        Window.from_dict(value)
    assert [problem.field for problem in refused.value.problems] == fields


def test_every_day_is_what_is_meant_when_nothing_is_said() -> None:
    assert Window.from_dict({"zone": "UTC", "from": "01:00", "to": "02:00"}).days == EVERY_DAY


def test_a_window_that_a_change_of_the_clocks_leaves_out_opens_on_the_next_day() -> None:
    window = Window("Europe/Berlin", time(2, 30), time(3, 0))  # on March 29th two o'clock is followed by three
    noon = datetime(2026, 3, 29, 12, tzinfo=UTC)
    assert window.open_seconds(noon - timedelta(days=1), noon) == 0
    assert window.back(noon, 1800) == datetime(2026, 3, 28, 1, 30, tzinfo=UTC)
    assert window.back(noon + timedelta(days=1), 1800) == datetime(2026, 3, 30, 0, 30, tzinfo=UTC)


def test_it_opens_at_its_first_moment_and_is_shut_at_its_last() -> None:
    window = Window("UTC", time(1), time(5))
    first, last = datetime(2026, 6, 1, 1, tzinfo=UTC), datetime(2026, 6, 1, 5, tzinfo=UTC)
    moment = timedelta(microseconds=1)
    assert [window.is_open(at) for at in (first - moment, first, last - moment, last)] == [False, True, True, False]
