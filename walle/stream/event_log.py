"""The event log: the newest events in memory, older ones in segment files, all readable as windows.

Events have numbers in the order in which they came. What is read is in the order of the sequence: by session, then by
time, then as they came.
"""

from __future__ import annotations

import json
import logging
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from walle.stream.events import EVENT_KINDS, BehaviourEvent, compact_json
from walle.stream.segments import Segment, SegmentBounds, SegmentFolder
from walle.stream.sequence import LATE_S
from walle.stream.windows import MAX_WINDOW_BYTES, MAX_WINDOW_EVENTS

log = logging.getLogger(__name__)

MAX_SCANNED: Final = 50_000
"""How many events of other pages and its own are looked at for those of one visit."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event in the log: its number, those of its session's and of its visit's first event, the bytes of its line."""

    number: int
    session: int
    visit: int
    event: BehaviourEvent
    size: int


@dataclass(frozen=True, slots=True, weakref_slot=True)
class EventSlice:
    """Events in the order of the sequence. `cut` says that more belonged to them: a bound or the log has cut them."""

    events: tuple[BehaviourEvent, ...]
    cut: bool


def _ignore(spilled: int) -> None:
    pass


class EventLog:
    """The events of one device, in `folder`; without one, what exceeds the memory is given up.

    Memory holds at most `memory_events` events whose lines have at most `memory_bytes` bytes together. At that bound
    the older half is spilled: `on_spill` is told how many events, and `spilled` counts them. `flush` writes all events
    that are not on disk yet; those are what a killed process loses. `lost` counts the events that no file could take.
    Nothing waits for the disk to be in sync. All methods may be called from any thread; `on_spill` is called by that
    which appends. Raises OSError if the folder cannot be made or listed; later errors of the disk are logged and cost
    events at most.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        memory_events: int = 4096,
        memory_bytes: int = 4 * 1024 * 1024,
        bounds: SegmentBounds | None = None,
        on_spill: Callable[[int], None] = _ignore,
    ) -> None:
        self._memory_events, self._memory_bytes, self._on_spill = memory_events, memory_bytes, on_spill
        self._segments = SegmentFolder(folder, bounds or SegmentBounds()) if folder else None
        self._lock = threading.RLock()
        self._memory: list[LoggedEvent] = []
        self._bytes = 0
        self._unwritten: list[tuple[float, bytes]] = []
        self.spilled = self.lost = 0
        self.next_number = self._segments.following(lambda line: _parsed(line).number) if self._segments else 0

    @property
    def torn(self) -> int:
        """How many lines were given up because a killed process or a failing disk had left a part of them."""
        return self._segments.torn if self._segments else 0

    @property
    def set_aside(self) -> Path | None:
        """The last segment file that was damaged, under its new name."""
        return self._segments.set_aside if self._segments else None

    def append(self, event: BehaviourEvent, *, visit: int, session: int) -> None:
        """Add the event that came last, under the number `next_number`."""
        with self._lock:
            number = self.next_number
            line = _line(number, session, visit, event)
            self._memory.append(LoggedEvent(number, session, visit, event, len(line)))
            self.next_number += 1
            self._bytes += len(line)
            if self._segments:
                self._unwritten.append((event.at, line))
            if len(self._memory) > self._memory_events or self._bytes > self._memory_bytes:
                self._spill()

    def flush(self) -> bool:
        """Write what is not on disk yet; return whether that is all there now."""
        with self._lock:
            try:
                while self._segments and self._unwritten:
                    times, lines = zip(*self._unwritten, strict=True)
                    del self._unwritten[: self._segments.write(self.next_number - len(lines), times, lines)]
            except OSError as error:
                log.warning("the event log could not be written: %s", error)
                return False
            return True

    def expire(self, now: float) -> None:
        """Remove segments that are older than the bound; `now` is in Unix seconds."""
        with self._lock:
            if self._segments:
                self._segments.expire(now)

    def close(self) -> None:
        """Flush, and close the file."""
        with self._lock:
            self.flush()
            if self._segments:
                self._segments.close()

    def last(self, count: int, *, before: int | None = None) -> EventSlice:
        """Return the `count` events that came last of those with numbers below `before`."""
        return _in_order(*_taken(islice(self._newest_first(before), count)))

    def since(self, at: float, until: float = math.inf, *, before: int | None = None) -> EventSlice:
        """Return the events of the times from `at` to `until`, both included, with numbers below `before`."""
        near = takewhile(lambda logged: logged.event.at >= at - LATE_S, self._newest_first(before))
        return _in_order(*_taken(logged for logged in near if at <= logged.event.at <= until))

    def of_visit(self, visit: int, *, before: int | None = None) -> EventSlice:
        """Return the events of the visit whose first event has this number, with numbers below `before`."""
        end = self.next_number if before is None else before
        taken, cut = _taken(self._newest_first(end, max(visit, end - MAX_SCANNED), visit))
        return _in_order(taken, cut or not taken or taken[-1].number != visit)

    def _newest_first(self, before: int | None, floor: int = 0, visit: int | None = None) -> Iterator[LoggedEvent]:
        """Yield the events with numbers from `floor` on and below `before`, of one visit or of all.

        Files are read without the lock, so that events can be appended meanwhile.
        """
        with self._lock:
            end = self.next_number if before is None else before
            first = self._memory[0].number if self._memory else self.next_number
            memory = self._memory[max(0, floor - first) : max(0, end - first)]
            segments = [*self._segments.newest_first()] if self._segments and floor < first else []
        yield from (logged for logged in reversed(memory) if visit is None or logged.visit == visit)
        for segment in segments:
            yield from self._of_segment(segment, range(floor, min(first, end)), visit)
            if segment.first <= floor:
                return

    def _of_segment(self, segment: Segment, numbers: range, visit: int | None) -> Iterator[LoggedEvent]:
        """Yield the events of a segment with these numbers, newest first; one that is not readable is set aside."""
        if segment.first >= numbers.stop or not self._segments:
            return
        try:
            lines = self._segments.lines(segment)
            while lines:
                line = lines.pop()
                number, of = _numbers(line)
                if number in numbers and of == (of if visit is None else visit):
                    yield _parsed(line)
        except (OSError, ValueError):
            with self._lock:
                self._segments.put_aside(segment)

    def _spill(self) -> None:
        self.flush()
        kept = len(self._memory)
        size = self._bytes
        while kept > self._memory_events // 2 or size > self._memory_bytes // 2:
            size -= self._memory[-kept].size
            kept -= 1
        dropped = len(self._memory) - kept
        self._memory = self._memory[dropped:]
        self._bytes = size
        unwritten = max(0, len(self._unwritten) - kept)
        del self._unwritten[:unwritten]
        lost = unwritten if self._segments else dropped
        self.lost += lost
        self.spilled += dropped - lost
        self._on_spill(dropped)


def _taken(newest_first: Iterable[LoggedEvent]) -> tuple[list[LoggedEvent], bool]:
    """Return as many events as a window may have, and whether there are more."""
    taken: list[LoggedEvent] = []
    size = 0
    for logged in newest_first:
        size += logged.size
        if len(taken) >= MAX_WINDOW_EVENTS or size > MAX_WINDOW_BYTES:
            return taken, True
        taken.append(logged)
    return taken, False


def _in_order(taken: Iterable[LoggedEvent], cut: bool) -> EventSlice:
    return EventSlice(tuple(logged.event for logged in sorted(taken, key=_place)), cut)


def _place(logged: LoggedEvent) -> tuple[int, float, int]:
    return logged.session, logged.event.at, logged.number


def _line(number: int, session: int, visit: int, event: BehaviourEvent) -> bytes:
    """Return [number, session, visit, event] as a line of JSON."""
    return f"[{number},{session},{visit},{compact_json(event.to_dict())}]\n".encode()


def _numbers(line: bytes) -> tuple[int, int]:
    """Return the numbers of a line's event and of its visit without reading the rest of it. Raises ValueError."""
    number, _, visit, _ = line.split(b",", 3)
    return int(number[1:]), int(visit)


def _parsed(line: bytes) -> LoggedEvent:
    """Read a line that `_line` wrote, trusting that JSON which is whole says what it said. Raises ValueError."""
    try:
        value = json.loads(line)
    except RecursionError as error:
        raise ValueError("deeper nesting than any event has") from error
    match value:
        case [
            int(number),
            int(session),
            int(visit),
            {
                "kind": kind,
                "id": str(id),
                "page": str(page),
                "at": float() | int() as at,
                "contents": dict(contents),
                **rest,
            },
        ] if kind in EVENT_KINDS and isinstance(private := rest.get("private", {}), dict):
            event = BehaviourEvent(kind, id, page, float(at), contents, private)
            return LoggedEvent(number, session, visit, event, len(line) + 1)
    raise ValueError("expected [number, session, visit, event]")
