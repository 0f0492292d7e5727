"""Runs tasks: writes a marker before and a report after each run, and falls back when a new version keeps failing.

The marker stays on the disk while a task runs. If the process dies meanwhile, for whatever reason, it finds the marker
at its next start and reports the run as failed with `crashed` (release lesson 15). Such failures count towards falling
back like any other, so that a version that crashes the app is replaced even while the device is offline.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from uuid import uuid4

from walle.device.link import reports
from walle.device.running.inputs import Inputs, InputSource
from walle.device.running.taking_turns import Turns
from walle.device.running.turns import Priority
from walle.device.running.warmth import Warmth
from walle.device.storage.state import Installation, RunOutcomes, TaskState
from walle.device.storage.store import DeviceStore
from walle.protocol.documents import Manifest
from walle.protocol.reports import Report, Start

log = logging.getLogger(__name__)

FALL_BACK_AFTER: Final = 3
"""Failed runs in a row after which a version that is not yet proven is replaced by the last good one."""
NOT_THE_TASKS_FAULT: Final = frozenset({"sandbox-error", "input-invalid"})
"""Error classes that another version would meet too: they are reported, but are no reason to fall back."""


@dataclass(frozen=True)
class Execution:
    """The result of one run. `error_class` is None for a success; times in milliseconds, memory in kibibytes.

    A run is `warm` in a kept VM that had loaded the task already; `vm_end` says, once, why the VM before it had ended.
    `backends` say what ran the declared models that it used.
    """

    output: Mapping[str, Any] | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    duration_ms: float | None = None
    peak_memory_kb: int | None = None
    error_class: str | None = None
    message: str | None = None
    start: Start = "cold"
    vm_end: str | None = None
    cpu_ms: float = 0.0
    backends: Mapping[str, str] = field(default_factory=dict)


class Executor(Protocol):
    """Runs a bundle's entry point on inputs. If the task fails, the Execution has an error; nothing is raised."""

    async def __call__(self, bundle: Path, manifest: Manifest, inputs: Mapping[str, Any]) -> Execution: ...

    async def end(self, bundle: Path) -> None:
        """End what is kept in memory of a bundle that is not current any more."""


@dataclass(frozen=True)
class TaskRun:
    """One finished run: its report, its result, and the version that the device fell back from because of it."""

    report: Report
    execution: Execution
    fell_back_from: Installation | None = None


TriggeredInputs = Callable[[Installation, Manifest], Awaitable[Inputs | None]]
"""Returns the inputs of a triggered run of an installed version; None if there is to be none."""


class RunCollector(Protocol):
    """Takes the report of each triggered run, and returns the one about several that is due because of it, if any.

    With `last` one is due, since the device falls back from the version. Its id is that of the run.
    """

    def __call__(self, installed: Installation, run: Report, execution: Execution, *, last: bool) -> Report | None: ...


class _Triggered(NamedTuple):
    """What is known of a run that an event triggers; `at` is when the event happened, in Unix seconds."""

    collect: RunCollector
    at: float


class OutputTaker(Protocol):
    """Takes the output of each successful run; implemented by the tunnel. Both times are in Unix seconds."""

    def __call__(
        self, installed: Installation, manifest: Manifest, output: Mapping[str, Any], *, at: float, tracked_at: float
    ) -> None: ...


def keep_output(
    installed: Installation, manifest: Manifest, output: Mapping[str, Any], *, at: float, tracked_at: float
) -> None:
    """Send it nowhere: the device has no tunnel."""


