"""Keeps one serving process alive: starts it when needed, and again when it dies or hangs, without loading it anew.

The supervisor listens before anything is loaded, and holds the socket for as long as it lives, so that no connection is
refused while the process behind it is replaced. With the first connection it loads the program, once, and forks: a fork
has the modules and the compiled kernels at once, and shares their memory. A process whose event loop a plan holds for
too long is killed and replaced, and the plan is isolated; so is a plan under which the process crashed.

The supervisor must stay without threads, because it forks.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from walle.whitebox.serving.heartbeat import Heartbeat, Pulse
from walle.whitebox.serving.isolation import IsolatedPlan, IsolationFile, isolated_again

log = logging.getLogger(__name__)

PLAN_CPU_S: Final = 1.0
"""The longest that a plan may compute in the event loop."""
PLAN_WALL_S: Final = 10.0
"""The longest that it may take at all: a machine that is busy with other things is no fault of the plan's."""
LOAD_WALL_S: Final = 300.0
"""The longest that a plan may take to be loaded, which includes running it with a sample."""
LOOP_WALL_S: Final = 15.0
"""The longest that the event loop may stand still without a plan."""
ALONE_S: Final = 30.0
"""The longest that it may stand still at all: without its supervisor nobody else would end it, and free the address."""
WATCH_EVERY_S: Final = 0.05
DRAIN_S: Final = 20.0
SHORT_LIFE_S: Final = 5.0
YOUNG_DEATHS: Final = 3
"""So many in a row may be somebody's doing; with more the supervisor waits before the next start."""
LONGEST_PAUSE_S: Final = 10.0
_CRASHES: Final = frozenset((signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT))
_PR_SET_PDEATHSIG: Final = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

Serve = Callable[[socket.socket, Heartbeat, Mapping[str, IsolatedPlan]], None]
"""Serves the socket until SIGTERM; it is called in a process of its own."""


class ServingSupervisor:
    """Supervises one serving process. `load` imports the program and returns what serves."""

    def __init__(self, listener: socket.socket, load: Callable[[], Serve], isolation: Path) -> None:
        self._listener = listener
        self._load = load
        self._heartbeat = Heartbeat()
        self._file = IsolationFile(isolation)
        self._isolated = self._file.read()
        self._child = 0
        self._started = 0.0
        self._deaths = 0
        self._ending = False
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)

    def run(self, *, lazy: bool) -> None:
        """Supervise until SIGTERM or SIGINT. A `lazy` supervisor waits for the first connection."""
        # An exception out of a handler would be lost in what Python runs around a fork: the flag is looked at instead.
        signal.set_wakeup_fd(self._waker)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        if lazy:
            select.select([self._listener.fileno(), self._woken], [], [])
        if not self._ending:
            serve = self._load()
            # The collector would otherwise touch, and thereby copy, every page that forks share.
            gc.collect()
            gc.freeze()
        while not self._ending:
            self._start(serve)
            self._watch()
            self._pause()
        self._stop()

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._ending = True

    def _start(self, serve: Serve) -> None:
        self._heartbeat.clear()
        self._started = time.monotonic()
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            _be_child(parent)
            self._heartbeat.end_without(ALONE_S)
            status = 1
            try:
                serve(self._listener, self._heartbeat, dict(self._isolated))
                status = 0
            except BaseException:
                log.exception("the serving process failed")
            finally:
                logging.shutdown()
                os._exit(status)
        self._child = child

    def _watch(self) -> None:
        """Return once the process has ended, by itself or because it had to, or is to end."""
        since, cpu = 0.0, 0.0
        while not self._ending:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._child = 0
                self._note_end(status)
                return
            pulse = self._heartbeat.read()
            if pulse.began != since:
                since, cpu = pulse.began, cpu_seconds(self._child)
            reason = stuck(pulse, time.monotonic(), cpu_seconds(self._child) - cpu)
            if reason is not None:
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
                self._child = 0
                self._replace(reason.plan, reason.text)
                return
            select.select([self._woken], [], [], WATCH_EVERY_S)

    def _note_end(self, status: int) -> None:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        pulse = self._heartbeat.read()
        plan = (pulse.plan or pulse.loading) if number in _CRASHES else ""
        ended = f"was ended by {signal.Signals(number).name}" if number else f"ended with {os.WEXITSTATUS(status)}"
        self._replace(plan, f"the serving process {ended}")

    def _replace(self, plan: str, problem: str) -> None:
        log.error("%s%s: a new process takes over", problem, f" under the plan {plan}" if plan else "")
        if plan:
            self._isolated[plan] = isolated_again(self._isolated.get(plan), problem, time.time())
            with contextlib.suppress(OSError):
                self._file.write(self._isolated)

    def _pause(self) -> None:
        """Wait before the next start only if processes die young again and again."""
        young = time.monotonic() - self._started < SHORT_LIFE_S
        self._deaths = self._deaths + 1 if young else 0
        if self._deaths > YOUNG_DEATHS:
            seconds = min(LONGEST_PAUSE_S, 0.25 * 2.0 ** min(self._deaths - YOUNG_DEATHS, 10))
            select.select([self._woken], [], [], seconds)

    def _stop(self) -> None:
        """Let the process answer what it has begun, and end it."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        self._listener.close()
        if not self._child:
            return
        os.kill(self._child, signal.SIGTERM)
        deadline = time.monotonic() + DRAIN_S
        while time.monotonic() < deadline:
            if os.waitpid(self._child, os.WNOHANG)[0]:
                return
            time.sleep(WATCH_EVERY_S)
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)


class StuckReason(NamedTuple):
    """Why a process must be replaced, and the plan that is at fault, if one is."""

    plan: str
    text: str


def stuck(pulse: Pulse, now: float, cpu: float) -> StuckReason | None:
    """Return why a process must be replaced, None if it need not.

    `cpu` is the time in seconds that its main thread has computed since the plan began, `now` is monotonic.
    """
    if pulse.began:
        took = now - pulse.began
        if cpu > PLAN_CPU_S and took > PLAN_CPU_S:
            text = f"a plan computed for {cpu:.1f} s in the event loop, at most {PLAN_CPU_S:g} s are allowed"
            return StuckReason(pulse.plan, text)
        if took > PLAN_WALL_S:
            text = f"a plan took {took:.1f} s in the event loop, at most {PLAN_WALL_S:g} s are allowed"
            return StuckReason(pulse.plan, text)
    elif now - pulse.beat > LOOP_WALL_S:
        return StuckReason("", f"the event loop stood still for {now - pulse.beat:.1f} s")
    if pulse.loading_since and now - pulse.loading_since > LOAD_WALL_S:
        return StuckReason(pulse.loading, f"a plan was being loaded for more than {LOAD_WALL_S:g} s")
    return None


def cpu_seconds(process: int) -> float:
    """Return how long the main thread of a process has computed; 0 where nobody can tell."""
    try:
        stat = Path(f"/proc/{process}/task/{process}/stat").read_bytes()
    except OSError:
        return 0.0
    # The name before the last bracket may hold anything; user and system time are the 14th and the 15th field.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _be_child(parent: int) -> None:
    """Make a fork a process of its own, which ends with its parent."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
