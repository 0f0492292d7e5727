"""Addresses of this app below /api/v1/."""

from kit.api.paths import route
from serving_app.api import hosts, pipelines, placements

urlpatterns = [
    route("pipelines", pipelines.Pipelines),
    route("pipelines/{scenario}/{task}", pipelines.PipelineDetail),
    route("pipelines/{scenario}/{task}/series", pipelines.PipelineSeries),
    route("pipelines/{scenario}/{task}/versions/{version}/explain", pipelines.VersionExplanation),
    route("workflows", placements.Workflows),
    route("workflows/{scenario}/{workflow}", placements.OneWorkflow),
    route("workflows/{scenario}/{workflow}/placements", placements.WorkflowPlacements),
    route("placements", placements.Placements),
    route("placements/{placement}", placements.OnePlacement),
    route("placements/{placement}/cancel", placements.PlacementCancel),
    route("placements/{placement}/apply", placements.PlacementApply),
    route("serving/hosts", hosts.ServingHosts),
    route("serving/hosts/{host}/series", hosts.ServingHostSeries),
]
