"""How fast one connection's features are read: those of one device must not take all of a gateway's time."""

from __future__ import annotations


class Pace:
    """Allows `rate` bytes a second on average, and as many at once as in a second. Time comes in as an argument."""

    __slots__ = ("_paid", "_rate")

    def __init__(self, rate: int, now: float) -> None:
        self._rate = rate
        self._paid = now - 1.0
        """The time up to which the allowance is used."""

    def wait(self, size: int, now: float) -> float:
        """Count bytes that were read, and return the seconds for which nothing more is to be read."""
        self._paid = max(self._paid, now - 1.0) + size / self._rate
        return max(0.0, self._paid - now)
