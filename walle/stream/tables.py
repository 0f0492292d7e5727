"""Collective storage: the table of one stream task, behind a buffering table in memory (Walle, section 5.1).

Outputs are small and come often. They are kept in memory and written together, one transaction for each flush: when
there are `threshold` of them, when somebody reads, after `flush_s` seconds, and at the end. A process that is killed
loses what was in memory, and nothing else.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

from walle.stream.columns import Row, RowRefused, RowUndecodable, TableColumns
from walle.stream.retention import Retention
from walle.stream.table_file import ROW_SHARE, TableDamaged, TableFile, TableUnavailable, set_aside

__all__ = ["CollectiveTable", "Retention", "RowRefused", "TableClosed"]

_FULL: Final = 3
"""How many times the threshold the memory holds while rows cannot be written; then the oldest are dropped."""

_Result = TypeVar("_Result")


class TableClosed(RuntimeError):
    """The table was used after its end, or in a process that did not open it."""


class CollectiveTable:
    """The table of one stream task in the file `path`, whose columns are the task's outputs (name -> type).

    All methods may be called in any thread of the process that opened it. `put` waits for the disk only when it is the
    one that flushes; meanwhile others may put. What is damaged is set aside and begun anew; while the disk takes
    nothing, rows stay in memory, as many as fit. Only what the methods name is raised. Where `stays_open` says no, the
    file is open only while it is used.

    `transactions` and `rows` count what was written, `refused` and `dropped` what was not; `set_aside` is where a
    damaged file is now, `damage` what was wrong with it, and `problem` what keeps rows from being written now, or None.
    """

    def __init__(
        self,
        path: Path,
        columns: Mapping[str, str],
        *,
        retention: Retention,
        threshold: int = 64,
        flush_s: float = 5.0,
        sync: bool = True,
        clock: Callable[[], float] = time.time,
        stays_open: Callable[[], bool] = lambda: True,
    ) -> None:
        self._stays_open, self._resting_oldest, self._rests = stays_open, math.inf, False
        self._path, self._columns, self._retention = Path(path), TableColumns(columns), retention
        self._threshold, self._flush_s, self._sync, self._clock = threshold, flush_s, sync, clock
        self._room = int(retention.bytes * ROW_SHARE)
        self._process, self._closed = os.getpid(), False
        self._buffer: list[tuple[Row, int]] = []
        self._buffered_bytes = 0
        self._since = 0.0
        self._failed_at: float | None = None
        self._buffer_lock, self._file_lock = Lock(), Lock()
        self.transactions = self.rows = self.refused = self.dropped = 0
        self.set_aside: Path | None = None
        self.damage: str | None = None
        self.problem: str | None = None
        self._file: TableFile | None = None
        self.flush()

    def put(self, outputs: Mapping[str, Any], at: float, *, flush: bool = True) -> None:
        """Add the outputs of one run, as of `at` (Unix seconds); flush at the threshold.

        With `flush=False` that is left to the caller, who asks `due`; `put` then flushes only when the memory is full.
        Raises RowRefused for outputs that are not the declared ones or too large for the table, and TableClosed.
        """
        try:
            row, size = self._columns.encoded(outputs, at)
            if size > self._room:
                expected = f"at most {self._room} bytes, a 32nd of what the table may take"
                raise RowRefused("row-too-large", f"the outputs: expected {expected}, found {size}")
        except RowRefused:
            with self._buffer_lock:
                self.refused += 1
            raise
        with self._buffer_lock:
            self._check_open()
            now = self._clock()
            if not self._buffer:
                self._since = now
            self._buffer.append((row, size))
            self._buffered_bytes += size
            resting, full = self._is_resting(now), self._is_full(_FULL)
            wanted = full or (flush and self._is_full(1))
            if resting:
                self._shed()
        if wanted and not resting:
            self._flush(wait=full)

    def due(self, now: float) -> bool:
        """Return whether a flush is due at `now` (Unix seconds): rows have waited long enough, or are too old to keep.

        After a flush that failed none is due for `flush_s`. A clock that was set back is not waited for.
        """
        with self._buffer_lock:
            waited = bool(self._buffer) and (self._is_full(1) or abs(now - self._since) >= self._flush_s)
            resting = self._is_resting(now)
        return (waited or self._has_expired(now)) and not resting

    def flush(self) -> None:
        """Write what is in memory, and remove what is too old. Raises TableClosed; `problem` tells all else."""
        self._check_open()
        self._flush(wait=True)

    def read(
        self, last: int | None = None, since: float | None = None, most_bytes: float = math.inf
    ) -> list[dict[str, Any]]:
        """Return the newest `last` rows (default: all) from `since` on (Unix seconds), oldest first; flush before.

        No more are read of the file than have `most_bytes` together. A row is the outputs by name, and its time as
        `at` unless an output has that name. Raises TableClosed.
        """
        self._check_open()
        earliest = -math.inf if since is None else since
        with self._file_lock:
            self._write()
            try:
                count = -1 if last is None else max(0, last)
                rows = self._on_file(lambda file: file.read(count, earliest, most_bytes))
            except TableUnavailable as error:
                self.problem, rows = str(error), []
            self._rest()
            with self._buffer_lock:
                waiting = [self._columns.decoded(row) for row, _ in self._buffer if row[0] >= earliest]
        rows += waiting
        return rows if last is None else rows[max(0, len(rows) - max(0, last)) :]

    def copy_to(self, target: Path) -> None:
        """Flush, and write a copy of the file to a new one. Raises TableClosed, and TableUnavailable if it cannot."""
        self._check_open()
        with self._file_lock:
            self._write()
            if self.problem is not None:
                raise TableUnavailable(self.problem)
            self._on_file(lambda file: file.copy_to(target))
            self._rest()

    def close(self) -> None:
        """Flush and close the file; once more does nothing. Rows that cannot be written are dropped."""
        if os.getpid() != self._process:
            return
        with self._file_lock:
            with self._buffer_lock:
                if self._closed:
                    return
                self._closed = True
            self._write()
            self.dropped += len(self._buffer)
            self._buffer.clear()
            self._close_file()

    def _check_open(self) -> None:
        if os.getpid() != self._process:
            raise TableClosed("the table belongs to the process that opened it")
        if self._closed:
            raise TableClosed("the table is closed")

    def _is_full(self, times: int) -> bool:
        return len(self._buffer) >= self._threshold * times or self._buffered_bytes >= self._room * times

    def _is_resting(self, now: float) -> bool:
        """Whether the last flush failed so recently that the next had better wait."""
        return self._failed_at is not None and abs(now - self._failed_at) < self._flush_s

    def _shed(self) -> None:
        """Drop the oldest rows of a memory that is full."""
        while self._is_full(_FULL):
            _, size = self._buffer.pop(0)
            self._buffered_bytes -= size
            self.dropped += 1

    def _flush(self, *, wait: bool) -> None:
        if self._file_lock.acquire(blocking=wait):
            try:
                self._write()
                self._rest()
            finally:
                self._file_lock.release()

    def _write(self) -> None:
        """Move what is in memory into the file, or back if the file cannot be used. The caller has the file's lock."""
        now = self._clock()
        with self._buffer_lock:
            if self._rests and not self._buffer and not self._has_expired(now):
                return
            taken, self._buffer = self._buffer, []
            taken_bytes, self._buffered_bytes = self._buffered_bytes, 0
        try:
            written = self._on_file(lambda file: file.write([row for row, _ in taken], now))
        except TableUnavailable as error:
            with self._buffer_lock:
                self._buffer[:0] = taken
                self._buffered_bytes += taken_bytes
                self._failed_at, self.problem = now, str(error)
                self._shed()
        else:
            self.transactions += written
            self.rows += len(taken)
            self._failed_at = self.problem = None

    def _on_file(self, action: Callable[[TableFile], _Result]) -> _Result:
        """Do something with the file; a damaged one is set aside, and it is done with a new one."""
        try:
            return action(self._opened())
        except (TableDamaged, RowUndecodable) as error:
            self._begin_anew(str(error))
        try:
            return action(self._opened())
        except (TableDamaged, RowUndecodable) as error:
            raise TableUnavailable(str(error)) from error

    def _opened(self) -> TableFile:
        if self._file is None:
            self._rests = False
            self._file = TableFile(self._path, self._columns, self._retention, sync=self._sync)
        return self._file

    def _has_expired(self, now: float) -> bool:
        file = self._file
        if file is not None:
            return file.has_expired(now)
        return self._rests and self._resting_oldest < now - self._retention.age_s

    def _rest(self) -> None:
        """Close the file if it is not to stay open. The caller has the file's lock."""
        if self._file is not None and not self._stays_open():
            oldest = self._file.oldest
            self._resting_oldest = math.inf if oldest is None else oldest
            self._close_file()
            self._rests = True

    def _begin_anew(self, damage: str) -> None:
        self._close_file()
        try:
            self.set_aside, self.damage = set_aside(self._path), damage
        except OSError as error:
            raise TableUnavailable(f"{damage}; it cannot be set aside: {error}") from error

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(TableDamaged, TableUnavailable):
                file.close()
