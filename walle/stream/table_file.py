"""The SQLite file of one collective table: opened or begun, written to in single transactions, kept within its limits.

A file has a write-ahead log (`-wal`) and is locked by its one connection. With `sync` (`synchronous = FULL`) each
transaction is on the disk when it ends: neither a killed process nor a loss of power loses one, as far as the disk
keeps its word. Without it (`OFF`) a killed process loses no transaction that has ended, and the file stays whole; a
loss of power may damage the file.
"""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from walle.stream.columns import TABLE, Row, TableColumns
from walle.stream.retention import Retention

PAGE: Final = 4096
ROW_SHARE: Final = 1 / 32
"""The part of the bytes of a table that one row may take, and that rows in memory may take before they are written."""
LOG_SHARE: Final = 1 / 16
"""The part of the bytes of a table that its write-ahead log takes before it is moved into the file."""
FILE_SHARE: Final = 0.7
"""The part of the bytes of a table that the file takes. What is left is for the log, during the largest transaction."""

_APPLICATION: Final = 0x57A11E5  # which `file` and sqlite3 show
_BUSY_S: Final = 1.0
_PASSING: Final = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""Primary result codes that say nothing against the file: it is in use, or the disk is full or fails."""
_LOGS: Final = ("-wal", "-journal", "-shm")


class TableDamaged(Exception):
    """The file is not, or no longer, the table that it should be."""


class TableUnavailable(Exception):
    """The file cannot be used now: the disk is full or read-only, or another process has the file."""


class TableFile:
    """One open table. Not safe for threads: its owner lets one in at a time.

    Opening makes the file where there is none. Every method may raise TableDamaged and TableUnavailable; a transaction
    that fails leaves the table as it was.
    """

    def __init__(self, path: Path, columns: TableColumns, retention: Retention, *, sync: bool) -> None:
        self._path, self._columns, self._retention = path, columns, retention
        self._pages = int(retention.bytes * FILE_SHARE) // PAGE
        self._log_pages = int(retention.bytes * LOG_SHARE) // PAGE
        self.rows: int
        self.oldest: float | None
        with _told_apart():
            _make_private(path)
            self._connection = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, timeout=_BUSY_S, cached_statements=16
            )
            try:
                self._prepare(sync=sync)
                count = f"SELECT count(*), min(at) FROM {TABLE}"  # noqa: S608
                self.rows, self.oldest = self._connection.execute(count).fetchone()
                self._used = self._used_pages()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, *, sync: bool) -> None:
        """Set up the connection, make the table in an empty file, and check any other."""
        for pragma in (
            "locking_mode = EXCLUSIVE",
            "trusted_schema = OFF",
            "cell_size_check = ON",
            f"page_size = {PAGE}",
            "auto_vacuum = FULL",
            "journal_mode = WAL",
            f"synchronous = {'FULL' if sync else 'OFF'}",
            f"wal_autocheckpoint = {self._log_pages}",
            f"journal_size_limit = {self._log_pages * PAGE}",
            "secure_delete = FAST",
        ):
            self._connection.execute(f"PRAGMA {pragma}")
        found = [sql for (sql,) in self._connection.execute("SELECT sql FROM sqlite_schema ORDER BY rowid")]
        if not found:
            self._create()
        elif found != list(self._columns.ddl):
            raise TableDamaged("its tables are others than the task's outputs need")
        elif (problem := self._value("PRAGMA quick_check(1)")) != "ok":
            raise TableDamaged(f"SQLite's check found: {problem}")

    def _create(self) -> None:
        with self._transaction():
            self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            for statement in self._columns.ddl:
                self._connection.execute(statement)

    def has_expired(self, now: float) -> bool:
        """Return whether the table has rows that are too old at `now` (Unix seconds)."""
        oldest = self.oldest
        return oldest is not None and oldest < now - self._retention.age_s

    def write(self, rows: Sequence[Row], now: float) -> int:
        """Add rows and remove what the table no longer keeps at `now` (Unix seconds); return the transactions it took.

        All is one transaction, unless far more rows have to go than come, such as when all are too old at once:
        removing them together would make a log as large as the table.
        """
        with _told_apart():
            if not rows and not self._has_excess(now):
                return 0
            self._replace(rows, now - self._retention.age_s)
        transactions = 1
        # The rows are in the file by now; what cannot be removed at this moment is removed later.
        with suppress(TableUnavailable), _told_apart():
            while self._has_excess(now):
                self._replace((), now - self._retention.age_s)
                transactions += 1
        return transactions

    def _has_excess(self, now: float) -> bool:
        is_large = self.rows > self._retention.rows or (self.rows > 0 and self._used > self._pages)
        return is_large or self.has_expired(now)

    def _replace(self, added: Sequence[Row], earliest: float) -> None:
        """Add rows, and remove some that are in excess, in one transaction: no more than lie on a few pages."""
        with self._transaction():
            self._connection.executemany(self._columns.insert, added)
            most = max(len(added), math.ceil(2 * self.rows * self._log_pages / self._used))
            rows = self.rows + len(added)
            rows -= self._remove(f"WHERE at < {earliest!r}", most)
            rows -= self._remove("ORDER BY id", min(most, rows - self._retention.rows))
            least = rows - most
            while (used := self._used_pages()) > self._pages and rows > max(0, least):
                share = math.ceil(rows * (used - self._pages) / used)
                rows -= self._remove("ORDER BY id", min(share, rows - least))
            oldest = self._value(f"SELECT min(at) FROM {TABLE}")  # noqa: S608
        self.rows, self.oldest, self._used = rows, oldest, used

    def _remove(self, which: str, count: int) -> int:
        """Remove at most `count` rows of those that the end of a query names; return how many there were."""
        if count <= 0:
            return 0
        doomed = f"SELECT id FROM {TABLE} {which} LIMIT {count}"  # noqa: S608
        return self._connection.execute(f"DELETE FROM {TABLE} WHERE id IN ({doomed})").rowcount  # noqa: S608

    def _used_pages(self) -> int:
        used: int = self._value("PRAGMA page_count") - self._value("PRAGMA freelist_count")
        return used

    def read(self, last: int, since: float, most_bytes: float = math.inf) -> list[dict[str, Any]]:
        """Return the newest `last` rows with a time of at least `since`, in the order in which they were added.

        Of more than `most_bytes` the newest that are not more are returned.
        """
        newest = f"{self._columns.select} WHERE at >= ? ORDER BY id DESC LIMIT ?"
        rows: list[Row] = []
        with _told_apart():
            for row in self._connection.execute(newest, (since, last)):
                most_bytes -= self._columns.size_of(row)
                if most_bytes < 0:
                    break
                rows.append(row)
        return [self._columns.decoded(row) for row in reversed(rows)]

    def copy_to(self, target: Path) -> None:
        """Write a copy to a new file: the same table, without a log of its own. It may be left half done."""
        with _told_apart():
            _make_private(target)
            self._connection.execute("VACUUM INTO ?", (str(target),))

    def close(self) -> None:
        """Move the log into the file and end the connection."""
        with _told_apart():
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
            raise

    def _value(self, statement: str) -> Any:
        (value,) = self._connection.execute(statement).fetchone()
        return value


@contextmanager
def _told_apart() -> Iterator[None]:
    """Raise TableDamaged or TableUnavailable for what SQLite and the operating system raise."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        passing = code & 0xFF in _PASSING and code != sqlite3.SQLITE_IOERR_SHORT_READ
        raise (TableUnavailable if passing else TableDamaged)(str(error)) from error
    except OSError as error:
        raise TableUnavailable(str(error)) from error


