"""Releases for tests that are about something else: at once, to devices of some versions of the app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import App
from releases_app.models import DeliveryGrant, Release
from releases_app.selectors.delivery import grant_between
from releases_app.services.delivery_grants import allow_delivery
from releases_app.services.releases import act, create_release
from tasks_app.models import Scenario, Task, TaskVersion
from walle.conformance.client.repository import manifest_fields
from walle.protocol.canonical import canonical_json
from walle.release.rules import uniform
from walle.release.states import ReleaseAction
from walle.release.strategy import AT_ONCE


def allow(app: App, scenario: Scenario, *, early: bool = True, now: datetime | None = None) -> DeliveryGrant:
    """The scenario may deliver to the app, and complete early there, unless a test says otherwise."""
    now = now or timezone.now()
    return allow_delivery(app=app, scenario=scenario, complete_early=early, actor=SYSTEM, now=now)


def draft_of(
    app: App,
    version: TaskVersion,
    *,
    now: datetime,
    app_versions: Sequence[str] = ("1.0.0",),
    strategy: Mapping[str, Any] = AT_ONCE,
) -> Release:
    if grant_between(app, version.task.scenario) is None:
        allow(app, version.task.scenario, now=now)
    return create_release(
        app=app, version=version, rule=uniform(app_versions), strategy=strategy, actor=SYSTEM, now=now
    )


def move_on(release: Release, *actions: ReleaseAction | str, now: datetime) -> Release:
    for action in actions:
        act(release=release, action=ReleaseAction(action), actor=SYSTEM, now=now)
    return release


def make_version(scenario: str, task: str, version: str, **changes: Any) -> TaskVersion:
    """A version as a row, without files: nobody downloads it."""
    row, _ = Scenario.objects.get_or_create(slug=scenario)
    task_row, _ = Task.objects.get_or_create(scenario=row, slug=task)
    manifest = changes.pop("manifest", canonical_json(manifest_fields(f"{scenario}/{task}", version, [])))
    digest = sha256(f"{scenario}/{task} {version}".encode()).hexdigest()
    return TaskVersion.objects.create(
        task=task_row,
        version=version,
        commit="0" * 40,
        author_name="A",
        tagged_at=timezone.now(),
        manifest=manifest,
        manifest_digest=digest,
        envelope_digest=digest,
        signed_by="test",
        total_size=0,
        **changes,
    )
