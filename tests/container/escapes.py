"""Known ways out of the sandbox, each with its history. An escape that is found is added here, and never taken away.

Each is a task. What it must end in under full isolation is one of `ends`: `refused` stands for an attempt that raised
or returned an error, any other word is the error class of the run. An attempt that succeeds holds on to what it won
until its time is over, so that it ends in `timeout`.
"""

from __future__ import annotations

from dataclasses import dataclass

MEMORY_MB = 8
LIMITS = {"time_ms": 20_000, "memory_mb": MEMORY_MB, "output_kb": 64}

_PRELUDE = """
import ctypes, fcntl, mmap, os, socket, threading, time
PRIVATE, SHARED = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.MAP_SHARED
MB = 2**20
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
libc.vmsplice.restype = libc.splice.restype = libc.tee.restype = libc.syscall.restype = ctypes.c_long

def checked(value):
    if value in (-1, 2**64 - 1, None):
        raise OSError(ctypes.get_errno(), "refused")
    return value

def touch(memory, megabytes):
    for at in range(0, megabytes * MB, 4096):
        memory[at] = 1

def touch_at(address, megabytes):
    touch((ctypes.c_char * (megabytes * MB)).from_address(address), megabytes)

def run(inputs, context):
    try:
        won = attempt(context)
    except OSError as error:
        return {"result": ["refused", str(error)]}
    time.sleep(60)
"""


@dataclass(frozen=True)
class Escape:
    """A task that tries one way out: `attempt(context)` in its main.py, or a module that it requires.

    `installed` is the source of a module of that name, which is installed on the machine and required.
    """

    name: str
    history: str
    source: str
    ends: tuple[str, ...] = ("refused",)
    modules: tuple[str, ...] = ()
    installed: str = ""

    @property
    def main(self) -> str:
        """The task's main.py."""
        return _PRELUDE + self.source


