"""Topics of the live channel about features, as they arrive."""

import re
from dataclasses import asdict, dataclass
from typing import ClassVar, Final

from django.utils import timezone

from accounts_app.actors import Actor
from devices_app.api.features import FeatureConsumerSerializer, FeatureRowSerializer
from devices_app.selectors.feature_consumers import consumers_within
from devices_app.selectors.feature_rates import rate
from devices_app.selectors.feature_views import newest
from live_app.sessions import audience_of
from live_app.topics import Audience, Topic

SHOWN: Final = 20
"""How many of the newest features a gauge has; who wants all of them reads `GET /features/arrivals`."""


@dataclass(frozen=True)
class FeaturesTopic(Topic):
    """All features that somebody sees."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("features")

    def audience(self, actor: Actor) -> Audience:
        return audience_of(actor)

    def gauge(self, audience: Audience) -> object:
        return _gauge(audience, None)


@dataclass(frozen=True)
class AppFeaturesTopic(Topic):
    """The features of one app that somebody sees: none, if there is no such app."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("features/(?P<app>[a-z][a-z0-9-]{0,39})", re.ASCII)
    app: str

    def audience(self, actor: Actor) -> Audience:
        return audience_of(actor)

    def gauge(self, audience: Audience) -> object:
        return _gauge(audience, self.app)


def _gauge(audience: Audience, app: str | None) -> object:
    return {
        "rate": asdict(rate(audience, app=app, now=timezone.now())),
        "consumers": FeatureConsumerSerializer(consumers_within(audience), many=True).data,
        "newest": FeatureRowSerializer(newest(audience, app=app, limit=SHOWN), many=True).data,
    }


TOPICS = (FeaturesTopic, AppFeaturesTopic)
