"""From behaviour events to firings of tasks: sequence, page visits, event log and trigger trie put together."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

from walle.stream.event_log import EventLog, EventSlice
from walle.stream.events import BehaviourEvent
from walle.stream.intake import ClockReading, SessionClock
from walle.stream.pages import PageSequence, PageVisit, open_pages
from walle.stream.sequence import TimeSequence
from walle.stream.stream_task import StreamTask
from walle.stream.trie import TriggerTrie
from walle.stream.windows import EventsWindow, PageWindow, SecondsWindow, Window

_TAIL_EVENTS = 1000
INPUTS: Final = ("events", "page", "trigger")
"""The inputs of a run that come from events."""


class WindowEvents:
    """The events of a window, of those that had come when it was asked for; `read` reads them from the log.

    They are read when somebody needs them, and stay in memory for as long as somebody has them: of the triggers that
    wait for a run, many never have one.
    """

    def __init__(self, read: Callable[[], EventSlice]) -> None:
        self._read, self._lock = read, threading.Lock()
        self._known: weakref.ref[EventSlice] | None = None

    def get(self) -> EventSlice:
        """Return them. May be called in any thread, and may wait for the disk."""
        with self._lock:
            found = self._known() if self._known else None
            if found is None:
                found = self._read()
                self._known = weakref.ref(found)
            return found


@dataclass(frozen=True)
class Firing:
    """An event has triggered a task; `page` is the trigger's page visit as it was then.

    The events of the task's window are read at the first use of `events`, `cut` or `inputs`, each of which may be in
    any thread and may wait for the disk.
    """

    task: StreamTask
    trigger: BehaviourEvent
    window: WindowEvents
    page: PageVisit | None

    @property
    def events(self) -> tuple[BehaviourEvent, ...]:
        """The events of the window in their order, of those that had come when the task was triggered."""
        return self._slice.events

    @property
    def cut(self) -> bool:
        """Whether the window had more events than a run is given (MAX_WINDOW_EVENTS, MAX_WINDOW_BYTES) or than the
        log still had; the oldest are left out."""
        return self._slice.cut

    @cached_property
    def _slice(self) -> EventSlice:
        return self.window.get()

    def inputs(self) -> dict[str, Any]:
        """Return the inputs of the run that come from events, as JSON data: `events`, `page` and `trigger`.

        An event has its private contents under `private` only if the task sees them.
        """
        return {
            "events": [self._seen(event) for event in self.events],
            "page": self.page.to_dict() if self.page else None,
            "trigger": self._seen(self.trigger),
        }

    def _seen(self, event: BehaviourEvent) -> dict[str, Any]:
        said = event.to_dict()
        if not self.task.sees_private:
            said.pop("private", None)
        return said


class StreamProcessor:
    """The stream engine of one device, without I/O but its log's. All methods may be called from any thread.

    The session that `log` ends with is over: visits that were open in it ended with its process.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._lock = threading.RLock()
        self._clock, self._sequence, self._pages = SessionClock(), TimeSequence(), PageSequence()
        self._trie: TriggerTrie[str] = TriggerTrie()
        self._tasks: dict[str, StreamTask] = {}
        self._begin = self._session = log.next_number
        self._pages.ended["restart"] += len(open_pages(log.last(_TAIL_EVENTS).events))

    @property
    def tasks(self) -> Mapping[str, StreamTask]:
        return self._tasks

    def counts(self) -> dict[str, int]:
        """Return how many events took a place in the sequence, what became of the others and of the log, and how many
        visits ended in which way, all of this process."""
        sequence, log = self._sequence, self._log
        with self._lock:
            return {
                "events": log.next_number - self._begin,
                "late": sequence.late,
                "too_late": sequence.too_late,
                "duplicates": sequence.duplicates,
                "clock_steps": self._clock.steps,
                "spilled": log.spilled,
                "lost": log.lost,
                "torn": log.torn,
                "enters_missing": self._pages.enters_missing,
                **{f"visits_{how}": count for how, count in sorted(self._pages.ended.items())},
            }

    def set_tasks(self, tasks: Mapping[str, StreamTask]) -> None:
        """Match for these tasks from now on. What has matched of a condition stays where the condition stays."""
        with self._lock:
            before = self._tasks
            for name, task in before.items():
                if name not in tasks or tasks[name].condition != task.condition:
                    self._trie.remove(task.condition, name)
            for name, task in tasks.items():
                if name not in before or before[name].condition != task.condition:
                    self._trie.add(task.condition, name)
            self._tasks = dict(tasks)

    def process(
        self, event: BehaviourEvent, reading: ClockReading | None = None, key: str | None = None
    ) -> list[Firing]:
        """Take the event that came next, and return the runs that it triggers.

        `reading` are the clocks at the moment the app reported it; without it, as in a replay, the event's own time is
        taken as it is. `key` names the event for an app that may report it twice.
        """
        with self._lock:
            event = self._timed(event, reading)
            if self._sequence.admit(event, key) in {"too-late", "duplicate"}:
                return []
            reached = self._sequence.reached
            visit = self._pages.place(event, self._log.next_number, reached)
            self._log.append(event, visit=visit.number, session=self._session)
            triggered = self._trie.match(event.id, event.page, reached)
            return self._firings(triggered, event, visit) if triggered else []

    def _timed(self, event: BehaviourEvent, reading: ClockReading | None) -> BehaviourEvent:
        if reading is None:
            return event
        sessions = self._clock.sessions
        at = self._clock.time_of(event.at, reading)
        if sessions and self._clock.sessions > sessions:
            self._begin_session()
        return event if at == event.at else replace(event, at=at)

    def _begin_session(self) -> None:
        self._session = self._log.next_number
        self._sequence.restart()
        self._pages.end_all("idle")
        self._trie.forget_pending()

    def _firings(self, names: Iterable[str], event: BehaviourEvent, visit: PageVisit) -> list[Firing]:
        page = replace(visit)
        windows: dict[Window, WindowEvents] = {}
        firings = []
        for name in names:
            task = self._tasks[name]
            if task.window not in windows:
                windows[task.window] = WindowEvents(self._reading(task.window, event, visit))
            firings.append(Firing(task, event, windows[task.window], page))
        return firings

    def _reading(self, window: Window, trigger: BehaviourEvent, visit: PageVisit) -> Callable[[], EventSlice]:
        """Return what reads a window from the log, up to the event that came last by now."""
        before = self._log.next_number
        match window:
            case PageWindow():
                return partial(self._log.of_visit, visit.number, before=before)
            case EventsWindow(count):
                return partial(self._log.last, count, before=before)
            case SecondsWindow(seconds):
                reached = self._sequence.reached
                return partial(self._log.since, trigger.at - seconds, reached, before=before)
