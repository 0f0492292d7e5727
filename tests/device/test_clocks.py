"""The clock of schedules goes on while the machine sleeps."""

from __future__ import annotations

import time

import pytest

from walle.device.clocks import seconds_since_boot


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="a system whose CLOCK_MONOTONIC counts sleep")
def test_on_linux_it_is_the_clock_that_counts_sleep(monkeypatch):
    slept = {time.CLOCK_MONOTONIC: 100.0, time.CLOCK_BOOTTIME: 100.0 + 8 * 3600}
    monkeypatch.setattr(time, "clock_gettime", slept.get)
    assert seconds_since_boot() == 100.0 + 8 * 3600


def test_it_goes_on():
    assert 0 < seconds_since_boot() <= seconds_since_boot()
