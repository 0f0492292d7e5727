"""Apply plans of placements to versions of workflows: each becomes a new version, registered as any other."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

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
from walle.placement.answer import ACCURACY, PLANS, RATE, PlanList, plan_at, plan_count
from walle.placement.halves import HalfChoices, PlanUnapplicable
from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementPlan, PlacementProblem

_PLACES: Final[Mapping[PlanList, tuple[str, str]]] = {
    PLANS: ("plan", ""),
    ACCURACY: ("point", " of the accuracy frontier"),
    RATE: ("point", " of the rate frontier"),
}
"""What stands at a place of each list of plans: the words before its number, and after it."""


class PlanRefused(Exception):
    """A plan does not fit the version that it was to be applied to; `errors` are all reasons, with their places."""

    def __init__(self, base: TaskVersion, error: PlanUnapplicable) -> None:
        super().__init__(f"the plan cannot be applied to {base}")
        self.errors = [{"field": each.place, "detail": each.text} for each in error.problems]


@dataclass(frozen=True)
class Applying:
    """Which plan of a placement becomes which version of the task of `base`, and why.

    `plan` is its place from 1 on among those of `of`: the best plans, or the points of a frontier. `warm` is where
    hooks find the process that forks into them, or "".
    """

    base: TaskVersion
    version: str
    plan: int = 1
    of: PlanList = PLANS
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
    problem, plan = _plan(placement, applying)
    choices = HalfChoices(applying.device_tiers, applying.spanning, placement.pk, placement.workflow.slug)
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
        asked = {"plan": applying.plan, "of": applying.of, "base": base.version, "reason": applying.reason}
        after = {"version": str(made.version), **asked}
        record(actor=actor, action="placement.apply", target=placement, scope=scope, after=after)
    return made.version, is_new


def _plan(placement: Placement, applying: Applying) -> tuple[PlacementProblem, PlacementPlan]:
    if placement.finished_at is None:
        raise PlacementConflict(f"{placement} has not ended: wait for it, or cancel it")
    answer, of = placement.result or {}, applying.of
    count = plan_count(answer, of)
    place = "".join(_PLACES[of])
    if not count:
        raise PlacementConflict(f"{placement} has no {place}")
    if applying.plan > count:
        raise ValidationError({"plan": f"Expected the number of a {place}, 1 to {count}."})
    return plan_at(answer, problem_of(placement.problem), applying.plan, of)


def _applied(
    base: TaskVersion, tree: StoredTree, problem: PlacementProblem, plan: PlacementPlan, choices: HalfChoices
) -> AppliedTree:
    try:
        return apply_plan(tree, problem, plan, choices)
    except PlanUnapplicable as error:
        raise PlanRefused(base, error) from error


def _message(placement: Placement, applying: Applying) -> str:
    """Return the message of commit and tag: the reason first, then what was applied to what."""
    word, where = _PLACES[applying.of]
    said = f"{word.capitalize()} {applying.plan}{where} of placement {placement.pk}, applied to {applying.base.version}"
    return f"{applying.reason}\n\n{said}" if applying.reason else said
