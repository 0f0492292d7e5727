"""Rows of this app, one module per subject."""

from tasks_app.models.artifacts import UnusedArtifact
from tasks_app.models.catalogue import FileKind, IngestedBlob, Scenario, Task, TaskVersion, Variant, VersionFile
from tasks_app.models.delivery import DeliveryGrant
from tasks_app.models.releases import Quarantine, Release, Stage, StoredVerdict, Transition
from tasks_app.models.simulation import SimulationCell

__all__ = [
    "DeliveryGrant",
    "FileKind",
    "IngestedBlob",
    "Quarantine",
    "Release",
    "Scenario",
    "SimulationCell",
    "Stage",
    "StoredVerdict",
    "Task",
    "TaskVersion",
    "Transition",
    "UnusedArtifact",
    "Variant",
    "VersionFile",
]
