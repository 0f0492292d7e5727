"""Addresses of this app below /api/v1/."""

from accounts_app.api.paths import route
from tasks_app.api import archives, cloning, files, releases, scenarios, simulation, tasks

urlpatterns = [
    route("scenarios", scenarios.Scenarios),
    route("scenarios/{scenario}", scenarios.ScenarioDetail),
    route("scenarios/{scenario}/members", scenarios.ScenarioMembers),
    route("scenarios/{scenario}/members/{user}/{role}", scenarios.ScenarioMember),
    route("scenarios/{scenario}/tasks", scenarios.ScenarioTasks),
    route("tasks", tasks.Tasks),
    route("tasks/{scenario}/{task}", tasks.TaskDetail),
    route("tasks/{scenario}/{task}/retire", tasks.TaskRetirement),
    route("tasks/{scenario}/{task}/unretire", tasks.TaskReturn),
    route("tasks/{scenario}/{task}/versions", tasks.Versions),
    route("tasks/{scenario}/{task}/versions/{version}", tasks.VersionDetail),
    route("tasks/{scenario}/{task}/versions/{version}/archive", archives.VersionArchive),
    route("tasks/{scenario}/{task}/versions/{version}/diff", files.VersionDiffs),
    route("tasks/{scenario}/{task}/versions/{version}/files", files.VersionContent),
    route("tasks/{scenario}/{task}/versions/{version}/variants", tasks.Variants),
    route("tasks/{scenario}/{task}/versions/{version}/lift-quarantine", tasks.VersionQuarantineEnd),
    route("releases", releases.Releases),
    route("releases/{release}", releases.ReleaseDetail),
    route("releases/{release}/simulation", simulation.Simulation),
    route("releases/{release}/simulation/{cell}/log", simulation.SimulationLog),
    route("releases/{release}/clone", cloning.ReleaseClone),
    route("releases/{release}/{action}", releases.ReleaseMove),
]
