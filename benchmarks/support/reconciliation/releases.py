"""Releases as services make them, of versions that are rows only: nobody downloads them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devices_app.models import App
    from releases_app.models import Release
    from tasks_app.models import Task, TaskVersion

SCENARIO: Final = "bench"
APP: Final = "mall"
STRATEGY: Final[Mapping[str, Any]] = {
    "simulation": False,
    "control_percent": 5,
    "silence_s": 86_400,
    "metric": "confidence",
    "limits": {"failure_rate": 0.05, "latency_ms": 250},
    "stages": [
        {"kind": "gray", "percent": 10, "dwell_s": 2_000_000, "evidence": 10},
        {"kind": "gray", "percent": 100, "dwell_s": 2_000_000, "evidence": 10},
    ],
}
"""Stages that last for weeks, so that a reconciliation judges and waits."""


def make_app(now: datetime) -> App:
    """Create the app and the scenario that may deliver to it."""
    from accounts_app.actors import SYSTEM
    from devices_app.services.apps import add_version, create_app
    from devices_app.services.keys import ensure_keys
    from releases_app.services.delivery_grants import allow_delivery
    from tasks_app.models import Scenario

    ensure_keys(now=now)
    app = create_app(slug=APP, name="Mall", actor=SYSTEM, now=now)
    add_version(app=app, version="1.0.0", actor=SYSTEM)
    scenario = Scenario.objects.create(slug=SCENARIO)
    allow_delivery(app=app, scenario=scenario, complete_early=True, actor=SYSTEM, now=now)
    return app


def make_task(slug: str) -> Task:
    from tasks_app.models import Scenario, Task

    return Task.objects.create(scenario=Scenario.objects.get(), slug=slug)


def make_version(task: Task, version: str, now: datetime) -> TaskVersion:
    from devices_app.stores import artifact_store

    row = version_row(task, version, artifact_store().put(b"{}").digest, now)
    row.save()
    return row


def version_row(task: Task, version: str, envelope: str, now: datetime) -> TaskVersion:
    """Return a version that is not stored yet, with some artifact for its envelope: tables contain its size."""
    from tasks_app.models import TaskVersion
    from walle.conformance.client.repository import manifest_fields
    from walle.protocol.canonical import canonical_json
    from walle.protocol.names import SemVer

    manifest = canonical_json(manifest_fields(task.name, version, []) | {"limits": {"failure_rate": None}})
    digest = sha256(f"{task.name} {version}".encode()).hexdigest()
    return TaskVersion(
        task=task,
        version=version,
        order=SemVer.parse(version).sort_key,
        commit=digest[:40],
        author_name="Ada",
        tagged_at=now,
        manifest=manifest,
        manifest_digest=digest,
        envelope_digest=envelope,
        signed_by="k1",
        total_size=0,
    )


def draft(app: App, version: TaskVersion, now: datetime, strategy: Mapping[str, Any] = STRATEGY) -> Release:
    from accounts_app.actors import SYSTEM
    from releases_app.services.releases import create_release
    from walle.release.rules import uniform

    rule = uniform(["1.0.0"])
    return create_release(app=app, version=version, rule=rule, strategy=strategy, actor=SYSTEM, now=now)


def move(release: Release, action: str, now: datetime) -> Release:
    from accounts_app.actors import SYSTEM
    from releases_app.services.releases import act
    from walle.release.states import ReleaseAction

    return act(release=release, action=ReleaseAction(action), actor=SYSTEM, now=now, reason="for the benchmark")