ESCAPES = (
    Escape(
        "dev-zero-shared",
        "2026-11: 1.9 GB under a limit of 1 MB, and the run was a success: /dev/zero mapped shared is counted nowhere.",
        """
def attempt(context):
    memory = mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1900 * MB)
    touch(memory, 1900)
""",
    ),
    Escape(
        "dev-zero-shared-reading",
        "2026-11: the same by reading: a page of /dev/zero that is read is a page of memory.",
        """
def attempt(context):
    memory = mmap.mmap(os.open("/dev/zero", os.O_RDONLY), 900 * MB, prot=mmap.PROT_READ)
    return sum(memory[at] for at in range(0, 900 * MB, 4096))
""",
    ),
    Escape(
        "shared-validate",
        "2026-11: MAP_SHARED_VALIDATE is another word for MAP_SHARED, and is a value of its own.",
        """
def attempt(context):
    handle = os.open("/dev/zero", os.O_RDWR)
    touch_at(checked(libc.mmap(None, ctypes.c_size_t(900 * MB), 3, 3, handle, ctypes.c_long(0))), 900)
""",
    ),
    Escape(
        "shared-anonymous",
        "refused since the first version: shared memory without a file.",
        """
def attempt(context):
    touch(mmap.mmap(-1, 900 * MB), 900)
""",
    ),
    Escape(
        "shared-file",
        "2026-11: a file of the scratch folder mapped shared is memory where that folder is.",
        """
def attempt(context):
    with open(context.scratch / "big", "wb+") as file:
        file.truncate(60 * MB)
        touch(mmap.mmap(file.fileno(), 60 * MB), 60)
""",
    ),
    Escape(
        "memfd",
        "refused since the first version: files that exist in memory only.",
        """
def attempt(context):
    return [os.write(os.memfd_create("x"), bytes(MB)) for _ in range(60)]
""",
    ),
    Escape(
        "system-v-shared-memory",
        "refused since the first version: shmget and shmat.",
        """
def attempt(context):
    segment = checked(libc.shmget(0, ctypes.c_size_t(900 * MB), 0o1600))
    libc.shmat.restype = ctypes.c_void_p
    touch_at(checked(libc.shmat(segment, None, 0)), 900)
""",
    ),
    Escape(
        "dev-shm",
        "2026-11: files below /dev/shm are memory; a run finds no such folder, or must not write there.",
        """
def attempt(context):
    with open("/dev/shm/walle-escape", "wb") as file:
        return file.write(bytes(900 * MB))
""",
        ends=("refused", "memory-limit"),
    ),
    Escape(
        "grows-down",
        "2026-11: 1 GB under a limit of 1 MB: RLIMIT_DATA takes a mapping with MAP_GROWSDOWN for a stack.",
        """
def attempt(context):
    touch(mmap.mmap(-1, 900 * MB, flags=PRIVATE | 0x100), 900)
""",
    ),
    Escape(
        "huge-pages",
        "2026-11: private pages of the machine's pool of huge ones are no resident memory of a process.",
        """
def attempt(context):
    touch(mmap.mmap(-1, 4 * MB, flags=PRIVATE | 0x40000), 4)
""",
    ),
    Escape(
        "written-then-read-only",
        "2026-11: 1 GB under a limit of 1 MB: RLIMIT_DATA forgets what is made read-only. None of these "
        "calls can be refused; the looks at what the run holds find it.",
        """
def attempt(context):
    for _ in range(1800):
        address = checked(libc.mmap(None, ctypes.c_size_t(MB // 2), 3, PRIVATE, -1, ctypes.c_long(0)))
        ctypes.memset(address, 1, MB // 2)
        checked(libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(MB // 2), 1))
""",
        ends=("memory-limit",),
    ),
    Escape(
        "moved-stack",
        "2026-11: the unused part of the first stack, moved and enlarged, stays a stack for RLIMIT_DATA.",
        """
def attempt(context):
    top = ctypes.c_void_p.in_dll(libc, "__libc_stack_end").value & ~4095
    threading.stack_size(64 * 1024)
    def enlarge():
        for below in range(8, 40):
            page = ctypes.c_void_p(top - below * 4096)
            found = libc.mremap(page, ctypes.c_size_t(4096), ctypes.c_size_t(900 * MB), 1)
            if found not in (None, 2**64 - 1):
                touch_at(found, 900)
                return
        won.append("refused")
    won = []
    thread = threading.Thread(target=enlarge)
    thread.start()
    thread.join()
    if won:
        raise OSError("refused")
""",
        ends=("refused", "memory-limit", "crashed:SIGSEGV"),
    ),
    Escape(
        "lent-pages",
        "2026-11: pages that vmsplice lends to a pipe stay in memory when their mapping is gone, 2 MB for each of 16.",
        """
def attempt(context):
    address = checked(libc.mmap(None, ctypes.c_size_t(MB), 3, PRIVATE, -1, ctypes.c_long(0)))
    ctypes.memset(address, 1, MB)
    vector = (ctypes.c_size_t * 2)(address, MB)
    return checked(libc.vmsplice(os.pipe()[1], vector, ctypes.c_size_t(1), 0))
""",
    ),
    Escape(
        "spliced-pages",
        "2026-11: likewise splice and tee, which multiply references to pages.",
        """
def attempt(context):
    reader, writer = os.pipe()
    os.write(writer, b"x")
    try:
        checked(libc.tee(reader, os.pipe()[1], ctypes.c_size_t(1), 0))
    except OSError:
        return checked(libc.splice(reader, None, os.pipe()[1], None, ctypes.c_size_t(1), 0))
""",
    ),
    Escape(
        "large-pipes",
        "2026-11: 31 MB in 30 pipes under a limit of 1 MB: F_SETPIPE_SZ makes pipes of 1 MB, no limit counts them.",
        """
def attempt(context):
    return fcntl.fcntl(os.pipe()[1], 1031, MB)
""",
    ),
    Escape(
        "large-socket-buffers",
        "2026-11: socketpair is allowed, since asyncio needs it; larger buffers are not.",
        """
def attempt(context):
    for one in socket.socketpair():
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * MB)
""",
    ),
    Escape(
        "sockets-in-sockets",
        "2026-11: 560 MB under a limit of 1 MB: full sockets that are sent through others are counted nowhere.",
        """
def attempt(context):
    one, other = socket.socketpair()
    return socket.send_fds(one, [b"x"], [other.fileno()])
""",
    ),
    Escape(
        "timer-that-continues",
        "2026-11: a kept VM went on between two runs: a timer of the kernel may send SIGCONT to who is stopped.",
        """
def attempt(context):
    event = (ctypes.c_int * 16)(0, 0, 18, 0)
    return checked(libc.timer_create(1, event, ctypes.byref(ctypes.c_void_p())))
""",
    ),
    Escape(
        "news-that-continues",
        "2026-11: likewise the news that the scratch folder was emptied, or that a handle can be read.",
        """
def attempt(context):
    return fcntl.fcntl(os.open(context.scratch, os.O_RDONLY), fcntl.F_SETSIG, 18)
""",
    ),
    Escape(
        "outlives-its-parent",
        "2026-11: without namespaces, a task that took back PR_SET_PDEATHSIG outlived a supervisor that was killed.",
        """
def attempt(context):
    return checked(libc.prctl(1, 0, 0, 0, 0))
""",
    ),
    Escape(
        "faults-by-hand",
        "refused since the first version: userfaultfd and io_uring, doors to memory and files around the filter.",
        """
def attempt(context):
    try:
        return checked(libc.syscall(ctypes.c_long(323), ctypes.c_long(0)))
    except OSError:
        return checked(libc.syscall(ctypes.c_long(425), ctypes.c_long(1), ctypes.c_long(0)))
""",
    ),
    Escape(
        "locked-memory",
        "2026-11: locked pages cannot be swapped out when the machine runs short.",
        """
def attempt(context):
    address = checked(libc.mmap(None, ctypes.c_size_t(MB), 3, PRIVATE, -1, ctypes.c_long(0)))
    return checked(libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(MB)))
""",
    ),
    Escape(
        "full-scratch-folder",
        "2026-11: 64 MB under a limit of 1 MB: files of a folder in memory were not counted. On a disk, their "
        "number had no limit.",
        """
def attempt(context):
    for name in range(1000):
        (context.scratch / str(name)).write_bytes(bytes(MB))
""",
        ends=("refused", "memory-limit"),
    ),
    Escape(
        "many-processes",
        "refused since the first version: processes that each keep to the limit.",
        """
def attempt(context):
    for _ in range(20):
        if os.fork() == 0:
            held = bytearray(7 * MB)
            time.sleep(60)
""",
    ),
    Escape(
        "large-core-dump",
        "2026-11: RLIMIT_CORE of 0 is not heeded for a program that core dumps are handed to.",
        """
def attempt(context):
    import resource
    if resource.getrlimit(resource.RLIMIT_CORE) == (1, 1):
        raise OSError("refused")
""",
    ),
    Escape(
        "required-module-outside",
        "2026-11: required modules were loaded before the isolation held: antigravity looked for a browser to start.",
        """
def attempt(context):
    import installed
    if installed.found:
        raise OSError(installed.found)
""",
        installed="""
import os
try:
    found = ""
    if os.fork() == 0:
        os._exit(0)
except OSError as error:
    found = str(error)
""",
    ),
    Escape(
        "required-module-that-ends",
        "2026-11: a required module that ends the process was an error of the sandbox, and so tried again three times.",
        """
def attempt(context):
    pass
""",
        installed="raise SystemExit(3)",
        ends=("exception:SystemExit",),
    ),
    Escape(
        "required-module-of-walle",
        "2026-11: the worker's own modules could be required, and with them all of Walle.",
        """
def attempt(context):
    pass
""",
        modules=("walle.container.worker.linux",),
        ends=("import-missing",),
    ),
    Escape(
        "required-module-of-the-bundle",
        "refused since the first version: what a task requires comes from the machine, never from its bundle.",
        """
def attempt(context):
    pass
""",
        modules=("main",),
        ends=("import-missing",),
    ),
)
