"""Monitors what the processes of a VM hold and use, for limits that they could get around, and between its runs."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from typing import Final, Self

from walle.container.worker import disk, memory
from walle.container.worker.inside import VMPlace

# Looking at the disk is dearer than looking at memory. A file may be as large as the folder, so there is room for more.
_DISK_SECONDS: Final = 0.1
_STOPPING_SECONDS: Final = 1.0
# Most stop while they are looked at for the first time; on a busy machine it is their turn first.
_STOPPING_PAUSE: Final = 0.0001


@dataclass(frozen=True)
class ProcessStatus:
    """A process, from its /proc/<pid>/status: whether it is stopped, how many threads it has, the bytes of memory that
    it uses and the most that it ever had resident."""

    stopped: bool
    threads: int
    used: int
    peak: int

    @classmethod
    def read(cls, status: int) -> Self:
        """From a handle of /proc/<pid>/status."""
        figures = memory.status_figures(os.pread(status, 8192, 0))
        peak = int(figures.get("VmHWM", "0").split()[0]) * 1024
        stopped = figures["State"].strip()[0] in "Tt"
        return cls(stopped, int(figures["Threads"]), memory.ProcessMemory.of(figures).used, peak)


class VMMonitor:
    """Monitors one VM. A control group watches memory by itself.

    `first` is its first process, `most` the most bytes of memory that it may hold while it starts.
    """

    def __init__(self, vm: VMPlace, first: int, most: int) -> None:
        self._folders, self._scratch_mb, self._group = vm.folders, vm.request.scratch_mb, vm.group
        self._tree = None if vm.folders.proc is None else memory.ProcessTree(vm.folders.proc, first)
        self._disk_due = 0.0
        self._cpu_until = float("inf")
        self._pid = self._status = -1
        self._filtered = vm.config.seccomp
        self.allow(most)

    def allow(self, most: int) -> None:
        """From now on the VM may hold so many bytes of memory."""
        self._most = most
        if self._group is not None:
            self._group.limit(most)

    def begin_run(self, cpu_seconds: float) -> None:
        """From now on the task may use so much processor time."""
        self._cpu_until = self.cpu_seconds() + cpu_seconds

    def find_too_much(self) -> str:
        """What the VM has too much of: memory, scratch or time; empty if nothing."""
        if self._tree is None:
            return ""
        # Behind the filter a task is one process, whose figures are read without looking for others.
        alone = self._filtered and self._status >= 0
        pids = [self._pid] if alone else self._tree.pids()
        if self._group is None and self._held(pids, alone=alone) + self.held_by_scratch() > self._most:
            return "memory"
        if self._pid > 0 and self.cpu_seconds() > self._cpu_until:
            return "time"
        if not self._folders.private and time.monotonic() > self._disk_due:
            self._disk_due = time.monotonic() + _DISK_SECONDS
            if disk.kept(self._folders.scratch, self._tree.proc, pids) > (self._scratch_mb + 1) * 2**20:
                return "scratch"
        return ""

    def _held(self, pids: list[int], *, alone: bool) -> int:
        assert self._tree is not None  # noqa: S101
        if not alone:
            return self._tree.held(pids)
        try:
            return memory.ProcessMemory.read(self._status).used
        except ProcessLookupError:
            return 0

    def find_task(self) -> None:
        """Find the process of the task, which has started; nothing where it has ended already."""
        if self._tree is not None and (pids := self._tree.pids()):
            with contextlib.suppress(OSError):
                self._status = self._tree.open(f"{pids[0]}/status")
                self._pid = pids[0]

    def cpu_seconds(self) -> float:
        """The processor time that the task's process has used so far; 0 before `find_task` and after its end."""
        try:
            # The clock of another process (clock_getcpuclockid), which Python has no name for.
            return time.clock_gettime((~self._pid << 3) | 2) if self._pid > 0 else 0.0
        except OSError:
            return 0.0

    def status(self) -> ProcessStatus | None:
        """What the task is now; None if it has ended."""
        if self._pid < 0:
            return None
        with contextlib.suppress(OSError, KeyError):
            return ProcessStatus.read(self._status)
        return None

    def stop(self) -> ProcessStatus | None:
        """Stop the task, which has answered, until `resume`; what it is then, None if it has ended or does not stop.

        A thread that stops after the first one could let that go on, and end: only two looks say that nobody is left.
        """
        if self._pid < 0:
            return None
        deadline = time.monotonic() + _STOPPING_SECONDS
        stopped = False
        with contextlib.suppress(OSError, KeyError):
            os.kill(self._pid, signal.SIGSTOP)
            while time.monotonic() < deadline:
                status = ProcessStatus.read(self._status)
                if stopped and status.stopped:
                    return status
                stopped = status.stopped
                if not stopped:
                    time.sleep(_STOPPING_PAUSE)
        return None

    def is_alone(self, status: ProcessStatus) -> bool:
        """Whether a stopped task has left neither threads nor processes behind; behind the filter it can start none."""
        return status.threads == 1 and (self._filtered or self._tree is None or self._tree.pids() == [self._pid])

    def resume(self) -> None:
        """Let the task go on, if it has not been ended just now."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGCONT)

    def held_by_scratch(self) -> int:
        """What the scratch folder holds, where that is in memory."""
        if not self._folders.private:
            return 0
        found = os.statvfs(self._folders.scratch)
        return (found.f_blocks - found.f_bfree) * found.f_frsize
