"""A bounded cache for values that many devices share."""

from __future__ import annotations

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class TwoGenerationCache(Generic[Key, Value]):
    """Keeps at most `capacity` units of weight; entries that were not used for a whole generation are dropped.

    A hit costs one dictionary lookup, which is less than in an LRU cache. An entry that weighs more than half the
    capacity is not kept at all.
    """

    def __init__(self, capacity: int) -> None:
        self._half = capacity // 2
        self._young: dict[Key, tuple[Value, int]] = {}
        self._old: dict[Key, tuple[Value, int]] = {}
        self._weight = 0

    def get(self, key: Key) -> Value | None:
        found = self._young.get(key)
        if found is None:
            found = self._old.pop(key, None)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def put(self, key: Key, value: Value, weight: int) -> None:
        """Store an entry; `weight` is its size, in the unit of the capacity."""
        self._old.pop(key, None)
        self._weight -= self._young.pop(key, (None, 0))[1]
        if weight > self._half:
            return
        if self._weight + weight > self._half:
            self._old, self._young, self._weight = self._young, {}, 0
        self._young[key] = value, weight
        self._weight += weight

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
