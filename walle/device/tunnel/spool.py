"""The spool: what waits on the disk to go up, and survives the death of the process at any byte.

Every process begins a segment of its own, whose block of sequence numbers lies behind those of all before: a number
that may have been sent is never given again, even if a loss of power took the record with it. So records may be sent
before they are synced, and they are synced in groups. Between two segments numbers may be left out.

The spool is bounded. When it is full, the oldest segment goes, a small part of the whole, and what had not been
acknowledged of it is counted as dropped.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from walle.device.storage.disk import Disk, remove_temporaries
from walle.device.tunnel.segments import BLOCK, SPOOL_ID_BYTES, SUFFIX, Segment, SegmentDamaged

MAX_BYTES: Final = 16 << 20
MAX_RECORDS: Final = 100_000
SEGMENT_BYTES: Final = 256 << 10
"""A segment that has so many bytes is followed by another one; a single record may be longer."""


class SpooledRecord(NamedTuple):
    """One record of the spool."""

    sequence: int
    data: bytes


class Spool:
    """The records in one folder. One method at a time, but for `sync`, in any thread; each may wait for the disk.

    Any may raise OSError. Properties, `at_or_after` and `len` wait for nothing, and may be used beside a method.

    `new_id` returns SPOOL_ID_BYTES random bytes. `set_aside` is the folder of a spool that was found damaged by this
    process, and `damage` what was wrong with it.
    """

    def __init__(
        self,
        folder: Path,
        disk: Disk,
        *,
        new_id: Callable[[], bytes] = lambda: os.urandom(SPOOL_ID_BYTES),
        max_bytes: int = MAX_BYTES,
        max_records: int = MAX_RECORDS,
        segment_bytes: int = SEGMENT_BYTES,
    ) -> None:
        self._folder, self._disk, self._new_id = folder, disk, new_id
        self._max_bytes, self._max_records, self._segment_bytes = max_bytes, max_records, segment_bytes
        self.dropped = 0
        self.damage = ""
        self.set_aside: Path | None = None
        self._open_segment: Segment | None = None
        self._unsynced = False
        self._segments: list[Segment] = []
        try:
            self._segments = _loaded(folder)
        except SegmentDamaged as error:
            self._put_aside(str(error))
        self._begin()

    def _begin(self) -> None:
        last = self._segments[-1] if self._segments else None
        self.id = last.spool if last else self._new_id()
        self._next = last.first + BLOCK if last else 1
        self._acknowledged = self._segments[0].first - 1 if self._segments else 0

    def renew(self, reason: str) -> None:
        """Set this spool aside as damaged, with all that waits in it, and begin another one with an id of its own."""
        waiting = len(self)
        self._put_aside(reason)
        self._begin()
        self.dropped += waiting

    def __len__(self) -> int:
        """The number of records that are not acknowledged."""
        return sum(segment.next - max(segment.first, self._acknowledged + 1) for segment in self._waiting())

    @property
    def size(self) -> int:
        """What the segments take on the disk."""
        return sum(segment.size for segment in tuple(self._segments))

    @property
    def next(self) -> int:
        """The sequence that the next record will have."""
        return self._next

    @property
    def oldest(self) -> int:
        """The sequence of the oldest record that is not acknowledged, or else of the one that will come next."""
        return self.at_or_after(self._acknowledged + 1)

    def at_or_after(self, sequence: int) -> int:
        """Return the sequence of the first record from this number on, or else of the one that will come next."""
        for segment in tuple(self._segments):
            if sequence < segment.next and segment.offsets:
                return max(sequence, segment.first)
        return max(sequence, self._next)

    def append(self, records: Sequence[bytes]) -> int:
        """Add records, which then survive the death of the process; return the sequence of the first of them.

        They have sequences without a gap, and survive a loss of power only after `sync`.
        """
        first, pending = self._next, deque(records)
        while pending:
            segment = self._writable()
            taken = [pending.popleft()]
            room = self._segment_bytes - segment.size - len(taken[0])
            while pending and (room := room - len(pending[0])) > 0 and len(taken) < BLOCK - len(segment.offsets):
                taken.append(pending.popleft())
            self._disk.checkpoint("spool: before append")
            try:
                segment.append(taken)
            except FileNotFoundError:
                self._give_up(segment)
                pending.extendleft(reversed(taken))
                continue
            self._disk.checkpoint("spool: appended")
            self._next, self._unsynced = segment.next, True
        self._make_room()
        return first

    def read(self, sequence: int, *, most_bytes: int) -> list[SpooledRecord]:
        """Return records from `at_or_after(sequence)` on, in their order, of one segment: at least one, if any is left.

        Further ones are within `most_bytes` of the file. Raises SegmentDamaged if they have changed on the disk.
        """
        first = self.at_or_after(sequence)
        for segment in self._segments:
            if segment.first <= first < segment.next:
                found = segment.read(first, most_bytes)
                return [SpooledRecord(first + index, data) for index, data in enumerate(found)]
        return []

    def acknowledge(self, sequence: int) -> None:
        """Everything up to this sequence need not be kept; one that is older than the last changes nothing."""
        self._acknowledged = max(self._acknowledged, min(sequence, self._next - 1))
        while self._segments and self._segments[0].next <= self._acknowledged + 1:
            # The last one stays for the numbers that it stands for.
            if len(self._segments) == 1:
                return
            self._remove_oldest()

    def sync(self) -> None:
        """Have all that was appended survive a loss of power. It may run beside another method."""
        last = self._open_segment
        if self._unsynced and last is not None:
            self._unsynced = False  # before: what comes meanwhile is for the next time
            with suppress(FileNotFoundError):  # all of it was acknowledged or given up meanwhile
                self._disk.sync_file(last.path)

    def _waiting(self) -> list[Segment]:
        return [segment for segment in tuple(self._segments) if segment.next > self._acknowledged + 1]

    def _is_full(self, segment: Segment) -> bool:
        return segment.full or segment.size >= self._segment_bytes

    def _writable(self) -> Segment:
        """Return the segment of this process, or a new one: the older are complete on the disk before it is there."""
        if self._open_segment is None or self._is_full(self._open_segment):
            self._complete()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._open_segment = Segment.create(self._folder, self.id, self._next, self._disk)
            self._segments.append(self._open_segment)
            self.acknowledge(self._acknowledged)
        return self._open_segment

    def _complete(self) -> None:
        """Have the last segment end with its last record, durably."""
        if self._segments:
            with suppress(FileNotFoundError):  # somebody removed it, which is found when it is read
                self._segments[-1].cut()
                self._disk.sync_file(self._segments[-1].path)

    def _give_up(self, segment: Segment) -> None:
        """Go on without the segment of this process, which somebody removed."""
        self.dropped += max(0, segment.next - max(segment.first, self._acknowledged + 1))
        self._segments.remove(segment)
        self._open_segment = None

    def _make_room(self) -> None:
        while len(self._segments) > 1 and (len(self) > self._max_records or self.size > self._max_bytes):
            oldest = self._segments[0]
            self.dropped += max(0, oldest.next - max(oldest.first, self._acknowledged + 1))
            self._acknowledged = max(self._acknowledged, oldest.next - 1)
            self._remove_oldest()

    def _remove_oldest(self) -> None:
        self._disk.remove(self._segments.pop(0).path, step="spool segment gone")

    def _put_aside(self, reason: str) -> None:
        self.damage, self.set_aside = reason, self._folder.with_name(self._folder.name + ".broken")
        self._disk.remove_tree(self.set_aside, step="older damaged spool")
        with suppress(FileNotFoundError):
            self._disk.rename(self._folder, self.set_aside, step="damaged spool")
        self._segments, self._open_segment, self._unsynced = [], None, False


def _loaded(folder: Path) -> list[Segment]:
    """Return the segments in a folder, oldest first. Raises SegmentDamaged."""
    if folder.exists():
        remove_temporaries(folder)
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    segments = [Segment.load(path, torn=path == paths[-1]) for path in paths]
    for before, after in pairwise(segments):
        if after.spool != before.spool or after.first < before.next:
            raise SegmentDamaged(f"{after.path.name} does not follow {before.path.name}")
    return segments
