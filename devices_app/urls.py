"""Addresses of this app below /api/v1/."""

from accounts_app.api.paths import route
from devices_app.api import apps, devices, explanations, targeting

urlpatterns = [
    route("apps", apps.Apps),
    route("apps/{app}", apps.AppDetail),
    route("apps/{app}/versions", apps.AppVersions),
    route("apps/{app}/versions/{app_version}", apps.AppVersionDetail),
    route("apps/{app}/keys", apps.AppKeys),
    route("apps/{app}/keys/{key}/revoke", apps.AppKeyRevocation),
    route("apps/{app}/bases", apps.AppBases),
    route("apps/{app}/table", apps.AppTable),
    route("apps/{app}/targeting/preview", targeting.TargetingPreview),
    route("apps/{app}/members", apps.AppMembers),
    route("apps/{app}/members/{user}/{role}", apps.AppMember),
    route("devices", devices.Devices),
    route("devices/{app}/{device}", devices.DeviceDetail),
    route("devices/{app}/{device}/explain", explanations.DeviceExplanation),
    route("devices/{app}/{device}/revoke", devices.DeviceRevocation),
    route("devices/{app}/{device}/reinstate", devices.DeviceReinstatement),
    route("reports", devices.Reports),
]
