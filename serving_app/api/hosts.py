"""REST views of serving hosts."""

from datetime import datetime
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.schema import endpoint
from serving_app.api import serializers as forms
from serving_app.models import ServingHost
from serving_app.selectors.hosts import hosts, is_lost, minutes_of, state_without_plans


class ServingHosts(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"hosts"})

    @endpoint("list_serving_hosts", forms.ServingHostsSerializer)
    def get(self, request: Request) -> Response:
        """List the processes that serve pipelines, and what the runtime of each counts.

        They serve all scenarios: what is said of single plans is with the pipelines.
        """
        return self.respond(forms.ServingHostsSerializer, {"hosts": [shown_host(each, self.now) for each in hosts()]})


class ServingHostSeries(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"points"})

    @endpoint("get_serving_host_series", forms.HostSeriesSerializer, query=forms.MinutesQuery)
    def get(self, request: Request, host: str) -> Response:
        """Return what a host's runtime counted by minute, for one day at most."""
        minutes = self.query(forms.MinutesQuery)["minutes"]
        points = minutes_of(ServingHost.objects.get(name=host), minutes=minutes, now=self.now)
        return self.respond(forms.HostSeriesSerializer, {"points": points})


def shown_host(host: ServingHost, now: datetime) -> dict[str, Any]:
    """Return a host as it is shown."""
    isolated = host.state.get("isolated", {})
    return {
        "name": host.name,
        "started_at": host.started_at,
        "seen_at": host.seen_at,
        "lost": is_lost(host, now),
        "installed": host.installed,
        "isolated": len(isolated),
        "state": state_without_plans(host.state),
    }
