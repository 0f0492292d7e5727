"""How many records one sender may have answered: so many a second, ten times as many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from walle.whitebox.serving.problems import PredictionRefused

AT_ONCE_S: Final = 10.0
MOST_SENDERS: Final = 100_000


class SenderLimits:
    """The pace of senders, which are devices and services. `a_second` is in records, 0 for no limit.

    `clock` returns monotonic seconds.
    """

    def __init__(self, a_second: float, clock: Callable[[], float]) -> None:
        self._a_second = a_second
        self._clock = clock
        self._used: dict[str, tuple[float, float]] = {}

    def take(self, sender: str, records: int) -> None:
        """Count records. Raises PredictionRefused (429) if the sender has no room for them now."""
        if not self._a_second:
            return
        now, most = self._clock(), self._a_second * AT_ONCE_S
        used, at = self._used.pop(sender, (0.0, now))
        used = max(0.0, used - (now - at) * self._a_second)
        refused = used > 0 and used + records > most
        self._used[sender] = (used if refused else used + records, now)
        if len(self._used) > MOST_SENDERS:
            del self._used[next(iter(self._used))]
        if refused:
            text = f"expected at most {self._a_second:g} records a second of one sender"
            raise PredictionRefused(429, "too-many-records", text, retry_after=(used + records - most) / self._a_second)
