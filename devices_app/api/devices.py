"""REST views of devices: search, counts, the timeline of one device, revocation."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from devices_app.api import serializers as forms
from devices_app.api.apps import KEYS, ROLE
from devices_app.api.searching import CountQuery, DeviceQuery, criteria_of
from devices_app.models import Device
from devices_app.selectors import counting, registry
from devices_app.selectors.page_details import last_reports, versions_on
from devices_app.selectors.search import find
from devices_app.selectors.timeline import KINDS, TimelinePosition, timeline
from devices_app.services import devices
from kit.api.cursors import read_cursor, write_cursor
from kit.api.inputs import PageInput, StrictSerializer
from kit.api.outputs import Output
from kit.api.pages import Page, page_of
from kit.api.schema import endpoint
from kit.api.views import found_page


class Devices(ApiView):
    @endpoint("list_devices", page_of(forms.DeviceRowSerializer), query=DeviceQuery)
    def get(self, request: Request) -> Response:
        """List the devices of the apps you may see, the last registered first.

        A page may hold fewer than `limit` devices, or none, although others follow: where few devices match and no
        index leads to them, each page searches a part of the fleet. `next` is null only at the end.
        """
        query = self.query(DeviceQuery)
        if (criteria := criteria_of(self.actor, query)) is None:
            return self.respond_page(forms.DeviceRowSerializer, Page([], None))
        page = found_page(find(self.actor, criteria), query)
        details = {"versions": versions_on(page.rows), "last_report": last_reports(page.rows)}
        return self.respond_page(forms.DeviceRowSerializer, page, **details)


class DeviceCountSerializer(Output):
    """A number of devices."""

    count = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="false: an estimate")
    margin = serializers.IntegerField(help_text="by how much an estimate is off at most, 19 times of 20")


class DeviceCount(ApiView):
    @endpoint("count_devices", DeviceCountSerializer, query=CountQuery)
    def get(self, request: Request) -> Response:
        """Count the matching devices of the apps you may see.

        For a large fleet this is an estimate from a sample, unless there are few or you ask for an `exact` count.
        """
        query = self.query(CountQuery)
        if (criteria := criteria_of(self.actor, query)) is None:
            return self.respond(DeviceCountSerializer, counting.CountedDevices(0, exact=True))
        count = counting.count_devices_exactly if query["exact"] else counting.estimate_devices
        return self.respond(DeviceCountSerializer, count(find(self.actor, criteria)))


class OneDevice(ApiView):
    """The base class of all views of one device."""

    def device(self, app: str, device: str) -> Device:
        return registry.device_visible_to(self.actor, app, device)

    def shown(self, device: Device) -> Response:
        return self.respond(forms.DeviceDetailSerializer, self.device(device.app.slug, device.device))


class DeviceDetail(OneDevice):
    @endpoint("get_device", forms.DeviceDetailSerializer, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """Return one device with its installed tasks and its newest reports."""
        return self.shown(self.device(app, device))


class EventSerializer(Output):
    """One event in the history of a device."""

    at = serializers.DateTimeField(help_text="by the server's clock")
    kind = serializers.ChoiceField(choices=KINDS)
    task = serializers.CharField(allow_null=True)
    version = serializers.CharField(allow_null=True)
    release = serializers.IntegerField(
        allow_null=True, help_text="that selected the device, or whose offer the report proved"
    )
    details = serializers.DictField(help_text="further fields, which depend on the kind of event")


class DeviceTimeline(OneDevice):
    @endpoint("get_device_timeline", page_of(EventSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """List the history of a device, newest event first.

        It has the first and the last check-in, the releases that selected the device, what it installed, ran and
        removed, and when it was revoked or reinstated.
        """
        query = self.query()
        before = read_cursor(query.get("cursor"), TimelinePosition.read, str, int, int)
        events, rest = timeline(self.device(app, device), query["limit"], before=before)
        return self.respond_page(EventSerializer, Page(events, None if rest is None else write_cursor(*rest.written())))


class RevocationSerializer(StrictSerializer):
    reason = serializers.CharField(max_length=2000, help_text="why, for the audit log")


class DeviceRevocation(OneDevice):
    @endpoint("revoke_device", forms.DeviceDetailSerializer, body=RevocationSerializer, needs=KEYS)
    def post(self, request: Request, app: str, device: str) -> Response:
        """Revoke a device.

        Its credential is no longer valid, and it cannot enrol again under its id. It keeps what it has installed, and
        hears of no new version and of no rollback.
        """
        reason = self.body(RevocationSerializer)["reason"]
        found = self.device(app, device)
        return self.shown(devices.revoke(device=found, actor=self.actor, now=self.now, reason=reason))


class DeviceReinstatement(OneDevice):
    @endpoint("reinstate_device", forms.DeviceDetailSerializer, needs=KEYS)
    def post(self, request: Request, app: str, device: str) -> Response:
        """Reinstate a revoked device."""
        return self.shown(devices.reinstate(device=self.device(app, device), actor=self.actor))


class Reports(ApiView):
    @endpoint("list_reports", page_of(forms.ReportSerializer), query=forms.ReportQuery)
    def get(self, request: Request) -> Response:
        """List what devices reported, newest first.

        The reports are those from the apps you may see, about tasks of the scenarios you may see. A page may hold fewer
        than `limit` reports, or none, although others follow; `next` is null only at the end.
        """
        query = self.query(forms.ReportQuery)
        page: dict[str, Any] = {name: query.pop(name) for name in ("cursor", "limit") if name in query}
        return self.respond_search(forms.ReportSerializer, registry.report_search(self.actor, **query), page)
