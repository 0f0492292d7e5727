"""An app with many ended releases, beside one complete and one running release of each task."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from benchmarks.support.look.releases import STRATEGY, draft, make_task, make_version, move

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


def make_ended(app: App, ended: int, now: datetime) -> list[Release]:
    """Write the ended releases as rows, then complete a newer one of each task; return a running one of each."""
    from releases_app.models import Quarantine, Release, Stage
    from walle.release.rules import uniform
    from walle.release.strategy import Strategy

    tasks = [make_task(f"ended-{number}") for number in range(min(TASKS, ended))]
    plan = Strategy.from_dict(STRATEGY)
    for number in range(ended):
        state, superseded_from = FATES[number % len(FATES)]
        version = make_version(tasks[number % len(tasks)], f"1.{number}.0", now)
        release = Release.objects.create(
            app=app,
            version=version,
            rule=uniform(["1.0.0"]),
            strategy=plan.to_dict(),
            salt=secrets.token_bytes(16),
            state=state,
            position=1,
            superseded_from=superseded_from,
            created_by="system",
            created_at=now - timedelta(days=400),
        )
        Stage.objects.bulk_create(
            Stage(release=release, position=place, kind=stage.kind, share=stage.share, entered_at=now)
            for place, stage in enumerate(plan.stages)
        )
        if state == "rolled-back":
            Quarantine.objects.create(version=version, release=release, reason="it failed", by="system", at=now)
    running = []
    for task in tasks:
        complete = draft(app, make_version(task, "2.0.0", now), now)
        for action in ("start", "promote", "complete"):
            move(complete, action, now)
        running.append(move(draft(app, make_version(task, "2.1.0", now), now), "start", now))
    return running
