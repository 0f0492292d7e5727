"""Lock a folder for one process at a time."""

import fcntl
import os
from pathlib import Path

from walleweb.private_files import passage


class LockHeld(Exception):
    """Another live process holds the lock; the text says which."""


class FolderLock:
    """A lock file; the kernel releases it however the process that holds it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def take(self) -> None:
        """Take the lock; does nothing if this object holds it already. Raises LockHeld."""
        if self._file is not None:
            return
        passage(self.path.parent)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(file, 32, 0).decode() or "of unknown number"
            os.close(file)
            raise LockHeld(f"process {owner}") from error
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        self._file = file

    def release(self) -> None:
        """Release the lock; does nothing if it is not held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
