"""Runs tasks: writes a marker before and a report after each run, and falls back when a new version keeps failing.

The marker stays on the disk while a task runs. If the process dies meanwhile, for whatever reason, it finds the marker
at its next start and reports the run as failed with `crashed` (release lesson 15). Such failures count towards falling
back like any other, so that a version that crashes the app is replaced even while the device is offline.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import uuid4

from walle.device.link import reports
from walle.device.running.inputs import InputSource
from walle.device.running.taking_turns import Turns
from walle.device.running.turns import Priority
from walle.device.running.warmth import Warmth
from walle.device.storage.state import Installation, TaskState
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
    """The result of one run. `error_class` is None for a success; durations in milliseconds, memory in kibibytes.

    A run is `warm` in a kept VM that had loaded the task already; `vm_end` says, once, why the VM before it had ended.
    """

    output: Mapping[str, Any] | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    duration_ms: float | None = None
    peak_memory_kb: int | None = None
    error_class: str | None = None
    message: str | None = None
    start: Start = "cold"
    vm_end: str | None = None


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


class Runner:
    """Runs the tasks of one device. `clock` returns Unix seconds.

    `turns` decides which runs there are at a time, on one device or, if it is shared, on many. A run that waits for
    its turn has no marker yet, so that it is not blamed if the process dies.
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
    ) -> None:
        self._store, self._executor = store, executor
        self._turns, self._warmth = turns, Warmth()
        self._app_version, self._clock = app_version, clock
        self._fall_back_after = fall_back_after
        self._folders: Counter[str] = Counter()

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
        await self._executor.end(self._store.installs.bundle(folder))

    async def run(self, name: str, inputs: InputSource, priority: Priority) -> TaskRun | None:
        """Run the current version of a task once, on what `inputs` returns when its turn comes.

        None if there is no version or there are no inputs. A cancelled run leaves no report.
        """
        current = self._store.task(name).current
        warm = current is not None and self._warmth.lasts(current.folder, self._clock())
        async with self._turns.turn(priority, cold=not warm):
            return await self._run(name, inputs)

    async def _run(self, name: str, source: InputSource) -> TaskRun | None:
        installed = self._store.task(name).current
        if installed is None:
            return None
        manifest = self._store.installs.manifest(installed.folder)
        inputs = source(name, manifest)
        if inputs is None:
            return None
        run_id, started = str(uuid4()), self._clock()
        self._store.mark_running(run_id, {**asdict(installed), "at": started})
        self._folders[installed.folder] += 1
        try:
            execution = await self._execute(installed, manifest, inputs)
            return self._finish(run_id, installed, execution, at=started)
        finally:
            self._folders -= Counter([installed.folder])
            self._store.unmark(run_id)

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

    def _finish(self, run_id: str, installed: Installation, execution: Execution, *, at: float) -> TaskRun:
        report = _report(run_id, installed, execution, at)
        before = self._store.task(installed.task)
        after = before
        if execution.error_class not in NOT_THE_TASKS_FAULT:
            after = before.ran(installed.folder, success=execution.error_class is None)
        abandoned = self._abandoned_version(after)
        documents = [report.to_dict()]
        if abandoned is not None:
            after = after.fell_back(self._app_version)
            documents.append(self._fall_back_report(abandoned).to_dict())
        if after == before:
            self._store.outbox.put(documents[0])
        else:
            self._store.commit(lambda state: state.with_task(installed.task, after, *documents), step="run counted")
        return TaskRun(report, execution, abandoned)

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
    )
    if execution.error_class is None:
        return report
    return reports.failed(report, execution.error_class, execution.message)
