"""Draft a release again, unchanged or with changes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts_app.actors import Actor
from releases_app.models import Release
from releases_app.services.releases import create_release
from tasks_app.models import TaskVersion
from tasks_app.selectors.catalogue import is_prerelease, versions_of
from tasks_app.selectors.refusals import refusal_of


def newest_releasable(version: TaskVersion) -> TaskVersion:
    """Return the highest version of the task that may be released; this one if there is none.

    Those in quarantine may not, nor those that nothing can run. Pre-releases count only if this one is a pre-release.
    """
    found = versions_of(version.task).filter(quarantine=None)
    may_be_early = is_prerelease(version)
    allowed = (each for each in found if (may_be_early or not is_prerelease(each)) and not refusal_of(each))
    return next(allowed, version)


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
    """Draft a release again, to the same app; it shares no devices with the original.

    Its version is the one given, or else the newest that may be released. `rule` replaces that of the original, and so
    does each key of `strategy`. Raises what `create_release` does.
    """
    return create_release(
        app=release.app,
        version=version or newest_releasable(release.version),
        rule=release.rule if rule is None else rule,
        strategy={**release.strategy, **(strategy or {})},
        actor=actor,
        now=now,
    )
