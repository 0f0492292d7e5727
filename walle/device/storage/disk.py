"""Durable changes to files, each one a named step.

All changes of the device's files go through a `Disk`, so that every moment at which a process may die has a name. Tests
pass a `checkpoint` that kills the process at one of them; the product passes none.

After `write` or `rename` returns, the change survives a loss of power (with `sync=True`); at every earlier moment a
reader sees either the complete old file or the complete new one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

Checkpoint = Callable[[str], None]

TEMPORARY = ".tmp-"


def no_checkpoint(step: str) -> None:
    """Continue: the checkpoint of the product."""


class Disk:
    """Crash-safe changes of files.

    `sync=False` leaves out fsync: changes then survive the death of the process but not of the machine, which suits an
    emulator of many devices.
    """

    def __init__(self, *, checkpoint: Checkpoint = no_checkpoint, sync: bool = True) -> None:
        self.checkpoint = checkpoint
        self.syncs = sync

    def write(self, path: Path, data: bytes, *, step: str) -> None:
        """Replace the content of `path` by `data`, atomically and durably; only its owner can read it."""
        temporary = path.with_name(TEMPORARY + path.name)
        self.checkpoint(f"{step}: begin")
        with open(temporary, "wb", opener=_private) as file:
            file.write(data)
            file.flush()
            self.checkpoint(f"{step}: written")
            self._fsync(file.fileno())
        self.rename(temporary, path, step=step)

    def create(self, path: Path, data: bytes, *, step: str) -> None:
        """Make a small file that need not survive a loss of power, and that may be found empty after a death."""
        self.checkpoint(f"{step}: begin")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            self.checkpoint(f"{step}: created")
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        self.checkpoint(f"{step}: written")

    def rename(self, source: Path, target: Path, *, step: str) -> None:
        """Make a finished file or folder visible under its name, atomically and durably."""
        self.checkpoint(f"{step}: before rename")
        source.replace(target)
        self.checkpoint(f"{step}: renamed")
        self.sync_folder(target.parent)
        self.checkpoint(f"{step}: durable")

    def link(self, source: Path, target: Path, *, step: str) -> None:
        """Give a file a second name, or copy it where the file system has no hard links."""
        self.checkpoint(f"{step}: before link")
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)
            self.sync_file(target)
        self.checkpoint(f"{step}: linked")

    def remove(self, path: Path, *, step: str) -> None:
        """Remove a file; a missing one is no error."""
        self.checkpoint(f"{step}: before removal")
        path.unlink(missing_ok=True)
        self.checkpoint(f"{step}: removed")

    def remove_tree(self, path: Path, *, step: str) -> None:
        """Remove a folder with its content; it is renamed first, so that it is never visible half empty."""
        self.checkpoint(f"{step}: before removal")
        if not path.exists():
            return
        doomed = path.with_name(TEMPORARY + "removed-" + path.name)
        shutil.rmtree(doomed, ignore_errors=True)
        path.replace(doomed)
        self.checkpoint(f"{step}: hidden")
        shutil.rmtree(doomed, ignore_errors=True)
        self.checkpoint(f"{step}: removed")

    def sync_file(self, path: Path) -> None:
        """Write a file's content to the disk."""
        with path.open("rb") as file:
            self._fsync(file.fileno())

    def sync_folder(self, path: Path) -> None:
        """Write a folder's names to the disk."""
        if not self.syncs:
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            # Some file systems refuse to sync a folder; the rename is then as durable as they make it.
            with contextlib.suppress(OSError):
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _fsync(self, descriptor: int) -> None:
        if self.syncs:
            os.fsync(descriptor)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def remove_temporaries(folder: Path) -> None:
    """Remove what interrupted changes have left in a folder."""
    for path in folder.glob(TEMPORARY + "*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
