"""Read the devices that a release has selected, with their outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypedDict

from django.db.models import (
    BooleanField,
    Exists,
    ExpressionWrapper,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Coalesce

from accounts_app.actors import Actor
from accounts_app.selectors import seen_slugs
from devices_app.models import Device, Report
from releases_app.models import Exposure, Release, Stage
from releases_app.models.exposures import ARMS
from releases_app.selectors.awaiting import is_awaiting
from releases_app.selectors.deferring import deferral_of, is_deferring

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

AWAITING: Final = "awaiting_trigger"
DEFERRED: Final = "deferred"
BECAME: Final = {
    "drawn": Q(),
    "offered": Q(offered_at__isnull=False),
    "installed": Q(installed_at__isnull=False),
    "healthy": Q(outcome=Exposure.Outcome.SUCCESS),
    "failed": Q(outcome=Exposure.Outcome.FAILURE),
    "silent": Q(silent=True),
    AWAITING: Q(),
    DEFERRED: Q(),
}
"""The possible outcomes of a device, as the figures of a release count them.

Who awaits the trigger, and who puts the version off, depends on the release and on the time: selectors.awaiting,
selectors.deferring.
"""
LOOKED_THROUGH: Final = 50_000
"""The maximum number of exposures that a page searches, which takes 30 ms: no index leads to the few that failed."""


@dataclass(frozen=True, kw_only=True)
class SelectionCriteria:
    """The criteria of a search among the devices of a release; None means any. The `stage` is its position."""

    became: str = "drawn"
    stage: int | None = None
    arm: str | None = None
    error_class: str | None = None


class SelectedFacts(TypedDict):
    """What is shown of an exposure besides its columns.

    It is the `position` of its stage, the `message` of its failure ("" for none), the `facts` of its device, and
    whether this is `awaiting_trigger` and is `registered`: callers of a pipeline may be no devices. `deferral` is why
    it puts the version off, "" if it does not.
    """

    position: int | None
    message: str
    facts: dict[str, Any]
    awaiting_trigger: bool
    deferral: str
    registered: bool


@dataclass(frozen=True)
class SelectedPage:
    """Some exposures in the order of their devices, each with its SelectedFacts.

    `rest` is the device to continue after; None at the end. A page may be short before the end, and even empty.
    """

    rows: "list[WithAnnotations[Exposure, SelectedFacts]]"
    rest: str | None


def selected_devices(
    release: Release,
    actor: Actor,
    criteria: SelectionCriteria,
    limit: int,
    *,
    now: datetime,
    after: str | None = None,
) -> SelectedPage:
    """Return at most `limit` of the devices that a release selected and that match, after one of them."""
    positions = {stage.pk: stage.position for stage in release.stages.all()}
    among = Exposure.objects.filter(release=release.pk, arm__in=ARMS).order_by("device")
    if after is not None:
        among = among.filter(device__gt=after)
    edge = among.values_list("device", flat=True)[LOOKED_THROUGH - 1 : LOOKED_THROUGH].first()
    window = among if edge is None else among.filter(device__lte=edge)
    awaiting = is_awaiting(release, now=now)
    at_present = {AWAITING: awaiting, DEFERRED: is_deferring(release, now=now)}
    chosen = window.filter(_condition(criteria, positions), at_present.get(criteria.became, Q()))
    annotated = chosen.annotate(
        position=_position(),
        message=_message(),
        registered=_registered(release, actor),
        facts=_facts(release, actor),
        deferral=deferral_of(release, now=now),
        awaiting_trigger=ExpressionWrapper(awaiting, output_field=BooleanField()),
    )
    found = list(annotated[: limit + 1])
    rest = found[limit - 1].device if len(found) > limit else edge
    return SelectedPage(found[:limit], rest)


def _condition(criteria: SelectionCriteria, positions: Mapping[int, int]) -> Q:
    """Return the condition of the criteria; `positions` holds the positions of stages by their keys."""
    condition = BECAME[criteria.became]
    if criteria.stage is not None:
        condition &= Q(stage__in=[stage for stage, position in positions.items() if position == criteria.stage])
    if criteria.arm is not None:
        condition &= Q(arm=criteria.arm)
    if criteria.error_class is not None:
        condition &= Q(error_class=criteria.error_class)
    return condition


def _position() -> Subquery:
    return Subquery(Stage.objects.filter(pk=OuterRef("stage")).order_by().values("position"))


def _message() -> Coalesce:
    """Return the device's message about its last failure; "" for none."""
    same = {name: OuterRef(name) for name in ("app", "device", "release", "error_class")}
    failures = Report.objects.filter(outcome="failure", **same).order_by("-received_at", "-id").values("message")
    return Coalesce(Subquery(failures[:1]), Value(""), output_field=TextField())


def _registered(release: Release, actor: Actor) -> Value | Exists:
    """Return whether it is among the app's devices; false for actors who may not see these."""
    return Exists(_in_registry(release)) if _sees_devices(release, actor) else Value(False)


def _facts(release: Release, actor: Actor) -> Value | Coalesce:
    """Return what the device reports about itself; nothing for actors who may not see the app's devices."""
    nothing = Value({}, output_field=JSONField())
    return (
        Coalesce(Subquery(_in_registry(release).values("facts")), nothing) if _sees_devices(release, actor) else nothing
    )


def _sees_devices(release: Release, actor: Actor) -> bool:
    apps = seen_slugs(actor, "app")
    return apps is None or release.app.slug in apps


def _in_registry(release: Release) -> QuerySet[Device]:
    return Device.objects.filter(app=release.app_id, device=OuterRef("device")).order_by()
