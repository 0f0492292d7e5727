"""The times at which devices are online: random sessions and gaps between them, from one seeded source.

A device is online for a session, away for a while, online again. The paper gives two figures of its fleet (section 7.3,
Figure 13): 6 million devices online when the release starts, and 22 million that came online within 19 minutes. That is
only possible if no device stays away for long, so that the default curve is that of the devices that use the app in
this part of the evening, not of all that have it installed:

- 6 of 22 are online. The curve is stationary: as many come online as go offline, and the release starts at any moment.
- Of the times away, 30 % are interruptions (a call, a payment in another app): exponential, 45 s on average. The others
  are the times between two uses: gamma distributed, 570 s on average, a tenth of that squared as variance. No device
  of this fleet stays away for more than 16 minutes.
- The average session is as long as necessary for 6 of 22 devices to be online, 155 s: log-normal with sigma 0.7, like
  app sessions usually.
- The hour of the day stretches the times away: activity is 1 + 0.5 cos(2 pi (hour - 21) / 24), relative to that at the
  start, 19:00. So slightly more devices come online each minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

Seconds = NDArray[np.int32]


@dataclass(frozen=True)
class Availability:
    """The sessions of a fleet; times are in seconds, `online` is the share of devices online at the start."""

    online: float = 6 / 22
    interruptions: float = 0.3
    interruption_s: float = 45.0
    away_s: float = 570.0
    away_shape: float = 10.0
    away_at_most_s: float = 960.0
    session_sigma: float = 0.7
    start_hour: float = 19.0
    peak_hour: float = 21.0
    amplitude: float = 0.5

    @property
    def gap_s(self) -> float:
        """Return how long a device is away on average, before the bound and at the activity of the start."""
        return self.interruptions * self.interruption_s + (1 - self.interruptions) * self.away_s

    @property
    def session_s(self) -> float:
        """Return how long a session lasts on average, so that the share online stays constant."""
        return self.gap_s * self.online / (1 - self.online)

    def activity(self, second: Any) -> Any:
        """Return the activity of the fleet at one or many seconds since the start, relative to the start."""
        return self._curve(self.start_hour + second / 3600) / self._curve(self.start_hour)

    def first(self, count: int, rng: np.random.Generator) -> tuple[Seconds, Seconds]:
        """Return starts and ends of each device's present session (begun at 0 or before) or its next, at second 0.

        A device is more likely to be in a long session or gap than in a short one, at a uniform moment of it: ages and
        residual times of a stationary renewal process.
        """
        online = np.arange(count) < round(count * self.online)
        rng.shuffle(online)
        waits = whole_seconds(self._gaps(count, rng, biased=1) * rng.random(count))
        sessions = self._sessions(count, rng, biased=1)
        starts = np.where(online, -np.rint(sessions * rng.random(count)).astype(np.int32), waits)
        ends = starts + whole_seconds(np.where(online, sessions, self._sessions(count, rng)))
        return starts, np.maximum(ends, 1)

    def after(self, ends: Seconds, rng: np.random.Generator) -> tuple[Seconds, Seconds]:
        """Return starts and ends of the sessions after those that ended at these times."""
        gaps = self._gaps(len(ends), rng) / self.activity(ends)
        starts = ends + whole_seconds(gaps)
        return starts, starts + whole_seconds(self._sessions(len(ends), rng))

    def _gaps(self, count: int, rng: np.random.Generator, biased: int = 0) -> NDArray[np.float64]:
        """Return random gaps; `biased` weights them by their length (its moments shift by one)."""
        short = self.interruptions * (self.interruption_s / self.gap_s if biased else 1.0)
        interrupted = rng.random(count) < short
        pause = rng.gamma(1 + biased, self.interruption_s, count)
        away = rng.gamma(self.away_shape + biased, self.away_s / self.away_shape, count)
        return np.minimum(np.where(interrupted, pause, away), self.away_at_most_s)

    def _sessions(self, count: int, rng: np.random.Generator, biased: int = 0) -> NDArray[np.float64]:
        variance = self.session_sigma**2
        return rng.lognormal(log(self.session_s) + (biased - 0.5) * variance, self.session_sigma, count)

    def _curve(self, hour: Any) -> Any:
        return 1 + self.amplitude * np.cos(2 * pi * (hour - self.peak_hour) / 24)


def whole_seconds(seconds: NDArray[Any]) -> Seconds:
    """Round to whole seconds, at least one."""
    found: Seconds = np.maximum(np.rint(seconds), 1).astype(np.int32)
    return found
