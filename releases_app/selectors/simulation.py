"""Read simulations: the cells of a release, their verdict, and what a scenario may still simulate."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import QuerySet

from jobs_app.models import Job, JobState
from jobs_app.presence import GONE_AFTER
from jobs_app.registry import JobQueue
from jobs_app.selectors import living_workers, spans_of
from jobs_app.turns import WorkAllowance, account_state
from releases_app.models import Release, SimulationCell
from walle.container.matrix import CellSummary, SimulationVerdict, judge
from walle.container.profile import Cell

SIMULATE: Final = "tasks.simulate"
HOUR_S: Final = 3600


def allowance() -> WorkAllowance:
    """Return what each scenario may use of the workers that simulate."""
    return WorkAllowance(settings.WALLE_SIMULATIONS_AT_ONCE, settings.WALLE_SIMULATION_SECONDS_PER_HOUR, HOUR_S)


@dataclass(frozen=True)
class Budget:
    """A scenario's use of the workers that simulate: running and waiting cells, seconds within the last hour.

    `free_at` is when another cell may start at the earliest, None while as many are running as may be. `reason` says in
    a sentence why its waiting cells wait; it is empty if none waits.
    """

    scenario: str
    running: int
    at_once: int
    waiting: int
    spent_s: float
    seconds_per_hour: float
    free_at: datetime | None
    reason: str


def budget_of(scenario: str, *, now: datetime) -> Budget:
    """Return a scenario's use of its allowance."""
    allowed = allowance()
    waiting = Job.objects.filter(kind=SIMULATE, account=scenario, state=JobState.PENDING).count()
    spans = spans_of(SIMULATE, [scenario], since=now - timedelta(seconds=HOUR_S))
    found = account_state(spans[scenario], allowed, now.timestamp())
    free_at = None if found.free_at is None else datetime.fromtimestamp(found.free_at, UTC)
    return Budget(
        scenario=scenario,
        running=found.running,
        at_once=allowed.at_once,
        waiting=waiting,
        spent_s=round(found.spent, 1),
        seconds_per_hour=allowed.seconds,
        free_at=free_at,
        reason=_reason(scenario, waiting, found.running, free_at, now) if waiting else "",
    )


def _reason(scenario: str, waiting: int, running: int, free_at: datetime | None, now: datetime) -> str:
    cells = f"{waiting} cell{'s' if waiting > 1 else ''} of {scenario} wait{'' if waiting > 1 else 's'}"
    if not living_workers(since=now - GONE_AFTER, queue=JobQueue.SIMULATIONS):
        return f"{cells}: no worker for simulations gives signs"
    if free_at is None:
        return f"{cells} for {running} under way, which is as many as a scenario may have at once"
    if free_at > now:
        used_up = f"the {settings.WALLE_SIMULATION_SECONDS_PER_HOUR} s that a scenario may simulate within an hour"
        return f"{cells} until {free_at:%H:%M:%S} UTC at the earliest: {used_up} are used up"
    return f"{cells} for a worker that is free: scenarios take turns"


def latest_attempt(release: Release) -> int:
    """Return the number of a release's newest simulation; 0 if there was none."""
    newest = SimulationCell.objects.filter(release=release).order_by("-attempt").values_list("attempt", flat=True)
    return newest.first() or 0


def cells_of(release: Release, attempt: int) -> QuerySet[SimulationCell]:
    """Return the cells of one simulation of a release, in the order of app versions and systems."""
    return SimulationCell.objects.filter(release=release, attempt=attempt).order_by("id")


def cell_of(release: Release, pk: int) -> SimulationCell:
    """Return one cell of any simulation of a release; raises SimulationCell.DoesNotExist."""
    return SimulationCell.objects.get(release=release, pk=pk)


def verdict_of(cells: Iterable[SimulationCell], attempt: int) -> SimulationVerdict:
    """Return the verdict of all cells of a simulation: pending, pass, fail or error, with a sentence and a summary."""
    verdict = judge([CellSummary(_name(cell), cell.state, cell.sentence) for cell in cells])
    verdict.summary["attempt"] = attempt
    return verdict


def _name(cell: SimulationCell) -> str:
    return str(Cell(cell.app_version, cell.os, cell.os_version)) if cell.os else ""
