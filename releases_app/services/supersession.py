"""Which of a task's releases stands behind which: a newer one supersedes, and gives back when it is rolled back.

Devices are never without a rule for what they should have: an older complete release stays in force behind a newer one
until that is complete too, and comes back when it is rolled back.
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
"""States of older releases that end when a release to all their devices meets its first ones: they are on their way."""
WHEN_COMPLETE: Final = frozenset({ReleaseState.COMPLETE, ReleaseState.ABORTED})
"""States of older releases that are in force no longer when a release that covers them is complete."""


def supersede_unfinished(release: Release, now: datetime) -> None:
    """When a release meets its first devices."""
    _supersede(release, WITH_ITS_FIRST_DEVICES, now)


def supersede_finished(release: Release, now: datetime) -> None:
    """When a release is complete."""
    _supersede(release, WHEN_COMPLETE, now)


def covered(release: Release, states: Collection[ReleaseState]) -> list[Release]:
    """The older releases in these states, all of whose devices this one takes; the newest first."""
    older = older_releases(release).filter(state__in=states).order_by("-id")
    return among(release, older, states)


def among(release: Release, older: Iterable[Release], states: Collection[ReleaseState]) -> list[Release]:
    """Those of older releases that are in these states, and all of whose devices this one takes."""
    return [one for one in older if one.state in states and covers(release.eligible_rule, one.eligible_rule)]


def _supersede(release: Release, states: Collection[ReleaseState], now: datetime) -> None:
    for older in covered(release, states):
        cause = Cause(SYSTEM, now, f"superseded by {release}", {"release": release.pk})
        move_release(older, ReleaseAction.SUPERSEDE, cause, superseded_by=release, superseded_from=older.state)


def restore_superseded(release: Release, now: datetime) -> list[Release]:
    """When a release is rolled back: those that it superseded and that come back are in force again, and returned."""
    restored, _ = behind(release)
    cause = Cause(SYSTEM, now, f"in force again: {release} was rolled back", {"release": release.pk})
    for older in restored:
        move_release(older, ReleaseAction.RESTORE, cause, superseded_by=None, superseded_from="")
    return restored


def behind(release: Release) -> tuple[list[Release], list[Release]]:
    """The complete releases behind one: those that come back when it is rolled back, and those that do not.

    A version in quarantine does not come back, nor does the one that goes there with the rollback; in its place come
    those that its release had superseded itself.
    """
    restored: list[Release] = []
    barred: list[Release] = []
    above = [release]
    while above:
        newer = above.pop()
        for older in older_releases(newer).filter(superseded_by=newer, superseded_from=ReleaseState.COMPLETE):
            if older.version_id == release.version_id or is_quarantined(older.version):
                barred.append(older)
                above.append(older)
            else:
                restored.append(older)
    return restored, barred
