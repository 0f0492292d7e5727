"""Whether a plan looks up what other plans computed of the same record (PRETZEL, sub-plan materialisation).

Looking up costs time, too: where inputs seldom recur it is left, except for a sample of the inputs, by which it is
noticed when that changes.
"""

from __future__ import annotations

from typing import Any, Final

SAMPLE: Final = 32
"""Of so many inputs one is looked up where it is not worthwhile for all: always the same ones, by their hash."""
COMPARED: Final = 256
"""Of so many requests one is answered without looking up where that is worthwhile, so that its time stays known."""
WINDOW: Final = 64
"""After so many look-ups it is decided anew."""
GAIN: Final = 0.97
"""Looking up has to take less than this part of the time without it."""
_WEIGHT: Final = 1 / 16
_OUTLIER: Final = 4.0
_COUNTED: Final = 16
_TIMED: Final = 8
"""Of so many hits the time of one is taken note of."""
_TAIL: Final = 16


class MeanTime:
    """The time that something takes lately, in nanoseconds, without what takes several times as long by chance."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: float | None = None

    def add(self, nanoseconds: float) -> None:
        if self.value is None:
            self.value = nanoseconds
        else:
            self.value += _WEIGHT * (min(nanoseconds, _OUTLIER * self.value) - self.value)


class SharingChoice:
    """The choice of the plans that have the same stages in common. It begins by looking up, and is led by times."""

    __slots__ = ("_hit", "_hits", "_looked", "_miss", "_plain", "_rate", "_turn", "worthwhile")

    def __init__(self) -> None:
        self.worthwhile = True
        self._plain, self._hit, self._miss = MeanTime(), MeanTime(), MeanTime()
        self._looked = self._hits = self._turn = 0
        self._rate = 1.0

    @property
    def rate(self) -> float:
        """The part of the look-ups that found something, at the last decision."""
        return self._rate

    def looks_up(self, record: Any) -> bool:
        """Return whether a record is looked up."""
        if not self.worthwhile:
            return _fingerprint(record) % SAMPLE == 0
        self._turn += 1
        return self._turn % COMPARED != 1

    def plain(self, nanoseconds: int) -> None:
        """Count a prediction that looked nothing up, or one of several where all are such."""
        self._turn += 1
        if self.worthwhile or self._turn % _COUNTED == 0:
            self._plain.add(nanoseconds)

    def looked(self, found: bool, nanoseconds: int) -> None:
        """Count a prediction that looked results up, and found all or made some and kept them."""
        self._looked += 1
        if not found:
            self._miss.add(nanoseconds)
        elif self._looked % _TIMED == 0:
            self._hit.add(nanoseconds)
        self._hits += found
        if self._looked >= WINDOW:
            self._rate = self._hits / self._looked
            self._looked = self._hits = 0
            self._decide()

    def _decide(self) -> None:
        plain, hit, miss = self._plain.value, self._hit.value, self._miss.value
        if plain is None:
            return
        with_hits = 0.0 if hit is None else hit * self._rate
        # A miss does all that is done without looking up: what was measured of either may be by chance.
        with_misses = max(plain, miss or 0.0) * (1 - self._rate)
        self.worthwhile = with_hits + with_misses < GAIN * plain


def _fingerprint(record: Any) -> int:
    """Return a hash of a record's first value, of a text of its end, by which samples are taken."""
    try:
        value = next(iter(record.values())) if type(record) is dict else record
        return hash(value[-_TAIL:] if type(value) is str else value)
    except (TypeError, StopIteration):
        return 1
