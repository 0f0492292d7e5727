"""Devices and what they reported."""

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView, chosen
from accounts_app.api.pages import page_of
from accounts_app.api.schema import endpoint
from devices_app.api import serializers as forms
from devices_app.api.apps import KEYS, ROLE
from devices_app.models import Device
from devices_app.selectors import registry
from devices_app.services import devices

SHOWN_REPORTS: Final = 20


class Devices(ApiView):
    @endpoint("list_devices", page_of(forms.DeviceSerializer), asks=forms.DeviceQuery)
    def get(self, request: Request) -> Response:
        """The devices of the apps you may see, the last registered first."""
        asked = self.asked(forms.DeviceQuery)
        lookups = chosen(
            asked,
            app="app__slug",
            device="device",
            app_version="facts__app_version",
            os="facts__os",
            task="installed__task",
        )
        found = registry.devices_visible_to(self.actor).filter(**lookups)
        return self.page(forms.DeviceSerializer, found, asked=asked)


class OneDevice(ApiView):
    """Base of all views of one device."""

    def shown(self, device: Device) -> Response:
        found = registry.device_visible_to(self.actor, device.app.slug, device.device)
        found.reports = registry.reports_of(found, SHOWN_REPORTS)
        return self.one(forms.DeviceDetailSerializer, found)


class DeviceDetail(OneDevice):
    @endpoint("get_device", forms.DeviceDetailSerializer, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """One device with its installed tasks and its newest reports."""
        return self.shown(registry.device_visible_to(self.actor, app, device))


class DeviceRevocation(OneDevice):
    @endpoint("revoke_device", forms.DeviceDetailSerializer, needs=KEYS)
    def post(self, request: Request, app: str, device: str) -> Response:
        """Revoke a device: its credential no longer counts, and it cannot enrol again under its id."""
        found = registry.device_visible_to(self.actor, app, device)
        return self.shown(devices.revoke(device=found, actor=self.actor, now=self.now))


class DeviceReinstatement(OneDevice):
    @endpoint("reinstate_device", forms.DeviceDetailSerializer, needs=KEYS)
    def post(self, request: Request, app: str, device: str) -> Response:
        """Reinstate a device: take its revocation back."""
        found = registry.device_visible_to(self.actor, app, device)
        return self.shown(devices.reinstate(device=found, actor=self.actor))


class Reports(ApiView):
    @endpoint("list_reports", page_of(forms.ReportSerializer), asks=forms.ReportQuery)
    def get(self, request: Request) -> Response:
        """What devices reported, newest first.

        From the apps you may see, and about tasks of the scenarios you may see.
        """
        asked = self.asked(forms.ReportQuery)
        same = {name: name for name in ("device", "task", "version", "kind", "outcome", "release", "evidence")}
        found = registry.reports_visible_to(self.actor).filter(**chosen(asked, app="app__slug", **same))
        return self.page(forms.ReportSerializer, found, asked=asked)
