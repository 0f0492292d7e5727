"""The system calls that Python 3.11 has no function for, through the C library."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

IS_LINUX: Final = sys.platform == "linux"
MACHINE: Final = os.uname().machine if hasattr(os, "uname") else ""

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_REMOUNT: Final = 32
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

# asm-generic numbers hold for every architecture younger than 64-bit ARM.
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "loongarch64": 41}.get(MACHINE)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def signal_name(number: int) -> str:
    """What a signal is called, such as SIGKILL."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal-{number}"


def use_processors(processors: Sequence[int]) -> None:
    """Run this process, and those that it starts from now on, on these processors; no matter which, if empty."""
    if processors and IS_LINUX:
        with contextlib.suppress(OSError):  # they may have been taken away meanwhile
            os.sched_setaffinity(0, processors)


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, data: str = "") -> None:
    name = kind.encode() if kind else None
    result = _libc.mount(os.fsencode(source), os.fsencode(target), name, ctypes.c_ulong(flags), data.encode())
    _checked(result, f"mount {kind or source} on {target}")


def unmount(target: str, flags: int) -> None:
    _checked(_libc.umount2(os.fsencode(target), flags), f"unmount {target}")


def prctl(option: int, value: int = 0, pointer: int = 0) -> None:
    arguments = (ctypes.c_ulong(value), ctypes.c_ulong(pointer), ctypes.c_ulong(0), ctypes.c_ulong(0))
    _checked(_libc.prctl(option, *arguments), f"prctl {option}")


def syscall(number: int, *arguments: int) -> int:
    """A system call by number; pointers are passed as addresses. Raises OSError."""
    result = _libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    return _checked(result, f"system call {number}")


def pivot_root(new_root: str, put_old: str) -> None:
    if _PIVOT_ROOT is None:
        raise OSError(f"pivot_root is not known on {MACHINE}")
    new, old = ctypes.create_string_buffer(os.fsencode(new_root)), ctypes.create_string_buffer(os.fsencode(put_old))
    syscall(_PIVOT_ROOT, ctypes.addressof(new), ctypes.addressof(old))


def drop_capabilities() -> None:
    """Give up every capability, for good: also from the bounding set, where that is permitted."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break
    version_3 = (ctypes.c_uint32 * 2)(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(version_3, none), "capset")
