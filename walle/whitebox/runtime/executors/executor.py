"""What runs in an executor: it answers one chunk of records after the other, each within its time.

The time limit is the kernel's: a timer of the process's own processor time, whose signal ends it, whatever it is doing.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import signal
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np

from walle.whitebox.runtime.contract import BoundPlan, UnboundPlan
from walle.whitebox.runtime.executors.messages import HEADER, MOST_SEALED, Kind, TooLongForArena, read_request, write
from walle.whitebox.runtime.parameter_store import Array, StoredParameter, key_of, part_of
from walle.whitebox.runtime.sealed_memory import map_sealed
from walle.whitebox.runtime.vector_pool import VectorPool

_LONGEST_TEXT: Final = 500


@dataclass(frozen=True, slots=True)
class Setup:
    """What an executor is: its number, the processors that it may use (none: all), and how it gives way to others."""

    number: int
    processors: tuple[int, ...]
    niceness: int


@dataclass(frozen=True, slots=True)
class SentPlan:
    """A plan that an executor has not seen, and its parameters.

    Of the parameters, `raw` are the bytes of small ones by key. `sealed` are the keys of the others, of which
    descriptors of sealed memory come with the message, in the same order.
    """

    unbound: UnboundPlan
    raw: dict[str, bytes]
    sealed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A request: records of a plan. `sent` is the plan itself where the executor has not seen it; it forgets others.

    `seconds` is how much processor time it may take.
    """

    plan: str
    sent: SentPlan | None
    forget: tuple[str, ...]
    records: Sequence[Any]
    seconds: float


class Executor:
    """The plans that an executor has bound, and its pool of vectors, which are made when a plan first runs."""

    def __init__(self) -> None:
        self._bound: dict[str, BoundPlan] = {}
        self._parameters: WeakValueDictionary[str, Array] = WeakValueDictionary()
        self._held: dict[str, list[Array]] = {}
        self._vectors = VectorPool()

    def take(self, chunk: Chunk, memories: list[int]) -> None:
        """Forget what a chunk says, and have the parameters of a plan that comes with it."""
        for forgotten in (*chunk.forget, *([chunk.plan] if chunk.sent is not None else ())):
            self._bound.pop(forgotten, None)
            self._held.pop(forgotten, None)
        if chunk.sent is not None:
            found = {key: np.frombuffer(raw, np.uint8) for key, raw in chunk.sent.raw.items()}
            for key, memory in zip(chunk.sent.sealed, memories, strict=True):
                known = self._parameters.get(key)
                found[key] = map_sealed(memory) if known is None else known
                os.close(memory)
            self._parameters.update(found)
            self._held[chunk.plan] = list(found.values())

    def answer(self, chunk: Chunk) -> tuple[Kind, dict[str, Any], bytes]:
        """Return the kind, the description and the data of the reply to a chunk; its seconds are of processor time.

        They are of the thread: the process's own stand still between two ticks while its timer runs.
        """
        try:
            started = time.thread_time()
            plan = self._plan(chunk)
            ran = time.thread_time()
            vectors = self._vectors.take(plan)
            numbers, refused = plan.run(chunk.records, vectors)
            self._vectors.give(vectors)
            about = {"refused": refused, "bound_s": ran - started, "ran_s": time.thread_time() - ran}
            return Kind.ANSWERED, about, numbers
        except Exception as error:
            return Kind.RAISED, {"problem": f"{type(error).__name__}: {error}"[:_LONGEST_TEXT]}, b""

    def _plan(self, chunk: Chunk) -> BoundPlan:
        if chunk.sent is not None:
            self._bound[chunk.plan] = chunk.sent.unbound.bind(self._parameter)
        return self._bound[chunk.plan]

    def _parameter(self, parameter: StoredParameter) -> Array:
        return part_of(self._parameters[key_of(parameter)], parameter)


def serve(owner: socket.socket, arena_handle: int, setup: Setup) -> None:
    """Answer the owner at the other end of the socket until it closes it."""
    if setup.processors:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, setup.processors)
    os.nice(setup.niceness)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = Executor()
    with mmap.mmap(arena_handle, 0) as arena:
        while True:
            header, memories, _, _ = socket.recv_fds(owner, HEADER.size, MOST_SEALED)
            if not header:
                return
            owner.send(_answered(own, arena, header, memories))


def _answered(own: Executor, arena: mmap.mmap, header: bytes, memories: list[int]) -> bytes:
    chunk: Chunk = read_request(arena, header)
    own.take(chunk, memories)
    signal.setitimer(signal.ITIMER_PROF, chunk.seconds)
    kind, about, data = own.answer(chunk)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return _written(arena, kind, about, data)


def _written(arena: mmap.mmap, kind: Kind, about: dict[str, Any], data: bytes) -> bytes:
    try:
        return write(arena, kind, json.dumps(about).encode(), data)
    except TooLongForArena as error:
        return write(arena, Kind.RAISED, json.dumps({"problem": f"its answer is too long: {error}"}).encode())
