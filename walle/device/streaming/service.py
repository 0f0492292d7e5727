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
from dataclasses import dataclass
from functools import partial
from typing import Final

from walle.device.notices import Notice, NoticeHandler
from walle.device.running.inputs import Inputs, InputSource
from walle.device.running.runner import Execution, Runner, TaskRun
from walle.device.service import DeviceService, Wake
from walle.device.storage.state import Installation
from walle.device.storage.store import DeviceStore
from walle.device.streaming.aggregation import RunAggregator, no_uplink
from walle.device.streaming.inputs import StreamInputs
from walle.device.streaming.installed import InstalledStream, InstalledStreams, StreamChange, Streams, versions_of
from walle.device.streaming.lanes import TriggerLane
from walle.device.streaming.tracking import QUEUED, EventTracker, TrackedEvent
from walle.device.streaming.writing import FLUSH_S, StreamWriter
from walle.protocol.documents import Manifest
from walle.protocol.reports import Report
from walle.stream.event_log import EventLog
from walle.stream.events import BehaviourEvent
from walle.stream.processor import Firing, StreamProcessor
from walle.stream.run_statistics import RunTotals
from walle.stream.table_store import TableStore

log = logging.getLogger(__name__)

BATCH: Final = 32
"""So many events are processed before others of the loop have a turn: about a millisecond."""
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
    `reported` is called when reports are in the outbox; `uplink` is as of RunAggregator. `clock` gives Unix seconds,
    `monotonic` seconds of a clock that nobody sets. With `debug`, `track` raises what it refuses.
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
        uplink: Callable[[str], Mapping[str, int] | None] = no_uplink,
        debug: bool = False,
    ) -> None:
        self.wake = Wake()
        self._store, self._runner = store, runner
        self._clock, self._monotonic, self._on_notice = clock, monotonic, on_notice
        self._announce, self._reported = announce, reported
        self._tables = TableStore(store.root / "streams", flush_s=FLUSH_S, sync=store.disk.syncs, clock=clock)
        self._streams, self._inputs = InstalledStreams(store, self._tables), StreamInputs(self._tables, inputs)
        self._tracker = EventTracker(self.wake.up, clock=clock, monotonic=monotonic, debug=debug)
        self._aggregator = RunAggregator(clock=clock, monotonic=monotonic, uplink=uplink)
        self._versions: Mapping[str, Installation] = {}
        self._current: Streams = {}
        self._lanes: dict[str, TriggerLane] = {}
        self._retired: list[InstalledStream] = []
        self._recent: deque[RecentEvent] = deque(maxlen=REMEMBERED)
        self._following = asyncio.Lock()
        self._next_turn = math.inf
        self.track = self._tracker.track
        self._log: EventLog
        self._processor: StreamProcessor
        self._writer: StreamWriter

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
        self._log = self._opened_log()
        self._processor = StreamProcessor(self._log)
        self._writer = StreamWriter(
            self._log,
            clock=self._clock,
            monotonic=self._monotonic,
            note=lambda stream, text: self._aggregator.note(stream.installed, text),
            on_notice=self._on_notice,
        )

    def _opened_log(self) -> EventLog:
        folder = self._store.root / "events"
        try:
            return EventLog(folder, on_spill=self._spilled)
        except OSError as error:
            text = f"events are kept in memory only until the next start, since {folder} cannot be used: {error}"
            self._on_notice(Notice("error", text))
            return EventLog()

    async def turn(self) -> float | None:
        """Take the events that came, and do what is due; return the seconds until the next turn, if there is one."""
        self._tracker.rest()
        await self._follow()
        await self._process()
        await self._retire()
        if self._writer.due <= self._monotonic():
            self._writer.start(self._open())
        self._report(self._aggregator.take_due())
        for notice in self._tracker.tell():
            self._on_notice(notice)
        self._next_turn = -math.inf if len(self._tracker) else min(self._due(), self._tracker.due)
        return None if self._next_turn == math.inf else max(0.0, self._next_turn - self._monotonic())

    async def once(self) -> None:
        """Take the events that came, wait for the runs that they trigger, and write and report what came of them."""
        await self.turn()
        for lane in self._lanes.values():
            await lane.settle()
        await self.turn()
        await self._settle()

    async def stop(self) -> None:
        """Cancel the runs in progress, which leave no report; write and report what there is."""
        self._tracker.stop()
        for tracked in self._tracker.take(len(self._tracker)):
            self._match(tracked)
        for name, lane in self._lanes.items():
            self._shed(name, lane.clear())
            await lane.stop()
        await self._settle()
        await asyncio.to_thread(self._close)

    async def _process(self) -> None:
        """Take the events that wait; of a flood no more than may wait at a time, so that the turn comes to its end."""
        for _ in range(QUEUED // BATCH):
            if not (events := self._tracker.take(BATCH)):
                return
            for tracked in events:
                self._match(tracked)
            self._writer.has_events()
            await asyncio.sleep(0)

    def _match(self, tracked: TrackedEvent) -> None:
        """Take one event, and have the tasks run that it triggers."""
        firings = self._processor.process(tracked.event, tracked.reading)
        self._recent.append(RecentEvent(tracked.event, tuple(firing.task.name for firing in firings)))
        for firing in firings:
            self._shed(firing.task.name, self._lanes[firing.task.name].add(firing))

    def _shed(self, name: str, count: int) -> None:
        if count and (stream := self._current.get(name)):
            self._aggregator.shed(stream.installed, count)

    async def _run(self, name: str, firing: Firing) -> bool | None:
        """Run a task for one trigger; return whether it succeeded, None if there was no run."""
        ran: list[InstalledStream] = []

        async def inputs(installed: Installation, manifest: Manifest) -> Inputs | None:
            if (stream := await self._stream_of(installed, firing)) is None:
                return None
            ran.append(stream)
            if (found := self._inputs.of(firing, manifest, self._current)) is None:
                self._aggregator.skipped(installed)
            return found

        try:
            run = await self._runner.run_triggered(
                name, inputs, partial(self._collect, firing), tracked_at=firing.trigger.at
            )
        except Exception as error:
            log.exception("%s: the run could not be made", name)
            self._on_notice(Notice("error", f"{name}: {type(error).__name__}: {error}"))
            return False
        if run is None:
            return None
        if run.execution.output is not None:
            self._writer.keep(ran[0], run.execution.output, run.report.at)
        self._announce(run)
        if self._due() < self._next_turn or run.fell_back_from is not None or self._retired:
            self.wake.up()
        return run.execution.error_class is None

    async def _stream_of(self, installed: Installation, firing: Firing) -> InstalledStream | None:
        """Return the stream that is to run for this trigger; None if the version now sees other events, or is gone."""
        await self._follow()
        stream = self._current.get(installed.task)
        if stream is None or stream.installed.folder != installed.folder or stream.task != firing.task:
            self._shed(installed.task, 1)
            return None
        return stream

    def _collect(
        self, firing: Firing, installed: Installation, run: Report, execution: Execution, *, last: bool
    ) -> Report | None:
        report = self._aggregator.ran(installed, run, execution, events=len(firing.events), last=last)
        if report is not None:
            self._reported()
        return report

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
            self._writer.look_at(after)

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
        await self._writer.settle(gone)
        await asyncio.to_thread(self._streams.collect, self._store.state.folders() | in_use | current)

    def _report(self, due: Iterable[tuple[Installation, Report]]) -> None:
        for installed, report in due:
            self._runner.settle(installed, report)
            self._reported()

    async def _settle(self) -> None:
        """Write and report all that there is."""
        await self._writer.settle(self._open())
        self._report(self._aggregator.take())

    def _open(self) -> list[InstalledStream]:
        return [*self._current.values(), *self._retired]

    def _due(self) -> float:
        return min(self._writer.due, self._aggregator.due)

    def _spilled(self, count: int) -> None:
        text = f"{count} events are on the disk only, where windows that reach back to them are read from"
        self._on_notice(Notice("events-spilled", text, {"count": count}))

    def _close(self) -> None:
        self._log.close()
        self._tables.close()
