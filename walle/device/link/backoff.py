"""When to try again: full-jitter exponential back-off, and obedience to the server's pace.

Full jitter (a uniform draw between zero and the exponential ceiling) spreads a herd of devices that failed at
the same moment. A server's Walle-Retry-After is a floor that is never undercut; jitter only adds to it.
No module here reads a clock or a source of randomness of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

RandomSource = Callable[[], float]
"""A uniform draw from [0, 1), e.g. `random.Random(seed).random`."""


@dataclass(frozen=True)
class Backoff:
    """Delays in seconds after 1, 2, 3... failures in a row: uniform in [0, min(cap, base * 2**(n-1)))."""

    base: float = 1.0
    cap: float = 300.0

    def ceiling(self, failures: int) -> float:
        """The longest delay after so many failures in a row; 0 when there was none."""
        if failures <= 0:
            return 0.0
        return min(self.cap, self.base * 2.0 ** min(failures - 1, 62))

    def delay(self, failures: int, draw: RandomSource) -> float:
        return self.ceiling(failures) * draw()


def spread_retry(retry_after: float, draw: RandomSource, *, spread: float = 0.25) -> float:
    """What the server asked for, and up to `spread` of it more, so that a herd it sent away does not return at once."""
    return max(0.0, retry_after) * (1.0 + spread * draw())


class CheckInPacer:
    """When the next request of a kind is due.

    Every time argument is in seconds of one clock, whichever the caller uses.
    """

    def __init__(
        self, *, interval: float, draw: RandomSource, backoff: Backoff | None = None, spread: float = 0.25
    ) -> None:
        self.interval = interval
        self._draw = draw
        self._backoff = backoff or Backoff()
        self._spread = spread
        self._due = 0.0
        self.failures = 0

    def wait(self, now: float) -> float:
        """Seconds until the next request may be made."""
        return max(0.0, self._due - now)

    def ready(self, now: float) -> bool:
        return now >= self._due

    def start(self, now: float) -> None:
        """Makes the first request due now, not since ever."""
        self._due = max(self._due, now)

    def answered(self, now: float, retry_after: float | None = None, *, soon: bool = False) -> None:
        """The server answered: the next time comes after the interval, or later if the server asked for that.

        `soon`: there was something to do, and there may be more; a second at most is waited of one's own accord.
        """
        self.failures = 0
        interval = min(self.interval, 1.0) if soon else self.interval
        usual = spread_retry(interval, self._draw, spread=self._spread)
        self._due = now + max(usual, self._asked(retry_after))

    def failed(self, now: float, retry_after: float | None = None) -> None:
        """The server could not be reached or failed."""
        self.failures += 1
        delay = self._backoff.delay(self.failures, self._draw)
        self._due = now + max(delay, self._asked(retry_after))

    def _asked(self, retry_after: float | None) -> float:
        return spread_retry(retry_after, self._draw, spread=self._spread) if retry_after else 0.0
