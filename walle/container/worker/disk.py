"""How much a run keeps on the disk, where its scratch folder is a folder of the machine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import Final

# The least that a file costs; so their number has a limit too.
_LEAST: Final = 4096
_BLOCK: Final = 512


def kept(folder: str, proc: int, pids: Iterable[int]) -> int:
    """The bytes of all files below a folder, and of those that these processes have open without a name.

    An ordinary user cannot see the latter of a process that gave up its privileges.
    """
    found = {(each.st_dev, each.st_ino): each for each in _below(folder)}
    found |= {(each.st_dev, each.st_ino): each for pid in pids for each in _nameless(proc, pid)}
    return sum(max(_LEAST, each.st_blocks * _BLOCK) for each in found.values())


def _below(folder: str) -> Iterable[os.stat_result]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                yield entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    yield from _below(entry.path)


def _nameless(proc: int, pid: int) -> Iterable[os.stat_result]:
    with contextlib.suppress(OSError):
        handles = os.open(f"{pid}/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=proc)
        try:
            for name in os.listdir(handles):
                with contextlib.suppress(OSError):
                    found = os.stat(name, dir_fd=handles)
                    if found.st_nlink == 0:
                        yield found
        finally:
            os.close(handles)
