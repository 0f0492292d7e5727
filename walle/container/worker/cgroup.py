"""A control group for each run (cgroup v2), where this process may make some: the kernel then counts all of its memory.

The launcher's own group must lie in one that its user may divide, and that has no processes itself: under systemd,
`Delegate=memory` with `DelegateSubgroup=`. Elsewhere runs are looked at instead (`memory`).
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_PREFIX: Final = "walle-run-"
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def usable() -> str | None:
    """The folder in which groups can be made, None where there is none; removes what killed runs have left there."""
    try:
        folder = _around_own()
        if "memory" not in (folder / "cgroup.subtree_control").read_text().split():
            (folder / "cgroup.subtree_control").write_text("+memory")
        for left in folder.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError):
                left.rmdir()
        trial = Group.made(str(folder))
        try:
            trial.limit(2**40)
        finally:
            trial.remove()
    except (OSError, LookupError, ValueError):
        return None
    return str(folder)


def _around_own() -> Path:
    """The folder of the group that this process's own lies in; its own if that is the first. Raises LookupError."""
    own = next(line[3:] for line in _lines("/proc/self/cgroup") if line.startswith("0::/"))
    mounts = (line.split() for line in _lines("/proc/self/mountinfo") if " - cgroup2 " in line)
    root, place = next(((fields[3], fields[4]) for fields in mounts), (None, None))
    if root is None or place is None:
        raise LookupError("no cgroup2 is mounted")
    return Path(place, Path(own).parent.relative_to(root))


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


@dataclass(frozen=True)
class Group:
    """The group of one run, by handles that stay good when the run has a root of its own."""

    name: str
    around: int
    place: int
    joining: int

    @classmethod
    def made(cls, folder: str) -> Self:
        """A new group; raises OSError."""
        name = f"{_PREFIX}{os.getpid()}"
        around = os.open(folder, _DIRECTORY)
        os.mkdir(name, dir_fd=around)
        place = os.open(name, _DIRECTORY, dir_fd=around)
        group = cls(name, around, place, os.open("cgroup.procs", os.O_WRONLY | os.O_CLOEXEC, dir_fd=place))
        with contextlib.suppress(FileNotFoundError):
            group._write("memory.swap.max", "0")
        return group

    def join(self) -> None:
        """Make this process, and all it starts from now on, members; it gives up its handles of the group."""
        os.write(self.joining, b"0")
        self._close()

    def limit(self, most: int) -> None:
        """Let the members hold so many bytes together; with more, the kernel kills one."""
        self._write("memory.max", str(most))

    def was_exceeded(self) -> bool:
        """Whether a member was killed because they held too much."""
        handle = os.open("memory.events", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.place)
        with os.fdopen(handle) as file:
            events = dict(line.split() for line in file)
        return events.get("oom_kill", "0") != "0"

    def remove(self) -> None:
        """Remove the group once its members have ended."""
        with contextlib.suppress(OSError):
            os.rmdir(self.name, dir_fd=self.around)
        self._close()

    def _write(self, name: str, text: str) -> None:
        handle = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=self.place)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)

    def _close(self) -> None:
        for handle in (self.around, self.place, self.joining):
            os.close(handle)
