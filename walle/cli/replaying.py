"""Replays a recorded session for the stream tasks in some folders, and runs what fires as a device would."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from walle.bundle.stream_keys import with_own_table
from walle.bundle.validation import validate_tree
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.folders import folder_tree
from walle.cli.trial import Trial, prepare
from walle.container.result import RunResult
from walle.container.sandbox import Sandbox
from walle.protocol.names import InvalidNameError, check_slug
from walle.stream.conditions import warnings_of
from walle.stream.events import BehaviourEvent
from walle.stream.processor import Firing
from walle.stream.replay import ReplayedFiring, TaskReplay, absent_ids, page_visits, replayed, size_of
from walle.stream.run_statistics import RunSample
from walle.stream.stream_task import StreamTask
from walle.stream.table_store import ReadRefused, TableStore
from walle.stream.tables import RowRefused

_LOCAL: Final = "local"


@dataclass(frozen=True)
class LocalStreamTask:
    """A stream task in a folder, under the name `scenario/task` that its last two folders spell."""

    folder: Path
    scenario: str
    task: str
    trigger: Mapping[str, Any]
    stream: StreamTask

    @property
    def name(self) -> str:
        return self.stream.name


def load_stream_task(folder: Path) -> LocalStreamTask:
    """Read the task in a folder. Raises CommandFailed for an invalid one, WrongUsage if no events trigger it."""
    validation = validate_tree(folder_tree(folder))
    if validation.spec is None:
        raise CommandFailed(
            f"{folder} is not a valid task:\n  " + "\n  ".join(one.text for one in validation.problems),
            f"fix it, then check with: walle version validate {folder}",
        )
    spec, (scenario, task) = validation.spec, _names(folder)
    name = f"{scenario}/{task}"
    values = {"trigger": spec.trigger, "outputs": spec.outputs}
    if spec.stream:
        values["stream"] = with_own_table(spec.stream, name)
    stream = StreamTask.from_manifest(name, values)
    if stream is None:
        raise WrongUsage(
            f"{folder}: no events trigger this task", 'say which in its task.toml: [trigger] on = ["page_exit:item"]'
        )
    return LocalStreamTask(folder, scenario, task, spec.trigger, stream)


def _names(folder: Path) -> tuple[str, str]:
    place = folder.resolve()
    return _slug(place.parent.name, _LOCAL), _slug(place.name, "task")


def _slug(name: str, otherwise: str) -> str:
    try:
        return check_slug(name)
    except InvalidNameError:
        return otherwise


class FiringRunner:
    """Runs firings in the sandbox of devices, with tables that begin empty.

    `given` are the inputs that the app would give. What a task may not read, and what nobody gives, is left out, and
    said in `notes`.
    """

    def __init__(
        self, tasks: Sequence[LocalStreamTask], sandbox: Sandbox, given: Mapping[str, Any], scratch: Path
    ) -> None:
        self._sandbox, self._given, self._now = sandbox, given, 0.0
        self._tasks = {one.name: one.stream for one in tasks}
        self._trials = {one.name: _prepared(one, scratch / str(place)) for place, one in enumerate(tasks)}
        self._tables = TableStore(scratch / "tables", sync=False, clock=lambda: self._now)
        self._own = {one.name: self._tables.open(one.name, str(place), one.stream) for place, one in enumerate(tasks)}
        self.notes: list[str] = []

    def run(self, firing: Firing) -> RunResult:
        """Run what an event has triggered, and keep its outputs in the task's table."""
        name, self._now = firing.task.name, firing.trigger.at
        trial = self._trials[name]
        result = self._sandbox.run(trial.bundle, trial.manifest, self._inputs(firing, trial.manifest["inputs"]))
        if result.ok and result.output is not None:
            try:
                self._own[name].put(result.output, firing.trigger.at)
            except RowRefused as error:
                self._note(f"{name}: {error}")
        return result

    def close(self) -> None:
        self._tables.close()

    def _inputs(self, firing: Firing, declared: Mapping[str, Any]) -> dict[str, Any]:
        available = {**self._given, **firing.inputs()}
        for name, read in firing.task.reads.items():
            available[name] = self._rows(firing.task, read.table, read.last)
        if missing := sorted(declared.keys() - available.keys()):
            self._note(f"{firing.task.name}: the app would give {', '.join(missing)}: say it with --input FILE")
        return {name: available[name] for name in declared if name in available}

    def _rows(self, reader: StreamTask, table: str, last: int) -> list[dict[str, Any]]:
        if table not in self._tasks:
            self._note(f"{reader.name}: reads the table of {table}, which is empty here: replay both")
            return []
        try:
            return self._tables.read(reader, self._tasks[table], last)
        except ReadRefused as error:
            self._note(f"{reader.name}: {error}")
            return []

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _prepared(task: LocalStreamTask, into: Path) -> Trial:
    return prepare(task.folder, into, inputs=[], variants={}, name=(task.scenario, task.task, "0.0.0"))


