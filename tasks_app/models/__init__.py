"""Rows of this app, one module per subject."""

from tasks_app.models.catalogue import FileKind, IngestedBlob, Scenario, Task, TaskVersion, Variant, VersionFile
from tasks_app.models.releases import Release, Stage, Transition

__all__ = [
    "FileKind",
    "IngestedBlob",
    "Release",
    "Scenario",
    "Stage",
    "Task",
    "TaskVersion",
    "Transition",
    "Variant",
    "VersionFile",
]
