"""Keep workflows, and ask for, cancel and end placements."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts_app.actors import SYSTEM, Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from jobs_app.models import Job, JobState
from jobs_app.services import enqueue
from serving_app.models import Placement, Workflow
from serving_app.selectors.placements import placements_within
from serving_app.services.profiling import Profiling, check_profiling
from tasks_app.models import Scenario
from tasks_app.scopes import scenario_scope
from walle.placement.problem.document import ProblemMalformed, problem_of
from walle.placement.profiling.document import completed
from walle.placement.profiling.measuring import with_measured
from walle.protocol.names import check_slug

OPTIMIZE: Final = "serving.optimize"
PROFILE: Final = "serving.profile"
SKETCH: Final = (
    "Expected this, or `profiled_by`: the workflow is a sketch, whose accuracies, sizes and latencies have to be "
    "measured first. On the command line: --profile TASK."
)
MOST_UNDER_WAY: Final = 20
"""The most placements of one scenario that are pending or running at a time."""


class PlacementConflict(Exception):
    """The placement or its parts are not in a state in which this can be done; the text says why."""


@transaction.atomic
def put_workflow(
    *, scenario: Scenario, slug: str, document: Mapping[str, Any], actor: Actor, now: datetime
) -> Workflow:
    """Create or replace a workflow. Raises InvalidNameError, and ValidationError with all problems of the document.

    One without `profiles` is a sketch, which may lack all that profiling measures: it is profiled to be placed.
    """
    scope = scenario_scope(scenario.slug)
    require(actor, Permission.PUSH, scope)
    _check(document if "profiles" in document else completed(document))
    workflow, _ = Workflow.objects.update_or_create(
        scenario=scenario,
        slug=check_slug(slug, "workflow"),
        defaults={"document": dict(document), "updated_by": actor.name, "updated_at": now},
    )
    record(actor=actor, action="workflow.put", target=workflow, scope=scope, after={"name": slug})
    return workflow


@transaction.atomic
def delete_workflow(*, workflow: Workflow, actor: Actor) -> None:
    """Delete a workflow with its placements. Raises PlacementConflict while one of them is under way."""
    scope = scenario_scope(workflow.scenario.slug)
    require(actor, Permission.PUSH, scope)
    if workflow.placements.filter(finished_at=None).exists():
        raise PlacementConflict(f"{workflow} is being placed: cancel that first")
    record(actor=actor, action="workflow.delete", target=workflow, scope=scope, before={"name": workflow.slug})
    workflow.delete()


@transaction.atomic
def request_placement(
    *,
    workflow: Workflow,
    actor: Actor,
    now: datetime,
    budget_s: float,
    target: Mapping[str, Any] | None = None,
    percentile: str | None = None,
    profile: Profiling | Placement | None = None,
) -> Placement:
    """Ask for a placement of a workflow; a worker computes it.

    `target` and `percentile` replace those of the workflow. With a `profile` its accuracies, sizes and latencies are
    measured first, or taken from a placement of this workflow for which they were. Raises ValidationError if any of
    that does not fit the workflow, and PlacementConflict if the scenario has too many under way.
    """
    scope = scenario_scope(workflow.scenario.slug)
    require(actor, Permission.SIMULATE, scope)
    Scenario.objects.select_for_update(no_key=True).get(pk=workflow.scenario_id)
    under_way = Placement.objects.filter(workflow__scenario=workflow.scenario_id, finished_at=None).count()
    if under_way >= MOST_UNDER_WAY:
        raise PlacementConflict(
            f"{under_way} placements of {workflow.scenario.slug} are under way: wait for one to end"
        )
    problem = dict(workflow.document)
    problem |= {} if target is None else {"target": dict(target)}
    problem |= {} if percentile is None else {"percentile": percentile}
    profiled, measurements = None, None
    if isinstance(profile, Profiling):
        profiled = profile.to_dict()
        _check(completed(problem))
        check_profiling(profile, problem_of(completed(problem)))
    else:
        if profile is not None:
            profiled, measurements = profile.profiled, profile.measurements
            problem = with_measured(problem, profile.measurements or {})
        elif "profiles" not in problem:
            raise ValidationError({"profile": SKETCH})
        _check(problem)
    placement = Placement.objects.create(
        workflow=workflow,
        problem=problem,
        profiled=profiled,
        measurements=measurements,
        budget_s=budget_s,
        created_by=actor.name,
        created_at=now,
    )
    after = {"target": problem["target"], "budget_s": budget_s, "profiled": profiled}
    record(actor=actor, action="placement.request", target=placement, scope=scope, after=after)
    is_to_measure = isinstance(profile, Profiling)
    enqueue(
        kind=PROFILE if is_to_measure else OPTIMIZE,
        arguments={"placement": placement.pk},
        account=workflow.scenario.slug if is_to_measure else actor.name,
    )
    return placement


@transaction.atomic
def cancel_placement(*, placement: Placement, actor: Actor, now: datetime) -> None:
    """Cancel a placement that has not ended. Raises PlacementConflict if it has."""
    scope = scenario_scope(placement.workflow.scenario.slug)
    require(actor, Permission.SIMULATE, scope)
    under_way = Placement.objects.filter(pk=placement.pk, finished_at=None)
    if not under_way.update(state=Placement.State.CANCELLED, finished_at=now):
        raise PlacementConflict(f"{placement} has ended already")
    record(actor=actor, action="placement.cancel", target=placement, scope=scope)


def begin_placement(*, placement: int, now: datetime) -> Placement | None:
    """Return a placement that is to be computed, marked as running; None if it has ended or was deleted."""
    under_way = Placement.objects.filter(pk=placement, finished_at=None)
    under_way.update(state=Placement.State.RUNNING, started_at=now, progress={})
    return under_way.first()


def report_progress(*, placement: int, progress: Mapping[str, Any]) -> bool:
    """Write what the solver said; return False if the placement has ended meanwhile, because somebody cancelled it."""
    return Placement.objects.filter(pk=placement, finished_at=None).update(progress=dict(progress)) == 1


def keep_measurements(*, placement: int, measurements: Mapping[str, Any]) -> bool:
    """Write what was measured, and have a placement computed with it; return False if it has ended meanwhile.

    Call it in a transaction. Raises ValidationError if no problem comes of it.
    """
    row = Placement.objects.select_for_update(no_key=True).filter(pk=placement, finished_at=None).first()
    if row is None:
        return False
    row.problem, row.measurements = with_measured(row.problem, measurements), dict(measurements)
    _check(row.problem)
    row.profiled = {**(row.profiled or {}), "placement": row.pk}
    row.save(update_fields=["problem", "measurements", "profiled"])
    enqueue(kind=OPTIMIZE, arguments={"placement": row.pk}, account=row.created_by)
    return True


def report_answer(*, placement: int, answer: Mapping[str, Any]) -> None:
    """Write what was found until now, unless the placement has ended meanwhile."""
    Placement.objects.filter(pk=placement, finished_at=None).update(result=dict(answer))


@transaction.atomic
def end_placement(*, placement: int, state: Placement.State, now: datetime, **columns: Any) -> bool:
    """End a placement with `result` or `error`; return False if it has ended before."""
    under_way = Placement.objects.filter(pk=placement, finished_at=None)
    if not under_way.update(state=state, finished_at=now, **columns):
        return False
    row = placements_within(None).get(pk=placement)
    scope = scenario_scope(row.workflow.scenario.slug)
    record(actor=SYSTEM, action="placement.end", target=row, scope=scope, after={"state": state, "cost": row.cost})
    return True


def fail_lost_placements(*, now: datetime) -> int:
    """Fail the placements whose jobs have failed for good, as if every worker that took them crashed; return how many.

    They would be under way for ever otherwise, and count against what a scenario may have under way.
    """
    under_way = list(Placement.objects.filter(finished_at=None).values_list("pk", flat=True))
    asked = Job.objects.filter(kind__in=(OPTIMIZE, PROFILE), arguments__placement__in=under_way)
    # Of the jobs of a placement the newest counts: the one that profiles is followed by the one that optimizes.
    newest = {job.arguments["placement"]: job for job in asked.order_by("id")}
    lost = [job for job in newest.values() if job.state == JobState.FAILED]
    return sum(
        end_placement(
            placement=job.arguments["placement"],
            state=Placement.State.FAILED,
            now=now,
            error=f"no worker lived to the end of it ({job.attempts} tried): see job {job.pk}",
        )
        for job in lost
    )


def _check(document: Mapping[str, Any]) -> None:
    try:
        problem_of(document)
    except ProblemMalformed as error:
        raise ValidationError({"document": error.texts}) from error
