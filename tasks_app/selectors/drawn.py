"""The devices that a release has drawn, and what became of each."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import OuterRef, Q, Subquery, TextField, Value
from django.db.models.functions import Coalesce

from accounts_app.actors import Actor
from accounts_app.selectors import seen_slugs
from devices_app.models import Device, Exposure, Report
from tasks_app.models import Release

BECAME: Final = {
    "drawn": Q(),
    "offered": Q(offered_at__isnull=False),
    "installed": Q(installed_at__isnull=False),
    "healthy": Q(outcome=Exposure.Outcome.SUCCESS),
    "failed": Q(outcome=Exposure.Outcome.FAILURE),
    "silent": Q(silent=True),
}
"""What may have become of a device, as the figures of a release count it."""
LOOKED_THROUGH: Final = 50_000
"""A page looks through no more exposures than this, which takes 30 ms: no index leads to the few that failed."""


@dataclass(frozen=True)
class DrawnPage:
    """Some exposures in the order of their devices, each with what else is told of it.

    That is the `position` of its stage, the `message` of its failure, and the `facts` of its device.

    `rest` is the device after which to go on; None at the end. A page may be short before the end, and even empty.
    """

    rows: list[Exposure]
    rest: str | None


def drawn_devices(release: Release, actor: Actor, wanted: Q, limit: int, *, after: str | None = None) -> DrawnPage:
    """At most `limit` of the devices that a release drew and of which this is true, after one of them."""
    among = Exposure.objects.filter(release=release.pk).order_by("device")
    if after is not None:
        among = among.filter(device__gt=after)
    edge = among.values_list("device", flat=True)[LOOKED_THROUGH - 1 : LOOKED_THROUGH].first()
    window = among if edge is None else among.filter(device__lte=edge)
    found = list(window.filter(wanted).annotate(message=_message())[: limit + 1])
    rest = found[limit - 1].device if len(found) > limit else edge
    positions, facts = {stage.pk: stage.position for stage in release.stages.all()}, _facts(found, release, actor)
    for row in found:
        row.position, row.facts = positions.get(row.stage), facts.get(row.device, {})
    return DrawnPage(found[:limit], rest)


def _message() -> Coalesce:
    """What the device said when it failed, the last time; "" for nothing."""
    same = {name: OuterRef(name) for name in ("app", "device", "release", "error_class")}
    failures = Report.objects.filter(outcome="failure", **same).order_by("-received_at", "-id").values("message")
    return Coalesce(Subquery(failures[:1]), Value(""), output_field=TextField())


def _facts(found: Collection[Exposure], release: Release, actor: Actor) -> dict[str, Any]:
    """By device; to those who may not see the app's devices, none are told."""
    apps = seen_slugs(actor, "app")
    if apps is not None and release.app.slug not in apps:
        return {}
    devices = Device.objects.filter(app=release.app_id, device__in=[row.device for row in found])
    return dict(devices.values_list("device", "facts"))
