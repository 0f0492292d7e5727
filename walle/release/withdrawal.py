"""Which versions devices must give up because they were withdrawn, as tables say: rolled back, quarantined or retired.
How long that takes, and how it is watched.

A version that a newer release replaces is not among them: devices have time for that one, at the pace of its release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from walle.protocol.headers import Profile, short_digest
from walle.release.table import Entry, Mode, Table, Version


@dataclass(frozen=True)
class WithdrawnVersions:
    """Versions that devices must give up, and `tasks` of which they must give up every version."""

    versions: frozenset[Version] = frozenset()
    tasks: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.versions or self.tasks)

    def __sub__(self, other: WithdrawnVersions) -> WithdrawnVersions:
        return WithdrawnVersions(self.versions - other.versions, self.tasks - other.tasks)

    def concerns(self, profile: Profile) -> bool:
        """Return whether a device with this profile must give anything up."""
        return not (self.versions.isdisjoint(profile.items()) and self.tasks.isdisjoint(profile))


MOST_INTERVALS: Final = 1.1
"""The most check-in intervals after which a device that can reach the server has checked in (walle.gateway.checkin)."""
MARGIN_S: Final = 2.0
"""The time that a table takes to every gateway, and a check-in to the registry."""
COUNT_EVERY_S: Final = (2.0, 60.0)
"""The shortest and the longest time between two counts of the devices that still have a version."""


def told_within(interval: float) -> float:
    """Return the seconds within which every device that can reach the server hears of a withdrawal."""
    return MOST_INTERVALS * interval + MARGIN_S


def count_after(elapsed: float) -> float:
    """Return the seconds until the next count, so many seconds after a withdrawal began: ever more, few at first."""
    shortest, longest = COUNT_EVERY_S
    return min(longest, max(shortest, elapsed / 30))


NOTHING_WITHDRAWN: Final = WithdrawnVersions()


def withdrawn_since(known: WithdrawnVersions, before: Table | None, after: Table) -> WithdrawnVersions:
    """Return what is withdrawn under the table `after`, which follows `before`; `known` is what was under that one.

    A table names what was rolled back and retired. What stopped being distributed without a newer release in its place,
    such as a version whose quarantine began through another app, shows only in the difference of the two.
    """
    distributed = {_version(entry) for entry in after.entries}
    vanished = _vanished(before.entries, after.entries) if before else frozenset()
    return WithdrawnVersions(
        after.withdrawn_versions | ((known.versions | vanished) - distributed), frozenset(after.removals)
    )


def _vanished(before: Iterable[Entry], after: tuple[Entry, ...]) -> frozenset[Version]:
    """Return the versions that are no longer distributed and that no newer release of the task replaces."""
    newest: dict[str, int] = {}
    for entry in after:
        if entry.mode is Mode.OFFER:
            newest[entry.task] = max(entry.release, newest.get(entry.task, 0))
    distributed = {_version(entry) for entry in after}
    released: dict[Version, int] = {}
    for entry in before:
        released[_version(entry)] = max(entry.release, released.get(_version(entry), 0))
    return frozenset(
        version
        for version, release in released.items()
        if version not in distributed and newest.get(version[0], 0) <= release
    )


def _version(entry: Entry) -> Version:
    return entry.task, short_digest(entry.manifest)
