"""The device service of the stream engine: from the app's behaviour events to runs of stream tasks, and their tables.

Events are matched and logged in the order in which the app reported them; the tasks that they trigger run beside that,
each in a lane of its own, so that a slow or failing one keeps back nobody else.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from walle.device.notices import Notice, NoticeHandler
from walle.device.running.inputs import Inputs, InputSource
from walle.device.running.runner import Execution, Runner, TaskRun
from walle.device.service import DeviceService, Wake
from walle.device.storage.state import Installation
from walle.device.storage.store import DeviceStore
from walle.device.streaming.aggregation import RunAggregator
from walle.device.streaming.installed import InstalledStream, InstalledStreams, StreamChange, Streams, versions_of
from walle.device.streaming.lanes import TriggerLane
from walle.device.streaming.tracking import EventTracker
from walle.protocol.documents import Manifest
from walle.protocol.reports import Report
from walle.stream.event_log import EventLog
from walle.stream.events import BehaviourEvent
from walle.stream.processor import Firing, StreamProcessor
from walle.stream.run_statistics import RunTotals
from walle.stream.stream_task import StreamTask
from walle.stream.table_store import ReadRefused, TableStore
from walle.stream.tables import CollectiveTable, RowRefused, TableClosed

log = logging.getLogger(__name__)

BATCH: Final = 32
"""So many events are processed before others of the loop have a turn: about a millisecond."""
FLUSH_S: Final = 5.0
"""Seconds that events and outputs wait in memory at most."""
REMEMBERED: Final = 100
"""How many events `recent` can tell of."""


@dataclass(frozen=True, slots=True)
class RecentEvent:
    """An event, and the names of the tasks that it triggered."""

    event: BehaviourEvent
    triggered: tuple[str, ...]


class StreamService(DeviceService):
    """The stream engine of one device. `track` may be called in any thread, all else in that of the event loop.

    `runner` makes the runs, `inputs` gives what neither events nor tables do, and `announce` is told of each run.
    `reported` is called when reports are in the outbox. `clock` gives Unix seconds, `monotonic` seconds of a clock that
    nobody sets. With `debug`, `track` raises what it refuses.
    """

    def __init__(
        self,
        store: DeviceStore,
        runner: Runner,
        inputs: InputSource,
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        on_notice: NoticeHandler,
        announce: Callable[[TaskRun], None],
        reported: Callable[[], None],
        debug: bool = False,
    ) -> None:
        self.wake = Wake()
        self._store, self._runner, self._inputs = store, runner, inputs
        self._clock, self._monotonic, self._on_notice = clock, monotonic, on_notice
        self._announce, self._reported = announce, reported
        self._tables = TableStore(store.root / "streams", flush_s=FLUSH_S, sync=store.disk.syncs, clock=clock)
        self._streams = InstalledStreams(store, self._tables)
        self._tracker = EventTracker(self.wake.up, clock=clock, monotonic=monotonic, debug=debug)
        self._aggregator = RunAggregator(clock=clock, monotonic=monotonic)
        self._versions: Mapping[str, Installation] = {}
        self._current: Streams = {}
        self._lanes: dict[str, TriggerLane] = {}
        self._retired: list[InstalledStream] = []
        self._recent: deque[RecentEvent] = deque(maxlen=REMEMBERED)
        self._told: set[Path] = set()
        self._following = asyncio.Lock()
        self._flushing: asyncio.Task[None] | None = None
        self._flush_at = self._next_turn = math.inf
        self.track = self._tracker.track
        self._log: EventLog
        self._processor: StreamProcessor

    def recent(self, count: int = REMEMBERED) -> list[RecentEvent]:
        """Return the last events of this process, at most `count` and REMEMBERED, oldest first."""
        return list(self._recent)[-count:] if count > 0 else []

    def costs(self) -> Mapping[str, RunTotals]:
        """Return what the runs of each task came to since this process began."""
        return self._aggregator.costs

    def counts(self) -> Mapping[str, int]:
        """Return how many events came, what became of them, and how many were refused, by reason."""
        refused = {f"refused_{reason}": count for reason, count in sorted(self._tracker.refused.items())}
        return {**self._processor.counts(), **refused}

    def recover(self) -> None:
        """Open the event log. Page visits that were open when the previous process ended have ended with it."""
        self._log = EventLog(self._store.root / "events")
        self._processor = StreamProcessor(self._log)

    async def turn(self) -> float | None:
        """Take the events that came, and do what is due; return the seconds until the next turn, if there is one."""
        self._tracker.rest()
        await self._follow()
        await self._process()
        await self._retire()
        if self._flush_at <= self._monotonic():
            self._start_flush()
        self._report(self._aggregator.take_due())
        for notice in self._tracker.tell():
            self._on_notice(notice)
        self._next_turn = min(self._due(), self._tracker.due)
        return None if self._next_turn == math.inf else max(0.0, self._next_turn - self._monotonic())

    async def once(self) -> None:
        """Take the events that came, wait for the runs that they trigger, and write and report what came of them."""
        await self.turn()
        for lane in self._lanes.values():
            await lane.settle()
        await self._settle()

    async def stop(self) -> None:
        """Cancel the runs in progress, which leave no report; write and report what there is."""
        self._tracker.stop()
        while events := self._tracker.take(BATCH):
            for tracked in events:
                self._processor.process(tracked.event, tracked.reading)
        for name, lane in self._lanes.items():
            self._shed(name, lane.clear())
            await lane.stop()
        await self._settle()
        await asyncio.to_thread(self._close)

    async def _process(self) -> None:
        while events := self._tracker.take(BATCH):
            for tracked in events:
                firings = self._processor.process(tracked.event, tracked.reading)
                self._recent.append(RecentEvent(tracked.event, tuple(firing.task.name for firing in firings)))
                for firing in firings:
                    self._shed(firing.task.name, self._lanes[firing.task.name].add(firing))
            self._flush_at = min(self._flush_at, self._monotonic() + FLUSH_S)
            if len(self._tracker):
                await asyncio.sleep(0)

    def _shed(self, name: str, count: int) -> None:
        if count and (stream := self._current.get(name)):
            self._aggregator.shed(stream.installed, count)

    async def _run(self, name: str, firing: Firing) -> bool | None:
        """Run a task for one trigger; return whether it succeeded, None if there was no run."""
        ran: list[InstalledStream] = []

        async def inputs(installed: Installation, manifest: Manifest) -> Inputs | None:
            await self._follow()
            stream = self._current.get(name)
            if stream is None or stream.installed.folder != installed.folder or stream.task != firing.task:
                self._shed(name, 1)
                return None
            ran.append(stream)
            return await self._inputs_of(stream, firing, manifest)

        try:
            run = await self._runner.run_triggered(name, inputs, partial(self._collect, len(firing.events)))
        except Exception as error:
            log.exception("%s: the run could not be made", name)
            self._on_notice(Notice("error", f"{name}: {type(error).__name__}: {error}"))
            return False
        if run is None:
            return None
        if run.execution.output is not None:
            self._keep(ran[0], run.execution.output, firing.trigger.at)
        self._announce(run)
        if self._due() < self._next_turn or run.fell_back_from is not None or self._retired:
            self.wake.up()
        return run.execution.error_class is None

    def _collect(
        self, events: int, installed: Installation, run: Report, execution: Execution, *, last: bool
    ) -> Report | None:
        report = self._aggregator.ran(installed, run, execution, events=events, last=last)
        if report is not None:
            self._reported()
        return report

    async def _inputs_of(self, stream: InstalledStream, firing: Firing, manifest: Manifest) -> Inputs | None:
        """Return the declared inputs: from the events, from tables, and all others from the app."""
        declared = manifest.values["inputs"]
        given = {name: value for name, value in firing.inputs().items() if name in declared}
        if stream.task.reads:
            given |= await asyncio.to_thread(self._rows, stream.task)
        if declared.keys() <= given.keys():
            return given
        from_app = self._inputs(stream.task.name, manifest)
        if from_app is None:
            self._aggregator.skipped(stream.installed)
            return None
        return {**{name: value for name, value in from_app.items() if name in declared}, **given}

    def _rows(self, task: StreamTask) -> dict[str, list[dict[str, Any]]]:
        """Read the tables that are inputs of a task. One that is not there, or not for this task, has no rows."""
        found: dict[str, list[dict[str, Any]]] = {}
        for name, read in task.reads.items():
            owner = self._current.get(read.table)
            try:
                found[name] = self._tables.read(task, owner.task, read.last) if owner else []
            except ReadRefused as refused:
                log.warning("%s reads nothing as %s: %s", task.name, name, refused)
                found[name] = []
        return found

    def _keep(self, stream: InstalledStream, output: Mapping[str, Any], at: float) -> None:
        """Put the output of a run into the task's table."""
        try:
            stream.table.put(output, at, flush=False)
        except (RowRefused, TableClosed) as error:
            self._on_notice(Notice("error", f"{stream.task.name}: its output is not kept: {error}"))
        now = self._monotonic()
        self._flush_at = min(self._flush_at, now if stream.table.due(self._clock()) else now + FLUSH_S)

    def _start_flush(self) -> None:
        """Write what is in memory, in another thread; what comes meanwhile is written the next time."""
        if self._flushing is not None and not self._flushing.done():
            self._flush_at = self._monotonic() + FLUSH_S
            return
        self._flush_at = math.inf
        self._flushing = asyncio.create_task(self._flush())

    async def _flush(self) -> None:
        streams = [*self._current.values(), *self._retired]
        await asyncio.to_thread(self._write, [stream.table for stream in streams])
        for stream in streams:
            self._look_at(stream)
        if (damaged := self._log.set_aside) and damaged not in self._told:
            self._told.add(damaged)
            self._on_notice(Notice("damaged", f"the log of events had a damaged file, which is set aside as {damaged}"))

    def _write(self, tables: Iterable[CollectiveTable]) -> None:
        self._log.flush()
        self._log.expire(self._clock())
        for table in tables:
            with suppress(TableClosed):
                table.flush()

    def _look_at(self, stream: InstalledStream) -> None:
        """Tell of a table that was damaged, once, to the app and with the next report."""
        damaged = stream.table.set_aside
        if damaged is None or damaged in self._told:
            return
        self._told.add(damaged)
        installed, text = stream.installed, f"its table was damaged and begins anew: {stream.table.damage}"
        self._aggregator.note(installed, text)
        data = {"task": installed.task, "version": installed.version}
        self._on_notice(Notice("damaged", f"{installed.task} {installed.version}: {text}", data))

    async def _follow(self) -> None:
        """Take over the versions that are installed now."""
        if versions_of(self._store.state) == self._versions:
            return
        async with self._following:
            state = self._store.state
            streams, changes = await asyncio.to_thread(self._streams.follow, self._current, state)
            self._current, self._versions = streams, versions_of(state)
            for change in changes:
                self._change(change)
            self._processor.set_tasks({name: stream.task for name, stream in self._current.items()})
            if changes:
                self.wake.up()

    def _change(self, change: StreamChange) -> None:
        before, after = change.before, change.after
        if before is not None:
            self._retired.append(before)
            lane = self._lanes[before.task.name]
            lane.renew()
            if after is None or after.task != before.task:
                self._aggregator.shed(before.installed, lane.clear())
        if after is not None:
            name, installed = after.task.name, after.installed
            self._lanes.setdefault(name, TriggerLane(partial(self._run, name), monotonic=self._monotonic))
            self._aggregator.expect(installed, private=after.task.sees_private)
            if change.note:
                self._aggregator.note(installed, change.note)
                data = {"task": name, "version": installed.version}
                self._on_notice(Notice("starts-afresh", f"{name} {installed.version}: {change.note}", data))
            self._look_at(after)

    async def _retire(self) -> None:
        """Report what is left to tell of versions that have gone and do not run any more, and remove their tables."""
        in_use = self._runner.in_use()
        current = {stream.installed.folder for stream in self._current.values()}
        gone = [stream for stream in self._retired if stream.installed.folder not in in_use]
        if not gone:
            return
        self._retired = [stream for stream in self._retired if stream.installed.folder in in_use]
        for folder in {stream.installed.folder for stream in gone} - current:
            self._report(self._aggregator.take(folder))
            self._aggregator.forget(folder)
        await asyncio.to_thread(self._write, [stream.table for stream in gone])
        await asyncio.to_thread(self._streams.collect, self._store.state.folders() | in_use | current)

    def _report(self, due: Iterable[tuple[Installation, Report]]) -> None:
        for installed, report in due:
            self._runner.settle(installed, report)
            self._reported()

    async def _settle(self) -> None:
        """Write and report all that there is."""
        if self._flushing is not None:
            await asyncio.wait([self._flushing])
        await self._flush()
        self._report(self._aggregator.take())

    def _due(self) -> float:
        return min(self._flush_at, self._aggregator.due)

    def _close(self) -> None:
        self._log.close()
        self._tables.close()
