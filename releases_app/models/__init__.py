"""Rows of releases: what people decided, where each release stands, and what came of it on devices."""

from releases_app.models.delivery import DeliveryGrant
from releases_app.models.exposures import Exposure, KeptFigures, PaceWindow
from releases_app.models.releases import Quarantine, Release, Stage, StoredVerdict, Transition
from releases_app.models.simulation import SimulationCell

__all__ = [
    "DeliveryGrant",
    "Exposure",
    "KeptFigures",
    "PaceWindow",
    "Quarantine",
    "Release",
    "SimulationCell",
    "Stage",
    "StoredVerdict",
    "Transition",
]
