"""Who reads the features, as far as somebody may see it, and how far behind each is."""

from dataclasses import dataclass
from typing import Final

from accounts_app.selectors import slugs_among
from devices_app.models import FeatureConsumer
from devices_app.selectors.feature_types import FeatureLag
from devices_app.selectors.feature_views import Scopes
from devices_app.selectors.features import lags

MOST: Final = 100


@dataclass(frozen=True)
class ConsumerLag:
    """A consumer and how far it is behind."""

    consumer: FeatureConsumer
    lag: FeatureLag


def consumers_within(scopes: Scopes) -> list[ConsumerLag]:
    """Return the visible consumers by name, MOST of them at most.

    One that reads an app or a task is visible to whoever sees that; one that reads everything, to whoever sees all.
    """
    seen = [each for each in FeatureConsumer.objects.order_by("name") if _is_seen(each, scopes)]
    found = lags() if seen else {}
    return [ConsumerLag(each, found.get(each.name, FeatureLag.none())) for each in seen[:MOST]]


def _is_seen(consumer: FeatureConsumer, scopes: Scopes) -> bool:
    if scopes is None:
        return True
    scenario = consumer.task.partition("/")[0]
    return consumer.app in slugs_among(scopes, "app") or scenario in slugs_among(scopes, "scenario")
