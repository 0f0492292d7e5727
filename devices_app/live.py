"""What the fleet does: topics of the live channel."""

import re
from dataclasses import asdict, dataclass
from typing import ClassVar

from django.db.models import QuerySet
from django.utils import timezone

from accounts_app.actors import Actor
from accounts_app.selectors import slugs_among
from devices_app.models import App
from devices_app.selectors import pulse
from devices_app.selectors.registry import app_visible_to
from live_app.protocol import Refused
from live_app.sessions import sight_of
from live_app.topics import Sight, Topic


@dataclass(frozen=True)
class Fleet(Topic):
    """What devices do per second, of all apps that somebody sees."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("fleet")

    def audience(self, actor: Actor) -> Sight:
        """Only apps matter: who sees the same of them shares a reading, whatever scenarios they see."""
        sight = sight_of(actor)
        return None if sight is None else frozenset(scope for scope in sight if scope.startswith("app:"))

    def gauge(self, audience: Sight) -> object:
        apps = App.objects.all()
        return _told(apps if audience is None else apps.filter(slug__in=slugs_among(audience, "app")))


@dataclass(frozen=True)
class FleetOfApp(Topic):
    """The same of one app."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("fleet/(?P<app>[a-z][a-z0-9-]{0,39})", re.ASCII)
    app: str

    def audience(self, actor: Actor) -> Sight:
        try:
            app_visible_to(actor, self.app)
        except App.DoesNotExist:
            raise Refused("not-found", "there is no such app, or it is not yours to see", self.name) from None
        return None

    def gauge(self, audience: Sight) -> object:
        return _told(App.objects.filter(slug=self.app))


TOPICS = (Fleet, FleetOfApp)


def _told(apps: QuerySet[App]) -> object:
    return {"rates": asdict(pulse.rates(list(apps.values_list("pk", flat=True)), now=timezone.now()))}
