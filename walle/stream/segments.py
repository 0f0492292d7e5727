"""The files of the event log: segments of lines, each begun anew at a size or an age, the oldest removed first.

A line belongs to a file once it ends. What a killed process left of a line is cut off when the folder is opened again.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

log = logging.getLogger(__name__)

_SUFFIX: Final = ".jsonl"
_DAMAGED: Final = ".damaged"
_TAIL: Final = 256 * 1024
"""How far before a file's end its last line begins at the furthest: an event's line is shorter by far."""


@dataclass(frozen=True, slots=True)
class SegmentBounds:
    """How much the files keep: bytes of one and of all together, and seconds. A segment covers a seventh of the age."""

    segment_bytes: int = 1024 * 1024
    total_bytes: int = 16 * 1024 * 1024
    age_s: float = 7 * 86_400.0


@dataclass(slots=True)
class Segment:
    """One file. `first` is the number of its first line; times are Unix seconds of its oldest and its newest line."""

    path: Path
    first: int
    size: int
    oldest: float
    newest: float


class SegmentFolder:
    """The segments in one folder, which is made; only its owner can read it.

    `torn` counts last lines that were cut off, `set_aside` is the last file that was damaged, under its new name.
    """

    def __init__(self, folder: Path, bounds: SegmentBounds) -> None:
        self._folder, self._bounds = folder, bounds
        self.torn = 0
        self.set_aside: Path | None = None
        self._file: BinaryIO | None = None
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._segments = [_found(path) for path in sorted(folder.glob(f"*{_SUFFIX}")) if path.stem.isdecimal()]

    @property
    def size(self) -> int:
        return sum(segment.size for segment in self._segments)

    def newest_first(self) -> Iterator[Segment]:
        """Yield the segments; each may be put aside meanwhile."""
        yield from reversed(self._segments.copy())

    def lines(self, segment: Segment) -> list[bytes]:
        """Return the lines of a segment in the order in which they were written. May be called in any thread.

        What a failed write left at the end of the file is left out. Raises OSError.
        """
        return segment.path.read_bytes()[: segment.size].split(b"\n")[:-1]

    def following(self, number_of: Callable[[bytes], int]) -> int:
        """Mend the end of the last segment and return the number that follows that of its last line.

        What follows the end of the last line is cut off, and the last line itself if it is damaged: if `number_of`
        raises ValueError for it. A file that is damaged even so is set aside.
        """
        if not self._segments:
            return 0
        segment = self._segments[-1]
        try:
            return self._mended(segment, number_of)
        except (OSError, ValueError):
            self.put_aside(segment)
            return segment.first + segment.size

    def _mended(self, segment: Segment, number_of: Callable[[bytes], int]) -> int:
        with segment.path.open("rb+") as file:
            file.seek(max(0, segment.size - _TAIL))
            lines = file.read().split(b"\n")
            cut = len(lines.pop())
            try:
                number = number_of(lines[-1]) if lines else segment.first - 1
            except ValueError:
                cut += len(lines.pop()) + 1
                number = number_of(lines[-1]) if lines else segment.first - 1
            if not lines and segment.size > _TAIL:
                raise ValueError("a line without an end")
            if cut:
                self.torn += 1
                segment.size -= cut
                file.truncate(segment.size)
        return number + 1

    def write(self, first: int, times: Sequence[float], lines: Sequence[bytes]) -> int:
        """Append as many of these lines as one segment takes, at least one; return how many.

        The first has the number `first`; `times` are those of their events. What was written survives the death of the
        process, not that of the machine. After an OSError none of the lines is there.
        """
        segment, file = self._opened(first, times[0])
        count, size = 0, segment.size
        while count < len(lines) and (count == 0 or size < self._bounds.segment_bytes):
            size += len(lines[count])
            count += 1
        self._append(segment, file, b"".join(lines[:count]))
        segment.newest = max(segment.newest, *times[:count])
        self.expire(segment.newest)
        return count

    def expire(self, now: float) -> None:
        """Remove the oldest segments that exceed the bounds; the one that is being written to stays."""
        while len(self._segments) > 1 and (
            self.size > self._bounds.total_bytes or self._segments[0].newest < now - self._bounds.age_s
        ):
            with contextlib.suppress(OSError):
                self._segments.pop(0).path.unlink()

    def put_aside(self, segment: Segment) -> None:
        """Take a damaged segment out of the log. Its file is kept under another name until the next one is damaged.

        One that has been removed meanwhile is left alone.
        """
        if not any(segment is known for known in self._segments):
            return
        log.warning("a segment of the event log is damaged and set aside: %s", segment.path.name)
        self.close()
        self._segments.remove(segment)
        with contextlib.suppress(OSError):
            for old in self._folder.glob(f"*{_DAMAGED}"):
                old.unlink()
            self.set_aside = segment.path.replace(segment.path.with_suffix(_DAMAGED))

    def close(self) -> None:
        if self._file:
            self._file.close()
            self._file = None

    def _opened(self, first: int, at: float) -> tuple[Segment, BinaryIO]:
        """Return the segment to write to: the last one, or a new one if that is full or old."""
        last = self._segments[-1] if self._segments else None
        age = self._bounds.age_s / 7
        if last is None or last.size >= self._bounds.segment_bytes or last.oldest < at - age:
            self.close()
            last = Segment(self._folder / f"{first:015d}{_SUFFIX}", first, 0, at, at)
            self._segments.append(last)
        if self._file is None:
            self._file = open(last.path, "ab", buffering=0, opener=_private)  # noqa: SIM115
            if self._file.tell() != last.size:
                self.put_aside(last)
                raise OSError(f"{last.path.name} is not as it was left")
        return last, self._file

    def _append(self, segment: Segment, file: BinaryIO, content: bytes) -> None:
        try:
            written = 0
            while written < len(content):
                written += file.write(content[written:])
        except OSError:
            with contextlib.suppress(OSError):
                file.truncate(segment.size)
            self.close()
            raise
        segment.size += len(content)


def _found(path: Path) -> Segment:
    found = path.stat()
    return Segment(path, int(path.stem), found.st_size, found.st_mtime, found.st_mtime)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
