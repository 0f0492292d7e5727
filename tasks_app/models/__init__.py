"""Models of tasks_app, one module per subject."""

from tasks_app.models.artifacts import UnusedArtifact
from tasks_app.models.catalogue import FileKind, IngestedBlob, Scenario, Task, TaskVersion, Variant, VersionFile
from tasks_app.models.runs import RunCount

__all__ = [
    "FileKind",
    "IngestedBlob",
    "RunCount",
    "Scenario",
    "Task",
    "TaskVersion",
    "UnusedArtifact",
    "Variant",
    "VersionFile",
]
