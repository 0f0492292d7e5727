"""How much memory a run may hold: limits that the kernel keeps for its process, and looks at all of its processes.

The kernel's limits stop an allocation when it is made, but count by the kind of a mapping. They miss memory that was
written and then made read-only, for one. So the supervisor looks at what the processes of a run really hold, at
intervals (docs/adr/0018-what-a-run-may-hold.md).
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

LOOK_SECONDS: Final = 0.01
_FIGURES: Final = ("VmSize", "VmData", "RssAnon", "RssShmem", "VmSwap")
_MEGABYTE: Final = 1024 * 1024
STACK: Final = 8 * _MEGABYTE
# What an allocation may take beyond the limit so that its failure can still be reported.
_REPORTING: Final = 8 * _MEGABYTE
_MAPPED_FILES: Final = 2048 * _MEGABYTE
# Private pages that RLIMIT_DATA does not count: the loader writes to them and makes them read-only.
_RELOCATED: Final = 8 * _MEGABYTE


@dataclass(frozen=True)
class ProcessMemory:
    """What a process takes, in bytes: of addresses, of private memory as allocated, and of memory as used."""

    size: int
    allocated: int
    used: int

    @classmethod
    def of(cls, figures: Mapping[str, str]) -> Self:
        """From the figures of a status; all is 0 for a process that has ended."""
        size, allocated, *used = (int(figures.get(name, "0").split()[0]) * 1024 for name in _FIGURES)
        return cls(size, allocated, sum(used))

    @classmethod
    def read(cls, status: int) -> Self:
        """From a handle of /proc/<pid>/status."""
        return cls.of(status_figures(os.pread(status, 8192, 0)))


def status_figures(status: bytes) -> dict[str, str]:
    """The lines of a /proc/<pid>/status by their names.

    The kernel keeps to one line what a process calls itself, but for that it may choose any bytes.
    """
    return dict(line.split(":", 1) for line in status.decode(errors="replace").split("\n") if line)


def limit(before: ProcessMemory, allowed: int, *, filtered: bool) -> None:
    """Let this process add `allowed` bytes to what it took before.

    RLIMIT_DATA counts private memory as it is allocated, without mapped libraries. It misses shared memory, which the
    filter of system calls refuses; without the filter RLIMIT_AS has to be as tight.
    """
    lower(resource.RLIMIT_DATA, before.allocated + allowed, before.allocated + allowed + _REPORTING)
    loose = _MAPPED_FILES if filtered else 0
    lower(resource.RLIMIT_AS, before.size + allowed + loose, before.size + allowed + loose + _REPORTING)


def lower(kind: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit of this process; one that is already lower stays."""
    ceiling = resource.getrlimit(kind)[1]
    hard = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))


def allow_reporting() -> None:
    """Raise the limits of this process by the little that was kept back for saying that memory has run out."""
    for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (hard, hard))


def most(before: ProcessMemory, allowed: int) -> int:
    """The most bytes that a run can hold while its process keeps to `limit`: with more, it has got around it.

    What had been allocated before without being used may be used by now.
    """
    return max(before.used, before.allocated) + allowed + _REPORTING + _RELOCATED + STACK


class ProcessTree:
    """The processes that a run consists of, below this process and its child `first`, in the host's /proc."""

    def __init__(self, proc: int, first: int) -> None:
        self.proc, self._first = proc, first

    def pids(self) -> list[int]:
        """The processes of the task and of whatever it has started."""
        return [pid for pid in self._below(os.getpid()) if pid != self._first]

    def held(self, pids: Sequence[int]) -> int:
        """The bytes of memory that they hold together: anonymous and shared, in memory and swapped out."""
        return sum(self._held_by(pid, alone=len(pids) == 1) for pid in pids)

    def _below(self, pid: int) -> Iterator[int]:
        with contextlib.suppress(OSError):
            for thread in self._names(f"{pid}/task"):
                for child in map(int, self.content(f"{pid}/task/{thread}/children").split()):
                    yield child
                    yield from self._below(child)

    def _held_by(self, pid: int, *, alone: bool) -> int:
        """Of memory that several processes share, each counts its part, where this process may see that."""
        with contextlib.suppress(OSError):
            if alone:
                return ProcessMemory.of(status_figures(self.content(f"{pid}/status"))).used
            with contextlib.suppress(PermissionError):
                return _proportional(self.content(f"{pid}/smaps_rollup").decode())
            return ProcessMemory.of(status_figures(self.content(f"{pid}/status"))).used
        return 0

    def _names(self, folder: str) -> list[str]:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.proc)
        try:
            return os.listdir(handle)
        finally:
            os.close(handle)

    def content(self, name: str) -> bytes:
        """What a file below the host's /proc says; raises OSError."""
        with os.fdopen(self.open(name), "rb") as file:
            return file.read()

    def open(self, name: str) -> int:
        """A handle of a file below the host's /proc; raises OSError."""
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)


def _proportional(rollup: str) -> int:
    lines = dict(line.split(":", 1) for line in rollup.splitlines() if ":" in line and line[0] in "PS")
    return sum(int(lines.get(name, "0").split()[0]) * 1024 for name in ("Pss_Anon", "Pss_Shmem", "SwapPss"))
