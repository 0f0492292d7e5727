"""Events on their way from the app to the stream service: taken in any thread, without waiting, and never an error."""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle.device.notices import Notice
from walle.stream.events import BehaviourEvent, EventRefused, measured_event
from walle.stream.intake import ClockReading

log = logging.getLogger(__name__)

QUEUED: Final = 4096
"""The most events that wait to be processed."""
QUEUED_BYTES: Final = 4 * 1024 * 1024
"""The most bytes of JSON that their contents have together; in memory it may be twenty times as much."""
TELL_S: Final = 60.0
"""Seconds between two notices about refusals for the same reason."""


class EventDropped(Exception):
    """An event cannot be taken, though nothing is wrong with it: `reason` is `queue-full` or `stopped`."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class TrackedEvent:
    """An event, the clocks of the device at the moment the app reported it, and the bytes of its contents."""

    event: BehaviourEvent
    reading: ClockReading
    size: int


@dataclass
class RefusalCount:
    """Events refused for one reason: how many in all, how many of them untold, and the latest text."""

    total: int = 0
    untold: int = 0
    text: str = ""
    told_at: float | None = None

    @property
    def due(self) -> float:
        """When they are to be told; infinity if there is nothing new."""
        if not self.untold:
            return math.inf
        return -math.inf if self.told_at is None else self.told_at + TELL_S


class EventTracker:
    """Takes events from any thread; the stream service takes them out in its own.

    `clock` gives Unix seconds, `monotonic` seconds of a clock that nobody sets. `wake` is called, in the thread of the
    app, when there is something to take after there was nothing. With `debug` what is refused is raised as well.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        debug: bool = False,
        limit: int = QUEUED,
        limit_bytes: int = QUEUED_BYTES,
    ) -> None:
        self._wake, self._clock, self._monotonic = wake, clock, monotonic
        self._debug, self._limit, self._limit_bytes = debug, limit, limit_bytes
        self._events: deque[TrackedEvent] = deque()
        self._bytes = 0
        self._awake = False
        self._stopped = False
        self._lock = threading.Lock()
        self._refusals: dict[str, RefusalCount] = {}

    def __len__(self) -> int:
        return len(self._events)

    @property
    def refused(self) -> dict[str, int]:
        """How many events were refused, by reason."""
        with self._lock:
            return {reason: found.total for reason, found in self._refusals.items()}

    def track(
        self,
        kind: str,
        page: str,
        *,
        id: str | None = None,
        contents: Mapping[str, Any] | None = None,
        private: Mapping[str, Any] | None = None,
        at: float | None = None,
    ) -> bool:
        """Take an event, a copy of which is kept; return whether it was taken.

        Raises EventRefused or EventDropped, and these only with `debug`.
        """
        try:
            now = self._clock()
            event, size = measured_event(kind, page, id=id, at=at, contents=contents, private=private, now=now)
            self._put(TrackedEvent(event, ClockReading(now, self._monotonic()), size))
            return True
        except (EventRefused, EventDropped) as refused:
            self._refuse(refused.reason, str(refused))
            if self._debug:
                raise
        return False

    def take(self, most: int) -> list[TrackedEvent]:
        """Return the next events, at most so many, in the order in which they came."""
        with self._lock:
            taken = [self._events.popleft() for _ in range(min(most, len(self._events)))]
            self._bytes -= sum(each.size for each in taken)
        return taken

    def rest(self) -> None:
        """From here on, the next event wakes the service again. Call it before the last look at what there is."""
        self._awake = False

    def stop(self) -> None:
        """Refuse what comes from here on."""
        self._stopped = True

    def tell(self) -> list[Notice]:
        """Return notices about what was refused: for each reason one a minute, with the number since the last."""
        now = self._monotonic()
        with self._lock:
            return [_told(reason, found, now) for reason, found in self._refusals.items() if found.due <= now]

    @property
    def due(self) -> float:
        """When there is something to tell; infinity if there is nothing."""
        with self._lock:
            return min((found.due for found in self._refusals.values()), default=math.inf)

    def _put(self, event: TrackedEvent) -> None:
        if self._stopped:
            raise EventDropped("stopped", "the device takes no events any more")
        with self._lock:
            waiting = len(self._events)
            if waiting >= self._limit or self._bytes + event.size > self._limit_bytes:
                text = f"{waiting} events wait to be processed already, with {self._bytes} bytes of contents"
                raise EventDropped("queue-full", text)
            self._events.append(event)
            self._bytes += event.size
        self._signal()

    def _refuse(self, reason: str, text: str) -> None:
        with self._lock:
            found = self._refusals.setdefault(reason, RefusalCount())
            found.total += 1
            found.untold += 1
            found.text = text
        self._signal()

    def _signal(self) -> None:
        """Wake the service, once until it rests: it costs more than all the rest."""
        if not self._awake:
            self._awake = True
            try:
                self._wake()
            except RuntimeError:  # its loop was closed at this moment
                log.debug("nobody is there to be woken")


def _told(reason: str, found: RefusalCount, now: float) -> Notice:
    count, found.untold, found.told_at = found.untold, 0, now
    noun = "event was" if count == 1 else "events were"
    return Notice(
        "events-refused", f"{count} {noun} refused ({reason}): {found.text}", {"reason": reason, "count": count}
    )
