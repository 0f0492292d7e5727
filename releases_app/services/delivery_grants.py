"""Grant scenarios delivery to an app, and withdraw the grants."""

from datetime import datetime
from typing import Any

from django.db import transaction

from accounts_app.actors import SYSTEM, Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.models import App
from devices_app.scopes import app_scope
from devices_app.services.revisions import lock_publication
from releases_app.models import DeliveryGrant, Release
from releases_app.services.releases import act
from tasks_app.models import Scenario
from tasks_app.scopes import scenario_scope
from walle.release.states import IN_PROGRESS, ReleaseAction


@transaction.atomic
def allow_delivery(
    *, app: App, scenario: Scenario, actor: Actor, now: datetime, complete_early: bool = False, note: str = ""
) -> DeliveryGrant:
    """Allow a scenario to deliver to an app; an equal grant changes nothing."""
    require(actor, Permission.MANAGE_MEMBERS, app_scope(app.slug))
    App.objects.select_for_update(no_key=True).get(pk=app.pk)
    present = DeliveryGrant.objects.filter(app=app, scenario=scenario).first()
    columns = {"complete_early": complete_early, "note": note}
    if present and _facts(present) == columns:
        return present
    before = _facts(present) if present else None
    grant = present or DeliveryGrant(app=app, scenario=scenario)
    grant.complete_early, grant.note = complete_early, note
    grant.granted_by, grant.granted_at = actor.name, now
    grant.save()
    _record(actor, "delivery.change" if before else "delivery.allow", grant, before=before, after=columns)
    return grant


@transaction.atomic
def withdraw_delivery(*, app: App, scenario: Scenario, actor: Actor, now: datetime) -> list[Release]:
    """Withdraw a grant. Releases in progress pause, and are returned; raises DeliveryGrant.DoesNotExist.

    They can be aborted and rolled back, and resume only once the scenario may deliver again. What is complete stays as
    it is; a rollback withdraws it from devices.
    """
    require(actor, Permission.MANAGE_MEMBERS, app_scope(app.slug))
    # A concurrent move has either seen the grant and finished, or waits until the grant is deleted.
    lock_publication()
    grant = DeliveryGrant.objects.select_for_update().get(app=app, scenario=scenario)
    _record(actor, "delivery.withdraw", grant, before=_facts(grant))
    grant.delete()
    reason = f"{actor.name} took back that {scenario.slug} may deliver to {app.slug}"
    under_way = Release.objects.filter(app=app, version__task__scenario=scenario, state__in=[*IN_PROGRESS])
    paused = list(under_way.select_related("app", "version__task__scenario").order_by("pk"))
    for release in paused:
        act(release=release, action=ReleaseAction.PAUSE, actor=SYSTEM, now=now, reason=reason)
    return paused


def _facts(grant: DeliveryGrant) -> dict[str, Any]:
    return {"complete_early": grant.complete_early, "note": grant.note}


def _record(actor: Actor, action: str, grant: DeliveryGrant, **facts: Any) -> None:
    also = [scenario_scope(grant.scenario.slug)]
    record(actor=actor, action=action, target=grant, scope=app_scope(grant.app.slug), also=also, **facts)
