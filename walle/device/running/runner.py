"""Runs tasks: a marker before, a report after, and back to the last good version when the new one keeps failing.

The marker lies on the disk while a task runs. A process that dies meanwhile, be it through the task or not,
finds it at its next start and reports the run as failed with `crashed` (release lesson 15); such failures count
towards falling back like any other, so a version that takes the app down does not do so for ever, online or not.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import uuid4

from walle.device.link import reports
from walle.device.storage.state import Installation, TaskState
from walle.device.storage.store import DeviceStore
from walle.protocol.documents import Manifest
from walle.protocol.reports import Report, Start

log = logging.getLogger(__name__)

FALL_BACK_AFTER: Final = 3
"""Failed runs in a row after which a version that is not yet proven gives way."""
NOT_THE_TASKS_FAULT: Final = frozenset({"sandbox-error", "input-invalid"})
"""Failures that another version would have too: reported, but no reason to fall back."""


@dataclass(frozen=True)
class Execution:
    """What one run gave. `error_class` is None for a success; times in milliseconds, memory in kibibytes.

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
    """Runs a bundle's entry point on inputs. A failing task is an Execution with an error, not an exception."""

    async def __call__(self, bundle: Path, manifest: Manifest, inputs: Mapping[str, Any]) -> Execution: ...


@dataclass(frozen=True)
class TaskRun:
    """One finished run: its report, what it gave, and the version that was given up because of it, if any."""

    report: Report
    execution: Execution
    fell_back_from: Installation | None = None


class Runner:
    """Runs the tasks of one device. `clock` gives Unix seconds.

    `turns` limits how many runs there are at a time, on one device or, shared, on many. A run that waits for its turn
    has not begun: should the process die, it is not the one to blame.
    """

    def __init__(
        self,
        store: DeviceStore,
        executor: Executor,
        *,
        app_version: str,
        clock: Callable[[], float],
        turns: asyncio.Semaphore | None = None,
        fall_back_after: int = FALL_BACK_AFTER,
    ) -> None:
        self._store, self._executor = store, executor
        self._turns = turns or asyncio.Semaphore(1)
        self._app_version, self._clock = app_version, clock
        self._fall_back_after = fall_back_after
        self._folders: Counter[str] = Counter()

    def in_use(self) -> frozenset[str]:
        """The folders in which a task is running now."""
        return frozenset(self._folders.keys())

    def recover(self) -> list[TaskRun]:
        """Reports the runs that the previous process did not survive. To be called before anything runs."""
        crashed = []
        for run_id, marker in self._store.markers().items():
            if run_id not in self._store.outbox and (installed := _marked(marker)):
                execution = Execution(error_class="crashed", message="the process ended during the run")
                crashed.append(self._finish(run_id, installed, execution, at=installed.at))
            self._store.unmark(run_id)
        return crashed

    async def run(self, name: str, inputs: Mapping[str, Any]) -> TaskRun | None:
        """Runs the current version of a task once; None if there is none. A cancelled run leaves no report."""
        async with self._turns:
            return await self._run(name, inputs)

    async def _run(self, name: str, inputs: Mapping[str, Any]) -> TaskRun | None:
        installed = self._store.task(name).current
        if installed is None:
            return None
        run_id, started = str(uuid4()), self._clock()
        self._store.mark_running(run_id, {**asdict(installed), "at": started})
        self._folders[installed.folder] += 1
        try:
            execution = await self._execute(installed, inputs)
            return self._finish(run_id, installed, execution, at=started)
        finally:
            self._folders -= Counter([installed.folder])
            self._store.unmark(run_id)

    async def _execute(self, installed: Installation, inputs: Mapping[str, Any]) -> Execution:
        try:
            manifest = self._store.installs.manifest(installed.folder)
            return await self._executor(self._store.installs.bundle(installed.folder), manifest, inputs)
        except Exception as error:
            # Whatever the container could not contain is this run's failure, never the app's.
            log.exception("%s: the run could not be made", installed.task)
            return Execution(error_class=type(error).__name__, message=str(error))

    def _finish(self, run_id: str, installed: Installation, execution: Execution, *, at: float) -> TaskRun:
        report = _report(run_id, installed, execution, at)
        before = self._store.task(installed.task)
        after = before
        if execution.error_class not in NOT_THE_TASKS_FAULT:
            after = before.ran(installed.folder, success=execution.error_class is None)
        given_up = self._given_up(after)
        documents = [report.to_dict()]
        if given_up is not None:
            after = after.fell_back(self._app_version)
            documents.append(self._fall_back_report(given_up).to_dict())
        if after == before:
            self._store.outbox.put(documents[0])
        else:
            self._store.commit(lambda state: state.with_task(installed.task, after, *documents), step="run counted")
        return TaskRun(report, execution, given_up)

    def _given_up(self, task: TaskState) -> Installation | None:
        due = task.should_fall_back(self._fall_back_after)
        return task.current if due and task.last_good and self._store.installs.check(task.last_good) else None

    def _fall_back_report(self, given_up: Installation) -> Report:
        report = reports.about(given_up, "remove", at=self._clock())
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
