"""Waiting for real processes: on a condition, with a deadline, never for a fixed time."""

import os
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

INTERVAL_SECONDS = 0.02
# Bounds are written for an idle machine; on a busy one, too, only what hangs is to exceed them.
FACTOR = float(os.environ.get("WALLE_WAIT_FACTOR", "3"))


def wait_for(
    predicate: Callable[[], Found], timeout: float = 20.0, describe: str | Callable[[], str] = "the condition"
) -> Found:
    """Call `predicate` until what it returns is true and return that.

    After `timeout` seconds, times FACTOR, raises AssertionError with `describe` (a callable is asked at that
    moment, so that it can quote a log).
    """
    timeout *= FACTOR
    deadline = time.monotonic() + timeout
    while not (found := predicate()):
        if time.monotonic() > deadline:
            text = describe() if callable(describe) else describe
            raise AssertionError(f"waited {timeout:g} s in vain for {text}")
        time.sleep(INTERVAL_SECONDS)
    return found
