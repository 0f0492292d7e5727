"""Read the hosts that serve pipelines: whether they live, and what each has installed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from serving_app.models import HostedPlan, HostMinute, ServingHost

LEASE: Final = timedelta(seconds=20)
"""A host reports every five seconds; one that has not for so long is lost."""
_OF_PLANS: Final = ("plans", "isolated")
"""The parts of a host's state that name plans, which are not everybody's to see."""


def hosts() -> QuerySet[ServingHost]:
    """Return all hosts that are not forgotten yet, by name."""
    return ServingHost.objects.order_by("name")


def is_lost(host: ServingHost, now: datetime) -> bool:
    """Return whether a host has not reported for longer than its lease."""
    return host.seen_at < now - LEASE


def state_without_plans(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a host's state says of the host as a whole."""
    return {name: value for name, value in state.items() if name not in _OF_PLANS}


def minutes_of(host: ServingHost, *, minutes: int, now: datetime) -> QuerySet[HostMinute]:
    """Return a host's states by minute, the oldest first."""
    return HostMinute.objects.filter(host=host, at__gte=now - timedelta(minutes=minutes)).order_by("at")


def plans_of(tasks: Iterable[str]) -> Mapping[str, list[HostedPlan]]:
    """Return where versions of tasks are installed, by name of the task."""
    found: dict[str, list[HostedPlan]] = defaultdict(list)
    for plan in HostedPlan.objects.filter(task__in=list(tasks)).select_related("host").order_by("host__name", "id"):
        found[plan.task].append(plan)
    return found
