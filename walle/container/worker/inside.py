"""The two processes inside of the sandbox: the first one, with which everything ends, and the task as its child."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from walle.container.worker import build_emulation, cgroup, isolate, linux, task, tensors
from walle.container.worker.config import VMRequest, WorkerConfig

READY, ENDED, BROKEN = b"R", b"E", b"X"
_EVENT: Final = struct.Struct(">cI")
_CHANNEL: Final = 3


@dataclass(frozen=True)
class VMPlace:
    """What a VM is made of: its handles (to the sandbox, for the log, and of the memory for output tensors, -1 where
    there is none), what was asked for, its folders and its control group."""

    channel: int
    log: int
    outputs: int
    config: WorkerConfig
    request: VMRequest
    folders: isolate.SandboxFolders
    group: cgroup.Group | None

    def close_handles(self) -> None:
        """Leave the handles to the task alone."""
        for handle in (self.channel, self.log, self.outputs):
            if handle >= 0:
                os.close(handle)


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


def read_event(events: int) -> tuple[bytes, bytes]:
    """The next event and its content; it was written at once and is shorter than a pipe's unit, so all of it is there.

    Both are empty when every writer has ended.
    """
    header = os.read(events, _EVENT.size)
    if not header:
        return b"", b""
    kind, length = _EVENT.unpack(header)
    return kind, os.read(events, length)


def _send_event(events: int, kind: bytes, content: str) -> None:
    text = content.encode()[: select.PIPE_BUF - _EVENT.size]
    os.write(events, _EVENT.pack(kind, len(text)) + text)


def first_process(vm: VMPlace, events: int) -> None:
    """Wait for the task; everything inside ends with this process.

    The task is not the first process itself, because signals do not end a first process in the usual way.
    """
    if linux.IS_LINUX:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    if vm.group is not None:
        vm.group.join()
    child = fork_into(lambda: _task_process(vm, events))
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    vm.close_handles()
    pid = status = 0
    while pid != child:
        pid, status = os.wait()
    _send_event(events, ENDED, str(status))


def _task_process(vm: VMPlace, events: int) -> None:
    """Isolate this process, say that the task starts, and serve its runs. Then it cannot reach the supervisor."""
    try:
        start, program = _prepare(vm)
    except BaseException as error:
        _send_event(events, BROKEN, f"{type(error).__name__}: {error}")
        raise
    _send_event(events, READY, json.dumps(start))
    os.dup2(vm.channel, _CHANNEL)
    os.closerange(_CHANNEL + 1, 1024)
    folders = vm.folders
    task.serve(socket.socket(fileno=_CHANNEL), program, folders.bundle, folders.scratch, keep=vm.request.keep)


_Start = tuple[dict[str, str], int, int]


def _prepare(vm: VMPlace) -> tuple[_Start, task.Program]:
    """Everything before the task's code: what is enforced, the most bytes of memory that the VM can hold by that and
    those that it uses already; and what calls the task, or says that a module is missing."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, null), (1, vm.log), (2, vm.log)):
        os.dup2(source, target)
    task.set_streams()
    isolate.become(vm.request, vm.folders)
    os.chdir(vm.folders.scratch)
    task.set_environment(vm.folders.scratch)
    request, status = vm.request, _own_status(vm.folders.proc)
    # In the sandbox no memory can be shared any more.
    shared = tensors.map_outputs(vm.outputs, request.slots)
    task.forget_the_worker()
    enforced = isolate.confine(request, vm.config, vm.folders, status)
    missing = task.preload(request.modules)
    arrays = tensors.Arrays({} if missing else request.tensors, {} if missing else request.slots, shared)
    most, used = isolate.limit_vm(request, vm.config, status)
    task.let_in_the_bundle(vm.folders.bundle, vm.config.module_paths)
    if request.build is not None:
        build_emulation.emulate_build(request.build, vm.folders.bundle)
        enforced["profile"] = f"Python {request.build.python}, its modules and their functions"
    models = task.Models(request.models, request.calibration, keeps=request.keep)
    context = task.Context(
        Path(vm.folders.bundle),
        Path(vm.folders.scratch),
        request.fallbacks,
        frozenset(request.metrics),
        arrays=arrays,
        models=models,
    )
    program = task.Program(
        request.entry_point,
        context,
        arrays=arrays,
        models=models,
        missing=missing,
        output_limit=request.output_kb * 1024,
    )
    return (enforced, most, used), program


def _own_status(proc: int | None) -> int | None:
    """A handle of this process's figures: in the sandbox it could not be opened any more."""
    return None if proc is None else os.open("self/status", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
