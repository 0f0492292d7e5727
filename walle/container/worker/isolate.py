"""The isolation of a VM. `enter` is called by the supervisor, `confine` by the task's process before anything that the
task names is loaded.

With namespaces a run has its own root (libraries and the bundle read-only, a private scratch in memory), its
own processes and no network. Without them, Landlock and the system-call filter stand in where the kernel has
them. `confine` reports what holds; after it, what the task requires is loaded, and `limit_vm` leaves the task its own.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
import socket
import sys
from dataclasses import dataclass, replace
from typing import Any, Final

from walle.container.worker import cgroup, landlock, linux, memory, seccomp
from walle.container.worker.config import VMRequest, WorkerConfig

_MOUNT_POINT: Final = "/tmp"  # noqa: S108 - a folder that exists; only this process sees what is mounted there
_BUNDLE: Final = "/bundle"
_SCRATCH: Final = "/scratch"
_DEVICES: Final = ("null", "zero", "random", "urandom")
_MEGABYTE: Final = 1024 * 1024
# What the modules that a task requires may take of memory while they are loaded.
_LOADING: Final = 2048 * _MEGABYTE
# The longest that the start of a run may take, its required modules included.
SETUP_SECONDS: Final = 30


@dataclass(frozen=True)
class SandboxFolders:
    """Where a run finds its files, whether it has a root of its own, and the host's /proc for measuring."""

    bundle: str
    scratch: str
    private: bool
    proc: int | None


def enter(request: VMRequest, config: WorkerConfig) -> SandboxFolders:
    """Enter the namespaces of a run, in a process with a single thread; raises OSError when that is not possible."""
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC) if linux.IS_LINUX else None
    if not config.namespaces:
        if request.scratch is None:
            raise ValueError("expected a scratch folder where there are no namespaces")
        return SandboxFolders(request.bundle, request.scratch, private=False, proc=proc)
    flags = linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWIPC
    _unshare(flags)
    _build_root(request, config)
    return SandboxFolders(_BUNDLE, _SCRATCH, private=True, proc=proc)


def leave_network() -> None:
    """Move the launcher, and so all runs, where there is no network; making such a place for each run costs
    more than the rest of its start. Raises OSError."""
    _unshare(linux.CLONE_NEWNET | linux.CLONE_NEWUTS)
    socket.sethostname("sandbox")


def _unshare(flags: int) -> None:
    """New namespaces; for an ordinary user inside a new user namespace, in which it keeps its own id."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        linux.unshare(flags)
        return
    linux.unshare(flags | linux.CLONE_NEWUSER)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _build_root(request: VMRequest, config: WorkerConfig) -> None:
    """A root in memory with nothing but libraries, the bundle, four devices and a scratch folder."""
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    sources = _opened({_BUNDLE: request.bundle, **{path: path for path in _outermost(config.library_paths)}})
    devices = _opened({f"/dev/{name}": f"/dev/{name}" for name in _DEVICES})
    nosuid = linux.MS_NOSUID | linux.MS_NODEV
    linux.mount("tmpfs", _MOUNT_POINT, "tmpfs", nosuid, "size=1m,nr_inodes=1k,mode=0755")
    for target, handle in {**sources, **devices}.items():
        _bind(handle, _MOUNT_POINT + target, device=target in devices)
    _make_scratch(request)
    os.chdir(_MOUNT_POINT)
    linux.pivot_root(".", ".")
    linux.unmount(".", linux.MNT_DETACH)
    os.chdir("/")
    linux.mount("none", "/", flags=linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | nosuid)


def _outermost(paths: tuple[str, ...]) -> list[str]:
    """The paths that exist, without those inside another; links are left to be made as links."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if os.path.exists(path) and not any(path.startswith(f"{outer}/") for outer in kept):
            kept.append(path)
    return kept


def _opened(paths: dict[str, str]) -> dict[str, int]:
    """Handles of the sources, by target: the mounts to come will hide some of them."""
    return {target: os.open(source, os.O_PATH | os.O_CLOEXEC) for target, source in paths.items()}


