"""One run: a supervisor outside the walls, the first process inside them, and the task as its child.

The supervisor is forked by the launcher for each run. It reads the request, enters the isolation, forks, watches
the clock, ends everything, and answers with what it saw. It ends the run too when its control connection closes,
so that no run outlives the program that asked for it. The task itself cannot speak to the supervisor: the
connection for events is closed before any of the task's code is loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from walle.container.worker import build_emulation, cgroup, disk, isolate, linux, memory, task
from walle.container.worker.config import RunRequest, WorkerConfig
from walle.container.worker.wire import receive_frame, send_frame

_ENDING_SECONDS: Final = 2.0
_EVENT: Final = struct.Struct(">cI")
_READY, _ENDED, _BROKEN = b"R", b"E", b"X"
_ANSWER: Final = 3
# Looking at the disk is dearer than looking at memory. A file may be as large as the folder, so there is room for more.
_DISK_SECONDS: Final = 0.1


@dataclass
class RunReport:
    """What a supervisor saw. `status` is the task's wait status, None when the run was ended from outside;
    `exceeded` says of what it held too much, `failure` why there was no proper run."""

    status: int | None = None
    timed_out: bool = False
    exceeded: str = ""
    duration_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_kb: int = 0
    enforced: dict[str, str] = field(default_factory=dict)
    failure: str = ""


@dataclass(frozen=True)
class _Run:
    control: socket.socket
    answer: int
    log: int
    config: WorkerConfig
    request: RunRequest
    inputs: bytes
    place: isolate.SandboxFolders
    group: cgroup.Group | None


def supervise(control: socket.socket, answer: int, log: int, config: WorkerConfig) -> None:
    """Serve one run on a connection; `answer` and `log` are pipes that the task writes to."""
    os.setsid()
    # The folders of a run's own root must be open to its user.
    os.umask(0o022)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    report = RunReport()
    try:
        request = RunRequest.from_json(receive_frame(control))
        inputs = receive_frame(control)
        if linux.IS_LINUX:
            linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
        group, config = _grouped(config)
        place = isolate.enter(request, config)
        _carry_out(_Run(control, answer, log, config, request, inputs, place, group), report)
    except (OSError, ValueError, EOFError) as error:
        report.failure = f"{type(error).__name__}: {error}"
    with contextlib.suppress(OSError):
        send_frame(control, json.dumps(asdict(report)).encode())


def _grouped(config: WorkerConfig) -> tuple[cgroup.Group | None, WorkerConfig]:
    """A control group for this run, or none and what holds without one."""
    if config.cgroup is not None:
        with contextlib.suppress(OSError):
            return cgroup.Group.made(config.cgroup), config
    return None, replace(config, cgroup=None)


def _carry_out(run: _Run, report: RunReport) -> None:
    events, writer = os.pipe()
    first = fork_into(lambda: _first_process(run, writer))
    for handle in (writer, run.answer, run.log):
        os.close(handle)
    try:
        _watch(run, events, _Looks(run, first), report)
        if report.status is None:
            _ask_to_end(first, events)
    finally:
        _end(first, report)
        if run.group is not None:
            report.exceeded = report.exceeded or ("memory" if run.group.was_exceeded() else "")
            run.group.remove()


def fork_into(body: Callable[[], None]) -> int:
    """Fork a process that runs `body` and ends, whatever happens; its id."""
    child = os.fork()
    if child == 0:
        try:
            body()
            os._exit(0)
        finally:
            os._exit(1)
    return child


def _watch(run: _Run, events: int, looks: _Looks, report: RunReport) -> None:
    """Follow the run until it ends, its time is over, it holds too much or nobody waits for it any more."""
    poll = select.poll()
    poll.register(events, select.POLLIN)
    poll.register(run.control, select.POLLIN)
    started = None
    deadline = time.monotonic() + isolate.SETUP_SECONDS
    while True:
        ready = _wait(poll, deadline, looks)
        kind, content = _event(events) if events in ready else (b"", b"")
        if kind != _READY:
            break
        started = time.monotonic()
        deadline = started + run.request.time_ms / 1000
        report.enforced, most = json.loads(content)
        looks.allow(most)
    if started is not None:
        report.duration_ms = (time.monotonic() - started) * 1000
    if kind == _ENDED:
        report.status = int(content)
    elif looks.exceeded:
        report.exceeded = looks.exceeded
    elif not ready and started is not None:
        report.timed_out = True
    else:
        report.failure = content.decode(errors="replace") or "the run was broken off while it started"


def _wait(poll: select.poll, deadline: float, looks: _Looks) -> set[int]:
    """The handles that have something; none at the deadline, and none once the run holds too much."""
    while True:
        left = max(0.0, deadline - time.monotonic())
        pause = min(left, memory.LOOK_SECONDS)
        if ready := poll.poll(pause * 1000):
            return {handle for handle, _ in ready}
        if pause == left or looks.find_too_much():
            return set()


class _Looks:
    """Looks at what a run holds, for limits that its process could get around. A control group watches by itself."""

    def __init__(self, run: _Run, first: int) -> None:
        self._place, self._scratch_mb = run.place, run.request.scratch_mb
        self._tree = None if run.place.proc is None else memory.ProcessTree(run.place.proc, first)
        self._disk_due = 0.0
        self._group = run.group
        self.exceeded = ""
        self.allow(isolate.most_while_loading(run.request))

    def allow(self, most: int) -> None:
        """From now on the run may hold so many bytes of memory."""
        self._most = most
        if self._group is not None:
            self._group.limit(most)

    def find_too_much(self) -> bool:
        """Look once; what was found is in `exceeded`."""
        if self._tree is None:
            return False
        pids = self._tree.pids()
        if self._group is None and self._tree.held(pids) + self._in_memory() > self._most:
            self.exceeded = "memory"
        elif not self._place.private and time.monotonic() > self._disk_due:
            self._disk_due = time.monotonic() + _DISK_SECONDS
            if disk.kept(self._place.scratch, self._tree.proc, pids) > (self._scratch_mb + 1) * 2**20:
                self.exceeded = "scratch"
        return bool(self.exceeded)

    def _in_memory(self) -> int:
        """What the scratch folder holds, where that is in memory."""
        if not self._place.private:
            return 0
        found = os.statvfs(self._place.scratch)
        return (found.f_blocks - found.f_bfree) * found.f_frsize


def _event(events: int) -> tuple[bytes, bytes]:
    """The next event; it was written at once and is shorter than a pipe's unit, so it is there as a whole."""
    header = os.read(events, _EVENT.size)
    if not header:
        return b"", b""
    kind, length = _EVENT.unpack(header)
    return kind, os.read(events, length)


