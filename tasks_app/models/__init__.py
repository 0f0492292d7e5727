"""Models of tasks_app, one module per subject."""

from tasks_app.models.artifacts import UnusedArtifact
from tasks_app.models.catalogue import IN_GIT, FileKind, IngestedBlob, Scenario, Task, TaskVersion, Variant, VersionFile
from tasks_app.models.cloud_halves import CloudHalfState, FeatureDictionary
from tasks_app.models.runs import RunCount

__all__ = [
    "IN_GIT",
    "CloudHalfState",
    "FeatureDictionary",
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
