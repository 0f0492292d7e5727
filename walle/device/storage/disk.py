"""Durable changes to files, each one a named step.

Everything the device keeps goes through a `Disk`, so that every moment at which a process may die has a name.
A test passes a `checkpoint` that kills the process at one of them; the product passes none.

Guarantee of `write` and `rename`: after the call returns, the change survives a loss of power (with
`sync=True`); at every earlier moment a reader sees either the whole old file or the whole new one.
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
    """The product's checkpoint: every step goes on."""


class Disk:
    """Crash-safe primitives.

    `sync=False` leaves out fsync: changes then survive the death of the process but not of the machine, which
    is what an emulator of many devices wants.
    """

    def __init__(self, *, checkpoint: Checkpoint = no_checkpoint, sync: bool = True) -> None:
        self.checkpoint = checkpoint
        self._sync = sync

    def write(self, path: Path, data: bytes, *, step: str) -> None:
        """Replaces `path` by `data`, atomically and durably; only its owner can read it."""
        temporary = path.with_name(TEMPORARY + path.name)
        self.checkpoint(f"{step}: begin")
        with open(temporary, "wb", opener=_private) as file:
            file.write(data)
            file.flush()
            self.checkpoint(f"{step}: written")
            self._fsync(file.fileno())
        self.rename(temporary, path, step=step)

    def rename(self, source: Path, target: Path, *, step: str) -> None:
        """Makes a finished file or folder visible under its name, atomically and durably."""
        self.checkpoint(f"{step}: before rename")
        source.replace(target)
        self.checkpoint(f"{step}: renamed")
        self.sync_folder(target.parent)
        self.checkpoint(f"{step}: durable")

    def link(self, source: Path, target: Path, *, step: str) -> None:
        """Gives a file a second name; copies it where the file system has no hard links."""
        self.checkpoint(f"{step}: before link")
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)
            self.sync_file(target)
        self.checkpoint(f"{step}: linked")

    def remove(self, path: Path, *, step: str) -> None:
        """Removes a file; one that is gone already is no error."""
        self.checkpoint(f"{step}: before removal")
        path.unlink(missing_ok=True)
        self.checkpoint(f"{step}: removed")

    def remove_tree(self, path: Path, *, step: str) -> None:
        """Removes a folder with what it holds, out of sight first, so that no half of it is ever met."""
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
        """Brings a file's content to the disk."""
        with path.open("rb") as file:
            self._fsync(file.fileno())

    def sync_folder(self, path: Path) -> None:
        """Brings a folder's names to the disk."""
        if not self._sync:
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            # Some file systems refuse to sync a folder; the rename is then as durable as they make it.
            with contextlib.suppress(OSError):
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _fsync(self, descriptor: int) -> None:
        if self._sync:
            os.fsync(descriptor)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def remove_temporaries(folder: Path) -> None:
    """Clears what an interrupted change has left in a folder."""
    for path in folder.glob(TEMPORARY + "*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
