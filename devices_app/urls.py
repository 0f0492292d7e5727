"""Addresses of this app below /api/v1/."""

from devices_app.api import apps, devices, explanations, facts, fleet, lists, newcomers, targeting
from kit.api.paths import route

urlpatterns = [
    route("apps", apps.Apps),
    route("apps/{app}", apps.AppDetail),
    route("apps/{app}/versions", apps.AppVersions),
    route("apps/{app}/versions/{app_version}", apps.AppVersionDetail),
    route("apps/{app}/keys", apps.AppKeys),
    route("apps/{app}/keys/{key}/revoke", apps.AppKeyRevocation),
    route("apps/{app}/bases", apps.AppBases),
    route("apps/{app}/newcomers/revoke", newcomers.NewcomersRevocation),
    route("apps/{app}/newcomers/reinstate", newcomers.NewcomersReinstatement),
    route("apps/{app}/facts", facts.DeclaredFacts),
    route("apps/{app}/facts/{fact}", facts.DeclaredFact),
    route("apps/{app}/lists", lists.IdLists),
    route("apps/{app}/lists/{id_list}", lists.OneIdList),
    route("apps/{app}/lists/{id_list}/add", lists.IdListAddition),
    route("apps/{app}/lists/{id_list}/devices", lists.IdListDevices),
    route("apps/{app}/lists/{id_list}/remove", lists.IdListRemoval),
    route("apps/{app}/user-facts", facts.HeldFacts),
    route("apps/{app}/user-facts/{device}", facts.HeldFactsOfDevice),
    route("apps/{app}/table", apps.AppTable),
    route("apps/{app}/targeting/preview", targeting.TargetingPreview),
    route("apps/{app}/targeting/validate", targeting.TargetingValidation),
    route("apps/{app}/members", apps.AppMembers),
    route("apps/{app}/members/{user}/{role}", apps.AppMember),
    route("devices", devices.Devices),
    route("devices/count", devices.DeviceCount),
    route("devices/{app}/{device}", devices.DeviceDetail),
    route("devices/{app}/{device}/explain", explanations.DeviceExplanation),
    route("devices/{app}/{device}/revoke", devices.DeviceRevocation),
    route("devices/{app}/{device}/reinstate", devices.DeviceReinstatement),
    route("devices/{app}/{device}/timeline", devices.DeviceTimeline),
    route("fleet/pulse", fleet.FleetPulse),
    route("reports", devices.Reports),
]
