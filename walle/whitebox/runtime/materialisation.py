"""Whether results of a plan stage that several plans share are kept and looked up (PRETZEL, sub-plan materialisation).

Looking up costs time, too: where inputs seldom recur it is left, except for a sample of the inputs, by which it is
noticed when that changes.
"""

from __future__ import annotations

from typing import Final

SAMPLE: Final = 32
"""Of so many inputs one is looked up where it is not worthwhile for all: always the same ones, by their hash."""
_WINDOW: Final = 64
"""After so many look-ups it is decided anew."""


class SharingChoice:
    """One stage's choice. Costs are in seconds a record: of running the stage, and of a look-up that fails and keeps.

    `users` is the number of plans that have the stage.
    """

    __slots__ = ("_hits", "_looked", "_rate", "miss_s", "run_s", "users", "worthwhile")

    def __init__(self, run_s: float, miss_s: float) -> None:
        self.run_s, self.miss_s = run_s, miss_s
        self.users = 0
        self.worthwhile = False
        self._looked = self._hits = 0
        self._rate: float | None = None

    def joined(self) -> None:
        """Count one more plan with this stage."""
        self.users += 1
        self._decide()

    def left(self) -> None:
        """Count one plan less."""
        self.users -= 1
        self._decide()

    def looked(self, hit: bool) -> None:
        """Count one look-up."""
        self._looked += 1
        self._hits += hit
        if self._looked == _WINDOW:
            self._rate = self._hits / self._looked
            self._looked = self._hits = 0
            self._decide()

    @property
    def possible(self) -> bool:
        """Whether look-ups could pay at all: the stage is shared, and takes longer than a look-up."""
        return self.users > 1 and self.run_s > self.miss_s

    def _decide(self) -> None:
        # Until look-ups were counted, as many inputs are assumed to recur as pay twice over.
        rate = self._rate if self._rate is not None else 1.0
        self.worthwhile = self.possible and rate * self.run_s > 1.5 * self.miss_s
