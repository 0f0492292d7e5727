"""Models of releases: decisions of people, the state of each release, and its outcomes on devices."""

from releases_app.models.after_complete import CompletionWatch, PeriodOutcome, PeriodTally
from releases_app.models.delivery import DeliveryGrant
from releases_app.models.exposures import Exposure, KeptFigures, PaceWindow
from releases_app.models.releases import Quarantine, Release, Stage, StoredVerdict, Transition
from releases_app.models.simulation import SimulationCell
from releases_app.models.tallies import ExposureTally, TalliedRelease
from releases_app.models.withdrawals import Withdrawal

__all__ = [
    "CompletionWatch",
    "DeliveryGrant",
    "Exposure",
    "ExposureTally",
    "KeptFigures",
    "PaceWindow",
    "PeriodOutcome",
    "PeriodTally",
    "Quarantine",
    "Release",
    "SimulationCell",
    "Stage",
    "StoredVerdict",
    "TalliedRelease",
    "Transition",
    "Withdrawal",
]
