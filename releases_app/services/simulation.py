"""The simulation test of a release: its cells, and what follows from their end (section 6 of the paper).

Every cell is a row with its own job. A job may die and run again; the result of a cell is written once, together with
the end of its job.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.models import App, AppVersion
from jobs_app.models import Job, JobState
from jobs_app.services import enqueue
from releases_app.models import Release, SimulationCell
from releases_app.selectors.simulation import SIMULATE, cells_of, latest_attempt, verdict_of
from tasks_app.scopes import scenario_scope
from walle.container.matrix import SimulationVerdict
from walle.container.profile import Cell, Cells, Profile, cells
from walle.container.simulator import CellReport
from walle.protocol.kinds import PIPELINE
from walle.release.rules.reach import can_match
from walle.release.states import MoveRefused, ReleaseState
from walle.whitebox.examination import ENGINES

RECONCILE: Final = "releases.reconcile"
MAX_CELLS: Final = 1000
SERVING: Final = "serving"
"""What stands for the system in the cells of a pipeline."""
State = SimulationCell.State


@transaction.atomic
def begin(*, release: Release, now: datetime) -> None:
    """Create the cells of a release's simulation and their jobs.

    Does nothing while a simulation is running, or after one with a verdict. A simulation that could not test everything
    is repeated, with the profiles as they are declared now.
    """
    Release.objects.select_for_update(no_key=True).get(pk=release.pk)
    last = latest_attempt(release)
    kind = outcome(release).kind if last else "error"
    if kind == "error":
        _make(release, last + 1, now)
    if not SimulationCell.objects.filter(release=release, state=State.PENDING).exists():
        _wake(release.pk, now)


@transaction.atomic
def simulate_again(*, release: Release, actor: Actor, now: datetime) -> None:
    """Repeat the simulation of a release whose last one could not test everything, with the profiles as they are now.

    Raises NotAllowed, and MoveRefused while the release is not being simulated or its last simulation has a verdict.
    """
    scope = scenario_scope(release.version.task.scenario.slug)
    require(actor, Permission.SIMULATE, scope)
    row = Release.objects.select_for_update(no_key=True).get(pk=release.pk)
    position, last = row.current, latest_attempt(row)
    if ReleaseState.SIMULATING not in (position.state, position.resumes):
        raise MoveRefused(f"cannot simulate a release that is {row.state}: expected simulating")
    if (kind := outcome(row).kind) != "error":
        raise MoveRefused(f"expected a simulation that ended in an error, this one came to {kind}")
    begin(release=row, now=now)
    facts = {"before": {"attempt": last}, "after": {"attempt": last + 1}}
    record(actor=actor, action="release.simulate", target=row, scope=scope, **facts)


def outcome(release: Release) -> SimulationVerdict:
    """Return the verdict of the newest simulation of a release: pending, pass, fail or error, with a sentence and a
    summary.
    """
    attempt = latest_attempt(release)
    return verdict_of(cells_of(release, attempt).defer("result", "logs", "profile"), attempt)


def write_report(*, cell: SimulationCell, report: CellReport, now: datetime) -> None:
    """End a cell, inside the transaction that ends its job; the last one enqueues a reconciliation of the release."""
    # Serialized, so that the last two cells cannot take each other for unfinished.
    Release.objects.select_for_update(no_key=True).get(pk=cell.release_id)
    columns = {"sentence": report.short_sentence, "result": report.to_dict(), "logs": report.logs()}
    _end([cell.pk], now, state=report.state, **columns)
    _wake_if_done(cell.release_id, now)


@transaction.atomic
def fail_lost(*, now: datetime) -> int:
    """End the cells whose jobs have failed for good, as in error; return their number.

    So a simulation ends even if its task, or machine, crashed every worker that ran it.
    """
    pending = {_key(cell): cell for cell in SimulationCell.objects.filter(state=State.PENDING)}
    # If a cell has several jobs, the newest counts.
    states = dict(Job.objects.filter(dedupe_key__in=pending).order_by("id").values_list("dedupe_key", "state"))
    lost = [cell for key, cell in pending.items() if states.get(key, JobState.FAILED) == JobState.FAILED]
    for cell in lost:
        sentence = f"no worker lived to the end of this cell: see the jobs under {_key(cell)}"
        Release.objects.select_for_update(no_key=True).get(pk=cell.release_id)
        _end([cell.pk], now, state=State.ERROR, sentence=sentence)
        _wake_if_done(cell.release_id, now)
    return len(lost)


def _make(release: Release, attempt: int, now: datetime) -> None:
    plan = cells_for(release)
    new = partial(SimulationCell, release=release, attempt=attempt)
    rows = [
        new(app_version=cell.app_version, os=cell.os, os_version=cell.os_version, profile=_written(profile))
        for cell, profile in plan.profiles.items()
    ]
    ended = {"state": State.ERROR, "finished_at": now}
    rows += [
        new(app_version=version, sentence=f"{problem}; {_how_to_declare(release.app, version)}", **ended)
        for version, problem in plan.problems.items()
    ]
    if not rows:
        rows = [new(sentence=_why_nothing(release.app), **ended)]
    if len(rows) > MAX_CELLS:
        rows = [new(sentence=f"expected at most {MAX_CELLS} cells, found {len(rows)}: narrow the rule", **ended)]
    account = release.version.task.scenario.slug
    for row in SimulationCell.objects.bulk_create(rows):
        if row.state == State.PENDING:
            enqueue(kind=SIMULATE, arguments={"cell": row.pk}, dedupe_key=_key(row), account=account, now=now)


def cells_for(release: Release) -> Cells:
    """Return what a simulation of the release would test now, and which app versions it could not.

    A pipeline is tried by each engine of serving hosts, which are all the same to it: no app has a part in that.
    """
    if release.version.kind == PIPELINE:
        return Cells({Cell("", SERVING, engine): None for engine in ENGINES}, {})
    declared = AppVersion.objects.filter(app=release.app).values_list("version", "profile")
    return cells(dict(declared), partial(can_match, release.rule))


def _written(profile: Profile | None) -> dict[str, Any]:
    return profile.to_dict() if profile else {}


def _how_to_declare(app: App, version: str) -> str:
    return f"declare one with PATCH /api/v1/apps/{app.slug}/versions/{version} (docs/guides/simulation.md)"


def _why_nothing(app: App) -> str:
    known = AppVersion.objects.filter(app=app).values_list("version", flat=True)
    return (
        "nothing can be tested: the rule takes no device of the systems in the profiles of the declared versions of "
        f"{app.slug} ({', '.join(known) or 'there are none'})"
    )


def _end(cells: Iterable[int], now: datetime, **columns: Any) -> None:
    SimulationCell.objects.filter(pk__in=cells, state=State.PENDING).update(**columns, finished_at=now)


def _wake_if_done(release: int, now: datetime) -> None:
    if not SimulationCell.objects.filter(release=release, state=State.PENDING).exists():
        _wake(release, now)


def _wake(release: int, now: datetime) -> None:
    enqueue(kind=RECONCILE, arguments={"release": release}, dedupe_key=f"{RECONCILE}:{release}", now=now)


def _key(cell: SimulationCell) -> str:
    return f"{SIMULATE}:{cell.pk}"
