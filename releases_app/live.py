"""Topics of the live channel about releases."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.db.models import Q

from accounts_app.actors import SYSTEM, Actor
from accounts_app.audit_types import audit_type
from accounts_app.models import AuditEntry
from devices_app.scopes import app_scope
from live_app.protocol import SubscriptionRefused
from live_app.sessions import audience_of
from live_app.topics import Audience, LiveEvent, Topic
from releases_app.api.releases import ReleaseDetailSerializer, ReleaseSerializer
from releases_app.live_fleet import AppFleetTopic, FleetTopic
from releases_app.models import Release
from releases_app.selectors.releases import release_visible_to, release_with_history, releases_within
from tasks_app.scopes import scenario_scope
from walle.release.states import UNFINISHED

MOST_SHOWN: Final = 200
RELEASE: Final = audit_type(Release)


@dataclass(frozen=True)
class ReleasesTopic(Topic):
    """Every move of the releases that somebody sees; the gauge is the list of those in progress, newest first."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("releases")

    def audience(self, actor: Actor) -> Audience:
        return audience_of(actor)

    def gauge(self, audience: Audience) -> object:
        found = releases_within(audience).filter(state__in=[state.value for state in UNFINISHED])[: MOST_SHOWN + 1]
        rows = ReleaseSerializer(found, many=True).data
        return {"results": rows[:MOST_SHOWN], "more": len(rows) > MOST_SHOWN}

    def entries(self) -> Q:
        return Q(object_type=RELEASE)


@dataclass(frozen=True)
class ReleaseTopic(Topic):
    """The moves of one release; the gauge is the answer of REST for it."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("release/(?P<number>[1-9][0-9]{0,17})", re.ASCII)
    number: str

    def audience(self, actor: Actor) -> Audience:
        try:
            release_visible_to(actor, int(self.number))
        except Release.DoesNotExist:
            raise SubscriptionRefused(
                "not-found", "there is no such release, or it is not yours to see", self.name
            ) from None
        return None

    def gauge(self, audience: Audience) -> object:
        return ReleaseDetailSerializer(release_with_history(SYSTEM, int(self.number))).data

    def entries(self) -> Q:
        return Q(object_type=RELEASE, object_id=self.number)


TOPICS = (ReleasesTopic, ReleaseTopic, FleetTopic, AppFleetTopic)


def events(entries: Sequence[AuditEntry]) -> Iterator[LiveEvent]:
    """Yield the events of releases, for the list and for each of them."""
    about = {int(entry.object_id): entry for entry in entries if entry.object_type == RELEASE}
    releases = releases_within(None).in_bulk(about) if about else {}
    for entry in entries:
        release = releases.get(int(entry.object_id)) if entry.object_type == RELEASE else None
        if release is not None:
            scopes = {app_scope(release.app.slug), scenario_scope(release.version.task.scenario.slug)}
            yield LiveEvent(
                entry, ("releases", f"release/{release.pk}"), frozenset(scopes), _event_data(entry, release)
            )


def _event_data(entry: AuditEntry, release: Release) -> dict[str, Any]:
    return {
        "id": entry.pk,
        "at": entry.at,
        "actor": entry.actor_name,
        "action": entry.action,
        "release": release.pk,
        "app": release.app.slug,
        "task": release.version.task.name,
        "version": release.version.version,
        "before": entry.before,
        "after": entry.after,
    }
