"""Read apps, their devices and reports, as far as an actor may see them.

An object is visible to everybody with any role in a scope it belongs to: an app and its devices belong to the app, a
report belongs to the app and to the scenario of its task.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q, QuerySet

from accounts_app.actors import Actor
from accounts_app.selectors import seen_slugs
from devices_app.models import (
    App,
    AppFact,
    AppKey,
    AppVersion,
    Device,
    IdList,
    IdListMember,
    RegionBase,
    Report,
    UserFacts,
)
from kit.row_search import RowSearch


def apps_visible_to(actor: Actor) -> QuerySet[App]:
    """Return the apps in which the actor holds a role, by slug; all of them for staff."""
    slugs = seen_slugs(actor, "app")
    apps = App.objects.order_by("slug")
    return apps if slugs is None else apps.filter(slug__in=slugs)


def app_visible_to(actor: Actor, slug: str) -> App:
    """Return one app; raises App.DoesNotExist if it is missing or not visible to the actor."""
    return apps_visible_to(actor).get(slug=slug)


def versions_of(app: App) -> QuerySet[AppVersion]:
    """Return the app's declared versions, newest first."""
    return AppVersion.objects.filter(app=app).order_by("-id")


def keys_of(app: App) -> QuerySet[AppKey]:
    """Return the app's keys, newest first, including revoked ones."""
    return AppKey.objects.filter(app=app).select_related("app").order_by("-id")


def bases_of(app: App) -> QuerySet[RegionBase]:
    """Return the base URLs of the app's downloads, by region."""
    return RegionBase.objects.filter(app=app).order_by("region")


def declared_facts_of(app: App) -> QuerySet[AppFact]:
    """Return the facts that the app declares, the last declared first."""
    return AppFact.objects.filter(app=app).order_by("-id")


def declared_fact(app: App, full_name: str) -> AppFact:
    """Return a declared fact by the name that rules use; raises AppFact.DoesNotExist."""
    source, name = split_fact(full_name)
    return AppFact.objects.select_related("app").get(app=app, source=source, name=name)


def split_fact(full_name: str) -> tuple[str, str]:
    """Return the source of a fact, and its name within that source."""
    prefix, _, name = full_name.rpartition(".")
    return (AppFact.Source.USER if prefix else AppFact.Source.DEVICE), name


def lists_of(app: App) -> QuerySet[IdList]:
    """Return the app's id lists by name."""
    return IdList.objects.filter(app=app).select_related("app").order_by("name")


def members_of(id_list: IdList) -> QuerySet[IdListMember]:
    """Return the devices of a list, the last added first."""
    return IdListMember.objects.filter(id_list=id_list).order_by("-id")


def user_facts_of(app: App) -> QuerySet[UserFacts]:
    """Return what the cloud holds about the users of the app's devices, the last stored first."""
    return UserFacts.objects.filter(app=app).order_by("-id")


def devices_visible_to(actor: Actor) -> QuerySet[Device]:
    """Return the devices of the visible apps, the last registered first."""
    slugs = seen_slugs(actor, "app")
    devices = Device.objects.select_related("app").order_by("-id")
    return devices if slugs is None else devices.filter(app__slug__in=slugs)


def device_visible_to(actor: Actor, app: str, device: str) -> Device:
    """Return a device with its installed tasks; raises Device.DoesNotExist."""
    return devices_visible_to(actor).prefetch_related("installed").get(app__slug=app, device=device)


def reports_of(device: Device, limit: int) -> QuerySet[Report]:
    """Return the newest reports of a device."""
    reports = Report.objects.filter(app=device.app_id, device=device.device).select_related("app")
    return reports.order_by("-received_at", "-id")[:limit]


def report_search(
    actor: Actor,
    *,
    app: str | None = None,
    since: datetime | None = None,
    before: datetime | None = None,
    **columns: Any,
) -> RowSearch[Report]:
    """Return a search for reports from the visible apps, about tasks of the visible scenarios, with these column
    values.
    """
    reports = _received(Report.objects.select_related("app"), since, before)
    if app is not None:
        reports = reports.filter(app__in=_keys([app]))
    apps, scenarios = seen_slugs(actor, "app"), seen_slugs(actor, "scenario")
    is_seen = scenarios is None or columns.get("task", "").partition("/")[0] in scenarios
    if "task" in columns and "version" in columns:
        # An index holds them in the order of their ids: a search may be unnecessary.
        reports = reports.filter(task=columns.pop("task"), version=columns.pop("version"))
    conditions = [Q(**columns)] if columns else []
    if apps is not None and scenarios is not None and not is_seen:
        visible = Q(app__in=_keys(apps))
        for scenario in sorted(scenarios):
            visible |= Q(task__startswith=f"{scenario}/")
        if scenarios or len(apps) != 1:
            conditions.append(visible)
        else:
            reports = reports.filter(visible)
    return RowSearch(reports, Q(*conditions))


def _keys(slugs: Collection[str]) -> list[int]:
    """Return the primary keys of apps: with them, unlike with a join, a list follows an index."""
    return list(App.objects.filter(slug__in=slugs).values_list("pk", flat=True))


_LATE: Final = timedelta(hours=1)
"""Reports are numbered in the order in which they were received, but for differences between gateways' clocks."""


def _received(reports: QuerySet[Report], since: datetime | None, before: datetime | None) -> QuerySet[Report]:
    """Return the reports received in a time range; their ids lead to them."""
    if since is not None:
        reports = reports.filter(received_at__gte=since, pk__gte=_number_at(_shifted(since, -_LATE)) or LAST_NUMBER)
    if before is not None:
        reports = reports.filter(received_at__lt=before, pk__lte=_number_at(_shifted(before, _LATE)) or LAST_NUMBER)
    return reports


def _shifted(moment: datetime, by: timedelta) -> datetime:
    """Return a moment moved by a time; the moment itself at the ends of the calendar."""
    try:
        return moment + by
    except OverflowError:
        return moment


LAST_NUMBER: Final = 2**63 - 1


def _number_at(moment: datetime) -> int | None:
    """Return the id of the first report received then or later."""
    later = Report.objects.filter(received_at__gte=moment).order_by("received_at", "pk")
    return later.values_list("pk", flat=True).first()
