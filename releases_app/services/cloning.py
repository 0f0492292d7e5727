"""Draft a release again, unchanged or with changes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts_app.actors import Actor
from releases_app.models import Release
from releases_app.services.releases import create_release
from tasks_app.models import TaskVersion


@transaction.atomic
def clone_release(
    *,
    release: Release,
    actor: Actor,
    now: datetime,
    version: TaskVersion | None = None,
    rule: Mapping[str, Any] | None = None,
    strategy: Mapping[str, Any] | None = None,
) -> Release:
    """Draft the same release again, to the same app; it shares no devices with the original.

    `version` and `rule` replace those of the original, and so does each key of `strategy`. Raises what `create_release`
    does.
    """
    return create_release(
        app=release.app,
        version=version or release.version,
        rule=release.rule if rule is None else rule,
        strategy={**release.strategy, **(strategy or {})},
        actor=actor,
        now=now,
    )
