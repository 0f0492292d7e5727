"""Concerns about serving: hosts that are lost, versions that did not install, plans that were isolated."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from accounts_app.actors import Actor
from devices_app.attention import Concern, Urgency
from devices_app.models import App
from serving_app.models import HostedPlan
from serving_app.selectors.hosts import hosts, is_lost
from serving_app.selectors.pipelines import offerings_of, pipelines_visible_to


def of_serving(actor: Actor, apps: list[App], now: datetime) -> Iterator[Concern]:
    """Yield the hosts that are lost, and what is wrong with versions that should answer callers of these apps."""
    every = list(hosts())
    for host in every:
        if is_lost(host, now):
            reason = "it has not reported since; callers are answered by other hosts, if there are any"
            yield Concern("host-lost", Urgency.NOW, host.name, reason, host.seen_at)
    living = [host.pk for host in every if not is_lost(host, now)]
    yield from _of_plans(actor, {app.slug for app in apps}, living)


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


def _concern(plans: list[HostedPlan]) -> Concern:
    first = plans[0]
    names = ", ".join(plan.host.name for plan in plans)
    target = f"pipelines/{first.task}"
    title = f"{first.task} {first.version}"
    if first.state == HostedPlan.State.ISOLATED:
        reason = f"isolated on {names}, the version before it answers: {first.problem}"
        return Concern("plan-isolated", Urgency.NOW, title, reason, first.since, target)
    reason = f"not installed on {names}, the version before it answers: {first.problem}"
    return Concern("not-installed", Urgency.SOON, title, reason, first.since, target)
