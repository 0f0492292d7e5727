"""Recorded sessions replayed: which stream tasks they would have triggered at which events, and from how many bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from walle.stream.event_log import EventLog
from walle.stream.events import BehaviourEvent
from walle.stream.pages import PageSequence, PageVisit
from walle.stream.processor import Firing, StreamProcessor
from walle.stream.run_statistics import RunSample, RunTotals
from walle.stream.sequence import TimeSequence
from walle.stream.stream_task import StreamTask

_MEMORY_EVENTS: Final = 40_000
_MEMORY_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReplayedFiring:
    """A firing in a replay. `number` is the place of its trigger in the session, counted from 1."""

    number: int
    firing: Firing

    @property
    def raw_bytes(self) -> int:
        """The size of the events that the run is given, as compact JSON: without tasks, they would be sent up."""
        return sum(size_of(event) for event in self.firing.inputs()["events"])


def replayed(events: Iterable[BehaviourEvent], tasks: Mapping[str, StreamTask]) -> Iterator[ReplayedFiring]:
    """Yield what the events trigger on a device with these tasks, in order, as each event comes.

    The device's log is in memory; of a session with more than 64 MiB the oldest events may be missing in windows.
    """
    processor = StreamProcessor(EventLog(memory_events=_MEMORY_EVENTS, memory_bytes=_MEMORY_BYTES))
    processor.set_tasks(tasks)
    for number, event in enumerate(events, start=1):
        for firing in processor.process(event):
            yield ReplayedFiring(number, firing)


def page_visits(events: Sequence[BehaviourEvent]) -> list[PageVisit]:
    """Return the visits of pages that the events consist of, in the order in which they began."""
    sequence, pages = TimeSequence(), PageSequence()
    visits: dict[int, PageVisit] = {}
    for number, event in enumerate(events):
        if sequence.admit(event) not in {"too-late", "duplicate"}:
            visit = pages.place(event, number, sequence.reached)
            visits[visit.number] = visit
    return list(visits.values())


def absent_ids(events: Iterable[BehaviourEvent], ids: Iterable[str]) -> list[str]:
    """Return those of a condition's ids that match none of the events: neither event id, nor page, nor both."""
    there = {name for event in events for name in (event.id, event.page, f"{event.id}:{event.page}")}
    return [name for name in ids if name not in there]


def size_of(value: Any) -> int:
    """Return the bytes of JSON data in its compact form."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


@dataclass
class TaskReplay:
    """What one task came to in a replay: how often it fired, on how many events and bytes, and what came out.

    Of the runs, if there were any, `output_bytes` are the sizes of their outputs, and `runs` what they cost.
    """

    fired: int = 0
    events: int = 0
    cut: int = 0
    raw_bytes: int = 0
    output_bytes: int = 0
    runs: RunTotals = field(default_factory=RunTotals)

    def add(self, replayed: ReplayedFiring) -> None:
        """Count a firing."""
        self.fired += 1
        self.events += len(replayed.firing.events)
        self.cut += replayed.firing.cut
        self.raw_bytes += replayed.raw_bytes

    def add_run(self, run: RunSample, output: Mapping[str, Any] | None) -> None:
        """Count a run, with its output if it succeeded."""
        self.runs.add(run)
        self.output_bytes += size_of(output) if output is not None else 0

    def to_dict(self) -> dict[str, Any]:
        counts = {"fired": self.fired, "events": self.events, "cut": self.cut, "raw_bytes": self.raw_bytes}
        return {**counts, "output_bytes": self.output_bytes, "runs": self.runs.to_dict()} if self.runs.count else counts
