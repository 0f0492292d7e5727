"""Solve a placement problem in a process of its own, with limits on its memory and time, that can be stopped.

Problems come from people. They are bounded when they are read, but what a solver takes for one is not known before.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from tempfile import TemporaryFile
from typing import Any, Final

from walle.container.child_process import clean_environment, last_line

MEMORY_BYTES: Final = 4 << 30
GRACE_S: Final = 60.0
"""How much longer than its budget a solver may take: for its start, the beam, and the frontiers."""
MOST_LINE: Final = 16 << 20
"""The most bytes of one message of a solver."""
EVERY_S: Final = 1.0
"""How often `go_on` is asked at least."""
_CHUNK: Final = 1 << 16


class SolverFailed(Exception):
    """A solver ended without an answer; the text says why."""


class SolverStopped(Exception):
    """`go_on` said that the answer is no longer wanted."""


def solve(
    problem: Mapping[str, Any],
    *,
    budget_s: float,
    seed: int,
    go_on: Callable[[dict[str, Any]], bool],
    keep: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Return the answer of a solver to a problem (walle.placement.solver).

    `seed` decides between topological orders where there are many. `keep` gets what was found until now, whenever that
    is more. `go_on` gets what the solver said last of its progress, every second at least; it stops the solver by
    returning False or raising. Raises SolverStopped, SolverFailed.
    """
    limits = (MEMORY_BYTES, budget_s, GRACE_S, seed)
    command = [sys.executable, "-m", "walle.placement.solver", *map(str, limits)]
    environment = clean_environment()
    with TemporaryFile() as document, TemporaryFile() as errors:
        document.write(json.dumps(problem).encode())
        document.seek(0)
        child = subprocess.Popen(command, stdin=document, stdout=subprocess.PIPE, stderr=errors, env=environment)
        with child:
            try:
                answer = _answer(child, time.monotonic() + budget_s + GRACE_S, go_on, keep)
            finally:
                child.kill()
        if answer is None:
            raise SolverFailed(_ending(child.returncode, last_line(errors), budget_s))
    if problem_text := answer.get("problem"):
        raise SolverFailed(problem_text)
    found: dict[str, Any] = answer["result"]
    return found


def _ending(status: int, said: str, budget_s: float) -> str:
    """Return in words why a solver ended without an answer."""
    if status == -signal.SIGXCPU:
        return f"it took more processor time than the {budget_s + GRACE_S:g} s that it may"
    if said == MemoryError.__name__:
        return f"it needs more memory than the {MEMORY_BYTES >> 20} MiB that it may take"
    return f"its process ended with {status}: {said}"


def _answer(
    child: subprocess.Popen[bytes],
    until: float,
    go_on: Callable[[dict[str, Any]], bool],
    keep: Callable[[dict[str, Any]], None],
) -> dict[str, Any] | None:
    progress: dict[str, Any] = {}
    for line in _lines(child, until):
        if line is not None:
            message = json.loads(line)
            if "answer" in message:
                keep(message["answer"])
            elif "progress" in message:
                progress = message["progress"]
            else:
                return dict(message)
        if not go_on(progress):
            raise SolverStopped
    return None


def _lines(child: subprocess.Popen[bytes], until: float) -> Iterator[bytes | None]:
    """Yield each line that a child writes; None whenever it has said nothing for a second."""
    assert child.stdout is not None  # noqa: S101
    rest = b""
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdout, selectors.EVENT_READ)
        while time.monotonic() < until:
            if not ready.select(EVERY_S):
                yield None
                continue
            chunk = os.read(child.stdout.fileno(), _CHUNK)
            if not chunk:
                child.wait()
                return
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
            if len(rest) > MOST_LINE:
                raise SolverFailed(f"a message of it is larger than {MOST_LINE} bytes")
    raise SolverFailed("it took longer than it may")