def _bind(source: int, target: str, *, device: bool) -> None:
    """Mount what a handle names at a target, read-only; device files stay usable."""
    path = f"/proc/self/fd/{source}"
    if os.path.isdir(path):
        os.makedirs(target, mode=0o755, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_CLOEXEC, 0o644))
    linux.mount(path, target, flags=linux.MS_BIND)
    # A user namespace may not take away the restrictions that the source's mount has.
    inherited = os.statvfs(path).f_flag & _LOCKED
    wanted = linux.MS_NOSUID | linux.MS_RDONLY | (0 if device else linux.MS_NODEV)
    linux.mount("none", target, flags=linux.MS_REMOUNT | linux.MS_BIND | wanted | inherited)
    os.close(source)


# These have the same bits in statvfs as in mount; the rules for access times stay as they are by themselves.
_LOCKED: Final = linux.MS_NODEV | linux.MS_NOEXEC | linux.MS_NOSUID | linux.MS_RDONLY


def _make_scratch(request: VMRequest) -> None:
    scratch = _MOUNT_POINT + _SCRATCH
    os.mkdir(scratch)
    flags = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
    # It is in memory, so it is no larger than what the task may have of that.
    size = min(request.scratch_mb, request.memory_mb)
    linux.mount("tmpfs", scratch, "tmpfs", flags, f"size={size}m,nr_inodes=4k,mode=0700")
    if request.uid is not None:
        os.chown(scratch, request.uid, request.uid)
    with contextlib.suppress(FileExistsError):
        os.symlink(_SCRATCH, os.path.join(_MOUNT_POINT, "tmp"))


def become(request: VMRequest, place: SandboxFolders) -> None:
    """Give up the worker's privileges, and die with the supervisor; nothing of the task has been loaded yet."""
    parent = os.getppid()
    _offer_to_oom_killer(place)
    os.nice(request.nice)
    if request.uid is not None:
        _become_user(request.uid)
    elif place.private:
        linux.drop_capabilities()
    if linux.IS_LINUX:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
    # 1 rather than 0, which a program that the kernel hands core dumps to would not heed.
    memory.lower(resource.RLIMIT_CORE, 1)
    memory.lower(resource.RLIMIT_NOFILE, 64)
    memory.lower(resource.RLIMIT_FSIZE, request.scratch_mb * _MEGABYTE)
    memory.lower(resource.RLIMIT_STACK, memory.STACK)
    for kind in _NEEDLESS:
        memory.lower(kind, 0)
    if not request.keep:
        _limit_time(SETUP_SECONDS + cpu_seconds(request))


# Locked memory and messages: tasks have no use for them. macOS has no limit of the latter.
_NEEDLESS: Final = tuple(
    getattr(resource, name) for name in ("RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE") if hasattr(resource, name)
)


