"""Create releases, and move them, by hand or by the reconciliation.

Every move happens in one transaction with all that follows from it: what it supersedes or restores, the quarantine, the
newly published table.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, allowed, require
from accounts_app.services.audit import record
from devices_app.models import App
from devices_app.scopes import app_scope
from devices_app.selectors.counting import check_in_ages, estimate_devices
from devices_app.selectors.facts import check_rule_of, id_list_names
from devices_app.selectors.search import matching_rule
from devices_app.services.revisions import lock_publication
from releases_app.models import Release, Stage
from releases_app.selectors.baseline import baseline_of
from releases_app.selectors.releases import newer_releases
from releases_app.services.delivery import check_may_deliver, check_not_early, check_strategy
from releases_app.services.moves import Cause, check_expected, move_release, note_early, scope_of
from releases_app.services.quarantine import check_not_quarantined, quarantine
from releases_app.services.simulation import begin
from releases_app.services.supersession import restore_superseded, supersede_finished, supersede_unfinished
from releases_app.services.tables import publish_app
from releases_app.services.withdrawal import begin_withdrawal
from tasks_app.models import TaskVersion
from tasks_app.selectors.refusals import refusal_of
from walle.protocol.kinds import PIPELINE
from walle.release.rules import covers, eligible
from walle.release.sizing import MatchedDevices, fitted
from walle.release.states import IN_FORCE, ReleaseAction, ReleaseState, move, needs_reason
from walle.release.strategy import Strategy, StrategyMalformed
from walle.release.subjects import subjects_of

SCORE: Final = "score"
"""What serving hosts tell of each prediction (docs/adr/0027)."""
HALTS = frozenset({ReleaseAction.PAUSE, ReleaseAction.ABORT, ReleaseAction.ROLL_BACK, ReleaseAction.REJECT})
"""The moves that only make devices safer, and are therefore open to more people."""
BY_HAND = HALTS | {
    ReleaseAction.START,
    ReleaseAction.APPROVE,
    ReleaseAction.PROMOTE,
    ReleaseAction.COMPLETE,
    ReleaseAction.RESUME,
}


WORDS: Final = {ReleaseAction.RESUME: "resume it", ReleaseAction.ROLL_BACK: "roll it back"}


@transaction.atomic
def create_release(
    *,
    app: App,
    version: TaskVersion,
    rule: Mapping[str, Any],
    strategy: Mapping[str, Any] | None = None,
    actor: Actor,
    now: datetime,
) -> Release:
    """Create a draft release of a version to the devices of an app that the rule matches. Raises ValidationError.

    Missing keys of the strategy get defaults (walle.release.strategy), some of which depend on how many devices match
    and how often they check in (walle.release.sizing), and are frozen with the rest.
    """
    plan = plan_of(app=app, version=version, rule=rule, strategy=strategy, actor=actor, now=now)
    release = Release.objects.create(
        app=app,
        version=version,
        rule=dict(rule),
        strategy=plan.to_dict(),
        salt=secrets.token_bytes(16),
        created_by=actor.name,
        created_at=now,
    )
    Stage.objects.bulk_create(
        Stage(release=release, position=position, kind=stage.kind, share=stage.share, id_list=stage.id_list or "")
        for position, stage in enumerate(plan.stages)
    )
    record(
        actor=actor,
        action="release.create",
        target=release,
        scope=scope_of(version),
        also=[app_scope(app.slug)],
        after={"rule": release.rule, "strategy": release.strategy},
    )
    return release


def plan_of(
    *,
    app: App,
    version: TaskVersion,
    rule: Mapping[str, Any],
    strategy: Mapping[str, Any] | None,
    actor: Actor,
    now: datetime,
) -> Strategy:
    """Return the complete strategy that such a release would have.

    The order of checks: permissions, the scenario and the app, the task and its version, the rule, the strategy. Raises
    NotAllowed, DeliveryNotAllowed, and ValidationError if it is refused.
    """
    require(actor, Permission.RELEASE, scope_of(version))
    require(actor, Permission.VIEW, app_scope(app.slug))
    check_may_deliver(app, version.task.scenario)
    _check_may_run(version)
    check_rule_of(app, rule, version.kind)
    plan = _strategy(app, version, _fitted(app, version, rule, {} if strategy is None else strategy, now))
    check_strategy(app, version, plan, actor)
    return replace(plan, approval=plan.approval or version.task.scenario.approval_required)


@transaction.atomic
def act(
    *,
    release: Release,
    action: ReleaseAction,
    actor: Actor,
    now: datetime,
    reason: str = "",
    evidence: Mapping[str, Any] | None = None,
    expected: Mapping[str, Any] | None = None,
) -> Release:
    """Move a release on from its state in `release`, and publish what follows from it.

    `expected` is the state and the position, or one of them, that the caller has seen. Raises MoveRefused if the move
    is impossible from that state, ReleaseConflict if somebody else has moved it meanwhile, ValidationError if its
    version may not be released (any more) or a reason is missing, and DeliveryNotAllowed if not to this app.
    """
    _require(actor, action, release)
    check_expected(release, expected or {})
    _check_reason(release, action, actor, reason)
    if action == ReleaseAction.APPROVE and actor.name == release.created_by:
        raise ValidationError({"release": "expected the approval of somebody other than who created the release"})
    if action == ReleaseAction.START:
        _check_approval_planned(release)
    # Locked before the grants are read: whoever withdraws one waits for this lock too.
    lock_publication()
    cause = Cause(actor, now, reason, evidence or {})
    if action not in HALTS:
        _check_delivery(release, action, cause)
    was_met = release.position is not None
    move_release(release, action, cause)
    _follow_up(release, action, cause, was_met=was_met)
    publish_app(release.app, now=now)
    return release


def _check_reason(release: Release, action: ReleaseAction, actor: Actor, reason: str) -> None:
    """Raise if a person does not say why a release is resumed, or rolled back though nothing is under way."""
    if actor.user is not None and needs_reason(ReleaseState(release.state), action) and not reason.strip():
        raise ValidationError({"reason": f"expected why you {WORDS[action]}: this release is {release.state}"})


def _require(actor: Actor, action: ReleaseAction, release: Release) -> None:
    """Check the actor's permission.

    Releasing takes a role in the app too: its owner decides who may. Halting takes the right on either side.
    """
    scenario, app = scope_of(release.version), app_scope(release.app.slug)
    if action not in HALTS:
        require(actor, Permission.RELEASE, scenario)
        require(actor, Permission.VIEW, app)
    elif not allowed(actor, Permission.HALT, app):
        require(actor, Permission.HALT, scenario)


def _check_delivery(release: Release, action: ReleaseAction, cause: Cause) -> None:
    """Raise DeliveryNotAllowed unless the app's owners allow the move, and record it if it skips evidence."""
    check_may_deliver(release.app, release.version.task.scenario)
    if action == ReleaseAction.START:
        check_strategy(release.app, release.version, release.parsed_strategy, cause.actor)
    move(release.current, action, release.parsed_strategy.outline)
    if check_not_early(release, action, cause.actor, cause.now):
        if not cause.reason.strip():
            raise ValidationError({"reason": f"expected why you {action} it before its stage has passed"})
        note_early(release, action, cause)


