"""Times that count for a release's clocks."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.counted_time import Span, counted_back, counted_seconds
from walle.release.windows import Window

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
WINDOWS = st.sampled_from([None, Window("UTC", time(11), time(13)), Window("Asia/Shanghai", time(20, 30), time(19))])


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


@st.composite
def spans(draw: st.DrawFn) -> list[Span]:
    """Interruptions in order, which do not overlap, of the last five hours."""
    ends = sorted(draw(st.sets(st.integers(-300, 10), max_size=8)))
    return [(at(start), at(end)) for start, end in zip(ends[::2], ends[1::2], strict=False)]


@given(spans(), WINDOWS)
def test_each_second_counts_once_while_the_window_is_open_and_reports_are_taken(lost, window) -> None:
    minutes = range(-300, 0)
    whole = [
        minute
        for minute in minutes
        if not any(start <= at(minute) < end for start, end in lost) and (window is None or window.is_open(at(minute)))
    ]
    assert counted_seconds(at(-300), NOON, window, lost) == 60 * len(whole)


@given(spans(), WINDOWS, st.integers(0, 4_000))
def test_going_back_is_the_inverse_of_counting(lost, window, seconds) -> None:
    lost = [(start, min(end, NOON)) for start, end in lost if start < NOON]
    began = counted_back(NOON, seconds, window, lost)
    assert counted_seconds(began, NOON, window, lost) == pytest.approx(seconds)


def test_an_outage_that_lasts_leaves_no_time_behind_it() -> None:
    assert counted_seconds(at(-10), NOON, None, [(at(-60), NOON)]) == 0
    assert counted_back(NOON, 60, None, [(at(-60), NOON)]) == at(-61)
