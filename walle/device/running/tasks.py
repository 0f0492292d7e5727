"""The device service that runs tasks by their triggers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from walle.device.link.backoff import RandomSource
from walle.device.notices import Name, Notice, NoticeHandler
from walle.device.running.inputs import InputSource
from walle.device.running.runner import Runner, TaskRun
from walle.device.running.schedule import Period, Schedule
from walle.device.running.turns import Priority, priority_of
from walle.device.service import DeviceService, Wake
from walle.device.storage.store import DeviceStore
from walle.protocol.documents import Manifest


class TaskLoop(DeviceService):
    """Runs the tasks that are due, if there are inputs for them; a task never runs twice at the same time.

    `clock` returns Unix seconds, `monotonic` the seconds of a clock that nobody sets; `randomness` spreads the first
    runs of many tasks; `finished` is called after each run, when its report is in the outbox.
    """

    def __init__(
        self,
        store: DeviceStore,
        runner: Runner,
        inputs: InputSource,
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        randomness: RandomSource,
        on_notice: NoticeHandler,
        finished: Callable[[], None],
    ) -> None:
        self._store, self._runner, self._inputs = store, runner, inputs
        self._clock, self._monotonic, self._on_notice, self._finished = clock, monotonic, on_notice, finished
        self._schedule = Schedule(randomness)
        self._manifests: dict[str, Manifest] = {}
        self._priorities: dict[str, Priority] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self.wake = Wake()

    def recover(self) -> None:
        """Report the runs that the previous process did not survive, then delete damaged and unused installations."""
        for run in self._runner.recover():
            self.announce(run)
        for damaged in self._store.check_installs():
            text = f"{damaged.task} {damaged.version}: its files are damaged"
            self._on_notice(Notice("damaged", text, {"task": damaged.task, "version": damaged.version}))
        self._store.collect_garbage(now=self._clock())

    async def turn(self) -> float | None:
        """Start the runs that are due; return the seconds until the next turn, None if nothing is scheduled."""
        await self._refresh(spread=True)
        self._start_due()
        return self._schedule.wait(self._monotonic())

    async def once(self) -> None:
        """Start the runs that are due, without spreading them, and wait for them."""
        try:
            await self._refresh(spread=False)
            self._start_due()
        finally:
            await self.settle()

    async def settle(self) -> None:
        """Wait for the runs in progress."""
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def stop(self) -> None:
        """Cancel the runs in progress; they leave no report."""
        for task in self._running.values():
            task.cancel()
        await self.settle()

    def announce(self, run: TaskRun) -> None:
        """Send the app a notice of a run's outcome, and another one if the device fell back because of it."""
        report, abandoned = run.report, run.fell_back_from
        data = {"task": report.task, "version": report.version, "output": report.output, "code": report.error_class}
        subject = f"{report.task} {report.version}"
        if report.outcome == "success":
            self._on_notice(Notice("ran", f"{subject}: {report.output} in {report.duration_ms or 0:.0f} ms", data))
        else:
            name: Name = "crashed" if report.error_class == "crashed" else "failed"
            self._on_notice(Notice(name, f"{subject}: {report.error_class}: {report.message or ''}", data))
        if abandoned is not None:
            current = self._store.task(report.task).current
            now = current.version if current else "nothing"
            self._on_notice(Notice("fell-back", f"{report.task}: back from {abandoned.version} to {now}", data))

    def _start_due(self) -> None:
        for name in self._schedule.take_due(self._monotonic()):
            if name not in self._running:
                self._running[name] = asyncio.create_task(self._run(name))

    async def _refresh(self, *, spread: bool) -> None:
        tasks = self._store.state.tasks
        current = {name: task.current for name, task in tasks.items() if task.current is not None}
        folders = {version.folder for version in current.values()}
        replaced = self._manifests.keys() - folders
        self._manifests = {folder: self._manifest(folder) for folder in folders}
        triggers = {name: self._manifests[one.folder].values.get("trigger", {}) for name, one in current.items()}
        self._priorities = {name: priority_of(trigger) for name, trigger in triggers.items()}
        periods = {
            name: Period(current[name].folder, float(trigger["every_s"]))
            for name, trigger in triggers.items()
            if trigger.get("every_s")
        }
        self._schedule.update(periods, self._monotonic(), spread=spread)
        for folder in replaced:
            await self._runner.end(folder)

    def _manifest(self, folder: str) -> Manifest:
        return self._manifests.get(folder) or self._store.installs.manifest(folder)

    async def _run(self, name: str) -> None:
        try:
            run = await self._runner.run(name, self._inputs, self._priorities[name])
            if run is not None:
                self.announce(run)
        except Exception as error:
            self._on_notice(Notice("error", f"{name}: {type(error).__name__}: {error}"))
        finally:
            del self._running[name]
            self._finished()
            self.wake.up()
