"""Concerns about the fleet: devices that stay away, tables that are not renewed, jobs that no worker does."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from accounts_app.actors import Actor
from devices_app.attention import Concern, Urgency
from devices_app.models import App, Device, PublishedTable
from devices_app.scopes import app_scope
from devices_app.selectors.activity_counts import RETENTION, last_check_ins, registrations
from devices_app.selectors.newcomers import usual_registrations
from jobs_app.models import Worker
from jobs_app.presence import GONE_AFTER
from jobs_app.selectors import lags, simulations_without_worker_since

SILENT_AFTER: Final = timedelta(minutes=5)
MISSED: Final = 3
"""The number of missed check-in intervals that make a silence, if they take longer than SILENT_AFTER."""
TABLE_OLD: Final = timedelta(days=3)
LATE_S: Final = 60.0
LATELY: Final = timedelta(minutes=15)
SURGE: Final = 100
SURGE_TIMES: Final = 5
"""The number of new devices, and the multiple of the usual number, from which a concern is raised."""


def fleet_concerns(actor: Actor, apps: list[App], now: datetime) -> Iterator[Concern]:
    """Return the concerns about these apps, and about what works for all of them."""
    yield from _silent(apps, now)
    yield from _old_tables(apps, now)
    yield from _enrolments(apps, now)
    yield from _no_workers(now)


def _silent(apps: list[App], now: datetime) -> Iterator[Concern]:
    waits = {app.pk: max(SILENT_AFTER, MISSED * timedelta(seconds=app.check_in_interval)) for app in apps}
    last = last_check_ins(list(waits))
    for app in apps:
        at = last.get(app.pk)
        if at is not None and now - at > waits[app.pk]:
            reason = f"no device of {app.slug} has checked in for {_span(now - at)}, although they did before"
            next_step = "check the gateways, the proxies before them, and the latest version of the app"
            yield _of_app(app, "silent", Urgency.NOW, reason, next_step=next_step, since=at)


def _old_tables(apps: list[App], now: datetime) -> Iterator[Concern]:
    old = PublishedTable.objects.filter(app__in=apps, published_at__lt=now - TABLE_OLD).select_related("app")
    for table in old.defer("envelope"):
        age = _span(now - table.published_at)
        reason = f"the table of {table.app.slug} was not renewed for {age}, and its assignments expire"
        next_step = "check the job devices.renew_signatures"
        yield _of_app(table.app, "table-old", Urgency.NOW, reason, next_step=next_step, since=table.published_at)


def _enrolments(apps: list[App], now: datetime) -> Iterator[Concern]:
    since = now - LATELY
    found = registrations([app.pk for app in apps], since=since)
    for app in apps:
        recent = found.get(app.pk)
        if recent and recent.refused:
            reason = f"a limit kept new devices out {recent.refused} times in the last {_span(LATELY)}"
            next_step = f"raise that of {app.slug} if many people install it, or check whether its app key has leaked"
            yield _of_app(
                app, "enrolments-limited", Urgency.SOON, reason, next_step=next_step, since=recent.first_refused
            )
        if recent and recent.registered >= SURGE and (usual := _usually_new(app, recent.registered, since)) is not None:
            came = f"{recent.registered} devices registered in the last {_span(LATELY)}"
            next_step = "check how they enrolled, and whether an app key has leaked"
            yield _of_app(
                app,
                "device-surge",
                Urgency.SOON,
                f"{came}, where {usual:.0f} are usual",
                next_step=next_step,
                since=since,
            )


def _of_app(app: App, kind: str, urgency: Urgency, reason: str, *, next_step: str, since: datetime | None) -> Concern:
    target, scope = f"apps/{app.slug}", app_scope(app.slug)
    return Concern(kind, urgency, app.name, reason, since, target, next_step=next_step, scope=scope)


def _usually_new(app: App, lately: int, since: datetime) -> float | None:
    """Return the usual number of new devices in as long a time; None if so many as lately are no surprise.

    An app's first devices are no surprise.
    """
    usual = usual_registrations(app.pk, LATELY, before=since, over=RETENTION - LATELY)
    known = Device.objects.filter(app=app, first_seen__lt=since)
    return usual if lately >= SURGE_TIMES * usual and known.exists() else None


def _no_workers(now: datetime) -> Iterator[Concern]:
    last = Worker.objects.order_by("-seen_at").values_list("seen_at", flat=True).first()
    if last is None or last < now - GONE_AFTER:
        reason = "no worker is running: releases neither proceed nor roll back automatically"
        yield Concern("no-worker", Urgency.NOW, "No worker", reason, last, next_step="start a worker")
        return
    waits_since = simulations_without_worker_since(now=now)
    if waits_since is not None:
        reason, next_step = "simulations wait, and no worker for them is running", "start a worker for simulations"
        title = "No worker for simulations"
        yield Concern("no-simulation-worker", Urgency.NOW, title, reason, waits_since, next_step=next_step)
    kind, late_s = max(lags(now=now), key=lambda lag: lag[1], default=("", 0.0))
    if late_s > LATE_S:
        late = timedelta(seconds=late_s)
        reason = f"{kind} has waited for {_span(late)}: the workers are overloaded or blocked"
        next_step = "look at what the workers do, and start more if all are busy"
        yield Concern("jobs-late", Urgency.NOW, "Jobs are late", reason, now - late, next_step=next_step)


def _span(time: timedelta) -> str:
    minutes = int(time.total_seconds()) // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h" if minutes < 2880 else f"{minutes // 1440} days"
