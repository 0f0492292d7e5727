"""Apply plans of placements to versions of workflows: each becomes a new version, registered as any other."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.core.exceptions import ValidationError

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from serving_app.models import Placement
from serving_app.services.placements import PlacementConflict
from tasks_app.models import TaskVersion
from tasks_app.repository import Repository
from tasks_app.scopes import scenario_scope
from tasks_app.services.archives import Upload, register_tree
from tasks_app.services.content import StoredTree
from walle.bundle.workflows.applying import AppliedTree, apply_plan
from walle.placement.halves import HalfChoices, PlanUnapplicable
from walle.placement.plan_documents import read_plan
from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementPlan, PlacementProblem


class PlanRefused(Exception):
    """A plan does not fit the version that it was to be applied to; `errors` are all reasons, with their places."""

    def __init__(self, base: TaskVersion, error: PlanUnapplicable) -> None:
        super().__init__(f"the plan cannot be applied to {base}")
        self.errors = [{"field": each.place, "detail": each.text} for each in error.problems]


@dataclass(frozen=True)
class Applying:
    """Which plan of a placement, by its place from 1 on, becomes which version of the task of `base`, and why.

    `warm` is where hooks find the process that forks into them, or "".
    """

    base: TaskVersion
    version: str
    plan: int = 1
    device_tiers: tuple[str, ...] = ()
    spanning: Literal["device", "cloud"] | None = None
    reason: str = ""
    warm: str = ""


def apply_placement(
    *, placement: Placement, applying: Applying, actor: Actor, now: datetime
) -> tuple[TaskVersion, bool]:
    """Return the version that a plan makes of another one, and whether it is new.

    Raises PlanRefused with all that stands against it, ValidationError where there is no such plan, PlacementConflict
    while the placement is computed or if the base has the plan already, and what `register_tree` raises.
    """
    base, scope = applying.base, scenario_scope(placement.workflow.scenario.slug)
    require(actor, Permission.PUSH, scope)
    problem, plan = _plan(placement, applying.plan)
    choices = HalfChoices(applying.device_tiers, applying.spanning, placement.pk)
    with Repository(base.task.scenario.slug) as repository:
        applied = _applied(base, StoredTree(repository, base.commit), problem, plan, choices)
        if applied.is_applied:
            if applying.version != base.version:
                raise PlacementConflict(f"{base} has this plan already")
            return base, False
        message = _message(placement, applying)
        upload = Upload(actor, base.task.scenario, base.task.slug, applying.version, message, applying.warm)
        made, is_new = register_tree(upload=upload, tree=applied, now=now)
    if is_new:
        after = {"version": str(made.version), "plan": applying.plan, "base": base.version, "reason": applying.reason}
        record(actor=actor, action="placement.apply", target=placement, scope=scope, after=after)
    return made.version, is_new


def _plan(placement: Placement, number: int) -> tuple[PlacementProblem, PlacementPlan]:
    if placement.finished_at is None:
        raise PlacementConflict(f"{placement} has not ended: wait for it, or cancel it")
    plans = (placement.result or {}).get("plans", [])
    if not plans:
        raise PlacementConflict(f"{placement} has no plan")
    if number > len(plans):
        raise ValidationError({"plan": f"Expected 1 to {len(plans)}, the plans of the placement."})
    problem = problem_of(placement.problem)
    return problem, read_plan(plans[number - 1]["plan"], problem)


def _applied(
    base: TaskVersion, tree: StoredTree, problem: PlacementProblem, plan: PlacementPlan, choices: HalfChoices
) -> AppliedTree:
    try:
        return apply_plan(tree, problem, plan, choices)
    except PlanUnapplicable as error:
        raise PlanRefused(base, error) from error


def _message(placement: Placement, applying: Applying) -> str:
    """Return the message of commit and tag: the reason first, then what was applied to what."""
    said = f"Plan {applying.plan} of placement {placement.pk}, applied to {applying.base.version}"
    return f"{applying.reason}\n\n{said}" if applying.reason else said
