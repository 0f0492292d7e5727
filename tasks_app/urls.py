"""Addresses of this app below /api/v1/."""

from kit.api.paths import route
from tasks_app.api import archives, files, installed, runs, scenarios, tasks

urlpatterns = [
    route("scenarios", scenarios.Scenarios),
    route("scenarios/{scenario}", scenarios.ScenarioDetail),
    route("scenarios/{scenario}/members", scenarios.ScenarioMembers),
    route("scenarios/{scenario}/members/{user}/{role}", scenarios.ScenarioMember),
    route("scenarios/{scenario}/tasks", scenarios.ScenarioTasks),
    route("tasks", tasks.Tasks),
    route("tasks/{scenario}/{task}", tasks.TaskDetail),
    route("tasks/{scenario}/{task}/installed", installed.TaskInstalled),
    route("tasks/{scenario}/{task}/retire", tasks.TaskRetirement),
    route("tasks/{scenario}/{task}/runs", runs.TaskRunFigures),
    route("tasks/{scenario}/{task}/unretire", tasks.TaskReturn),
    route("tasks/{scenario}/{task}/versions", tasks.Versions),
    route("tasks/{scenario}/{task}/versions/{version}", tasks.VersionDetail),
    route("tasks/{scenario}/{task}/versions/{version}/archive", archives.VersionArchive),
    route("tasks/{scenario}/{task}/versions/{version}/diff", files.VersionDiffs),
    route("tasks/{scenario}/{task}/versions/{version}/files", files.VersionContent),
    route("tasks/{scenario}/{task}/versions/{version}/variants", tasks.Variants),
]