def _tell(events: int, kind: bytes, content: str) -> None:
    text = content.encode()[: select.PIPE_BUF - _EVENT.size]
    os.write(events, _EVENT.pack(kind, len(text)) + text)


def _ask_to_end(first: int, events: int) -> None:
    """Let the first process end the task itself, because only then it passes on what the task has used."""
    os.kill(first, signal.SIGTERM)
    poll = select.poll()
    poll.register(events, select.POLLIN)
    poll.poll(_ENDING_SECONDS * 1000)


def _end(first: int, report: RunReport) -> None:
    """End every process of the run and add up what they used."""
    os.kill(first, signal.SIGKILL)
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return
        report.cpu_ms += (usage.ru_utime + usage.ru_stime) * 1000
        # macOS counts bytes.
        unit = 1 if linux.IS_LINUX else 1024
        report.peak_memory_kb = max(report.peak_memory_kb, usage.ru_maxrss // unit)
        _kill_adopted()


def _kill_adopted() -> None:
    """Without a process namespace, what a task leaves behind becomes a child of its supervisor."""
    with contextlib.suppress(FileNotFoundError), open(f"/proc/self/task/{os.getpid()}/children") as file:
        for pid in file.read().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def _first_process(run: _Run, events: int) -> None:
    """The first process inside: it waits for the task, and everything inside ends with it.

    The task is not the first process itself, because signals do not end a first process in the usual way.
    """
    if linux.IS_LINUX:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    if run.group is not None:
        run.group.join()
    child = fork_into(lambda: _task_process(run, events))
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    os.close(run.answer)
    os.close(run.log)
    pid = status = 0
    while pid != child:
        pid, status = os.wait()
    _tell(events, _ENDED, str(status))


def _task_process(run: _Run, events: int) -> None:
    """Put up the walls, say that the task starts, run it and pass on its answer."""
    try:
        start, call = _prepare(run)
    except BaseException as error:
        _tell(events, _BROKEN, f"{type(error).__name__}: {error}")
        raise
    _tell(events, _READY, json.dumps(start))
    os.dup2(run.answer, _ANSWER)
    os.closerange(_ANSWER + 1, 1024)
    context = task.Context(
        Path(run.place.bundle), Path(run.place.scratch), run.request.fallbacks, frozenset(run.request.metrics)
    )
    answer = task.answer_of(lambda: call(context), run.place.bundle, memory.allow_reporting)
    task.flush()
    output = answer.pop("output", "")
    content = memoryview(f"{json.dumps(answer | {'metrics': context.metrics})}\n{output}".encode())
    while content:
        content = content[os.write(_ANSWER, content) :]


_Start = tuple[dict[str, str], int]


def _prepare(run: _Run) -> tuple[_Start, Callable[[task.Context], task.Answer]]:
    """Everything before the task's code: what is enforced and the most bytes of memory that the run can hold by that;
    and what calls the task, or says that a module is missing."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, null), (1, run.log), (2, run.log)):
        os.dup2(source, target)
    task.set_streams()
    isolate.become(run.request, run.place)
    os.chdir(run.place.scratch)
    task.set_environment(run.place.scratch)
    request, status = run.request, _own_status(run.place.proc)
    task.forget_the_worker()
    enforced = isolate.confine(request, run.config, run.place, status)
    missing = task.preload(request.modules)
    read_inputs = task.reader_of(run.inputs, {} if missing else request.tensors)
    most = isolate.limit_run(request, run.config, status)
    task.let_in_the_bundle(run.place.bundle, run.config.module_paths)
    if request.tailoring is not None:
        build_emulation.emulate_build(request.tailoring, run.place.bundle)
        enforced["profile"] = f"Python {request.tailoring.python}, its modules and their functions"

    def call(context: task.Context) -> task.Answer:
        return missing or task.call(request.entry_point, read_inputs, context, request.output_kb * 1024)

    return (enforced, most), call


def _own_status(proc: int | None) -> int | None:
    """A handle of this process's figures: behind the walls it could not be opened any more."""
    return None if proc is None else os.open("self/status", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
