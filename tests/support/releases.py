"""Releases for tests that are about something else: at once, to devices of some versions of the app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from accounts_app.actors import SYSTEM
from devices_app.models import App
from tasks_app.models import Release, TaskVersion
from tasks_app.services.releases import act, create_release
from walle.release.rules import uniform
from walle.release.states import ReleaseAction
from walle.release.strategy import AT_ONCE


def draft_of(
    app: App,
    version: TaskVersion,
    *,
    now: datetime,
    app_versions: Sequence[str] = ("1.0.0",),
    strategy: Mapping[str, Any] = AT_ONCE,
) -> Release:
    return create_release(
        app=app, version=version, rule=uniform(app_versions), strategy=strategy, actor=SYSTEM, now=now
    )


def move_on(release: Release, *actions: ReleaseAction | str, now: datetime) -> Release:
    for action in actions:
        act(release=release, action=ReleaseAction(action), actor=SYSTEM, now=now)
    return release
