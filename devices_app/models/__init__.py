"""Models of the device side: apps, keys, published tables, devices, reports, features."""

from devices_app.models.activity_counts import ActivityCount
from devices_app.models.answers import FeatureAnswer
from devices_app.models.apps import App, AppKey, AppVersion, RegionBase
from devices_app.models.attention import Acknowledgement
from devices_app.models.counts import FleetCount
from devices_app.models.devices import REGISTRY_LAG, Device, InstalledTask, PastClaims
from devices_app.models.features import Feature, FeatureConsumer, FeatureCount, FeaturePosition
from devices_app.models.interruptions import GatewayPresence, Interruption
from devices_app.models.keys import Root, ServerKey
from devices_app.models.reports import Report
from devices_app.models.tables import GatewayRevision, PastTable, PublishedTable
from devices_app.models.targeting import AppFact, IdList, IdListMember, PastUserFacts, UserFacts

__all__ = [
    "REGISTRY_LAG",
    "Acknowledgement",
    "ActivityCount",
    "App",
    "AppFact",
    "AppKey",
    "AppVersion",
    "Device",
    "Feature",
    "FeatureAnswer",
    "FeatureConsumer",
    "FeatureCount",
    "FeaturePosition",
    "FleetCount",
    "GatewayPresence",
    "GatewayRevision",
    "IdList",
    "IdListMember",
    "InstalledTask",
    "Interruption",
    "PastClaims",
    "PastTable",
    "PastUserFacts",
    "PublishedTable",
    "RegionBase",
    "Report",
    "Root",
    "ServerKey",
    "UserFacts",
]
