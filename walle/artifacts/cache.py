"""The local cache of a remote store: a local store that deletes its least recently used files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Lock
from typing import Final

from walle.artifacts.local import LocalStore
from walle.artifacts.store import Content, PutResult

# A use within this many seconds of the last recorded one is not recorded.
_USE_RECORDED_S: Final = 600
# The cache is trimmed whenever a tenth of the limit was added.
_SHARE: Final = 10


class Cache:
    """A local store of about `limit` bytes. Several processes may share its folder; each of them trims it."""

    def __init__(self, root: Path | str, limit: int) -> None:
        self.store = LocalStore(root)
        self._limit = limit
        self._added = limit  # what was there before is not known yet
        self._lock = Lock()

    def put(self, content: Content, expected: str | None = None) -> PutResult:
        """Put content as LocalStore.put does, and make room for it."""
        stored = self.store.put(content, expected)
        self.added(stored.size)
        return stored

    def path(self, digest: str) -> Path | None:
        """Return the file with the content, and record its use; None if it is not here."""
        place = self.store.at_hand(digest)
        if place and place.stat().st_mtime < time.time() - _USE_RECORDED_S:
            os.utime(place)
        return place

    def added(self, size: int) -> None:
        """Count `size` bytes as added, and make room if that is due."""
        with self._lock:
            self._added += size
            if self._added * _SHARE < self._limit:
                return
            self._added = 0
        self._make_room()

    def _make_room(self) -> None:
        artifacts = sorted(self.store.iterate(), key=lambda artifact: artifact.stored_at, reverse=True)
        total = 0
        for artifact in artifacts:
            total += artifact.size
            # The newest stays in any case, because it is about to be opened.
            if total > self._limit and artifact is not artifacts[0]:
                self.store.delete(artifact.digest)
