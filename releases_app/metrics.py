"""Metrics of releases: their number by state, the stages of those in progress, and their moves."""

from collections.abc import Iterator
from typing import Final

from django.db.models import Count, F, OuterRef, Subquery, Sum
from django.db.models.functions import Now

from kit.metrics import DatabaseMetrics, Family, Queried, Row, Value
from kit.sql import Statement, statement
from releases_app.models import (
    CompletionWatch,
    Exposure,
    Release,
    SimulationCell,
    StoredVerdict,
    TalliedRelease,
    Transition,
    Withdrawal,
)
from walle.release.states import UNFINISHED, ReleaseState

MOST_RELEASES: Final = 500
"""The maximum number of releases in progress that have metrics of their own; of more, the newest."""


def _by_state() -> Statement:
    return statement(Release.objects.order_by().values_list("app__slug", "state").annotate(count=Count("*")))


def _under_way() -> Statement:
    newest = Release.objects.filter(state__in=sorted(UNFINISHED)).order_by("-pk").values("pk")[:MOST_RELEASES]
    verdicts = StoredVerdict.objects.filter(release=OuterRef("pk")).order_by("-pk").values("kind")[:1]
    columns = (
        *("pk", "app__slug", "version__task__scenario__slug", "version__task__slug", "version__version", "state"),
        *("position", "clock_s", "clock_since", "strategy__stages"),
    )
    judged = TalliedRelease.objects.filter(release=OuterRef("pk")).values("judged_at")
    releases = Release.objects.filter(pk__in=newest).order_by("pk")
    return statement(releases.values_list(*columns, Now(), Subquery(verdicts), Subquery(judged)))


def _of_release(row: Row) -> Iterator[Value]:
    release, app, scenario, task, version, state, position, clock_s, clock_since, stages, now, verdict, judged = row
    name = f"{scenario}/{task}"
    seconds = clock_s + ((now - clock_since).total_seconds() if clock_since else 0)
    yield "walle_release_stage", -1 if position is None else position, release, app, name, version, state
    yield "walle_release_stage_seconds", seconds, release, app, name
    if state == ReleaseState.RUNNING:
        dwell_s = stages[position]["dwell_s"]
        yield "walle_release_undecided_seconds", max(0.0, seconds - dwell_s), release, app, name
    if judged:
        yield "walle_release_judged_age_seconds", (now - judged).total_seconds(), release, app, name
    if verdict:
        yield "walle_release_verdict", 1, release, app, name, verdict


def _verdicts() -> Statement:
    return statement(StoredVerdict.objects.order_by().values_list("kind").annotate(count=Count("*")))


def _differences() -> Statement:
    return statement(TalliedRelease.objects.order_by().values_list(Sum("differences", default=0)))


def _exceeding() -> Statement:
    exceeding = CompletionWatch.objects.filter(exceeded_at__isnull=False, release__state=ReleaseState.COMPLETE)
    columns = ("release", "app__slug", "task", "failed", "reported")
    return statement(exceeding.order_by("-pk").values_list(*columns)[:MOST_RELEASES])


def _of_exceeding(row: Row) -> Iterator[Value]:
    release, app, task, failed, reported = row
    yield "walle_release_failing_after_complete", failed / max(reported, 1), release, app, task


def _withdrawals() -> Statement:
    stalled = Withdrawal.objects.filter(ended_at=None, told_by__lt=Now(), remaining__gt=F("offline")).order_by("-pk")
    columns = (
        "release",
        "release__app__slug",
        "release__version__task__scenario__slug",
        "release__version__task__slug",
    )
    return statement(stalled.values_list(*columns, F("remaining") - F("offline"))[:MOST_RELEASES])


def _of_withdrawal(row: Row) -> Iterator[Value]:
    release, app, scenario, task, devices = row
    yield "walle_release_withdrawal_stalled", devices, release, app, f"{scenario}/{task}"


def _moves() -> Statement:
    return statement(Transition.objects.order_by().values_list("action").annotate(count=Count("*")))


def _cells() -> Statement:
    cells = SimulationCell.objects.filter(release__state=ReleaseState.SIMULATING)
    return statement(cells.order_by().values_list("state").annotate(count=Count("*")))


_RELEASE: Final = ("release", "app", "task")
METRICS: Final = DatabaseMetrics(
    sources=(
        Queried((Family("gauge", "walle_releases", "Releases, by state.", ("app", "state")),), _by_state),
        Queried(
            (
                Family("gauge", "walle_release_stage", "Stage (from 0) of a release under way; -1 before the first.",
                       (*_RELEASE, "version", "state")),
                Family("gauge", "walle_release_stage_seconds", "Time for which its stage's clock has run.", _RELEASE),
                Family("gauge", "walle_release_undecided_seconds",
                       "Time for which a running stage has waited for a verdict beyond its soak time.", _RELEASE),
                Family("gauge", "walle_release_judged_age_seconds",
                       "Time since it was last judged, which is noted once a minute.", _RELEASE),
                Family("gauge", "walle_release_verdict", "1 for the last verdict of a release under way.",
                       (*_RELEASE, "verdict")),
            ),
            _under_way,
            _of_release,
        ),
        Queried(
            (Family("counter", "walle_release_verdicts_total", "Changes of verdicts, by what they changed to.",
                    ("verdict",)),),
            _verdicts,
        ),
        Queried(
            (Family("gauge", "walle_release_withdrawal_stalled",
                    "Devices heard of lately that still have a withdrawn version, though all should have heard of it.",
                    _RELEASE),),
            _withdrawals,
            _of_withdrawal,
        ),
        Queried(
            (Family("gauge", "walle_release_failing_after_complete",
                    "Share of devices that failed in this period, of complete releases that exceed their limit.",
                    _RELEASE),),
            _exceeding,
            _of_exceeding,
        ),
        Queried(
            (Family("gauge", "walle_release_tally_differences",
                    "Tallies that were not what a count of the exposures gave, at the last comparison.", ()),),
            _differences,
        ),
        Queried((Family("counter", "walle_release_moves_total", "Moves of releases.", ("action",)),), _moves),
        Queried(
            (Family("gauge", "walle_simulation_cells", "Cells of releases that are being simulated.", ("state",)),),
            _cells,
        ),
    ),
    growing=(Exposure,),
)  # fmt: skip
