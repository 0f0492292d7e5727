"""Topics of the live channel about the fleet at a glance.

Concerns are left to REST: they depend on more than on what somebody sees.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from django.db.models import QuerySet
from django.utils import timezone

from accounts_app.actors import Actor
from accounts_app.selectors import slugs_among
from devices_app.models import App
from devices_app.selectors.activity_counts import rates
from devices_app.selectors.census import census
from devices_app.selectors.registry import app_visible_to
from live_app.protocol import SubscriptionRefused
from live_app.sessions import audience_of
from live_app.topics import Audience, Topic
from releases_app.api.fleet import DevicesSerializer, RatesSerializer, UnderWaySerializer
from releases_app.models import Release
from releases_app.selectors.releases import releases_within
from releases_app.selectors.underway import under_way


@dataclass(frozen=True)
class FleetTopic(Topic):
    """All apps and releases that somebody sees."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("fleet")

    def audience(self, actor: Actor) -> Audience:
        return audience_of(actor)

    def gauge(self, audience: Audience) -> object:
        apps = App.objects.order_by("slug")
        seen = apps if audience is None else apps.filter(slug__in=slugs_among(audience, "app"))
        return _glance(seen, releases_within(audience))


@dataclass(frozen=True)
class AppFleetTopic(Topic):
    """One app and the releases to it: everybody who sees the app sees all of them."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("fleet/(?P<app>[a-z][a-z0-9-]{0,39})", re.ASCII)
    app: str

    def audience(self, actor: Actor) -> Audience:
        try:
            app_visible_to(actor, self.app)
        except App.DoesNotExist:
            raise SubscriptionRefused(
                "not-found", "there is no such app, or it is not yours to see", self.name
            ) from None
        return None

    def gauge(self, audience: Audience) -> object:
        return _glance(App.objects.filter(slug=self.app), releases_within(None).filter(app__slug=self.app))


def _glance(apps: Iterable[App], visible: QuerySet[Release]) -> object:
    """Return the same as `GET /fleet`."""
    seen, now = list(apps), timezone.now()
    return {
        "apps": [app.slug for app in seen],
        "devices": DevicesSerializer(census(seen, now=now)).data,
        "rates": RatesSerializer(rates([app.pk for app in seen], now=now)).data,
        "releases": UnderWaySerializer(under_way(visible), many=True).data,
    }
