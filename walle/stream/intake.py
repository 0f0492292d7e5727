"""The time of a session: a clock that goes on evenly where somebody sets the device's clock.

Windows, visits and conditions measure how long something took. The device's clock may jump by hours while they do, once
it has asked the network for the time. So the events of one session keep the clock that the session began with, and the
next session begins by the device's clock again. A session ends when the process does, or when nothing was reported for
half an hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

STEP_S: Final = 1.0
"""How far the device's clock may go apart from the monotonic one between two events before that is a step."""
SESSION_IDLE_S: Final = 1800.0
"""Seconds without events after which a session, and every visit of a page in it, has ended."""


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Both clocks of a device at one moment: Unix seconds, and seconds of a clock that nobody sets."""

    wall: float
    monotonic: float


class SessionClock:
    """Turns times by the device's clock into times of the session. `steps` counts the steps that it took out."""

    def __init__(self) -> None:
        self.steps = 0
        self.sessions = 0
        self._ahead = 0.0
        self._last: ClockReading | None = None

    def time_of(self, at: float, reading: ClockReading) -> float:
        """Return the time of the session for an event that was reported at `reading` and happened `at` (Unix seconds).

        An event cannot have happened after it was reported.
        """
        last, self._last = self._last, reading
        if last is None or reading.monotonic - last.monotonic >= SESSION_IDLE_S:
            self.sessions += 1
            self._ahead = 0.0
        else:
            step = (reading.wall - last.wall) - (reading.monotonic - last.monotonic)
            if abs(step) > STEP_S:
                self.steps += 1
                self._ahead += step
        return min(at, reading.wall) - self._ahead
