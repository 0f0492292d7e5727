"""REST views of the fleet, of one app or of all apps that somebody may see."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.actors import Actor
from accounts_app.api.base import ApiView
from devices_app.models import App
from devices_app.selectors import activity_counts
from devices_app.selectors.registry import apps_visible_to
from kit.api.inputs import SlugInput, StrictSerializer
from kit.api.outputs import Output
from kit.api.schema import endpoint

_MINUTES = int(activity_counts.RETENTION.total_seconds()) // 60


class FleetQuery(StrictSerializer):
    app = SlugInput(required=False, help_text="only this app; all that you may see if left out")


class PulseQuery(FleetQuery):
    minutes = serializers.IntegerField(default=60, min_value=1, max_value=_MINUTES, help_text="how far back")


def _per_second(meaning: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(), help_text=f"{meaning} per second, by step")


class PulseSerializer(Output):
    """Events of devices per second, in at most 240 steps of equal length."""

    step_s = serializers.IntegerField(help_text="seconds in a step")
    at = serializers.ListField(child=serializers.IntegerField(), help_text="when the steps began, in Unix seconds")
    check_ins = _per_second("check-ins")
    offers = _per_second("devices that a release under observation offered its version for the first time,")
    installs = _per_second("reported installations")
    failures = _per_second("reported failures of any kind")
    registered = _per_second("devices that were not known before")
    enrolled_by_key = _per_second("new devices that enrolled with an app key")
    enrolled_by_statement = _per_second("enrolments of devices that the app's backend vouches for")
    enrolments_refused = _per_second("new devices with an app key that a limit refused,")


def queried_apps(actor: Actor, query: Mapping[str, Any]) -> list[App]:
    """Return the app named in the query, or all that the actor may see.

    Raises ValidationError for an app that does not exist or is not visible.
    """
    visible = apps_visible_to(actor)
    if "app" not in query:
        return list(visible)
    found = list(visible.filter(slug=query["app"]))
    if not found:
        problem = (
            f"Expected the name of a known app, found {query['app']!r}: it does not exist, or is not yours to see."
        )
        raise serializers.ValidationError({"app": problem})
    return found


class FleetPulse(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"at", *activity_counts.COUNTS})

    @endpoint("get_fleet_pulse", PulseSerializer, query=PulseQuery)
    def get(self, request: Request) -> Response:
        """Return what the devices of the apps you may see did per second, in the past minutes or hours.

        All gateways count it when they store it, and it is kept for two days. A step is included once it is over.
        """
        query = self.query(PulseQuery)
        apps = [app.pk for app in queried_apps(self.actor, query)]
        return self.respond(PulseSerializer, activity_counts.series(apps, minutes=query["minutes"], now=self.now))
