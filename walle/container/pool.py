"""The VMs that a sandbox keeps between runs: one for each task, for one run at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from walle.container.keeping import choose_to_end, size_mb
from walle.container.runtime import Runtime
from walle.container.vm import TaskVM

# Beyond so many, tasks without a VM are forgotten, with the reason why their last one ended.
_MOST_SLOTS: Final = 4096


class VMSlot:
    """The place of one task's VM: `vm` is the one that is kept, None where there is none, and `runtime` what it runs;
    `vm_end` says why the last one ended, until somebody has taken it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.vm: TaskVM | None = None
        self.runtime: Runtime | None = None
        self.vm_end: str | None = None
        self.users = 0
        self.ends_after_run = ""

    def end(self, reason: str) -> None:
        """End the VM, if there is one."""
        self.ends_after_run = ""
        if self.vm is not None:
            vm, self.vm, self.vm_end = self.vm, None, reason
            vm.close()

    def take_end(self) -> str | None:
        """Why the last VM ended, the first time that somebody asks."""
        vm_end, self.vm_end = self.vm_end, None
        return vm_end


class VMPool:
    """Slots by key, safe to use from many threads. Idle VMs take no more than `most_mb` mebibytes together, and are
    no more than `most`."""

    def __init__(self, most_mb: float, most: int) -> None:
        self._most_mb, self._most = most_mb, most
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._slots: dict[Hashable, VMSlot] = {}

    @contextmanager
    def slot(self, key: Hashable) -> Iterator[VMSlot]:
        """The slot of a key, for this thread alone; waits for the run that has it."""
        self._leave_to_parent()
        with self._lock:
            slot = self._slots.setdefault(key, VMSlot())
            slot.users += 1
        try:
            with slot.lock:
                yield slot
                if slot.ends_after_run:
                    slot.end(slot.ends_after_run)
        finally:
            if slot.ends_after_run:
                # Somebody asked for that after the look above, and found the slot taken.
                self._end_idle(key, slot.ends_after_run)
            with self._lock:
                slot.users -= 1
                self._forget(key, slot)
        idle = self._idle()
        self._end_largest(idle, sum(map(size_mb, idle.values())) - self._most_mb, len(idle) - self._most)

    def relieve(self, megabytes: float) -> float:
        """End idle VMs, the largest first, until so many mebibytes are given back; those that were."""
        self._leave_to_parent()
        return self._end_largest(self._idle(), megabytes)

    def _end_largest(self, idle: Mapping[Hashable, float], megabytes: float, vms: int = 0) -> float:
        return sum(self._end_idle(key, "memory-pressure") for key in choose_to_end(idle, megabytes, vms))

    def _leave_to_parent(self) -> None:
        """After a fork of our own process, the VMs and whoever holds a lock belong to the parent."""
        if self._process != os.getpid():
            self._lock, self._slots, self._process = threading.Lock(), {}, os.getpid()

    def end(self, chosen: Callable[[Hashable], bool], reason: str) -> None:
        """End the VMs of the keys that are chosen, and those that run now after their run."""
        self._leave_to_parent()
        with self._lock:
            keys = [key for key in self._slots if chosen(key)]
            for key in keys:
                self._slots[key].ends_after_run = reason
        for key in keys:
            self._end_idle(key, reason)

    def _end_idle(self, key: Hashable, reason: str) -> float:
        """End a VM that is still idle; what it took, in mebibytes."""
        slot = self._slots.get(key)
        if slot is None or not slot.lock.acquire(blocking=False):
            return 0.0
        try:
            taken = size_mb(slot.vm.held_mb) if slot.vm is not None else 0.0
            slot.end(reason)
            return taken
        finally:
            slot.lock.release()

    def _idle(self) -> dict[Hashable, float]:
        with self._lock:
            slots = list(self._slots.items())
        return {key: vm.held_mb for key, slot in slots if (vm := slot.vm) is not None and not slot.lock.locked()}

    def _forget(self, key: Hashable, slot: VMSlot) -> None:
        """Forget a slot that nobody uses and that says nothing, and the oldest reasons where there are too many."""
        if slot.vm is None and slot.vm_end is None and not slot.users:
            self._slots.pop(key, None)
        if len(self._slots) > _MOST_SLOTS:
            oldest = next((key for key, slot in self._slots.items() if slot.vm is None and not slot.users), None)
            self._slots.pop(oldest, None)
