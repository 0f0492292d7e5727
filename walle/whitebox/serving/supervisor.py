"""Keeps one serving process alive: starts it when needed, and again when it dies or hangs, without loading it anew.

The supervisor listens before anything is loaded, and holds the socket for as long as it lives, so that no connection is
refused while the process behind it is replaced. With the first connection it loads the program, once, and forks: a fork
has the modules and the compiled kernels at once, and shares their memory. A process whose event loop a plan holds for
too long is killed and replaced, and the plan is isolated; so is a plan under which the process crashed. If the
supervisor itself is killed, its process goes on until the next one has taken over (walle.whitebox.serving.handover).

The supervisor must stay without threads, because it forks.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from walle.whitebox.serving.handover import Handover
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
STILL_S: Final = 30.0
"""The longest that it may stand still at all: without its supervisor nobody else would end it, and free the address."""
WATCH_EVERY_S: Final = 0.05
DRAIN_S: Final = 20.0
SHORT_LIFE_S: Final = 5.0
YOUNG_DEATHS: Final = 3
"""So many in a row may be somebody's doing; with more the supervisor waits before the next start."""
LONGEST_PAUSE_S: Final = 10.0
_CRASHES: Final = frozenset((signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT))

Serve = Callable[[socket.socket, Heartbeat, Mapping[str, IsolatedPlan]], None]
"""Serves the socket until SIGTERM; it is called in a process of its own."""


class ServingSupervisor:
    """Supervises one serving process. `load` imports the program and returns what serves.

    `folder` is that of plans, and `name` tells supervisors that share it apart. `listen` returns the socket to serve;
    it is called unless another supervisor's process goes on with one.
    """

    def __init__(
        self, listen: Callable[[], socket.socket], load: Callable[[], Serve], *, folder: Path, name: str
    ) -> None:
        self._handover = Handover(folder, name)
        self._listener = self._handover.inherit() or listen()
        self._handover.open()
        self._load = load
        self._heartbeat = Heartbeat()
        self._file = IsolationFile(folder / f"isolated-{name}.json")
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
        if lazy and not self._handover.takes_over:
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
        child = os.fork()
        if child == 0:
            self._be_child()
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
        cleared = self._heartbeat.read().beat
        while not self._ending:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._child = 0
                self._note_end(status)
                return
            pulse = self._heartbeat.read()
            if pulse.beat != cleared:
                self._handover.serving()
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
        self._handover.close()
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

    def _be_child(self) -> None:
        """Make a fork a process of its own, which ends if it stands still, and when it is not needed any more."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        self._heartbeat.end_without(STILL_S)
        threading.Thread(target=self._outlive, name="walle-handover", daemon=True).start()

    def _outlive(self) -> None:
        self._handover.outlive(self._listener)
        os.kill(os.getpid(), signal.SIGTERM)


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
