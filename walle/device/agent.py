"""One device: enrol, check in, act on offers, run tasks, report.

Three loops run side by side, so that a long download delays no run and a failing server no report: check-ins with
their updates, runs, and reports. Whatever goes wrong in one turn of a loop is logged and told to the listener,
and the loop goes on: nothing that Walle does may harm the app it lives in.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from walle.device.backoff import Draw, Pacer
from walle.device.checkins import CheckIns
from walle.device.cloud import Answer, Cloud
from walle.device.downloader import Downloader
from walle.device.enrolment import Enrolment
from walle.device.events import Event, Listener, unheard
from walle.device.facts import Facts
from walle.device.inbox import Wake
from walle.device.inputs import InputSource
from walle.device.profile import HeaderWriter
from walle.device.running import FALL_BACK_AFTER, Executor, Runner
from walle.device.sending import Sender
from walle.device.store import Store
from walle.device.tasks import TaskLoop
from walle.device.trust import Trust
from walle.device.updater import Requirements, Updater

log = logging.getLogger(__name__)

REPORT_S: Final = 5.0
"""Seconds between two sendings of reports, unless another pace is asked for."""
_IDLE_S: Final = 60.0
_AFTER_ERROR_S: Final = 5.0
_CHECK_INS_AT_ONCE: Final = 8

T = TypeVar("T")


class Agent:
    """Construct it, then `await run()` in a loop of its own, or `await once()`.

    Everything happens in the thread of its event loop; `receive`, `headers` and `stop` may be called from any
    thread. `clock` gives Unix seconds, `monotonic` seconds of a clock that never jumps; `interval` is in seconds.
    """

    def __init__(
        self,
        store: Store,
        cloud: Cloud,
        *,
        facts: Facts,
        enrolment: Enrolment,
        executor: Executor,
        requirements: Requirements,
        inputs: InputSource,
        interval: float = 60.0,
        report_interval: float = REPORT_S,
        initial_root: bytes | None = None,
        fall_back_after: int = FALL_BACK_AFTER,
        turns: asyncio.Semaphore | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        draw: Draw = random.random,
        listener: Listener = unheard,
    ) -> None:
        self.store, self.facts, self.interval = store, facts, interval
        self._cloud, self._clock, self._monotonic, self._draw, self._tell = cloud, clock, monotonic, draw, listener
        self._headers = HeaderWriter(facts)
        self._runner = Runner(
            store,
            executor,
            app_version=facts.app_version,
            clock=clock,
            turns=turns,
            fall_back_after=fall_back_after,
        )
        self._check_ins = self._make_check_ins(enrolment, requirements, Trust(store, cloud, initial_root))
        self._sender = self._make_sender(report_interval)
        self._tasks = TaskLoop(
            store, self._runner, inputs, monotonic=monotonic, listener=listener, finished=self._sender.wake.up
        )
        self._stopping = False
        self._recovered = False

    def _make_check_ins(self, enrolment: Enrolment, requirements: Requirements, trust: Trust) -> CheckIns:
        updater = Updater(
            self.store,
            Downloader(self._cloud.client, self.store.files, draw=self._draw),
            app=self.facts.app,
            app_version=self.facts.app_version,
            requirements=requirements,
            resolve=self._cloud.url,
            clock=self._clock,
            draw=self._draw,
            in_use=self._runner.in_use,
            kinds=self.facts.kinds,
        )
        return CheckIns(
            self.store,
            self._cloud,
            trust,
            updater,
            enrolment=enrolment,
            headers=self._headers,
            pacer=Pacer(interval=self.interval, draw=self._draw),
            monotonic=self._monotonic,
            listener=self._tell,
        )

    def _make_sender(self, interval: float) -> Sender:
        return Sender(
            self.store.outbox,
            self._cloud,
            lambda: self._headers.headers(self.store.state),
            Pacer(interval=interval, draw=self._draw),
            monotonic=self._monotonic,
            listener=self._tell,
        )

    def receive(self, answer: Answer) -> None:
        """Takes what an app's response said; any thread."""
        self._check_ins.inbox.put(answer)

    def headers(self) -> dict[str, str]:
        """What an app's next request should carry: the check-in's headers, nothing when none is due; any thread."""
        return self._check_ins.headers()

    def expect_carriers(self) -> None:
        """From now on a due check-in waits up to one interval for an app's request to carry it."""
        self._check_ins.expect_carriers(self.interval)

    def stop(self) -> None:
        """Ends `run` soon; any thread."""
        self._stopping = True
        for wake in self._wakes():
            wake.up()

    async def run(self) -> None:
        """Lives until `stop`. Runs in progress are then ended; what is downloaded or queued waits for next time."""
        await self._guarded(self._recover)
        turns = (self._check_in_turn, self._tasks.turn, self._sender.turn)
        try:
            await asyncio.gather(*map(self._loop, turns, self._wakes()))
        finally:
            await self._tasks.stop()

    async def close(self) -> None:
        """Closes the HTTP client; the store is its owner's to close."""
        await self._cloud.client.aclose()

    async def once(self) -> None:
        """Checks in until nothing more changes, runs each task once, reports."""
        await self._guarded(self._recover)
        for _ in range(_CHECK_INS_AT_ONCE):
            if not await self._guarded(self._check_ins.check_in):
                break
        await self._guarded(self._tasks.turn)
        await self._tasks.settle()
        await self._guarded(self._sender.send)

    def recover(self) -> None:
        """Makes good what the previous process left undone; the first call counts."""
        if self._recovered:
            return
        self._recovered = True
        for run in self._runner.recover():
            self._tasks.tell(run)
        for damaged in self.store.check_installs():
            text = f"{damaged.task} {damaged.version}: its files are damaged"
            self._tell(Event("damaged", text, {"task": damaged.task, "version": damaged.version}))
        self.store.collect_garbage(now=self._clock())

    async def _recover(self) -> None:
        self.recover()

    async def _check_in_turn(self) -> float:
        wait = await self._check_ins.turn()
        self._tasks.wake.up()
        self._sender.wake.up()
        return wait

    def _wakes(self) -> tuple[Wake, Wake, Wake]:
        return self._check_ins.inbox.wake, self._tasks.wake, self._sender.wake

    async def _loop(self, turn: Callable[[], Awaitable[float | None]], wake: Wake) -> None:
        while not self._stopping:
            wait = await self._guarded(turn)
            if not self._stopping:
                await wake.wait(_IDLE_S if wait is None else min(wait, _IDLE_S))

    async def _guarded(self, turn: Callable[[], Awaitable[T]]) -> T | float:
        try:
            return await turn()
        except Exception as error:
            log.exception("a turn of the device's loop failed")
            self._tell(Event("error", f"{type(error).__name__}: {error}"))
            return _AFTER_ERROR_S
