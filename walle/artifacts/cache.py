"""The part of a remote store that is on this machine: a local store that forgets what was not used for longest."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Lock
from typing import Final

from walle.artifacts.local import LocalStore
from walle.artifacts.store import Content, PutResult

# A use within so many seconds of the last one is not noted.
_NOTED_AGAIN: Final = 600
# What is more than the limit is looked for whenever a tenth of it was added.
_SHARE: Final = 10


class Cache:
    """A local store of about `limit` bytes at most. Several processes may share its folder, each with an eye on it."""

    def __init__(self, root: Path | str, limit: int) -> None:
        self.store = LocalStore(root)
        self._limit = limit
        self._added = limit  # what was there before is not known yet
        self._lock = Lock()

    def put(self, content: Content, expected: str | None = None) -> PutResult:
        """As LocalStore.put."""
        stored = self.store.put(content, expected)
        self.added(stored.size)
        return stored

    def path(self, digest: str) -> Path | None:
        """The file with the content, which counts as used now, or None."""
        place = self.store.at_hand(digest)
        if place and place.stat().st_mtime < time.time() - _NOTED_AGAIN:
            os.utime(place)
        return place

    def added(self, size: int) -> None:
        """To be told what was put: makes room if that is due."""
        with self._lock:
            self._added += size
            if self._added * _SHARE < self._limit:
                return
            self._added = 0
        self._make_room()

    def _make_room(self) -> None:
        kept = sorted(self.store.iterate(), key=lambda one: one.stored_at, reverse=True)
        total = 0
        for one in kept:
            total += one.size
            # The newest stays in any case: somebody is about to open it.
            if total > self._limit and one is not kept[0]:
                self.store.delete(one.digest)
