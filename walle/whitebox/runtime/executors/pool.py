"""The owner's side of executors: starts them, hands them chunks, and hears how they ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import mmap
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Protocol

from walle.whitebox.runtime.contract import UnboundPlan
from walle.whitebox.runtime.executors.executor import Chunk, SentPlan, Setup
from walle.whitebox.runtime.executors.messages import (
    ARENA_BYTES,
    HEADER,
    MOST_SEALED,
    Reply,
    TooLongForArena,
    read_reply,
    write_request,
)
from walle.whitebox.runtime.parameter_store import SharedParameter

log = logging.getLogger(__name__)

_SERVER: Final = "walle.whitebox.runtime.executors.fork_server"
_LONGEST: Final = 1 << 16
_RESTARTED_AFTER_S: Final = 0.2
"""How long a fork server that ended is left alone: one that cannot start must not be started all the time."""

Died = Callable[[int, int], None]
"""Is told the number of an executor that ended, and its signal (0: it ended by itself)."""
Replied = Callable[[int, Reply], None]


class SendablePlan(Protocol):
    """What an executor is sent of a plan; `key` is that of no other one."""

    @property
    def key(self) -> str: ...
    @property
    def unbound(self) -> UnboundPlan: ...
    @property
    def parameters(self) -> Sequence[SharedParameter]: ...


@dataclass(slots=True)
class _Member:
    setup: Setup
    arena: mmap.mmap
    arena_handle: int
    socket: socket.socket | None = None
    pid: int | None = None
    known: set[str] = field(default_factory=set)
    """The plans that it has been sent."""
    forget: set[str] = field(default_factory=set)


class ExecutorPool:
    """Executors by number. Everything is called in the event loop's thread, and calls back there.

    `modules` are loaded before executors are forked, functions among them (`<module>:<function>`) called. An executor
    that ended is replaced before `died` is called.
    """

    def __init__(self, setups: Sequence[Setup], modules: Sequence[str], replied: Replied, died: Died) -> None:
        self._members = [_member(setup) for setup in setups]
        self._modules = tuple(modules)
        self._replied, self._died = replied, died
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._numbers: dict[int, int] = {}
        self._closed = False
        self.restarts = 0

    def __len__(self) -> int:
        return len(self._members)

    @property
    def pids(self) -> list[int | None]:
        """The process ids of the executors by number, None for one that is being started."""
        return [member.pid for member in self._members]

    async def start(self) -> None:
        """Start the fork server and all executors; what is sent to them until they run waits."""
        self._start_server()

    def send(self, number: int, plan: SendablePlan, records: Sequence[Any], seconds: float) -> None:
        """Have an executor that is idle answer records in so much processor time. Raises TooLongForArena."""
        member = self._members[number]
        memories: list[int] = []
        sent: SentPlan | None = None
        if plan.key not in member.known:
            sealed = [each for each in plan.parameters if each.memory is not None]
            memories = [each.memory for each in sealed if each.memory is not None]
            if len(memories) > MOST_SEALED:
                problem = f"{len(memories)} large parameters; {MOST_SEALED} at most can be sent to an executor"
                raise TooLongForArena(problem)
            raw = {each.key: each.raw for each in plan.parameters if each.memory is None}
            sent = SentPlan(plan.unbound, raw, tuple(each.key for each in sealed))
        chunk = Chunk(plan.key, sent, tuple(member.forget), records, seconds)
        header = write_request(member.arena, chunk)
        member.forget.clear()
        member.known.add(plan.key)
        # If it has just died, its end is told, and with it that nothing came of the chunk.
        with contextlib.suppress(OSError):
            if member.socket is not None:
                socket.send_fds(member.socket, [header], memories)

    def forget(self, plan: str) -> None:
        """Have executors give up a plan, with the next chunk that each is sent."""
        for member in self._members:
            if plan in member.known:
                member.known.discard(plan)
                member.forget.add(plan)

    def set_niceness(self, number: int, niceness: int) -> None:
        """Have an idle executor give way to others so much: as a process cannot take that back, by another process."""
        member = self._members[number]
        if member.setup.niceness != niceness and member.pid is not None:
            member.setup = replace(member.setup, niceness=niceness)
            # Nobody asks how it ends: it does so when its socket is closed.
            del self._numbers[member.pid]
            self._drop(member)
            self._spawn(member)

    def kill(self, number: int) -> None:
        """End an executor that does not answer."""
        pid = self._members[number].pid
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End all executors."""
        self._closed = True
        self._drop_server()
        for member in self._members:
            self._drop(member)
            member.arena.close()
            os.close(member.arena_handle)

    def _start_server(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        path = os.pathsep.join(each for each in sys.path if each)
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-m", _SERVER, str(theirs.fileno()), *self._modules],
                pass_fds=[theirs.fileno()],
                env={**os.environ, **one_thread, "PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
            )
        self._control = ours
        asyncio.get_running_loop().add_reader(ours.fileno(), self._hear, ours)
        for member in self._members:
            self._spawn(member)

    def _spawn(self, member: _Member) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        member.socket, member.pid = ours, None
        member.known.clear()
        member.forget.clear()
        order = json.dumps(asdict(member.setup)).encode()
        with theirs, contextlib.suppress(OSError):
            if self._control is not None:
                socket.send_fds(self._control, [order], [theirs.fileno(), member.arena_handle])
        asyncio.get_running_loop().add_reader(ours.fileno(), self._receive, member, ours)

    def _receive(self, member: _Member, ours: socket.socket) -> None:
        try:
            header = ours.recv(HEADER.size)
            reply = read_reply(member.arena, header) if header else None
        except (OSError, ValueError) as error:
            log.error("executor %d: %s", member.setup.number, error)
            self.kill(member.setup.number)
            reply = None
        if reply is None:
            # Its end is told by the fork server, which knows how it came.
            asyncio.get_running_loop().remove_reader(ours.fileno())
        else:
            self._replied(member.setup.number, reply)

    def _hear(self, control: socket.socket) -> None:
        try:
            message = control.recv(_LONGEST)
        except OSError:
            message = b""
        if not message:
            self._lost_server()
            return
        told: dict[str, Any] = json.loads(message)
        if "forked" in told:
            self._numbers[told["forked"]] = told["number"]
            self._members[told["number"]].pid = told["forked"]
        elif "ended" in told:
            number = self._numbers.pop(told["ended"], None)
            if number is None:
                return
            self._replace(self._members[number])
            status = told["status"]
            self._died(number, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)

    def _replace(self, member: _Member) -> None:
        self.restarts += 1
        self._drop(member)
        self._spawn(member)

    def _lost_server(self) -> None:
        log.error("the fork server of executors ended; it is started again")
        self._drop_server()
        for member in self._members:
            self.kill(member.setup.number)
            self._drop(member)
        asyncio.get_running_loop().call_later(_RESTARTED_AFTER_S, self._restart)

    def _restart(self) -> None:
        if self._closed:
            return
        self.restarts += 1
        self._start_server()
        for member in self._members:
            self._died(member.setup.number, signal.SIGKILL)

    def _drop_server(self) -> None:
        self._numbers.clear()
        if self._control is not None:
            asyncio.get_running_loop().remove_reader(self._control.fileno())
            self._control.close()
            self._control = None
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None

    def _drop(self, member: _Member) -> None:
        if member.socket is not None:
            asyncio.get_running_loop().remove_reader(member.socket.fileno())
            member.socket.close()
        member.socket = member.pid = None


def _member(setup: Setup) -> _Member:
    handle = os.memfd_create(f"walle-executor-{setup.number}")
    os.ftruncate(handle, ARENA_BYTES)
    return _Member(setup, mmap.mmap(handle, ARENA_BYTES), handle)
