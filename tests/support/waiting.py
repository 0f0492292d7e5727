"""Waiting for real processes: on a condition, with a deadline, never for a fixed time."""

import os
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

# Between two looks passes a tenth of the time waited so far: looking costs what is waited for its processor.
SHORTEST_INTERVAL, LONGEST_INTERVAL = 0.01, 0.1
# Bounds are written for an idle machine; on a busy one, too, only what hangs is to exceed them.
FACTOR = float(os.environ.get("WALLE_WAIT_FACTOR", "3"))
ANSWER_S = 20.0 * FACTOR
"""Seconds for what answers or ends at once: whatever takes longer hangs."""


def wait_for(
    predicate: Callable[[], Found], timeout: float = 20.0, describe: str | Callable[[], str] = "the condition"
) -> Found:
    """Call `predicate` until what it returns is true and return that.

    After `timeout` seconds, times FACTOR, raises AssertionError with `describe` (a callable is asked at that
    moment, so that it can quote a log).
    """
    timeout *= FACTOR
    started = time.monotonic()
    while not (found := predicate()):
        waited = time.monotonic() - started
        if waited > timeout:
            text = describe() if callable(describe) else describe
            raise AssertionError(f"waited {timeout:g} s in vain for {text}")
        time.sleep(min(max(SHORTEST_INTERVAL, waited / 10), LONGEST_INTERVAL))
    return found
