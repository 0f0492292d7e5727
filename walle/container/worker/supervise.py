"""The life of one VM, seen by its supervisor, a process outside of the sandbox that the launcher forks for it.

The supervisor reads the request, enters the isolation, forks, watches the clock, stops and resumes a kept VM between
its runs, ends everything, and reports what it saw of each run. It ends the VM too when its control connection closes,
so that no VM outlives the program that asked for it. The task itself cannot speak to the supervisor: the connection for
events is closed before any of the task's code is loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from walle.container.worker import cgroup, isolate, linux, memory
from walle.container.worker.config import VMRequest, WorkerConfig
from walle.container.worker.inside import ENDED, READY, VMPlace, first_process, fork_into, read_event
from walle.container.worker.monitor import VMMonitor
from walle.container.worker.wire import ANSWERED, BEGIN, receive_frame, send_frame

_ENDING_SECONDS: Final = 2.0


@dataclass
class RunReport:
    """What a supervisor saw of a run, or of a VM that ended between two runs.

    `over` says why the VM has ended, empty while it is kept; `idle` that it was between two runs; `settled` is false of
    a run that has just been answered: another report follows, on what became of the VM. `status` is the task's wait
    status, None while it lives or when it was ended from outside; `exceeded` says of what it held or used too much,
    `failure` why there was no proper run. `held_mb` is what a kept VM holds beyond what it started with.
    """

    over: str = ""
    idle: bool = False
    settled: bool = True
    status: int | None = None
    timed_out: bool = False
    exceeded: str = ""
    duration_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_kb: int = 0
    held_mb: float = 0.0
    enforced: dict[str, str] = field(default_factory=dict)
    failure: str = ""


def supervise(control: socket.socket, handles: Sequence[int], config: WorkerConfig) -> None:
    """Serve one VM on a connection; `handles` are the task's channel, its log and, if any, its outputs' memory."""
    os.setsid()
    # The folders of a VM's own root must be open to its user.
    os.umask(0o022)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    report = RunReport(over="exited")
    try:
        request = VMRequest.from_json(receive_frame(control))
        linux.use_processors(request.processors)
        if linux.IS_LINUX:
            linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
        group, config = _grouped(config)
        folders = isolate.enter(request, config)
        channel, log, outputs = (*handles, -1)[:3]
        report = _Supervision(control, VMPlace(channel, log, outputs, config, request, folders, group)).serve()
    except (OSError, ValueError, EOFError) as error:
        report.failure = f"{type(error).__name__}: {error}"
    with contextlib.suppress(OSError):
        _send(control, report)


def _send(control: socket.socket, report: RunReport) -> None:
    send_frame(control, json.dumps(vars(report)).encode())


def _grouped(config: WorkerConfig) -> tuple[cgroup.Group | None, WorkerConfig]:
    """A control group for this VM, or none and what holds without one."""
    if config.cgroup is not None:
        with contextlib.suppress(OSError):
            return cgroup.Group.made(config.cgroup), config
    return None, replace(config, cgroup=None)


class _Supervision:
    """One VM from its start to its end."""

    def __init__(self, control: socket.socket, vm: VMPlace) -> None:
        self._control, self._vm, self._request = control, vm, vm.request
        self._events, writer = os.pipe()
        self._first = fork_into(lambda: first_process(vm, writer))
        os.close(writer)
        vm.close_handles()
        self._monitor = VMMonitor(vm, self._first, isolate.most_while_loading(vm.request))
        self._used_at_start = 0
        self._began = 0.0
        self._cpu_reported = 0.0
        self._exceeded = ""
        self._poll = select.poll()
        self._poll.register(self._events, select.POLLIN)
        self._poll.register(control, select.POLLIN)

    def serve(self) -> RunReport:
        """Serve its runs; the report of the last one, or of its end while it was idle."""
        report = RunReport()
        try:
            enforced = self._start(report)
            while not report.over:
                report = RunReport(enforced=enforced)
                self._run(report)
                if not report.settled:
                    _send(self._control, report)
                    report = self._settle()
                if not report.over:
                    _send(self._control, report)
                    report = RunReport(over=self._idle(), idle=True)
            if report.status is None:
                self._ask_to_end()
        finally:
            self._end(report)
        return report

    def _start(self, report: RunReport) -> dict[str, str]:
        """Wait until the task starts: what is enforced; nothing where it could not start, as `report` then says."""
        ready = self._wait(time.monotonic() + isolate.SETUP_SECONDS)
        kind, content = read_event(self._events) if self._events in ready else (b"", b"")
        if kind != READY:
            report.over, report.exceeded = "exited", self._exceeded
            report.failure = content.decode(errors="replace") or "the run was broken off while it started"
            return {}
        enforced, most, self._used_at_start = json.loads(content)
        self._monitor.allow(most)
        self._monitor.find_task()
        self._begin()
        return dict(enforced)

    def _begin(self) -> None:
        """From now on the clock of a run goes."""
        self._began = time.monotonic()
        if self._request.keep:
            self._monitor.begin_run(isolate.cpu_seconds(self._request))

    def _run(self, report: RunReport) -> None:
        """Follow a run until it has answered, it ends, its time is over, it takes too much or nobody waits any more."""
        ready = self._wait(self._began + self._request.time_ms / 1000)
        report.duration_ms = (time.monotonic() - self._began) * 1000
        report.over = "exited"
        if self._events in ready:
            kind, content = read_event(self._events)
            report.status = int(content) if kind == ENDED else None
            report.failure = "" if kind == ENDED else "the first process of the VM was ended"
        elif self._exceeded:
            report.exceeded = self._exceeded
        elif not ready:
            report.timed_out = True
        elif self._control.recv(1) != ANSWERED:
            report.failure = "nobody waits for the run any more"
        elif (status := self._monitor.status()) is not None:
            report.over, report.settled = "", False
            used = self._monitor.cpu_seconds()
            report.cpu_ms, self._cpu_reported = (used - self._cpu_reported) * 1000, used
            report.peak_memory_kb = status.peak // 1024

    def _settle(self) -> RunReport:
        """Between two runs: the VM is stopped, has an empty scratch folder, and holds no more than it may.

        Nobody waits for that with the answer, but the next run: a busy machine takes its time to stop a process.
        """
        report = RunReport(over="exited")
        status = self._monitor.stop()
        if status is None:
            return report
        emptied = _emptied(self._vm.folders.scratch)
        report.held_mb = max(0, status.used + self._monitor.held_by_scratch() - self._used_at_start) / 2**20
        if not self._monitor.is_alone(status):
            report.over = "threads-left"
        elif report.held_mb > self._request.held_mb:
            report.over = "held-too-much"
        else:
            report.over = "" if emptied else "scratch-left"
        return report

    def _idle(self) -> str:
        """Wait for the next run; why the VM ends instead, if it does."""
        ready = {handle for handle, _ in self._poll.poll(self._request.idle_s * 1000)}
        if self._events in ready:
            kind, content = read_event(self._events)
            status = int(content) if kind == ENDED else signal.SIGKILL
            return f"killed:{linux.signal_name(os.WTERMSIG(status))}" if os.WIFSIGNALED(status) else "exited"
        if not ready:
            return "idle"
        if self._control.recv(1) != BEGIN:
            return "closed"
        self._begin()
        self._monitor.resume()
        return ""

    def _wait(self, deadline: float) -> set[int]:
        """What has something, of events and control; nothing at the deadline, and once the VM takes too much."""
        while True:
            left = max(0.0, deadline - time.monotonic())
            pause = min(left, memory.LOOK_SECONDS)
            if ready := self._poll.poll(pause * 1000):
                return {handle for handle, _ in ready}
            if pause == left:
                return set()
            if exceeded := self._monitor.find_too_much():
                self._exceeded = exceeded
                return set()

    def _ask_to_end(self) -> None:
        """Let the first process end the task itself, because only then it passes on what the task has used."""
        os.kill(self._first, signal.SIGTERM)
        poll = select.poll()
        poll.register(self._events, select.POLLIN)
        poll.poll(_ENDING_SECONDS * 1000)

    def _end(self, report: RunReport) -> None:
        """End every process of the VM and add up what they used, less what earlier runs reported."""
        os.kill(self._first, signal.SIGKILL)
        report.cpu_ms -= self._cpu_reported * 1000
        with contextlib.suppress(ChildProcessError):
            while True:
                _, _, usage = os.wait4(-1, 0)
                report.cpu_ms += (usage.ru_utime + usage.ru_stime) * 1000
                # macOS counts bytes.
                unit = 1 if linux.IS_LINUX else 1024
                report.peak_memory_kb = max(report.peak_memory_kb, usage.ru_maxrss // unit)
                _kill_adopted()
        if self._vm.group is not None:
            report.exceeded = report.exceeded or ("memory" if self._vm.group.was_exceeded() else "")
            self._vm.group.remove()


def _emptied(scratch: str) -> bool:
    """Empty the scratch folder; whether that was possible. Links in it are not followed."""
    try:
        with os.scandir(scratch) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)
    except (OSError, RecursionError):
        return False
    return True


def _kill_adopted() -> None:
    """Without a process namespace, what a task leaves behind becomes a child of its supervisor."""
    with contextlib.suppress(FileNotFoundError), open(f"/proc/self/task/{os.getpid()}/children") as file:
        for pid in file.read().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
