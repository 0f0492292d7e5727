"""Supersede older releases of a task by newer ones, and restore them after a rollback.

Devices are never without a rule for what they should have: an older complete release stays in force behind a newer one
until that is complete too, and is restored when that is rolled back.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

from accounts_app.actors import SYSTEM
from releases_app.models import Release
from releases_app.selectors.releases import older_releases
from releases_app.services.moves import Cause, move_release
from releases_app.services.quarantine import is_quarantined
from walle.release.rules import covers
from walle.release.states import UNFINISHED, ReleaseAction, ReleaseState

WITH_ITS_FIRST_DEVICES: Final = UNFINISHED
"""States of older releases that end when a release to all their devices reaches its first ones: they are in progress.
"""
WHEN_COMPLETE: Final = frozenset({ReleaseState.COMPLETE, ReleaseState.ABORTED})
"""States of older releases that are no longer in force when a release that covers them is complete."""


def supersede_unfinished(release: Release, now: datetime) -> None:
    """Supersede older unfinished releases, when a release reaches its first devices."""
    _supersede(release, WITH_ITS_FIRST_DEVICES, now)


def supersede_finished(release: Release, now: datetime) -> None:
    """Supersede older releases, when a release is complete."""
    _supersede(release, WHEN_COMPLETE, now)


def covered(release: Release, states: Collection[ReleaseState]) -> list[Release]:
    """Return the older releases in these states, all of whose devices this one covers; the newest first."""
    older = older_releases(release).filter(state__in=states).order_by("-id")
    return among(release, older, states)


def among(release: Release, older: Iterable[Release], states: Collection[ReleaseState]) -> list[Release]:
    """Return those of older releases that are in these states, and all of whose devices this one covers."""
    return [each for each in older if each.state in states and covers(release.eligible_rule, each.eligible_rule)]


def _supersede(release: Release, states: Collection[ReleaseState], now: datetime) -> None:
    for older in covered(release, states):
        cause = Cause(SYSTEM, now, f"superseded by {release}", {"release": release.pk})
        move_release(older, ReleaseAction.SUPERSEDE, cause, superseded_by=release, superseded_from=older.state)


def restore_superseded(release: Release, now: datetime) -> list[Release]:
    """Restore the releases that a rolled-back release superseded, and return them."""
    restored, _ = releases_after_rollback(release)
    cause = Cause(SYSTEM, now, f"in force again: {release} was rolled back", {"release": release.pk})
    for older in restored:
        move_release(older, ReleaseAction.RESTORE, cause, superseded_by=None, superseded_from="")
    return restored


def releases_after_rollback(release: Release) -> tuple[list[Release], list[Release]]:
    """Return which superseded releases a rollback of this one restores, and which it does not.

    A version in quarantine is not restored, nor is the one that goes there with the rollback; instead, the releases
    that its release had superseded are restored.
    """
    restored: list[Release] = []
    barred: list[Release] = []
    above = [release]
    while above:
        newer = above.pop()
        superseded = older_releases(newer).filter(state=ReleaseState.SUPERSEDED, superseded_by=newer)
        for older in superseded.filter(superseded_from=ReleaseState.COMPLETE):
            if older.version_id == release.version_id or is_quarantined(older.version):
                barred.append(older)
                above.append(older)
            else:
                restored.append(older)
    return restored, barred
