"""Rows about the device side: apps, keys, published tables, devices, reports."""

from devices_app.models.apps import App, AppKey, AppVersion, RegionBase
from devices_app.models.devices import Device, InstalledTask
from devices_app.models.keys import Root, ServerKey
from devices_app.models.reports import Report
from devices_app.models.tables import GatewayRevision, PublishedTable

__all__ = [
    "App",
    "AppKey",
    "AppVersion",
    "Device",
    "GatewayRevision",
    "InstalledTask",
    "PublishedTable",
    "RegionBase",
    "Report",
    "Root",
    "ServerKey",
]
