"""Addresses of this app below /api/v1/."""

from kit.api.paths import route
from releases_app.api import (
    cloning,
    delivery,
    fleet,
    planning,
    quarantine,
    releases,
    rollback,
    selected_devices,
    series,
    simulation,
)

urlpatterns = [
    route("fleet", fleet.FleetOverview),
    route("fleet/attention/acknowledge", fleet.ConcernAcknowledgement),
    route("fleet/attention/reopen", fleet.ConcernReopening),
    route("apps/{app}/scenarios", delivery.AppScenarios),
    route("apps/{app}/scenarios/{scenario}", delivery.AppScenario),
    route("scenarios/{scenario}/apps", delivery.ScenarioApps),
    route("tasks/{scenario}/{task}/versions/{version}/lift-quarantine", quarantine.VersionQuarantineEnd),
    route("releases", releases.Releases),
    route("releases/plan", planning.ReleasePlanning),
    route("releases/{release}", releases.ReleaseDetail),
    route("releases/{release}/series", series.ReleaseSeriesDetail),
    route("releases/{release}/devices", selected_devices.ReleaseDevices),
    route("releases/{release}/rollback-plan", rollback.RollbackPlanning),
    route("releases/{release}/simulation", simulation.Simulation),
    route("releases/{release}/simulation/{cell}/log", simulation.SimulationLog),
    route("releases/{release}/clone", cloning.ReleaseClone),
    route("releases/{release}/{action}", releases.ReleaseMove),
]