@contextmanager
def firing_runner(tasks: Sequence[LocalStreamTask], given: Mapping[str, Any]) -> Iterator[FiringRunner]:
    """Open a runner, whose sandbox and files last as long as the block."""
    with tempfile.TemporaryDirectory(prefix="walle-replay-") as scratch, Sandbox() as sandbox:
        runner = FiringRunner(tasks, sandbox, given, Path(scratch))
        try:
            yield runner
        finally:
            runner.close()


def replay_document(
    name: str,
    events: Sequence[BehaviourEvent],
    tasks: Sequence[LocalStreamTask],
    *,
    run: Callable[[Firing], RunResult] | None,
    private: bool,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Replay a session and return what came of it as JSON data; private contents only with `private`.

    Without `run` nothing is run. `tell` is told of each firing.
    """
    totals = {one.name: TaskReplay() for one in tasks}
    firings = []
    for one in replayed(events, {one.name: one.stream for one in tasks}):
        tell(f"{one.firing.task.name} at event {one.number:,} of {len(events):,}")
        totals[one.firing.task.name].add(one)
        ran = _ran(one, run, totals) if run else {}
        if one.firing.task.sees_private and not private:
            ran = {name: value for name, value in ran.items() if name not in ("output", "message", "logs")}
        firings.append({**_firing(one, private=private), **ran})
    times = [event.at for event in events] or [0.0]
    return {
        "session": name,
        "events": len(events),
        "began": min(times),
        "seconds": max(times) - min(times),
        "raw_bytes": sum(size_of(event.to_dict()) for event in events),
        "pages": [visit.to_dict() for visit in page_visits(events)],
        "firings": firings,
        "tasks": [_task(one, totals[one.name], events) for one in tasks],
    }


def _ran(one: ReplayedFiring, run: Callable[[Firing], RunResult], totals: Mapping[str, TaskReplay]) -> dict[str, Any]:
    began = time.time()
    result = run(one.firing)
    sample = RunSample(
        started=began,
        ended=time.time(),
        events=len(one.firing.events),
        start=result.start,
        duration_ms=result.duration_ms,
        cpu_ms=result.cpu_ms,
        error_class=result.error_class,
    )
    totals[one.firing.task.name].add_run(sample, result.output)
    return {
        "output": result.output,
        "output_bytes": size_of(result.output) if result.output is not None else None,
        "error_class": result.error_class,
        "message": result.message,
        "duration_ms": round(result.duration_ms, 3),
        "cpu_ms": round(result.cpu_ms, 3),
        "start": result.start,
        "logs": result.logs,
    }


def _firing(one: ReplayedFiring, *, private: bool) -> dict[str, Any]:
    firing = one.firing
    return {
        "task": firing.task.name,
        "number": one.number,
        "trigger": event_document(firing.trigger, private=private),
        "page": firing.page.to_dict() if firing.page else None,
        "events": len(firing.events),
        "cut": firing.cut,
        "raw_bytes": one.raw_bytes,
    }


def event_document(event: BehaviourEvent, *, private: bool) -> dict[str, Any]:
    """Return an event as JSON data; without `private`, true stands for private contents."""
    told = event.to_dict()
    if not private and "private" in told:
        told["private"] = True
    return told


def _task(one: LocalStreamTask, came_to: TaskReplay, events: Sequence[BehaviourEvent]) -> dict[str, Any]:
    return {
        "task": one.name,
        "trigger": dict(one.trigger),
        **came_to.to_dict(),
        "absent": [] if came_to.fired else absent_ids(events, one.trigger["on"]),
        "warnings": warnings_of(one.stream.condition),
    }
