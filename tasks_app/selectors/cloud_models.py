"""Which tasks have a cloud half, and whose features wait for it."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Sum
from django.utils import timezone

from devices_app.models import FeatureConsumer, FeatureCount
from devices_app.selectors.features import FeatureCursor, features_after
from jobs_app.models import Job, JobState
from tasks_app.models import CloudHalfState, TaskVersion

CLOUD_MODELS: Final = "cloud-models"
"""The kind of jobs that answer features."""

_CONSUMERS: Final = "cloud-half/"

RETRY_AFTER: Final = timedelta(seconds=10)
"""One that failed is tried again after so long, so that it is not tried all the time."""


def consumer_of(task: str) -> str:
    """Return the name of the consumer of a task's features, such as `cloud-half/shop/ipv`."""
    return f"{_CONSUMERS}{task}"


def cloud_consumers() -> list[str]:
    """Return the consumers of all tasks of which a version has a cloud half."""
    versions = TaskVersion.objects.filter(cloud__isnull=False).order_by()
    found = versions.values_list("task__scenario__slug", "task__slug").distinct()
    return [consumer_of(f"{scenario}/{slug}") for scenario, slug in found]


def waiting_consumers(now: datetime) -> list[str]:
    """Return the consumers for which features are there that they have not read."""
    consumers = FeatureConsumer.objects.filter(name__startswith=_CONSUMERS)
    tried = consumers.exclude(failures__gt=0, failed_at__gt=now - RETRY_AFTER)
    return [each.name for each in tried if features_after(FeatureCursor(each.xid, each.feature), 1, task=each.task)]


def is_due() -> bool:
    """Return whether features wait, and no job answers them already."""
    running = Job.objects.filter(kind=CLOUD_MODELS, state=JobState.RUNNING)
    return not running.exists() and bool(waiting_consumers(timezone.now()))


def cloud_figures(version: TaskVersion) -> dict[str, Any] | None:
    """Return the cloud half of a version and what became of the features that it was asked about; None without one."""
    if version.cloud is None:
        return None
    state = CloudHalfState.objects.filter(version=version).first() or CloudHalfState()
    counts = {name: getattr(state, name) for name in ("answered", "unanswered", "late", "calls")}
    said = {name: getattr(state, name) for name in ("error", "failed_at", "rests_until")}
    mean = state.call_ms / state.calls if state.calls else None
    return {"main": version.cloud["main"], **counts, **said, "mean_call_ms": mean}


def tunnel_line() -> str:
    """Return in a few words how many features are stored, and what cloud halves said; empty while there are none."""
    features = FeatureCount.objects.aggregate(total=Sum("features"))["total"]
    if not features:
        return ""
    answered = CloudHalfState.objects.aggregate(total=Sum("answered"))["total"] or 0
    return f"features {features:,} up, {answered:,} answered"