def _make_private(path: Path) -> None:
    """Make an empty file that only its owner can read; a file that is there keeps its content."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(os.path.lexists(part) and not stat.S_ISREG(part.lstat().st_mode) for part in _parts(path)):
        raise TableDamaged("in its place is something else than a file")
    try:
        if stat.S_IMODE(path.stat().st_mode) != 0o600:
            path.chmod(0o600)
    except FileNotFoundError:
        remove_file(path)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))


def _parts(path: Path) -> list[Path]:
    """Return the files of a table: first its logs, which mean nothing without it and would harm the next one."""
    return [path.with_name(path.name + suffix) for suffix in (*_LOGS, "")]


def remove_file(path: Path) -> None:
    """Remove a table's file with its logs; missing ones are no error. Raises OSError."""
    for part in _parts(path):
        part.unlink(missing_ok=True)


def publish(source: Path, target: Path, *, sync: bool) -> None:
    """Give a finished file its name; with `sync` a loss of power leaves the whole file or none. Raises OSError."""
    if sync:
        _sync(source)
    source.replace(target)
    if sync:
        _sync(target.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def set_aside(path: Path) -> Path:
    """Give a damaged file another name, in the place of one set aside before; its logs go first. Raises OSError."""
    aside = path.with_name(path.name + ".damaged")
    for source, target in zip(_parts(path), _parts(aside), strict=True):
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            source.rename(target)
    return aside
