"""The fleet at a glance: its devices, rates, the releases in progress, and what needs attention."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from accounts_app.actors import Actor
from devices_app.attention import Concern, contributed, most_urgent
from devices_app.models import App
from devices_app.selectors.acknowledgements import with_acknowledgements
from devices_app.selectors.activity_counts import Rates, rates
from devices_app.selectors.census import Census, census
from releases_app.models import Release
from releases_app.selectors.attention import concerns_complete, concerns_failed, concerns_under_way
from releases_app.selectors.releases import releases_visible_to
from releases_app.selectors.underway import UnderWay, under_way


@dataclass(frozen=True)
class Overview:
    """What an actor sees of the fleet of some apps."""

    at: datetime
    apps: list[str]
    devices: Census
    rates: Rates
    releases: list[UnderWay]
    attention: list[Concern]


def overview(actor: Actor, apps: list[App], *, only: bool, now: datetime) -> Overview:
    """Return the fleet of these apps, all of which the actor may see.

    Releases are those that the actor may see; `only` restricts them to these apps, which an actor with a role in a
    scenario alone need not see.
    """
    visible = _visible(actor, apps, only=only)
    releases = under_way(visible)
    keys = [app.pk for app in apps]
    return Overview(
        at=now,
        apps=[app.slug for app in apps],
        devices=census(apps, now=now),
        rates=rates(keys, now=now),
        releases=releases,
        attention=most_urgent(_concerns(actor, apps, visible, releases, now)),
    )


def concerns_of(actor: Actor, apps: list[App], *, only: bool, now: datetime) -> list[Concern]:
    """Return all that needs attention of what an overview shows, without the rest of it."""
    visible = _visible(actor, apps, only=only)
    return _concerns(actor, apps, visible, under_way(visible), now)


def _visible(actor: Actor, apps: list[App], *, only: bool) -> QuerySet[Release]:
    visible = releases_visible_to(actor)
    return visible.filter(app__in=apps) if only else visible


def _concerns(
    actor: Actor, apps: list[App], visible: QuerySet[Release], releases: list[UnderWay], now: datetime
) -> list[Concern]:
    return with_acknowledgements(
        [
            *contributed(actor, apps, now),
            *concerns_complete(visible),
            *concerns_under_way(releases, now),
            *concerns_failed(visible, now),
        ]
    )
