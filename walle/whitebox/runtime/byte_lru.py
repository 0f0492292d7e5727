"""A bounded number of bytes of values, of which the least recently used go first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

ENTRY_BYTES = 200
"""What an entry takes besides its value: its place in the order, its key, and the objects around both."""


class ByteLru(Generic[Key, Value]):
    """Values by key, of `most` bytes together; a value that is larger than that is not kept at all."""

    __slots__ = ("_entries", "evicted", "hits", "misses", "most", "used")

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0
        self.hits = self.misses = self.evicted = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key) -> Value | None:
        """Return the value, which is now the most recently used one; None if there is none."""
        entry = self._entries.get(key)
        if entry is None:
            self.misses += 1
            return None
        self._entries.move_to_end(key)
        self.hits += 1
        return entry[0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Keep a value of `size` bytes."""
        size += ENTRY_BYTES
        self.discard(key)
        if size > self.most:
            return
        self._entries[key] = (value, size)
        self.used += size
        while self.used > self.most:
            _, (_, freed) = self._entries.popitem(last=False)
            self.used -= freed
            self.evicted += 1

    def discard(self, key: Key) -> None:
        """Forget a value, if it is kept."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.used -= entry[1]
