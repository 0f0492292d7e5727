"""When each task runs next: pure bookkeeping of periods, the clock passed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Period:
    """A task that runs every so many seconds; `version` tells one installation from the next."""

    version: str
    every_s: float


class Schedule:
    """A newly installed version is due at once, so that its first outcome is known early; then by its period.

    A device that slept makes up for nothing: a missed run is not made twice.
    """

    def __init__(self) -> None:
        self._periods: dict[str, Period] = {}
        self._due: dict[str, float] = {}

    def update(self, periods: Mapping[str, Period], now: float) -> None:
        """What is installed now; tasks not named are forgotten."""
        changed = {name for name, period in periods.items() if self._periods.get(name) != period}
        self._due = {name: now if name in changed else self._due[name] for name in periods}
        self._periods = dict(periods)

    def take_due(self, now: float) -> list[str]:
        """The tasks to run now, each scheduled for its next time."""
        due = [name for name, at in self._due.items() if at <= now]
        for name in due:
            period = self._periods[name].every_s
            missed = (now - self._due[name]) // period if period > 0 else 0
            following = self._due[name] + (missed + 1) * period
            # Rounded down, it may not have moved beyond now.
            self._due[name] = following if following > now else now + period
        return due

    def wait(self, now: float) -> float | None:
        """Seconds until the next run is due; None if nothing is scheduled."""
        return max(0.0, min(self._due.values()) - now) if self._due else None
