"""Concerns about the fleet: devices that stay away, tables that are not renewed, jobs that no worker does."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from accounts_app.actors import Actor
from devices_app.attention import Concern, Urgency
from devices_app.models import App, Device, PublishedTable
from devices_app.selectors.activity_counts import RETENTION, last_check_ins, registrations
from devices_app.selectors.newcomers import usual_registrations
from jobs_app.models import Worker
from jobs_app.presence import GONE_AFTER
from jobs_app.selectors import lags, waiting_for_nobody

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
            reason = (
                f"no device of {app.slug} has checked in for {_span(now - at)}, although they did before: check the "
                "gateways, the proxies before them, and the latest version of the app"
            )
            yield Concern("silent", Urgency.NOW, app.name, reason, at, f"apps/{app.slug}")


def _old_tables(apps: list[App], now: datetime) -> Iterator[Concern]:
    old = PublishedTable.objects.filter(app__in=apps, published_at__lt=now - TABLE_OLD).select_related("app")
    for table in old.defer("envelope"):
        reason = (
            f"the table of {table.app.slug} was not renewed for {_span(now - table.published_at)}, and its assignments "
            "expire: check the job devices.renew_signatures"
        )
        yield Concern("table-old", Urgency.NOW, table.app.name, reason, table.published_at, f"apps/{table.app.slug}")


def _enrolments(apps: list[App], now: datetime) -> Iterator[Concern]:
    since = now - LATELY
    found = registrations([app.pk for app in apps], since=since)
    for app in apps:
        recent = found.get(app.pk)
        if recent and recent.refused:
            reason = (
                f"a limit kept new devices out {recent.refused} times in the last {_span(LATELY)}: raise that of "
                f"{app.slug} if many people install it, or check whether its app key has leaked"
            )
            yield Concern(
                "enrolments-limited", Urgency.SOON, app.name, reason, recent.first_refused, f"apps/{app.slug}"
            )
        if recent and recent.registered >= SURGE and (usual := _usually_new(app, recent.registered, since)) is not None:
            reason = (
                f"{recent.registered} devices registered in the last {_span(LATELY)}, where {usual:.0f} are "
                "usual: check how they enrolled, and whether an app key has leaked"
            )
            yield Concern("device-surge", Urgency.SOON, app.name, reason, since, f"apps/{app.slug}")


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
        reason = "no worker is running: releases neither proceed nor roll back automatically until one is started"
        yield Concern("no-worker", Urgency.NOW, "No worker", reason, last)
        return
    waits_since = waiting_for_nobody(now=now)
    if waits_since is not None:
        reason = "simulations wait, and no simulation worker is running: start one"
        yield Concern("no-simulation-worker", Urgency.NOW, "No worker for simulations", reason, waits_since)
    kind, late_s = max(lags(now=now), key=lambda lag: lag[1], default=("", 0.0))
    if late_s > LATE_S:
        late = timedelta(seconds=late_s)
        reason = f"{kind} has waited for {_span(late)}: the workers are overloaded or blocked"
        yield Concern("jobs-late", Urgency.NOW, "Jobs are late", reason, now - late)


def _span(time: timedelta) -> str:
    minutes = int(time.total_seconds()) // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h" if minutes < 2880 else f"{minutes // 1440} days"
