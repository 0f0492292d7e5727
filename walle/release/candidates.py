"""What an entry of the table means for one device: as far as that can be said before devices ask."""

from __future__ import annotations

from typing import Final, NamedTuple

from walle.protocol.headers import short_digest
from walle.release.cohort import BUCKETS, Cohort, Point, draw_limit, draw_number
from walle.release.table import Entry, Mode

Change = Entry | str
"""What a device should change: take an entry's version, or give up the task of this name."""

EVERY: Final = 1 << 64
"""A limit that every device is below, and that no device reaches."""


class Selection(NamedTuple):
    """One entry for which devices are drawn.

    A device has a number, factor * point + offset mod 2^64 (walle.release.cohort). Below `limit` it is drawn: `change`
    is what it should change then, None where it keeps what it has. From `control` on it is held back as control, and
    the next draw of the contest decides.
    """

    factor: int
    offset: int
    limit: int
    control: int
    entry: Entry | None
    change: Change | None

    def number(self, point: Point) -> Point:
        """The number of the device that stands at a point, or those of many devices."""
        return draw_number(self.factor, self.offset, point)

    @property
    def takes_every_device(self) -> bool:
        return self.limit >= EVERY


class Candidate(NamedTuple):
    """A version, with the draw of devices that lack it (None if they are not concerned) and that of those that have it.

    The digest is the short one that profiles carry.
    """

    digest: bytes
    absent: Selection | None
    installed: Selection


def candidate(entry: Entry) -> Candidate:
    """The candidate that an entry is for devices that match its rule."""
    digest, cohort = short_digest(entry.manifest), Cohort(entry.salt)
    if entry.mode == Mode.KEEP:
        return Candidate(digest, None, Selection(0, 0, EVERY, EVERY, entry, None))
    installed = Selection(cohort.factor, cohort.offset, draw_limit(entry.share), EVERY, entry, None)
    if entry.mode == Mode.HOLD:
        return Candidate(digest, installed, installed)
    control = draw_limit(BUCKETS - entry.control) if entry.control else EVERY
    return Candidate(digest, installed._replace(control=control, change=entry), installed)


def withdrawn(task: str, manifest: str) -> Candidate:
    """The candidate that a withdrawn version is for every device: who has it gives up the task."""
    return Candidate(short_digest(manifest), None, Selection(0, 0, EVERY, EVERY, None, task))
