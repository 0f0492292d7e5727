"""Reports about several runs of a triggered task: what is told of each installation, and when; the time is passed in.

The first runs of an installation are reported soon, since a release waits for them; after that what the runs came to
is told every few minutes, and nothing while there are none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import uuid4

from walle.device.link import reports
from walle.device.running.runner import Execution
from walle.device.storage.state import Installation
from walle.protocol.reports import Report
from walle.stream.run_statistics import RunSample, RunTotals

FIRST_RUNS: Final = 3
"""So many runs of an installation make its first report."""
FIRST_S: Final = 60.0
"""Seconds after the first run of an installation in which its first report is made, if there are fewer."""
EACH_S: Final = 300.0
"""Seconds between two reports of an installation after the first one."""


@dataclass
class _Aggregate:
    """The runs of one installation since its last report. `due` is infinity while there is nothing to tell."""

    installed: Installation
    private: bool = False
    reported_at: float | None = None
    due: float = math.inf
    note: str = ""
    totals: RunTotals = field(default_factory=RunTotals)
    last: Report | None = None
    failure: Report | None = None
    output: Mapping[str, Any] | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    peak_memory_kb: int | None = None
    vm_end: str | None = None
    backends: Mapping[str, str] = field(default_factory=dict)

    def add(self, run: Report) -> None:
        self.last = run
        self.vm_end = run.vm_end or self.vm_end
        self.backends = run.backends or self.backends
        if run.peak_memory_kb is not None:
            self.peak_memory_kb = max(self.peak_memory_kb or 0, run.peak_memory_kb)
        if run.outcome == "success":
            self.output, self.metrics = run.output, run.metrics
        else:
            self.failure = self.failure or run

    def report(self, report_id: str, tunnel: Mapping[str, int] | None) -> Report:
        """Return the report about these runs, and what their features cost. Precondition: there is at least one."""
        report = replace(
            reports.about(self.installed, "run", at=self.totals.until, report_id=report_id),
            duration_ms=self.totals.median_ms,
            peak_memory_kb=self.peak_memory_kb,
            metrics=self.metrics,
            output=self.output,
            start=self.totals.usual_start,
            vm_end=self.vm_end,
            backends=self.backends,
            message=self.note or None,
            runs={**self.totals.to_dict(), **({"tunnel": dict(tunnel)} if tunnel else {})},
        )
        if self.failure is not None:
            report = reports.failed(report, str(self.failure.error_class), self.failure.message)
        return reports.without_contents(report) if self.private else report

    def begun_anew(self, now: float) -> _Aggregate:
        return _Aggregate(self.installed, self.private, reported_at=now)


def no_uplink(task: str) -> Mapping[str, int] | None:
    """Nothing goes up."""
    return None


class RunAggregator:
    """Collects the triggered runs of one device. All times are seconds of one clock, except those in reports.

    `costs` are the totals of each task since this process began, whatever its version; `clock` gives Unix seconds.
    `uplink` returns what the features of a task have cost since it was asked last, None if there were none.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        uplink: Callable[[str], Mapping[str, int] | None] = no_uplink,
    ) -> None:
        self._clock, self._monotonic, self._uplink = clock, monotonic, uplink
        self._aggregates: dict[str, _Aggregate] = {}
        self.costs: dict[str, RunTotals] = {}

    def expect(self, installed: Installation, *, private: bool) -> None:
        """Runs of this installation will follow."""
        self._aggregates.setdefault(installed.folder, _Aggregate(installed, private))

    def note(self, installed: Installation, text: str) -> None:
        """Have the next report about this installation say this, if none of its runs failed."""
        if installed.folder in self._aggregates:
            self._aggregates[installed.folder].note = text

    def ran(
        self, installed: Installation, run: Report, execution: Execution, *, events: int, last: bool
    ) -> Report | None:
        """Take one run, on so many events; return the report that is due now, under the id of the run.

        With `last` one is due in any case.
        """
        aggregate = self._aggregates[installed.folder]
        aggregate.installed = installed  # whose offer may be another one now
        sample = RunSample(
            started=run.at,
            ended=self._clock(),
            events=events,
            start=execution.start,
            duration_ms=run.duration_ms,
            cpu_ms=execution.cpu_ms,
            error_class=run.error_class,
            message=run.message,
        )
        aggregate.add(run)
        for totals in self._totals(installed):
            totals.add(sample)
        now = self._monotonic()
        if aggregate.due == math.inf:
            aggregate.due = now + FIRST_S if aggregate.reported_at is None else max(now, aggregate.reported_at + EACH_S)
        first = aggregate.reported_at is None and aggregate.totals.count >= FIRST_RUNS
        return self._taken(aggregate, run.id) if last or first or aggregate.due <= now else None

    def shed(self, installed: Installation, count: int = 1) -> None:
        """So many triggers had no run, since the task could not keep up."""
        for totals in self._totals(installed):
            totals.shed += count

    def skipped(self, installed: Installation) -> None:
        """The app had no inputs for a run."""
        for totals in self._totals(installed):
            totals.skipped += 1

    def take_due(self) -> list[tuple[Installation, Report]]:
        """Return the reports that are due by their time."""
        now = self._monotonic()
        return self._take(lambda aggregate: aggregate.due <= now)

    def take(self, *folders: str) -> list[tuple[Installation, Report]]:
        """Return the reports about all that is not reported yet of these installations, or of all if none is named."""
        return self._take(lambda aggregate: not folders or aggregate.installed.folder in folders)

    def forget(self, folder: str) -> None:
        """Nothing of this installation will follow."""
        self._aggregates.pop(folder, None)

    @property
    def due(self) -> float:
        """When the next report is due; infinity while there is nothing to tell."""
        return min((each.due for each in self._aggregates.values()), default=math.inf)

    def _take(self, chosen: Callable[[_Aggregate], bool]) -> list[tuple[Installation, Report]]:
        found = [each for each in self._aggregates.values() if each.totals.count and chosen(each)]
        return [(each.installed, self._taken(each, str(uuid4()))) for each in found]

    def _taken(self, aggregate: _Aggregate, report_id: str) -> Report:
        self._aggregates[aggregate.installed.folder] = aggregate.begun_anew(self._monotonic())
        return aggregate.report(report_id, self._uplink(aggregate.installed.task))

    def _totals(self, installed: Installation) -> tuple[RunTotals, RunTotals]:
        return self._aggregates[installed.folder].totals, self.costs.setdefault(installed.task, RunTotals())
