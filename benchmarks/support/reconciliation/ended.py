"""An app with many ended releases, beside one complete and one running release of each task."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from benchmarks.support.reconciliation.releases import STRATEGY, draft, make_task, make_version, move, version_row

if TYPE_CHECKING:
    from devices_app.models import App
    from releases_app.models import Release

TASKS: Final = 20
FATES: Final = (
    ("superseded", "complete"),
    ("superseded", "running"),
    ("aborted", ""),
    ("rolled-back", ""),
    ("superseded", "complete"),
)
"""How ended releases ended, and the state in which a newer one superseded them; in turn."""


def _rule(number: int) -> dict[str, object]:
    """Return a rule of its own for each, of devices that the rule of a later release has, too."""
    return {"all": [{"fact": "app_version", "in": ["1.0.0"]}, {"fact": "os_version", "version": f">={number + 1}"}]}


def make_ended(app: App, ended: int, now: datetime) -> list[Release]:
    """Write the ended releases as rows, then complete a newer one of each task; return a running one of each."""
    from devices_app.stores import artifact_store
    from releases_app.models import Quarantine, Release, Stage
    from tasks_app.models import TaskVersion
    from walle.release.strategy import Strategy

    tasks = [make_task(f"ended-{number}") for number in range(min(TASKS, ended))]
    plan = Strategy.from_dict(STRATEGY)
    envelope = artifact_store().put(b"{}").digest
    versions = TaskVersion.objects.bulk_create(
        version_row(tasks[number % len(tasks)], f"1.{number}.0", envelope, now) for number in range(ended)
    )
    releases = Release.objects.bulk_create(
        Release(
            app=app,
            version=version,
            rule=_rule(number // len(tasks)),
            strategy=plan.to_dict(),
            salt=secrets.token_bytes(16),
            state=FATES[number % len(FATES)][0],
            position=1,
            superseded_from=FATES[number % len(FATES)][1],
            created_by="system",
            created_at=now - timedelta(days=400),
        )
        for number, version in enumerate(versions)
    )
    Stage.objects.bulk_create(
        Stage(release=release, position=place, kind=stage.kind, share=stage.share, entered_at=now)
        for release in releases
        for place, stage in enumerate(plan.stages)
    )
    Quarantine.objects.bulk_create(
        Quarantine(version=release.version, release=release, reason="it failed", by="system", at=now)
        for release in releases
        if release.state == "rolled-back"
    )
    running = []
    for task in tasks:
        complete = draft(app, make_version(task, "2.0.0", now), now)
        for action in ("start", "promote", "complete"):
            move(complete, action, now)
        running.append(move(draft(app, make_version(task, "2.1.0", now), now), "start", now))
    return running
