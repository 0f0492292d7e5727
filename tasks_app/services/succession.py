"""Which of a task's releases stands behind which: a newer one supersedes, and gives back when it is rolled back.

Devices are never without a rule for what they should have: an older complete release stays in force behind a newer one
until that is complete too, and comes back when it is rolled back.
"""

from collections.abc import Iterator
from datetime import datetime

from accounts_app.actors import SYSTEM
from tasks_app.models import Quarantine, Release
from tasks_app.selectors.releases import older_releases
from tasks_app.services.moves import Cause, move_release
from walle.release.rules import covers
from walle.release.states import UNFINISHED, ReleaseAction, ReleaseState


def supersede_unfinished(release: Release, now: datetime) -> None:
    """When a release meets its first devices: older ones on their way to the same devices end."""
    _supersede(release, UNFINISHED, now)


def supersede_finished(release: Release, now: datetime) -> None:
    """When a release is complete: what it covers is in force no longer."""
    _supersede(release, {ReleaseState.COMPLETE, ReleaseState.ABORTED}, now)


def _supersede(release: Release, states: set[ReleaseState] | frozenset[ReleaseState], now: datetime) -> None:
    for older in older_releases(release).filter(state__in=states).order_by("-id"):
        if covers(release.rule, older.rule):
            cause = Cause(SYSTEM, now, f"superseded by {release}", {"release": release.pk})
            move_release(older, ReleaseAction.SUPERSEDE, cause, superseded_by=release, superseded_from=older.state)


def restore_superseded(release: Release, now: datetime) -> list[Release]:
    """When a release is rolled back: the complete ones that it superseded are in force again, which are returned.

    In place of one whose version is in quarantine by now come those that it had superseded itself.
    """
    restored = []
    cause = Cause(SYSTEM, now, f"in force again: {release} was rolled back", {"release": release.pk})
    for older in _behind(release):
        move_release(older, ReleaseAction.RESTORE, cause, superseded_by=None, superseded_from="")
        restored.append(older)
    return restored


def _behind(release: Release) -> Iterator[Release]:
    for older in older_releases(release).filter(superseded_by=release, superseded_from=ReleaseState.COMPLETE):
        if Quarantine.objects.filter(version=older.version).exists():
            yield from _behind(older)
        else:
            yield older
