"""Results of stages that several plans have in common, kept for these (PRETZEL, sub-plan materialisation).

Keeping costs time, too, and where records never come again it is in vain. So the first plan that asks for a record's
results leaves only a hash, and they are kept when they are asked for again; where most records lately were asked for
again, the first plan keeps them; where none was, plans look nothing up for a while. Only requests are counted: times of
single predictions tell little on a busy machine.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from walle.whitebox.runtime.byte_lru import ByteLru

NOTED: Final = 1 << 12
"""So many of the latest keys that were asked for in vain are remembered, fewer where their hashes fall together."""


WINDOW: Final = 16
"""After so many new keys it is decided anew whether the results of new keys are kept."""
RECURRING: Final = 1.5
"""They are where there were so many requests for each new key."""
PAUSE: Final = 15 * WINDOW
"""So many records go without a look-up where no key recurred: one of 16 look-ups in vain is made."""


class StageResults:
    """Results of stages, by a stage's identity and all that it was given, which is compared: no hash can be forged."""

    __slots__ = ("_noted", "kept")

    def __init__(self, most: int) -> None:
        self.kept: ByteLru[Hashable, Any] = ByteLru(most)
        self._noted = [0] * NOTED

    def is_new(self, key: Hashable) -> bool:
        """Return whether a key was not asked about lately; another one with the same hash is taken for it."""
        found = hash(key)
        place = found % NOTED
        if self._noted[place] == found:
            return False
        self._noted[place] = found
        return True

    def put(self, key: Hashable, value: Any) -> None:
        """Keep a result."""
        self.kept.put(key, value, value.size + _length(key))


class SharedResults:
    """The results that the plans with the same stages in common look up, and how many of these there were."""

    __slots__ = ("__weakref__", "_asked", "_find", "_is_new", "_keeps_new", "_new", "_paused", "hits", "misses", "put")

    def __init__(self, results: StageResults) -> None:
        self._find, self._is_new, self.put = results.kept.get, results.is_new, results.put
        self.hits = self.misses = self._asked = self._new = self._paused = 0
        self._keeps_new = False

    def pauses(self) -> bool:
        """Return whether the next record goes without a look-up."""
        if not self._paused:
            return False
        self._paused -= 1
        return True

    def get(self, key: Hashable, /) -> Any:
        """Return what is kept under a key. Raises TypeError for what has no hash."""
        found = self._find(key)
        if found is None:
            self.misses += 1
        else:
            self.hits += 1
        return found

    def wants(self, key: Hashable, /) -> bool:
        """Return whether what was not found under a key is to be kept."""
        if not self._is_new(key):
            return True
        self._new += 1
        if self._new == WINDOW:
            asked = self.hits + self.misses
            self._keeps_new = asked - self._asked >= RECURRING * WINDOW
            self._paused = PAUSE if asked - self._asked == WINDOW else 0
            self._asked, self._new = asked, 0
        return self._keeps_new

    @property
    def rate(self) -> float:
        """The part of all that was looked up that was there."""
        return self.hits / max(1, self.hits + self.misses)


def _length(key: Hashable) -> int:
    if isinstance(key, tuple):
        return sum(map(_length, key))
    return len(key) if isinstance(key, (str, bytes)) else 8
