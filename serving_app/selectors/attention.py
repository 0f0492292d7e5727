"""Concerns about serving: lost hosts, versions that no host can build or one did not install, isolated plans."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import TypedDict

from django.db.models import Exists, OuterRef

from accounts_app.actors import Actor
from devices_app.attention import Concern, Urgency
from devices_app.models import App
from serving_app.models import ExplainedVersion, HostedPlan
from serving_app.selectors.hosts import hosts, is_lost
from serving_app.selectors.pipelines import offerings_of, pipelines_visible_to
from tasks_app.models import TaskVersion
from tasks_app.scopes import scenario_scope


def of_serving(actor: Actor, apps: list[App], now: datetime) -> Iterator[Concern]:
    """Yield the hosts that are lost, and what is wrong with versions that should answer callers of these apps."""
    every = list(hosts())
    for host in every:
        if is_lost(host, now):
            reason = "it has not reported since; callers are answered by other hosts, if there are any"
            next_step = "look whether its machine and its process run"
            yield Concern("host-lost", Urgency.NOW, host.name, reason, host.seen_at, next_step=next_step)
    living = [host.pk for host in every if not is_lost(host, now)]
    yield from _of_plans(actor, {app.slug for app in apps}, living)
    yield from _of_refused(actor, apps)


def _of_plans(actor: Actor, apps: set[str], living: list[int]) -> Iterator[Concern]:
    troubled = HostedPlan.objects.filter(host__in=living).exclude(state=HostedPlan.State.READY)
    found: dict[tuple[str, str, str], list[HostedPlan]] = defaultdict(list)
    for plan in troubled.select_related("host").order_by("since"):
        found[plan.task, plan.manifest, plan.state].append(plan)
    if not found:
        return
    tasks = [task for task in pipelines_visible_to(actor) if any(task.name == name for name, _, _ in found)]
    offered = {
        (task.name, each.manifest_digest)
        for task in tasks
        for each in offerings_of([task]).get(task.pk, [])
        if each.app in apps
    }
    for (task, manifest, _), plans in found.items():
        if (task, manifest) in offered:
            yield _concern(plans)


def _of_refused(actor: Actor, apps: list[App]) -> Iterator[Concern]:
    """Yield the newest versions of pipelines, of scenarios that may release to these apps, that no host can build."""
    later = TaskVersion.objects.filter(task=OuterRef("task"), pk__gt=OuterRef("pk"))
    newest = TaskVersion.objects.filter(
        ~Exists(later), task__retired_at=None, task__scenario__delivery_grants__app__in=apps
    )
    refused = {
        each.manifest: each
        for each in ExplainedVersion.objects.filter(refused=True, manifest__in=newest.values("manifest_digest"))
    }
    if not refused:
        return
    visible = newest.filter(manifest_digest__in=refused, task__in=pipelines_visible_to(actor).values("pk"))
    for version in visible.select_related("task__scenario").distinct():
        known = refused[version.manifest_digest]
        reason = f"no host can build it, so it is not released: {known.problem}"
        next_step = "push a version that mends that"
        named = _named(version.task.name, version.version)
        yield Concern("version-refused", Urgency.SOON, reason=reason, next_step=next_step, since=known.at, **named)


def _concern(plans: list[HostedPlan]) -> Concern:
    first = plans[0]
    names = ", ".join(plan.host.name for plan in plans)
    kind, urgency = "not-installed", Urgency.SOON
    reason, next_step = f"not installed on {names}", "mend the host, or release a version that it can build"
    if first.state == HostedPlan.State.ISOLATED:
        kind, urgency = "plan-isolated", Urgency.NOW
        reason, next_step = f"isolated on {names}", "roll its release back, or release a version that mends it"
    reason = f"{reason}, the version before it answers: {first.problem}"
    named = _named(first.task, first.version)
    return Concern(kind, urgency, reason=reason, next_step=next_step, since=first.since, **named)


class _Named(TypedDict):
    title: str
    target: str
    scope: str


def _named(task: str, version: str) -> _Named:
    scope = scenario_scope(task.partition("/")[0])
    return {"title": f"{task} {version}", "target": f"pipelines/{task}", "scope": scope}
