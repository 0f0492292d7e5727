"""What runs in an executor: it answers one chunk of records after the other, each within its time.

The time limit is the kernel's: a timer of the process's own processor time, whose signal ends it, whatever it is doing.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import pickle
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from walle.whitebox.runtime.contract import BoundPlan, UnboundPlan
from walle.whitebox.runtime.errors import ParameterUnavailable
from walle.whitebox.runtime.executors.messages import HEADER, Kind, TooLongForArena, write
from walle.whitebox.runtime.parameter_store import ParameterLease, ParameterStore
from walle.whitebox.runtime.vector_pool import VectorPool

_LONGEST_TEXT: Final = 500


@dataclass(frozen=True, slots=True)
class Setup:
    """What an executor is: its number, the processors that it may use (none: all), and how it gives way to others.

    `folder` and `capacity_bytes` are those of its parameter store.
    """

    number: int
    processors: tuple[int, ...]
    niceness: int
    folder: str
    capacity_bytes: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A request: records of a plan. `unbound` is the plan itself where the executor has not seen it; it forgets others.

    `seconds` is how much processor time it may take.
    """

    plan: str
    unbound: UnboundPlan | None
    forget: tuple[str, ...]
    records: list[Any]
    seconds: float


class Executor:
    """The plans that an executor has bound, and its pool of vectors, which are made when a plan first runs."""

    def __init__(self, setup: Setup) -> None:
        self._store = ParameterStore(Path(setup.folder), setup.capacity_bytes)
        self._unbound: dict[str, UnboundPlan] = {}
        self._bound: dict[str, tuple[BoundPlan, ParameterLease]] = {}
        self._vectors = VectorPool()

    def answer(self, chunk: Chunk) -> tuple[Kind, dict[str, Any], bytes]:
        """Return the kind, the description and the data of the reply to a chunk."""
        for forgotten in chunk.forget:
            self._forget(forgotten)
        try:
            started = time.perf_counter()
            plan = self._plan(chunk)
            ran = time.perf_counter()
            vectors = self._vectors.take(plan)
            numbers, refused = plan.run(chunk.records, vectors)
            self._vectors.give(vectors)
            about = {"refused": refused, "bound_s": ran - started, "ran_s": time.perf_counter() - ran}
            return Kind.ANSWERED, about, numbers
        except ParameterUnavailable as error:
            return Kind.PARAMETER, {"problem": str(error), "digest": error.digest}, b""
        except Exception as error:
            return Kind.RAISED, {"problem": f"{type(error).__name__}: {error}"[:_LONGEST_TEXT]}, b""

    def _plan(self, chunk: Chunk) -> BoundPlan:
        if chunk.unbound is not None:
            self._forget(chunk.plan)
            self._unbound[chunk.plan] = chunk.unbound
        found = self._bound.get(chunk.plan)
        if found is None:
            lease = self._store.lease()
            try:
                found = self._unbound[chunk.plan].bind(lease.get), lease
            except BaseException:
                lease.close()
                raise
            self._bound[chunk.plan] = found
        return found[0]

    def _forget(self, plan: str) -> None:
        self._unbound.pop(plan, None)
        bound = self._bound.pop(plan, None)
        if bound is not None:
            bound[1].close()


def serve(owner: socket.socket, arena_handle: int, setup: Setup) -> None:
    """Answer the owner at the other end of the socket until it closes it."""
    if setup.processors:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, setup.processors)
    os.nice(setup.niceness)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = Executor(setup)
    with mmap.mmap(arena_handle, 0) as arena:
        while header := owner.recv(HEADER.size):
            _, described, _ = HEADER.unpack(header)
            chunk: Chunk = pickle.loads(arena[:described])  # noqa: S301 - written by the owner, which started this process
            signal.setitimer(signal.ITIMER_PROF, chunk.seconds)
            kind, about, data = own.answer(chunk)
            signal.setitimer(signal.ITIMER_PROF, 0)
            owner.send(_written(arena, kind, about, data))


def _written(arena: mmap.mmap, kind: Kind, about: dict[str, Any], data: bytes) -> bytes:
    try:
        return write(arena, kind, json.dumps(about).encode(), data)
    except TooLongForArena as error:
        return write(arena, Kind.RAISED, json.dumps({"problem": f"its answer is too long: {error}"}).encode())