def _follow_up(release: Release, action: ReleaseAction, cause: Cause, *, was_met: bool) -> None:
    """Change the other rows that depend on a move."""
    match release.state:
        case ReleaseState.SIMULATING:
            _check_may_run(release.version)
            _check_targets(release)
            _check_ahead(release)
            begin(release=release, now=cause.now)
        case ReleaseState.RUNNING:
            _check_may_run(release.version)
            if not was_met:
                _check_targets(release)
                _check_ahead(release)
                _meet_first_devices(release, cause.now)
        case ReleaseState.COMPLETE:
            _check_may_run(release.version)
            supersede_finished(release, cause.now)
        case ReleaseState.ROLLED_BACK:
            quarantine(release, cause)
            restore_superseded(release, cause.now)
            begin_withdrawal(release, cause.now)


def _meet_first_devices(release: Release, now: datetime) -> None:
    release.baseline = baseline_of(release, now=now)
    release.save(update_fields=["baseline"])
    supersede_unfinished(release, now)


def _check_approval_planned(release: Release) -> None:
    scenario = release.version.task.scenario
    if scenario.approval_required and not release.parsed_strategy.approval:
        raise ValidationError(
            {"release": f"{scenario.slug} demands approval, and this release has none: create a new one"}
        )


def _check_ahead(release: Release) -> None:
    """Raise for a release whose devices all belong to a newer release, which decides first."""
    for newer in newer_releases(release).filter(state__in=[*IN_FORCE]):
        if covers(newer.eligible_rule, release.eligible_rule):
            whom = f"all {subjects_of(release.version.kind).many} of this one"
            raise ValidationError({"release": f"{newer} is newer and decides about {whom}: create a new one"})


