"""What a version of a stream task may say beside the versions before it, and what its author is to be warned of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walle.bundle.spec import TASK_FILE, TaskSpec
from walle.bundle.stream_keys import installs_without_streams
from walle.protocol.names import RUNTIME_BEFORE_STREAMS, STREAM_RUNTIME
from walle.schema import Problem
from walle.stream.conditions import TriggerCondition, warnings_of
from walle.stream.stream_task import StreamTask


def stream_task_of(spec: TaskSpec, name: str) -> StreamTask | None:
    """Return the stream task that a valid spec describes, by its name `scenario/task`; None for other tasks."""
    return StreamTask.from_manifest(name, {"trigger": spec.trigger, "stream": spec.stream, "outputs": spec.outputs})


def schema_problem(new: StreamTask, old: StreamTask, version: str) -> Problem | None:
    """Why `new` cannot go on with the table of an earlier `version`, of the same schema; None if it can."""
    if differences := [*_columns_that_differ(new.columns, old.columns), *_other_privacy(new, old)]:
        expected = f"{new.schema + 1} or another number that no version had"
        found = f"{new.schema}, which version {version} has with another table: {'; '.join(differences)}"
        return Problem(TASK_FILE, "stream.schema", expected, found)
    return None


def _columns_that_differ(new: Mapping[str, str], old: Mapping[str, str]) -> list[str]:
    return [
        f"output {name} was {old.get(name, 'not there')} and is {new.get(name, 'not there')}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


def _other_privacy(new: StreamTask, old: StreamTask) -> list[str]:
    said = {True: "private", False: "not private"}
    same = new.sees_private == old.sees_private
    return [] if same else [f"it was {said[old.sees_private]} and is {said[new.sees_private]}"]


def privacy_problem(reader: StreamTask, read: StreamTask) -> Problem | None:
    """Why a task may not read the table of another one; None if nothing private can come out by it."""
    if not read.sees_private or reader.sees_private:
        return None
    field = next(f"stream.reads.{name}" for name, one in reader.reads.items() if one.table == read.name)
    return Problem(TASK_FILE, field, "private = true, or the table of a task that is not private", read.name)


def trigger_warnings(trigger: Mapping[str, Any], requires: Mapping[str, Any]) -> list[str]:
    """Return in whole sentences what is hardly meant in the valid `trigger` and `requires` of a task or a manifest."""
    if "on" not in trigger:
        return []
    found = warnings_of(TriggerCondition.from_trigger(trigger))
    if installs_without_streams(requires):
        found.append(
            f"Devices with runtime {RUNTIME_BEFORE_STREAMS} install the task and never run it, for they know no events:"
            f' leave them out with requires.runtime = ">={STREAM_RUNTIME}".'
        )
    return found
