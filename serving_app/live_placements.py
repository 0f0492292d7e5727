"""Topics of the live channel about placements: all that somebody sees, and those of one workflow."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.db.models import Q

from accounts_app.actors import Actor
from accounts_app.audit_types import audit_type
from accounts_app.models import AuditEntry
from live_app.protocol import SubscriptionRefused
from live_app.sessions import audience_of
from live_app.topics import Audience, LiveEvent, Topic
from serving_app.api.placements import PlacementSerializer
from serving_app.models import Placement
from serving_app.selectors.placements import placements_within, workflows_visible_to
from tasks_app.scopes import scenario_scope

SHOWN: Final = 100
"""The most placements in the gauge of all, the newest first; `GET /placements` has the others."""
OF_WORKFLOW: Final = 20
"""The same of one workflow."""
PLACEMENT: Final = audit_type(Placement)


@dataclass(frozen=True)
class PlacementsTopic(Topic):
    """Whatever becomes of the placements that somebody sees; the gauge is the list of the newest."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("placements")

    def audience(self, actor: Actor) -> Audience:
        return audience_of(actor)

    def gauge(self, audience: Audience) -> object:
        return {"results": PlacementSerializer(placements_within(audience)[:SHOWN], many=True).data}

    def entries(self) -> Q:
        return Q(object_type=PLACEMENT)


@dataclass(frozen=True)
class WorkflowPlacementsTopic(Topic):
    """Whatever becomes of the placements of one workflow; the gauge is the list of the newest."""

    pattern: ClassVar[re.Pattern[str]] = re.compile(
        "placements/(?P<scenario>[a-z][a-z0-9-]{0,39})/(?P<workflow>[a-z][a-z0-9-]{0,39})", re.ASCII
    )
    every_s: ClassVar[float] = 0.5
    scenario: str
    workflow: str

    def audience(self, actor: Actor) -> Audience:
        visible = workflows_visible_to(actor).filter(scenario__slug=self.scenario, slug=self.workflow)
        if not visible.exists():
            raise SubscriptionRefused("not-found", "there is no such workflow, or it is not yours to see", self.name)
        return None

    def gauge(self, audience: Audience) -> object:
        found = placements_within(None).filter(workflow__scenario__slug=self.scenario, workflow__slug=self.workflow)
        return {"results": PlacementSerializer(found[:OF_WORKFLOW], many=True).data}

    def entries(self) -> Q:
        return Q(object_type=PLACEMENT, scope=scenario_scope(self.scenario))


TOPICS = (PlacementsTopic, WorkflowPlacementsTopic)


def events(entries: Sequence[AuditEntry]) -> Iterator[LiveEvent]:
    """Yield the events of placements, for all of them and for those of their workflow."""
    about = {int(entry.object_id) for entry in entries if entry.object_type == PLACEMENT}
    placements = placements_within(None).in_bulk(about) if about else {}
    for entry in entries:
        placement = placements.get(int(entry.object_id)) if entry.object_type == PLACEMENT else None
        if placement is not None:
            scope = scenario_scope(placement.workflow.scenario.slug)
            topics = ("placements", f"placements/{placement.workflow}")
            yield LiveEvent(entry, topics, frozenset({scope}), _event_data(entry, placement))


def _event_data(entry: AuditEntry, placement: Placement) -> dict[str, Any]:
    return {
        "id": entry.pk,
        "at": entry.at,
        "actor": entry.actor_name,
        "action": entry.action,
        "placement": placement.pk,
        "scenario": placement.workflow.scenario.slug,
        "workflow": placement.workflow.slug,
        "after": entry.after,
    }
