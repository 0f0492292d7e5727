"""The inputs of a triggered run: from the events that triggered it, from tables, and all others from the app."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from walle.device.running.inputs import Inputs, InputSource
from walle.device.streaming.installed import Streams
from walle.protocol.documents import Manifest
from walle.stream.processor import INPUTS, Firing
from walle.stream.stream_task import StreamTask
from walle.stream.table_store import ReadRefused, TableStore

log = logging.getLogger(__name__)


class LateInputs(Mapping[str, Any]):
    """Inputs that are read when somebody first looks at them: in the thread that makes the run, which may wait."""

    def __init__(self, read: Callable[[], Mapping[str, Any]]) -> None:
        self._read = read

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        return self._read()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class StreamInputs:
    """Puts inputs together. `source` is the app's."""

    def __init__(self, tables: TableStore, source: InputSource) -> None:
        self._tables, self._source = tables, source

    def of(self, firing: Firing, manifest: Manifest, streams: Streams) -> Inputs | None:
        """Return the inputs that the manifest declares, and no others; None if the app has none for this run."""
        declared = manifest.values["inputs"]
        is_complete = declared.keys() <= {*INPUTS, *firing.task.reads}
        from_app = {} if is_complete else self._source(firing.task.name, manifest)
        if from_app is None:
            return None

        def read() -> Inputs:
            given = {**from_app, **self._stored(firing, streams)}
            return {name: value for name, value in given.items() if name in declared}

        return LateInputs(read)

    def _stored(self, firing: Firing, streams: Streams) -> dict[str, Any]:
        """Return the inputs that are read from the log of events and from tables."""
        return {**firing.inputs(), **self._rows(firing.task, streams)}

    def _rows(self, task: StreamTask, streams: Streams) -> dict[str, list[dict[str, Any]]]:
        """Read the tables that are inputs of a task. One that is not there, or not for this task, has no rows."""
        found: dict[str, list[dict[str, Any]]] = {}
        for name, read in task.reads.items():
            owner = streams.get(read.table)
            try:
                found[name] = self._tables.read(task, owner.task, read.last) if owner else []
            except ReadRefused as refused:
                log.warning("%s reads nothing as %s: %s", task.name, name, refused)
                found[name] = []
        return found
