"""When devices check in again: one interval later as a rule, sooner while that helps, within a budget.

A device that has a version in a release, or one that is being withdrawn, is asked again after a quarter of the
interval. What that costs is bounded for each gateway: a tenth of the check-ins that it answers anyway, and FREE_PER_S a
second, which a small fleet lives on. Once the budget is used up, devices wait for the whole interval as all others do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from walle.gateway.buffer import CheckInBuffer

PARTS: Final = 4
"""How many waits of a watched device make one interval."""
SHARE: Final = 0.1
FREE_PER_S: Final = 5.0
SAVED_S: Final = 60.0
"""What was not used in this many seconds may be used later."""
EARNED_EVERY_S: Final = 1.0


def sooner(interval: int) -> int:
    """Return the seconds between the check-ins of a watched device."""
    return max(1, interval // PARTS)


class ExtraCheckIns:
    """The budget of check-ins that come sooner than they had to. `clock` returns monotonic seconds.

    It costs nothing to answer other check-ins: the buffer knows how many there were.
    """

    def __init__(self, buffer: CheckInBuffer, clock: Callable[[], float]) -> None:
        self._buffer, self._clock = buffer, clock
        self._at, self._answered = clock(), buffer.added
        self._left = FREE_PER_S * SAVED_S
        self.granted = self.refused = 0

    def take(self, interval: int) -> bool:
        """Return whether a device may be asked again sooner than after an interval, and count what that costs."""
        self._earn()
        cost = 1 - sooner(interval) / interval
        if cost > self._left:
            self.refused += 1
            return False
        self._left -= cost
        self.granted += 1
        return True

    def _earn(self) -> None:
        now, answered = self._clock(), self._buffer.added
        seconds = now - self._at
        if seconds < EARNED_EVERY_S:
            return
        earned = FREE_PER_S * seconds + SHARE * (answered - self._answered)
        self._left = min(self._left + earned, earned / seconds * SAVED_S)
        self._at, self._answered = now, answered
