"""Computes when each task runs next from its period; the time comes in as an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Period:
    """A task that runs every `every_s` seconds; `version` identifies its installation."""

    version: str
    every_s: float


class Schedule:
    """The next run of each periodic task. Times are seconds of one clock, which never jumps.

    A newly installed version is due at once, so that its first outcome is known early. Runs that were missed, such as
    while the device slept, are not made up for.
    """

    def __init__(self) -> None:
        self._periods: dict[str, Period] = {}
        self._due: dict[str, float] = {}

    def update(self, periods: Mapping[str, Period], now: float) -> None:
        """Replace the scheduled tasks by those installed now; a task that is new or changed is due at once."""
        changed = {name for name, period in periods.items() if self._periods.get(name) != period}
        self._due = {name: now if name in changed else self._due[name] for name in periods}
        self._periods = dict(periods)

    def take_due(self, now: float) -> list[str]:
        """Return the names of the tasks to run now, and schedule the next run of each."""
        due = [name for name, at in self._due.items() if at <= now]
        for name in due:
            period = self._periods[name].every_s
            missed = (now - self._due[name]) // period if period > 0 else 0
            following = self._due[name] + (missed + 1) * period
            # Rounding errors can leave it at or before now.
            self._due[name] = following if following > now else now + period
        return due

    def wait(self, now: float) -> float | None:
        """Return the seconds until the next run is due; None if nothing is scheduled."""
        return max(0.0, min(self._due.values()) - now) if self._due else None
