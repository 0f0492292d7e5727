"""Devices that a release drew, and what became of them, as rows: no gateway, no device."""

from datetime import datetime, timedelta
from typing import Any

from releases_app.models import Exposure, Release, Stage


def select_device(release: Release, device: str, at: datetime, arm: str = "treatment", **columns: Any) -> None:
    """A device known before, drawn in the release's first stage, and offered its version unless it was held back."""
    stage = Stage.objects.get(release=release, position=0).pk
    offered = at if arm == "treatment" else None
    usual = {"stage": stage, "task": "camera/digits", "bucket": 1, "drawn_at": at, "offered_at": offered}
    known = {"first_seen": release.created_at - timedelta(days=1)}
    Exposure.objects.create(app=release.app, release=release.pk, device=device, arm=arm, **known | usual | columns)


def ended(at: datetime, outcome: str) -> dict[str, Any]:
    """The columns of an outcome."""
    return {"outcome": outcome, "settled_at": at, "reported_at": at}
