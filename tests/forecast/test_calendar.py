"""The calendar gives back what was entered, in the second for which it was."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from walle.forecast.calendar import Calendar

HORIZON = 50
entries = st.lists(st.lists(st.tuples(st.integers(0, HORIZON + 20), st.integers(0, 1000)), max_size=30), max_size=4)


@given(entries)
def test_each_second_has_its_devices(rounds: list[list[tuple[int, int]]]) -> None:
    calendar = Calendar(HORIZON)
    for added in rounds:
        seconds, devices = (np.array([pair[part] for pair in added], np.int32) for part in (0, 1))
        calendar.add(seconds, devices)
    for second in range(HORIZON):
        due = sorted(device for added in rounds for at, device in added if at == second)
        assert sorted(calendar.take(second).tolist()) == due
        assert not len(calendar.take(second))