def cpu_seconds(request: VMRequest) -> int:
    """The seconds of processor time that a run may take: as long as it may last, and one for rounding."""
    return -(-request.time_ms // 1000) + 1


def _limit_time(seconds: int) -> None:
    memory.lower(resource.RLIMIT_CPU, seconds, seconds + 1)


def _become_user(uid: int) -> None:
    try:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    except OSError as error:
        raise PermissionError(f"user {uid} cannot run tasks here: {error.strerror}") from error


def _offer_to_oom_killer(place: SandboxFolders) -> None:
    """When the machine itself runs out of memory, a run goes first."""
    # Some containers do not let anyone say so; then the kernel chooses by size.
    with contextlib.suppress(OSError):
        if place.proc is not None:
            handle = os.open("self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC, dir_fd=place.proc)
            os.write(handle, b"1000")
            os.close(handle)


def confine(request: VMRequest, config: WorkerConfig, place: SandboxFolders, status: int | None) -> dict[str, str]:
    """Confine this process before it loads anything that the task names; return each limit and what enforces it.

    `status` is a handle of this process's /proc/<pid>/status, None where there is none.
    """
    # The kernel's limit counts over all runs of a kept VM, and a process cannot raise it again.
    enforced = {"time": f"wall clock and {'looks' if request.keep else 'RLIMIT_CPU'}"}
    if status is not None:
        allowed = request.memory_mb * _MEGABYTE + _LOADING
        memory.limit(memory.ProcessMemory.read(status), allowed, filtered=config.seccomp)
        watched = "cgroup" if config.cgroup else f"a look every {memory.LOOK_SECONDS * 1000:g} ms"
        enforced["memory"] = f"RLIMIT_DATA, RLIMIT_AS, {watched}"
    if place.private or request.uid is not None:
        # A user namespace also counts its supervisor and its first process.
        memory.lower(resource.RLIMIT_NPROC, request.max_threads + 3)
        enforced["threads"] = "RLIMIT_NPROC"
    if request.uid is not None:
        enforced["user"] = f"own user {request.uid}"
    if place.private:
        enforced |= {
            "files": "own root",
            "network": "namespace without one",
            "processes": "own namespace",
        }
    elif config.landlock:
        devices = [f"/dev/{name}" for name in _DEVICES]
        landlock.apply([*config.library_paths, place.bundle], [place.scratch, *devices])
        enforced["files"] = "Landlock"
    elif request.uid is not None:
        enforced["files"] = "file permissions"
    if config.seccomp:
        seccomp.apply(os.getpid())
        enforced["calls"] = "seccomp"
        enforced.setdefault("network", "seccomp")
        enforced.setdefault("processes", "seccomp")
    return enforced


def most_while_loading(request: VMRequest) -> int:
    """The most bytes that a run can hold while the modules that it requires are loaded."""
    return memory.most(memory.ProcessMemory(0, _LOADING, 0), request.memory_mb * _MEGABYTE + _LOADING)


def limit_vm(request: VMRequest, config: WorkerConfig, status: int | None) -> tuple[int, int]:
    """Limit memory and processor time to what the task may have, once what it requires is loaded.

    `status` is as for `confine`. Gives the most bytes that the VM can hold while it keeps to its limits, and those that
    it uses so far.
    """
    if not request.keep:
        spent = resource.getrusage(resource.RUSAGE_SELF)
        _limit_time(math.ceil(spent.ru_utime + spent.ru_stime) + cpu_seconds(request))
    if status is None:
        return sys.maxsize, 0
    before, allowed = memory.ProcessMemory.read(status), request.memory_mb * _MEGABYTE
    memory.limit(before, allowed, filtered=config.seccomp)
    return memory.most(before, allowed), before.used


def prepare(config: WorkerConfig) -> tuple[WorkerConfig, dict[str, str]]:
    """Called once by the launcher: the isolation of `config` that this machine has, and reasons for what it lacks."""
    reasons: dict[str, str] = {}
    if config.namespaces:
        failure = _failure_of_namespaces(config)
        if failure:
            reasons["namespaces"] = failure
        else:
            leave_network()
    if config.seccomp and not seccomp.is_known():
        reasons["seccomp"] = f"no filter is known for {linux.MACHINE or 'this system'}"
    if config.landlock and landlock.version() == 0:
        reasons["landlock"] = "the kernel has none"
    missing: dict[str, Any] = dict.fromkeys(reasons, False)
    return replace(config, **missing, cgroup=cgroup.usable() if linux.IS_LINUX else None), reasons


def _failure_of_namespaces(config: WorkerConfig) -> str:
    if not linux.IS_LINUX:
        return "only Linux has them"
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        message = ""
        try:
            leave_network()
            enter(_PROBE, config)
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
        os.write(writer, message.encode()[:4096])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        message = answers.read()
    _, status = os.waitpid(child, 0)
    return message or ("" if status == 0 else f"the trial ended with status {status}")


_PROBE: Final = VMRequest(
    bundle=os.path.dirname(__file__),
    scratch=None,
    uid=None,
    entry_point="",
    modules=(),
    tensors={},
    metrics=(),
    fallbacks={},
    time_ms=1000,
    memory_mb=1,
    output_kb=1,
    max_threads=1,
    scratch_mb=1,
)
