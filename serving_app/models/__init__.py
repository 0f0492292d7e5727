from serving_app.models.figures import PredictionCount
from serving_app.models.hosts import HostedPlan, HostMinute, ServingHost
from serving_app.models.placements import Placement, Workflow
from serving_app.models.plans import ExplainedVersion

__all__ = [
    "ExplainedVersion",
    "HostMinute",
    "HostedPlan",
    "Placement",
    "PredictionCount",
    "ServingHost",
    "Workflow",
]
