"""A filter of system calls (seccomp): no sockets, no new processes, no other kernel doors. Threads are allowed.

It needs no privilege and works inside containers that forbid namespaces. A refused call fails with EPERM, so
a task sees an ordinary PermissionError.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from walle.container.worker import linux

_EPERM: Final = 1
_ENOSYS: Final = 38
_CLONE_THREAD: Final = 0x00010000
# Of mmap's flags: the kind of mapping, MAP_GROWSDOWN (RLIMIT_DATA does not count it), MAP_HUGETLB (nor does anything).
_MAP_KIND: Final = 0x0F | 0x100 | 0x40000
_MAP_PRIVATE: Final = 0x02
_F_SETSIG: Final = 10
_F_SETPIPE_SZ: Final = 1031
# System calls younger than this list do not exist for a task (462 is mseal, Linux 6.10).
_LAST_KNOWN: Final = 462

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_GREATER: Final = 0x25  # BPF_JMP | BPF_JGT | BPF_K
_AND: Final = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_ALLOW: Final = 0x7FFF0000
_ERROR: Final = 0x00050000
_KILL: Final = 0x80000000
_MODE_FILTER: Final = 2

# struct seccomp_data: number, architecture, instruction pointer, six arguments (low words on little endian).
_NUMBER, _ARCHITECTURE = 0, 4


def _argument(index: int) -> int:
    return 16 + 8 * index


# Numbers of each refused call on x86-64 and on asm-generic machines (64-bit ARM); None: it has no such call.
_DENIED: Final[Mapping[str, tuple[int | None, int | None]]] = {
    # network
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242),
    # new programs and processes
    "execve": (59, 221), "execveat": (322, 281), "fork": (57, None), "vfork": (58, None),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "move_pages": (279, 239), "migrate_pages": (256, 238),
    # mounts, roots and namespaces
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
    # memory that the limits do not count, shared with others
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "shmctl": (31, 195), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "remap_file_pages": (216, 234), "map_shadow_stack": (453, 453),
    # memory in the kernel's buffers: pages lent to pipes, sockets sent through sockets, larger buffers
    "vmsplice": (278, 75), "splice": (275, 76), "tee": (276, 77), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "setsockopt": (54, 208),
    # signals that the kernel sends later: SIGCONT would wake a VM that is stopped between two runs
    "timer_create": (222, 107),
    # when and on which processors it runs
    "sched_setaffinity": (203, 122), "sched_setattr": (314, 274), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "setpriority": (141, 140), "ioprio_set": (251, 30),
    # doors into the kernel
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "personality": (135, 92), "syslog": (103, 116),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None), "lookup_dcookie": (212, 18),
    "uselib": (134, None), "ustat": (136, None), "sysfs": (139, None), "vhangup": (153, 58),
    "nfsservctl": (180, 42),
    # the machine itself
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "sethostname": (170, 161), "setdomainname": (171, 162), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266), "acct": (163, 89), "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
}  # fmt: skip


@dataclass(frozen=True)
class _Architecture:
    audit: int
    column: int
    clone: int
    clone3: int
    kill: int
    tgkill: int
    mmap: int
    fcntl: int
    prctl: int
    prlimit64: int


_ARCHITECTURES: Final[Mapping[str, _Architecture]] = {
    "x86_64": _Architecture(
        0xC000003E, 0, clone=56, clone3=435, kill=62, tgkill=234, mmap=9, fcntl=72, prctl=157, prlimit64=302
    ),
    "aarch64": _Architecture(
        0xC00000B7, 1, clone=220, clone3=435, kill=129, tgkill=131, mmap=222, fcntl=25, prctl=167, prlimit64=261
    ),
}

Instruction = tuple[int, int, int, int]


def is_known() -> bool:
    """Whether the filter can be built for this machine."""
    return linux.IS_LINUX and linux.MACHINE in _ARCHITECTURES


def apply(own_pid: int) -> None:
    """Filter this thread and all it starts, for good. Needs PR_SET_NO_NEW_PRIVS; raises OSError.

    `own_pid` is the only process that may be sent signals, in the numbers of the caller's namespace.
    """
    code = b"".join(struct.pack("=HBBI", *one) for one in program(linux.MACHINE, own_pid))
    content = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(content))
    pointer = ctypes.create_string_buffer(header, len(header))
    linux.prctl(linux.PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(pointer))


def program(machine: str, own_pid: int) -> list[Instruction]:
    """The filter's instructions: (code, jump if true, jump if false, constant)."""
    architecture = _ARCHITECTURES[machine]
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        # Also refuses the x32 calls, whose numbers have bit 30 set.
        (_GREATER, 0, 1, _LAST_KNOWN),
        (_RETURN, 0, 0, _ERROR | _ENOSYS),
        *_refusals(architecture),
        *_conditions(architecture, own_pid),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _refusals(architecture: _Architecture) -> Iterator[Instruction]:
    for numbers in _DENIED.values():
        number = numbers[architecture.column]
        if number is not None:
            yield from _when(number, [(_RETURN, 0, 0, _ERROR | _EPERM)])


def _conditions(architecture: _Architecture, own_pid: int) -> Iterator[Instruction]:
    # The C library falls back from clone3, whose flags a filter cannot see, to clone.
    yield from _when(architecture.clone3, [(_RETURN, 0, 0, _ERROR | _ENOSYS)])
    yield from _when(architecture.clone, _allow_if(0, _CLONE_THREAD, _CLONE_THREAD))
    yield from _when(architecture.kill, _allow_if(0, None, own_pid))
    yield from _when(architecture.tgkill, _allow_if(0, None, own_pid))
    yield from _when(architecture.prlimit64, _allow_if(0, None, 0))
    # No limit counts what is mapped shared, whatever file is behind it: /dev/zero gives memory.
    yield from _when(architecture.mmap, _allow_if(3, _MAP_KIND, _MAP_PRIVATE))
    yield from _when(architecture.fcntl, _refuse_if(1, _F_SETPIPE_SZ, _F_SETSIG))
    # Else a task could outlive the first process, with which everything ends.
    yield from _when(architecture.prctl, _refuse_if(0, linux.PR_SET_PDEATHSIG))


def _when(number: int, body: list[Instruction]) -> list[Instruction]:
    return [(_EQUAL, 0, len(body), number), *body]


def _masked(index: int, mask: int | None) -> list[Instruction]:
    load: Instruction = (_LOAD, 0, 0, _argument(index))
    return [load] if mask is None else [load, (_AND, 0, 0, mask)]


def _allow_if(index: int, mask: int | None, value: int) -> list[Instruction]:
    allow: Instruction = (_RETURN, 0, 0, _ALLOW)
    return [*_masked(index, mask), (_EQUAL, 0, 1, value), allow, (_RETURN, 0, 0, _ERROR | _EPERM)]


def _refuse_if(index: int, *values: int) -> list[Instruction]:
    refuse: Instruction = (_RETURN, 0, 0, _ERROR | _EPERM)
    refusals = [one for value in values for one in ((_EQUAL, 0, 1, value), refuse)]
    return [*_masked(index, None), *refusals, (_RETURN, 0, 0, _ALLOW)]
