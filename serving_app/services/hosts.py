"""Store what serving processes tell of themselves."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import transaction

from serving_app.models import HostedPlan, HostMinute, PredictionCount, ServingHost
from walle.whitebox.serving.ports import HostFigures, InstallationOutcome

MOST_STATE: Final = 256 << 10
"""The most bytes of a host's state as JSON; one that is larger is left out, and says so."""
KEPT: Final = timedelta(days=1)
"""How long minutes of hosts and of predictions are kept."""
FORGOTTEN: Final = timedelta(days=7)
"""After how long without a report a host is forgotten."""
ISOLATED: Final = "PlanIsolated"
_MOST_PROBLEM: Final = 2000


@transaction.atomic
def store_host(told: HostFigures) -> ServingHost:
    """Update the row of a host, its present minute and the plans that it isolated."""
    at = _moment(told.at)
    state = _bounded({**told.runtime, "isolated": dict(told.isolated)})
    values = {"started_at": _moment(told.started), "seen_at": at, "installed": told.installed, "state": state}
    host, _ = ServingHost.objects.update_or_create(name=told.host[:100], defaults=values)
    minute = at.replace(second=0, microsecond=0)
    HostMinute.objects.update_or_create(host=host, at=minute, defaults={"state": _charted(state)})
    _isolate(host, told.isolated, at)
    return host


def _isolate(host: ServingHost, isolated: Mapping[str, str], at: datetime) -> None:
    """Say of each plan of a host whether it is isolated; `isolated` has the reasons by manifest."""
    plans = HostedPlan.objects.filter(host=host)
    for plan in plans.filter(manifest__in=isolated).exclude(state=HostedPlan.State.ISOLATED):
        problem = isolated[plan.manifest][:_MOST_PROBLEM]
        plan.state, plan.error_class, plan.problem, plan.since = HostedPlan.State.ISOLATED, ISOLATED, problem, at
        plan.save()
    back = plans.filter(state=HostedPlan.State.ISOLATED).exclude(manifest__in=isolated)
    back.update(state=HostedPlan.State.READY, error_class="", problem="", since=at)


def store_installations(installations: Sequence[InstallationOutcome]) -> None:
    """Store whether versions are ready on hosts, of which the last about a host and a version counts."""
    last = {(each.host, each.manifest): each for each in installations}
    hosts = {name: _host(name, at) for name, at in sorted({each.host: each.at for each in installations}.items())}
    HostedPlan.objects.bulk_create(
        [_hosted(hosts[host], last[host, manifest]) for host, manifest in sorted(last)],
        update_conflicts=True,
        unique_fields=["host", "manifest"],
        update_fields=["task", "version", "state", "error_class", "problem", "since"],
    )


def forget(*, now: datetime) -> dict[str, int]:
    """Delete what is older than it is kept, and hosts that have not reported for long; return the numbers of rows."""
    minutes, _ = HostMinute.objects.filter(at__lt=now - KEPT).delete()
    counts, _ = PredictionCount.objects.filter(at__lt=now - KEPT).delete()
    _, deleted = ServingHost.objects.filter(seen_at__lt=now - FORGOTTEN).delete()
    hosts = deleted.get(ServingHost._meta.label, 0)
    return {"minutes": minutes, "counts": counts, "hosts": hosts}


def _host(name: str, at: float) -> ServingHost:
    """Return the row of a host, which may have told of a version before it told of itself."""
    values = {"started_at": _moment(at), "seen_at": _moment(at), "installed": 0}
    return ServingHost.objects.get_or_create(name=name[:100], defaults=values)[0]


def _hosted(host: ServingHost, told: InstallationOutcome) -> HostedPlan:
    return HostedPlan(
        host=host,
        task=told.task,
        version=told.version,
        manifest=told.manifest,
        state=HostedPlan.State.READY if told.ready else HostedPlan.State.FAILED,
        error_class=told.error_class[:80],
        problem=told.problem[:_MOST_PROBLEM],
        since=_moment(told.at),
    )


def _bounded(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state as PostgreSQL can store it: null stands for what is no number."""
    text = json.dumps(state)
    if len(text) > MOST_STATE:
        return {"left_out_bytes": len(text)}
    stored: dict[str, Any] = json.loads(text, parse_constant=lambda _: None)
    return stored


def _charted(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a state and of its parts, without its lists and what is said of each plan."""
    charted: dict[str, Any] = {}
    for name, value in state.items():
        if isinstance(value, int | float):
            charted[name] = value
        elif isinstance(value, dict) and name not in ("plans", "isolated"):
            charted[name] = {key: number for key, number in value.items() if isinstance(number, int | float)}
    return charted


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
