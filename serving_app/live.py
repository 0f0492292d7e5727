"""The topic of the live channel about serving: the hosts, and the pipelines that somebody sees."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from django.utils import timezone

from accounts_app.actors import Actor
from accounts_app.selectors import slugs_among
from live_app.sessions import audience_of
from live_app.topics import Audience, Topic
from serving_app.api.hosts import shown_host
from serving_app.api.serializers import PipelineSerializer, ServingHostSerializer
from serving_app.selectors.hosts import hosts
from serving_app.selectors.overview import overview_of
from serving_app.selectors.pipelines import pipelines_within
from tasks_app.models import Task

SHOWN: Final = 100
"""The most pipelines in a gauge, the last created first; `GET /pipelines` has all."""


@dataclass(frozen=True)
class ServingTopic(Topic):
    """All hosts, and the pipelines of the scenarios that somebody sees."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("serving")
    every_s: ClassVar[float] = 2.0

    def audience(self, actor: Actor) -> Audience:
        return audience_of(actor)

    def gauge(self, audience: Audience) -> object:
        scenarios = None if audience is None else slugs_among(audience, "scenario")
        return _gauge(list(pipelines_within(scenarios).order_by("-id")[:SHOWN]))


@dataclass(frozen=True)
class ScenarioServingTopic(Topic):
    """All hosts, and the pipelines of one scenario: none, if somebody does not see it."""

    pattern: ClassVar[re.Pattern[str]] = re.compile("serving/(?P<scenario>[a-z][a-z0-9-]{0,39})", re.ASCII)
    every_s: ClassVar[float] = 2.0
    scenario: str

    def audience(self, actor: Actor) -> Audience:
        return audience_of(actor)

    def gauge(self, audience: Audience) -> object:
        seen = audience is None or self.scenario in slugs_among(audience, "scenario")
        return _gauge(list(pipelines_within({self.scenario} if seen else set()).order_by("-id")[:SHOWN]))


def _gauge(tasks: Sequence[Task]) -> object:
    """Return the hosts as `GET /serving/hosts` and the pipelines as `GET /pipelines` have them."""
    now = timezone.now()
    return {
        "hosts": ServingHostSerializer([shown_host(each, now) for each in hosts()], many=True).data,
        "pipelines": PipelineSerializer(overview_of(tasks, now=now), many=True).data,
    }


TOPICS = (ServingTopic, ScenarioServingTopic)
