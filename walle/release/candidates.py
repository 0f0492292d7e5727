"""What an entry of the table means for a device, as far as it can be computed before devices check in."""

from __future__ import annotations

from typing import Final, NamedTuple

from walle.protocol.headers import short_digest
from walle.release.cohort import BUCKETS, Cohort, Point, cohort_limit, cohort_number
from walle.release.table import Entry, Mode

Change = Entry | str
"""A change that a device should make: install an entry's version, or remove the task of this name."""

EVERY: Final = 1 << 64
"""A limit above the number of every device."""


class Selection(NamedTuple):
    """The selection of devices for one entry.

    A device has a number, factor * point + offset mod 2^64 (walle.release.cohort). Below `limit` it is selected
    and should make `change`; None keeps its version. From `control` on it is held back as control, and the next
    selection of the allocation decides.
    """

    factor: int
    offset: int
    limit: int
    control: int
    entry: Entry | None
    change: Change | None

    def number(self, point: Point) -> Point:
        """Return the number of the device at a point, or the numbers of many devices."""
        return cohort_number(self.factor, self.offset, point)


class Candidate(NamedTuple):
    """A version, with the selections of devices without it (None if not concerned) and of devices that have it.

    The digest is the short one that profiles carry.
    """

    digest: bytes
    absent: Selection | None
    installed: Selection

    @property
    def is_held(self) -> bool:
        """Whether devices without the version keep what they have, since its release is paused."""
        return self.absent is not None and self.absent.entry is not None and self.absent.change is None


def candidate(entry: Entry) -> Candidate:
    """Return the candidate of an entry for devices that match its rule."""
    digest, cohort = short_digest(entry.manifest), Cohort(entry.salt)
    if entry.mode == Mode.KEEP:
        return Candidate(digest, None, Selection(0, 0, EVERY, EVERY, entry, None))
    installed = Selection(cohort.factor, cohort.offset, cohort_limit(entry.share), EVERY, entry, None)
    if entry.mode == Mode.HOLD:
        return Candidate(digest, installed, installed)
    control = cohort_limit(BUCKETS - entry.control) if entry.control else EVERY
    return Candidate(digest, installed._replace(control=control, change=entry), installed)


def withdrawn(task: str, manifest: str) -> Candidate:
    """Return the candidate of a withdrawn version: every device that has it removes the task."""
    return Candidate(short_digest(manifest), None, Selection(0, 0, EVERY, EVERY, None, task))
