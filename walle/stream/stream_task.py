"""What a device's stream engine has to know of one task, read from its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from walle.stream.conditions import TriggerCondition
from walle.stream.retention import Retention
from walle.stream.windows import Window, parse_window

DEFAULT_RETAIN: Final[dict[str, Any]] = {"rows": 10_000, "age_s": 30 * 86_400, "bytes": 4 * 1024 * 1024}
DEFAULT_LAST: Final = 20


@dataclass(frozen=True, slots=True)
class TableRead:
    """An input that is read from a table before a run: the `last` rows of the table of a task, oldest first."""

    table: str
    last: int


@dataclass(frozen=True, slots=True)
class StreamTask:
    """A task that events trigger.

    `columns` are the names and types of its outputs, which its table stores under the number `schema`. `readers` are
    the tasks that may read the table, `scenario/*` for all of a scenario. `reads` are the inputs that come from tables.
    """

    name: str
    condition: TriggerCondition
    window: Window
    sees_private: bool
    schema: int
    retain: Retention
    readers: tuple[str, ...]
    reads: Mapping[str, TableRead]
    columns: Mapping[str, str]

    @classmethod
    def from_manifest(cls, name: str, values: Mapping[str, Any]) -> Self | None:
        """Return the stream task that a manifest's payload describes; None if no events trigger it.

        What a manifest of before `stream` does not say has the defaults of docs/task-format.md. Raises ValueError for
        a trigger or window that does not exist.
        """
        trigger, stream = values.get("trigger", {}), values.get("stream", {})
        if "on" not in trigger:
            return None
        return cls(
            name=name,
            condition=TriggerCondition.from_trigger(trigger),
            window=parse_window(stream.get("window", "page")),
            sees_private=stream.get("private", False),
            schema=stream.get("schema", 1),
            retain=Retention(**(DEFAULT_RETAIN | stream.get("retain", {}))),
            readers=tuple(stream.get("readers", ())),
            reads={
                key: TableRead(read.get("table", name), read.get("last", DEFAULT_LAST))
                for key, read in stream.get("reads", {}).items()
            },
            columns={key: output["type"] for key, output in values.get("outputs", {}).items()},
        )
