"""The times of retries: full-jitter exponential back-off that respects the server's pace.

Full jitter (uniform between zero and the exponential ceiling) spreads many devices that failed at the same moment. The
Walle-Retry-After of an answer was spread by the server, and is kept to as it is: whatever a device adds to it delays
every rollback. The Retry-After of a failure is the same for everybody, and a lower bound to which jitter only adds. The
time and the source of randomness come in as arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

RandomSource = Callable[[], float]
"""Returns a uniform random number in [0, 1), such as `random.Random(seed).random`."""
LONGEST_S: Final = 86_400.0
RIDES_FROM: Final = 0.75
"""The part of the wait between two requests after which an app's own request may carry the next one."""


@dataclass(frozen=True)
class Backoff:
    """Delays in seconds after 1, 2, 3... failures in a row: uniform in [0, min(cap, base * 2**(n-1)))."""

    base: float = 1.0
    cap: float = 300.0

    def ceiling(self, failures: int) -> float:
        """Return the longest delay after this many failures in a row; 0 without a failure."""
        if failures <= 0:
            return 0.0
        return min(self.cap, self.base * 2.0 ** min(failures - 1, 62))

    def delay(self, failures: int, randomness: RandomSource) -> float:
        return self.ceiling(failures) * randomness()


def spread_retry(retry_after: float, randomness: RandomSource, *, spread: float = 0.25) -> float:
    """Return the seconds that the server requested plus a random part, `spread` of them at most."""
    return max(0.0, retry_after) * (1.0 + spread * randomness())


def requested_wait(retry_after: float | None, randomness: RandomSource, *, spread: float = 0.25) -> float:
    """Return for how many seconds a server is left alone that asked for so many: a day at most, 0 if it did not ask.

    A server or proxy that is broken must not lose its devices for ever.
    """
    return spread_retry(min(retry_after, LONGEST_S), randomness, spread=spread) if retry_after else 0.0


class CheckInPacer:
    """Computes when the next request of a kind is due.

    All times are in seconds of one clock, which the caller chooses.
    """

    def __init__(
        self, *, interval: float, randomness: RandomSource, backoff: Backoff | None = None, spread: float = 0.25
    ) -> None:
        self.interval = interval
        self._randomness = randomness
        self._backoff = backoff or Backoff()
        self._spread = spread
        self._due = self._waits = 0.0
        self.failures = 0

    def wait(self, now: float) -> float:
        """Return the seconds until the next request may be made."""
        return max(0.0, self._due - now)

    def ready(self, now: float) -> bool:
        return now >= self._due

    def may_ride(self, now: float) -> bool:
        """Return whether an app's own request may carry the next request: from RIDES_FROM of the wait for it on.

        So a request of its own is due no later for having waited for one that carries it. After a failure there is no
        such haste.
        """
        return self.ready(now) or (not self.failures and now >= self._due - (1 - RIDES_FROM) * self._waits)

    def await_ride(self, now: float, longest: float) -> None:
        """Make the first request due within `longest` seconds; an app's request may carry it at once."""
        self._due, self._waits = max(self._due, now + longest), longest / (1 - RIDES_FROM)

    def answered(self, now: float, retry_after: float | None = None, *, soon: bool = False) -> None:
        """The server answered: the next request is due when it said, exactly; after the interval if it did not say.

        With `soon`, there was something to do and there may be more, so that the interval is at most a second.
        """
        self.failures = 0
        if retry_after:
            self._waits = min(retry_after, LONGEST_S)
        else:
            interval = min(self.interval, 1.0) if soon else self.interval
            self._waits = spread_retry(interval, self._randomness, spread=self._spread)
        self._due = now + self._waits

    def failed(self, now: float, retry_after: float | None = None) -> None:
        """The server could not be reached, or failed."""
        self.failures += 1
        delay = self._backoff.delay(self.failures, self._randomness)
        self._due = now + max(delay, self._requested(retry_after))

    def _requested(self, retry_after: float | None) -> float:
        return requested_wait(retry_after, self._randomness, spread=self._spread)
