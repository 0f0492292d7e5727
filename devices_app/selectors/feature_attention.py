"""Concerns about features: consumers that are far behind, or stand still."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from accounts_app.actors import Actor
from accounts_app.selectors import seen_scopes
from devices_app.attention import Concern, Urgency
from devices_app.models import App, FeatureConsumer
from devices_app.selectors.feature_types import FeatureLag
from devices_app.selectors.features import lags

UNREAD_S: Final = 600.0


def feature_concerns(actor: Actor, apps: list[App], now: datetime) -> Iterator[Concern]:
    """Yield the consumers that are UNREAD_S behind, of those that read what the actor may see."""
    scopes = seen_scopes(actor)
    seen = [each for each in FeatureConsumer.objects.all() if scopes is None or _is_seen(each, scopes)]
    lagging = lags() if seen else {}
    for each in seen:
        lag = lagging.get(each.name, FeatureLag.none())
        if lag.seconds > UNREAD_S:
            yield _concern(each, lag, now)


def _concern(consumer: FeatureConsumer, lag: FeatureLag, now: datetime) -> Concern:
    unread = f"{_count(lag.features, 'feature')} not read yet, the oldest for {int(lag.seconds) // 60} min"
    next_step = "look whether its job runs"
    if consumer.error:
        unread = f"{unread}: it failed {_count(consumer.failures, 'time')}, at last with {consumer.error}"
        next_step = "mend what it fails at"
    reason = f"{unread}. They are dropped when their retention time is over"
    since = now - timedelta(seconds=lag.seconds)
    scope = _scope(consumer)
    return Concern("features-unread", Urgency.SOON, consumer.name, reason, since, next_step=next_step, scope=scope)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _is_seen(consumer: FeatureConsumer, scopes: set[str]) -> bool:
    return f"app:{consumer.app}" in scopes or f"scenario:{consumer.task.partition('/')[0]}" in scopes


def _scope(consumer: FeatureConsumer) -> str:
    if consumer.app:
        return f"app:{consumer.app}"
    return f"scenario:{consumer.task.partition('/')[0]}" if consumer.task else ""
