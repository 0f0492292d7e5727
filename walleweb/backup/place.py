"""A folder of backups on a file system, to which a backup is added completely or not at all."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from walle.artifacts import LocalStore
from walleweb.backup import BackupError
from walleweb.embedded.lock import FolderLock, LockHeld

STORES: Final = ("artifacts", "exclusive")
_NAME: Final = re.compile(r"\d{8}T\d{6}Z")
_UNFINISHED: Final = ".unfinished"


class BackupPlace:
    """The folder passed to `manage.py backup` and `restore`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def store(self, name: str) -> LocalStore:
        """Return the store of the artifacts that all backups share."""
        return LocalStore(self.root / name)

    def names(self) -> list[str]:
        """Return the names of the complete backups, oldest first."""
        if not self.root.is_dir():
            return []
        return sorted(folder.name for folder in self.root.iterdir() if _NAME.fullmatch(folder.name))

    def folder(self, name: str = "") -> Path:
        """Return the folder of the backup of that name, or of the newest; raises BackupError."""
        names = self.names()
        if not names:
            raise BackupError(f"There is no whole backup in {self.root}.")
        if name and name not in names:
            raise BackupError(f"There is no backup {name} in {self.root}; there are {', '.join(names)}.")
        return self.root / (name or names[-1])

    def remove(self, name: str) -> None:
        """Remove a backup; a kill midway leaves none that looks complete."""
        unfinished = self.root / f"{name}{_UNFINISHED}"
        (self.root / name).rename(unfinished)
        shutil.rmtree(unfinished)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the place for the length of the block; raises BackupError. Removes what killed processes left behind."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FolderLock(self.root / "lock")
        try:
            lock.take()
        except LockHeld as error:
            raise BackupError(f"{self.root} is in use by another backup ({error}): wait for its end.") from error
        try:
            for left in self.root.glob(f"*{_UNFINISHED}"):
                shutil.rmtree(left)
            yield
        finally:
            lock.release()

    @contextmanager
    def new(self, now: datetime) -> Iterator[Path]:
        """Yield a folder to fill; it becomes a backup when the block succeeds and everything in it is on the disk."""
        name = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        if (self.root / name).exists():
            raise BackupError(f"{self.root / name} exists: one backup a second is enough.")
        unfinished = self.root / f"{name}{_UNFINISHED}"
        unfinished.mkdir(mode=0o700)
        try:
            yield unfinished
            _sync(unfinished)
            unfinished.rename(self.root / name)
            _sync_folder(self.root)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _sync(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            _sync_folder(path)
    for path in [*(path for path in folder.rglob("*") if path.is_dir()), folder]:
        _sync_folder(path)


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