class Runner:
    """Runs the tasks of one device. `clock` returns Unix seconds.

    `turns` decides which runs there are at a time, on one device or, if it is shared, on many. A run that waits for
    its turn has no marker yet, so that it is not blamed if the process dies. `upload` is given the output of each
    successful run, when it began, and when that was tracked which it is about.
    """

    def __init__(
        self,
        store: DeviceStore,
        executor: Executor,
        *,
        app_version: str,
        clock: Callable[[], float],
        turns: Turns,
        fall_back_after: int = FALL_BACK_AFTER,
        upload: OutputTaker = keep_output,
    ) -> None:
        self._store, self._executor, self._upload = store, executor, upload
        self._turns, self._warmth = turns, Warmth()
        self._app_version, self._clock = app_version, clock
        self._fall_back_after = fall_back_after
        self._folders: Counter[str] = Counter()
        self._manifests: dict[str, Manifest] = {}
        self._uncounted: dict[str, RunOutcomes] = {}

    def in_use(self) -> frozenset[str]:
        """Return the folders in which a task is running now."""
        return frozenset(self._folders.keys())

    def recover(self) -> list[TaskRun]:
        """Report the runs that the previous process did not survive. Must be called before anything runs."""
        crashed = []
        for run_id, marker in self._store.markers().items():
            if run_id not in self._store.outbox and (installed := _marked(marker)):
                execution = Execution(error_class="crashed", message="the process ended during the run")
                crashed.append(self._finish(run_id, installed, execution, at=installed.at))
            self._store.unmark(run_id)
        return crashed

    async def end(self, folder: str) -> None:
        """End what is kept in memory of an installation that is not current any more."""
        self._manifests.pop(folder, None)
        self._uncounted.pop(folder, None)
        await self._executor.end(self._store.installs.bundle(folder))

    async def run(self, name: str, inputs: InputSource, priority: Priority) -> TaskRun | None:
        """Run the current version of a task once, on what `inputs` returns when its turn comes.

        None if there is no version or there are no inputs. A cancelled run leaves no report.
        """

        async def take(installed: Installation, manifest: Manifest) -> Inputs | None:
            return inputs(installed.task, manifest)

        return await self._in_turn(name, take, priority, None)

    async def run_triggered(
        self, name: str, inputs: TriggeredInputs, collect: RunCollector, *, tracked_at: float
    ) -> TaskRun | None:
        """Do the same for a task that events trigger, often many times a minute: `collect` decides what is reported.

        What such runs come to is counted at once where the version may be given up, and else with the next report, so
        that a success touches nothing but its marker. A power cut may lose the marker, the death of the process not.
        `tracked_at` is when the event happened, in Unix seconds.
        """
        return await self._in_turn(name, inputs, Priority.TRIGGERED, _Triggered(collect, tracked_at))

    def settle(self, installed: Installation, report: Report | None) -> None:
        """Count the triggered runs of an installation that are not counted yet, with a report about them if any."""
        before = self._store.task(installed.task)
        self._commit(installed, before, self._counted(before, installed), [report.to_dict()] if report else [])

    async def _in_turn(
        self, name: str, inputs: TriggeredInputs, priority: Priority, triggered: _Triggered | None
    ) -> TaskRun | None:
        current = self._store.task(name).current
        warm = current is not None and self._warmth.lasts(current.folder, self._clock())
        async with self._turns.turn(priority, cold=not warm):
            return await self._run(name, inputs, triggered)

    async def _run(self, name: str, source: TriggeredInputs, triggered: _Triggered | None) -> TaskRun | None:
        installed = self._store.task(name).current
        if installed is None:
            return None
        self._folders[installed.folder] += 1
        try:
            manifest = self._manifest(installed.folder)
            inputs = await source(installed, manifest)
            if inputs is None:
                return None
            run = await self._marked(installed, manifest, inputs, triggered.collect if triggered else None)
            if run.execution.error_class is None and run.execution.output is not None:
                tracked_at = triggered.at if triggered else run.report.at
                self._upload(installed, manifest, run.execution.output, at=run.report.at, tracked_at=tracked_at)
            return run
        finally:
            self._folders -= Counter([installed.folder])

    async def _marked(
        self, installed: Installation, manifest: Manifest, inputs: Inputs, collect: RunCollector | None
    ) -> TaskRun:
        run_id, started = str(uuid4()), self._clock()
        try:
            self._store.mark_running(run_id, {**asdict(installed), "at": started}, sync=collect is None)
            execution = await self._execute(installed, manifest, inputs)
            if collect is not None and execution.error_class is None:
                self._store.unmark(run_id)  # nothing may be written of it that would tell it from a crash
            return self._finish(run_id, installed, execution, at=started, collect=collect)
        finally:
            self._store.unmark(run_id)

    def _manifest(self, folder: str) -> Manifest:
        """Return an installed manifest, which is read once: a folder's name stands for its content."""
        if folder not in self._manifests:
            self._manifests[folder] = self._store.installs.manifest(folder)
        return self._manifests[folder]

    async def _execute(self, installed: Installation, manifest: Manifest, inputs: Mapping[str, Any]) -> Execution:
        try:
            execution = await self._executor(self._store.installs.bundle(installed.folder), manifest, inputs)
            success = execution.error_class is None
            self._warmth.ran(installed.folder, manifest.values.get("vm"), self._clock(), success=success)
            return execution
        except Exception as error:
            # An error of the executor itself fails this run; it must not reach the app.
            log.exception("%s: the run could not be made", installed.task)
            return Execution(error_class=type(error).__name__, message=str(error))

    def _finish(
        self,
        run_id: str,
        installed: Installation,
        execution: Execution,
        *,
        at: float,
        collect: RunCollector | None = None,
    ) -> TaskRun:
        report = _report(run_id, installed, execution, at)
        if execution.error_class not in NOT_THE_TASKS_FAULT:
            known = self._uncounted.get(installed.folder, RunOutcomes())
            self._uncounted[installed.folder] = known.followed_by(success=execution.error_class is None)
        before = self._store.task(installed.task)
        after = self._counted(before, installed)
        abandoned = self._abandoned_version(after)
        told = report if collect is None else collect(installed, report, execution, last=abandoned is not None)
        documents = [told.to_dict()] if told else []
        if abandoned is not None:
            after = after.fell_back(self._app_version)
            documents.append(self._fall_back_report(abandoned).to_dict())
        if documents or (execution.error_class is not None and before.fallback_differs):
            self._commit(installed, before, after, documents)
        return TaskRun(report, execution, abandoned)

    def _counted(self, task: TaskState, installed: Installation) -> TaskState:
        return task.ran_often(installed.folder, self._uncounted.get(installed.folder, RunOutcomes()))

    def _commit(
        self, installed: Installation, before: TaskState, after: TaskState, documents: Sequence[Mapping[str, Any]]
    ) -> None:
        self._uncounted.pop(installed.folder, None)
        if after == before:
            for document in documents:
                self._store.outbox.put(document)
        else:
            self._store.commit(lambda state: state.with_task(installed.task, after, *documents), step="run counted")

    def _abandoned_version(self, task: TaskState) -> Installation | None:
        due = task.should_fall_back(self._fall_back_after)
        return task.current if due and task.last_good and self._store.installs.check(task.last_good) else None

    def _fall_back_report(self, abandoned: Installation) -> Report:
        report = reports.about(abandoned, "remove", at=self._clock())
        return reports.failed(report, "fell-back", f"{self._fall_back_after} runs failed in a row")


def _marked(marker: Mapping[str, Any]) -> Installation | None:
    try:
        return Installation(**marker)
    except TypeError:
        return None


def _report(run_id: str, installed: Installation, execution: Execution, at: float) -> Report:
    report = reports.measured(
        reports.about(installed, "run", at=at, report_id=run_id),
        duration_ms=execution.duration_ms,
        peak_memory_kb=execution.peak_memory_kb,
        metrics=execution.metrics,
        output=execution.output,
        start=execution.start,
        vm_end=execution.vm_end,
        backends=execution.backends,
    )
    if execution.error_class is None:
        return report
    return reports.failed(report, execution.error_class, execution.message)
