"""A bounded cache for what many devices send alike."""

from __future__ import annotations

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class TwoGenerationCache(Generic[Key, Value]):
    """Keeps at most `capacity` units of weight, dropping what was not used for a whole generation.

    Reading costs one dictionary lookup for what is in use, which is why it is not an LRU list.
    """

    def __init__(self, capacity: int) -> None:
        self._half = capacity // 2
        self._young: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}
        self._weight = 0

    def get(self, key: Key) -> Value | None:
        return self._young.get(key) or self._old.get(key)

    def put(self, key: Key, value: Value, weight: int) -> None:
        """Values must be true in a boolean sense; `weight` is what the entry costs, in any fixed unit."""
        self._weight += weight
        if self._weight > self._half:
            self._old, self._young, self._weight = self._young, {}, weight
        self._young[key] = value

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
