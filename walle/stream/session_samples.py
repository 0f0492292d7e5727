"""Samples that are recorded sessions: the runs of a stream task that replaying one triggers (docs/task-format.md).

The session goes through the engine of devices. An input that reads the task's own table gets the outputs of the runs
before; tables of other tasks are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from walle.container.result import RunResult
from walle.schema import Malformed, Problem
from walle.stream.event_log import EventLog
from walle.stream.events import BehaviourEvent
from walle.stream.processor import Firing, StreamProcessor
from walle.stream.sessions import parse_session
from walle.stream.stream_task import StreamTask

MAX_SESSION_BYTES: Final = 4 * 1024 * 1024
MAX_SESSION_EVENTS: Final = 20_000
# The log writes some 60 bytes more of an event than its line in a session has, and fields that are left out there.
_LOG_BYTES: Final = MAX_SESSION_BYTES + 256 * MAX_SESSION_EVENTS


def parse_sample_session(content: bytes, name: str) -> tuple[BehaviourEvent, ...]:
    """Return the events of a session in JSON Lines. Raises Malformed, which names the file and the line."""
    if len(content) > MAX_SESSION_BYTES:
        raise Malformed([Problem(name, "", f"a session of at most {MAX_SESSION_BYTES} bytes", f"{len(content)}")])
    lines = content.splitlines()
    if len(lines) > MAX_SESSION_EVENTS:
        raise Malformed([Problem(name, "", f"a session of at most {MAX_SESSION_EVENTS} lines", f"{len(lines)}")])
    return tuple(parse_session(lines, name))


@dataclass(frozen=True)
class ReplayedSession:
    """A session and the task that it triggers, of which `inputs` are the declared inputs."""

    task: StreamTask
    inputs: frozenset[str]
    events: Sequence[BehaviourEvent]

    def replay(self, run: Callable[[Mapping[str, Any]], RunResult]) -> Iterator[RunResult]:
        """Yield the result of each run that the session triggers, in order; `run` is called with its inputs."""
        rows: list[Mapping[str, Any]] = []
        for firing in self._firings():
            result = run(self._inputs_of(firing, rows))
            if result.output is not None:
                rows.append({"at": firing.trigger.at, **result.output})
            yield result

    def first_inputs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the inputs of each of these runs as if it were the first one, with no rows of earlier outputs."""
        return (self._inputs_of(firing, []) for firing in self._firings())

    def _firings(self) -> Iterator[Firing]:
        processor = StreamProcessor(EventLog(memory_events=MAX_SESSION_EVENTS, memory_bytes=_LOG_BYTES))
        processor.set_tasks({self.task.name: self.task})
        for event in self.events:
            yield from processor.process(event)

    def _inputs_of(self, firing: Firing, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        given = {name: value for name, value in firing.inputs().items() if name in self.inputs}
        for name, read in self.task.reads.items():
            last = min(read.last, self.task.retain.rows)
            given[name] = list(rows[-last:]) if read.table == self.task.name else []
        return given
