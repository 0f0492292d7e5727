"""The clock that schedules of a device are kept by."""

from __future__ import annotations

import time


def seconds_since_boot() -> float:
    """Return the seconds of a clock that nobody sets and that goes on while the machine sleeps.

    That is CLOCK_BOOTTIME on Linux, whose CLOCK_MONOTONIC stops in a sleep, and CLOCK_MONOTONIC on macOS.
    """
    return time.clock_gettime(_CLOCK)


_CLOCK = time.CLOCK_BOOTTIME if hasattr(time, "CLOCK_BOOTTIME") else time.CLOCK_MONOTONIC
