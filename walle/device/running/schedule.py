"""Computes when each task runs next from its period; time and randomness come in as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from walle.device.link.backoff import RandomSource

SPREAD_S: Final = 1.0
"""Seconds by which first runs are spread, for each task. A cold start keeps a processor busy for 0.02 to 0.6 s, so
that a device that starts with many tasks has time left for the app."""


@dataclass(frozen=True)
class Period:
    """A task that runs every `every_s` seconds; `version` identifies its installation."""

    version: str
    every_s: float


class Schedule:
    """The next run of each periodic task. Times are seconds of one clock.

    A newly installed version is due at once, so that its first outcome is known early. Where several become due
    together, as when a device starts, their first runs are drawn evenly from SPREAD_S for each task beyond the first,
    but each task's from no more than its period. `randomness` is the source of randomness.

    Runs that were missed are not made up for: if the clock moves ahead, as after a sleep, each task that became due
    runs once. If it moves back, each runs within its period all the same.
    """

    def __init__(self, randomness: RandomSource) -> None:
        self._randomness = randomness
        self._periods: dict[str, Period] = {}
        self._due: dict[str, float] = {}

    def update(self, periods: Mapping[str, Period], now: float, *, spread: bool = True) -> None:
        """Replace the scheduled tasks by those installed now.

        A task that is new or changed is due at once, or soon if it is one of several and they are to be spread.
        """
        changed = {name for name, period in periods.items() if self._periods.get(name) != period}
        window = SPREAD_S * (len(changed) - 1) if spread else 0.0
        self._due = {
            name: now + min(window, period.every_s) * self._randomness() if name in changed else self._due[name]
            for name, period in periods.items()
        }
        self._periods = dict(periods)

    def take_due(self, now: float) -> list[str]:
        """Return the names of the tasks to run now, and schedule the next run of each."""
        self._due = {name: min(at, now + self._periods[name].every_s) for name, at in self._due.items()}
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
