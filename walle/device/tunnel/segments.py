"""The files of the spool: segments that are only appended to, each with a block of sequence numbers of its own.

A segment is a header, then records: the length of the data (4 bytes, little endian), its CRC-32 (4 bytes), the data.
The header names the spool and the first sequence of the block; record i of a segment has that sequence plus i.
"""

from __future__ import annotations

import os
import struct
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from walle.device.storage.disk import Disk

BLOCK: Final = 1 << 16
"""So many sequence numbers belong to a segment, whether they are used or not."""
SPOOL_ID_BYTES: Final = 8
SUFFIX: Final = ".seg"
_MAGIC: Final = b"WSP1"
_HEADER: Final = struct.Struct("<4s8sQI")
_RECORD: Final = struct.Struct("<II")
OVERHEAD: Final = _RECORD.size
"""Bytes that a record takes beyond its data."""


class SegmentDamaged(Exception):
    """A segment is not what this device wrote, before its torn tail."""


@dataclass
class Segment:
    """One segment: `offsets` are where the records begin, and `size` is where the next one will."""

    path: Path
    spool: bytes
    first: int
    size: int = _HEADER.size
    offsets: array[int] = field(default_factory=lambda: array("Q"))

    @classmethod
    def create(cls, folder: Path, spool: bytes, first: int, disk: Disk) -> Segment:
        """Make an empty segment: it is there completely, and durably, or not at all."""
        path = folder / f"{first:016d}{SUFFIX}"
        head = _HEADER.pack(_MAGIC, spool, first, zlib.crc32(_MAGIC + spool + first.to_bytes(8, "little")))
        disk.write(path, head, step="spool segment")
        return cls(path, spool, first)

    @classmethod
    def load(cls, path: Path, *, torn: bool) -> Segment:
        """Read a segment. With `torn` an unfinished record may be its last, which is cut off.

        Raises SegmentDamaged, OSError.
        """
        data = path.read_bytes()
        segment = cls._headed(path, data)
        for offset, end in _sound_records(data):
            segment.offsets.append(offset)
            segment.size = end
        if segment.size != len(data):
            if not torn:
                raise SegmentDamaged(f"{path.name} has no sound record at byte {segment.size} of {len(data)}")
            segment.cut()
        return segment

    @classmethod
    def _headed(cls, path: Path, data: bytes) -> Segment:
        if len(data) < _HEADER.size:
            raise SegmentDamaged(f"{path.name} has {len(data)} bytes, a header has {_HEADER.size}")
        magic, spool, first, checksum = _HEADER.unpack_from(data)
        if magic != _MAGIC or zlib.crc32(magic + spool + first.to_bytes(8, "little")) != checksum:
            raise SegmentDamaged(f"{path.name} has another header than a segment")
        return cls(path, spool, first)

    @property
    def next(self) -> int:
        """The sequence of the record that would come next."""
        return self.first + len(self.offsets)

    @property
    def full(self) -> bool:
        return len(self.offsets) >= BLOCK

    def _end(self, sequence: int) -> int:
        """Return where a record ends, which is where the next one begins."""
        index = sequence - self.first + 1
        return self.offsets[index] if index < len(self.offsets) else self.size

    def append(self, records: Sequence[bytes]) -> None:
        """Write records, none of them empty, at the end.

        Raises OSError: then there are none of them, and the next ones take their place.
        """
        offsets, size = array("Q"), self.size
        for data in records:
            offsets.append(size)
            size += OVERHEAD + len(data)
        written = b"".join(_RECORD.pack(len(data), zlib.crc32(data)) + data for data in records)
        with self.path.open("r+b", buffering=0) as file:
            file.seek(self.size)
            if file.write(written) != len(written):
                raise OSError(f"{self.path.name} could not be written completely")
        self.offsets, self.size = self.offsets + offsets, size

    def cut(self) -> None:
        """Remove what a failed `append` may have left behind the last record. Raises OSError."""
        if self.path.stat().st_size > self.size:
            os.truncate(self.path, self.size)

    def read(self, sequence: int, most_bytes: int) -> list[bytes]:
        """Return the data of the records from this one on: at least one, further ones within so many bytes of file.

        Raises SegmentDamaged, OSError.
        """
        last, start = sequence, self._end(sequence - 1)
        while last + 1 < self.next and self._end(last + 1) - start <= most_bytes:
            last += 1
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                data = file.read(self._end(last) - start)
        except FileNotFoundError as error:
            raise SegmentDamaged(f"{self.path.name} is gone") from error
        found = [data[offset + OVERHEAD : end] for offset, end in _sound_records(data, 0)]
        if len(found) != last - sequence + 1:
            raise SegmentDamaged(f"{self.path.name} does not hold the records {sequence} to {last} any more")
        return found


def _sound_records(data: bytes, offset: int = _HEADER.size) -> list[tuple[int, int]]:
    """Return where the records begin and end, up to the first that is incomplete or does not have its checksum.

    None is empty: zeros, as a loss of power may leave them, are not records.
    """
    found = []
    while offset + OVERHEAD <= len(data):
        length, checksum = _RECORD.unpack_from(data, offset)
        end = offset + OVERHEAD + length
        if not length or end > len(data) or zlib.crc32(memoryview(data)[offset + OVERHEAD : end]) != checksum:
            break
        found.append((offset, end))
        offset = end
    return found
