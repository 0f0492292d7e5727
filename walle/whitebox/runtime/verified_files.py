"""Which files of a folder were verified, by what the file system says of them; known to all processes of a machine."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Final

_LOG: Final = "verified"
_PIECE: Final = 1 << 20

FileState = tuple[int, int, int, int]
"""Inode, size, and the times (ns) of the last change of contents and of anything."""


def state_of(found: os.stat_result) -> FileState:
    """Return what changes when a file does."""
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def digest_of(descriptor: int) -> str:
    """Return the SHA-256 of an open file, in hex, read from its beginning."""
    digest = hashlib.sha256()
    position = 0
    while piece := os.pread(descriptor, _PIECE, position):
        digest.update(piece)
        position += len(piece)
    return digest.hexdigest()


class VerifiedFiles:
    """The log of a folder: a line for each verification that succeeded, appended in one write.

    A file that changed since has another state, and is verified again.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _LOG
        self._known: dict[str, FileState] = {}
        self._read = 0

    def has(self, digest: str, state: FileState) -> bool:
        """Return whether a file in this state was found to have the digest, by this or another process."""
        if self._known.get(digest) != state:
            self._catch_up()
        return self._known.get(digest) == state

    def add(self, digest: str, state: FileState) -> None:
        """Note that a file in this state has the digest; where nothing can be written, for this process only."""
        self._known[digest] = state
        line = " ".join([digest, *map(str, state)]) + "\n"
        with contextlib.suppress(OSError), self._path.open("ab", buffering=0) as log:
            log.write(line.encode())

    def _catch_up(self) -> None:
        try:
            with self._path.open("rb") as log:
                log.seek(self._read)
                lines = log.read().splitlines(keepends=True)
        except FileNotFoundError:
            return
        for line in lines:
            parts = line.split()
            if not line.endswith(b"\n"):
                break
            self._read += len(line)
            if len(parts) == 5 and all(part.isdigit() for part in parts[1:]):
                inode, size, changed, touched = map(int, parts[1:])
                self._known[parts[0].decode(errors="replace")] = (inode, size, changed, touched)