def _check_targets(release: Release) -> None:
    """Raise if a fact or list of the rule was deleted since the draft: a missing list would count as empty."""
    check_rule_of(release.app, release.rule, release.version.kind)
    _check_lists(release.app, release.parsed_strategy)


def _fitted(app: App, version: TaskVersion, rule: Mapping[str, Any], requested: Any, now: datetime) -> Any:
    """Return the strategy with stages and minimum samples that fit the matching devices, where it says none.

    Nobody knows how many callers a pipeline has before they call.
    """
    if version.kind == PIPELINE or not isinstance(requested, dict):
        return requested
    eligible_rule = eligible(rule, version.kind, version.interpreter or None)
    search, known = matching_rule(app, eligible_rule), set(id_list_names(app))

    def listed(name: str) -> int:
        within = {"all": [eligible_rule, {"list": name}]}
        return estimate_devices(matching_rule(app, within)).count if name in known else 0

    def ages() -> list[float]:
        return check_in_ages(search, now=now)

    return fitted(requested, MatchedDevices(estimate_devices(search).count, listed, ages))


def _strategy(app: App, version: TaskVersion, requested: Any) -> Strategy:
    try:
        plan = Strategy.from_dict(_with_metric(version, _with_task_limits(version, requested)))
    except StrategyMalformed as error:
        raise ValidationError({"strategy": error.texts}) from error
    _check_lists(app, plan)
    _check_pace(version, plan)
    return plan


def _check_pace(version: TaskVersion, plan: Strategy) -> None:
    """Refuse the pace of a pipeline: its callers install nothing, and a version answers whom it selects at once."""
    paced = [position for position, stage in enumerate(plan.stages) if stage.pace is not None]
    if version.kind == PIPELINE and paced:
        expected = "expected no pace: callers of a pipeline are offered nothing; take smaller stages instead"
        raise ValidationError({"strategy": [f"strategy.stages[{position}].pace: {expected}" for position in paced]})


def _check_lists(app: App, plan: Strategy) -> None:
    lists = {stage.id_list for stage in plan.stages if stage.id_list}
    if lists and (unknown := sorted(lists - set(id_list_names(app)))):
        raise ValidationError({"strategy": f"{app.slug} has no id list {', '.join(unknown)}"})


def _with_task_limits(version: TaskVersion, requested: Any) -> Any:
    """Return the strategy with the limit that the task itself declares, unless the strategy has its own."""
    declared = json.loads(bytes(version.manifest))["limits"].get("failure_rate")
    limits = requested.get("limits", {}) if isinstance(requested, dict) else None
    if declared is None or not isinstance(limits, dict):
        return requested
    return {**requested, "limits": {"failure_rate": declared, **limits}}


def _with_metric(version: TaskVersion, requested: Any) -> Any:
    """Return the strategy of a pipeline with the metric that every pipeline has, unless it names one."""
    if version.kind != PIPELINE or not isinstance(requested, dict) or requested.get("metric") is not None:
        return requested
    return {**requested, "metric": SCORE}


def _check_may_run(version: TaskVersion) -> None:
    """Raise ValidationError for a version that is retired or in quarantine, or that nothing can run."""
    _check_not_retired(version)
    check_not_quarantined(version)
    if refusal := refusal_of(version):
        raise ValidationError({"version": f"nothing can run {version}, so it is not released: {refusal}"})


def _check_not_retired(version: TaskVersion) -> None:
    if version.task.retired_at:
        raise ValidationError({"version": f"{version.task.name} is retired: unretire it first"})
