"""Write the database of this installation as a script, and load it again."""

import gzip
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, cast

import psycopg
from django.conf import settings
from django.db import connection

from walleweb.backup import BackupError
from walleweb.backup.script import Rows, ScriptBroken, Statements, parts
from walleweb.databases import libpq_variables, plain_url, postgres_connection
from walleweb.embedded.places import PostgresError, packaged_programs
from walleweb.embedded.postgres import Postgres

# Data without lasting value: messages that wake workers, live updates, and sessions, which a thief could use.
NOT_COPIED: Final = (
    "kombu_message",
    "channels_postgres_message",
    "channels_postgres_groupchannel",
    "django_session",
    "accounts_app_browsersession",
)
_LEAVE_OUT: Final = """
SELECT setval(format('%%I.%%I', schemaname, sequencename)::regclass, least(coalesce(last_value, 0) + %s, max_value))
FROM pg_sequences WHERE schemaname = 'public'
"""
_DEBIAN: Final = Path("/usr/lib/postgresql")
_PROGRESS_EVERY: Final = 20_000
_PORTION: Final = 1 << 16
_COMPRESSION: Final = 3


@contextmanager
def reachable_database() -> Iterator[None]:
    """Make the configured database available within the block; the embedded one is started if it does not run."""
    try:
        psycopg.connect(plain_url(settings.DATABASES["default"]), connect_timeout=10).close()
    except psycopg.OperationalError as error:
        directory = settings.CONFIG.embedded_postgres
        if directory is None:
            raise BackupError(f"The database cannot be reached: {error}") from error
        with _started(directory):
            yield
            connection.close()
    else:
        yield


@contextmanager
def _started(directory: Path) -> Iterator[None]:
    server = Postgres(directory, log=settings.WALLE_DATA_DIR / "logs" / "postgres.log")
    try:
        server.start()
    except PostgresError as error:
        raise BackupError(str(error)) from error
    try:
        yield
    finally:
        server.stop()


class Snapshot:
    """The database as it was at one moment, for as long as the block lasts."""

    def __init__(self, opened: psycopg.Connection) -> None:
        self._connection = opened
        self.id: str = self._scalar("SELECT pg_export_snapshot()")
        self.server: str = self._scalar("SHOW server_version")
        self.number = opened.info.server_version

    def rows(self, query: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, arguments).fetchall()

    def _scalar(self, query: str) -> str:
        [(found,)] = self._connection.execute(query).fetchall()
        return str(found)


@contextmanager
def snapshot() -> Iterator[Snapshot]:
    """Open a consistent view of the database, which others may go on changing."""
    # The transaction waits for pg_dump, however long that takes.
    patient = "-c idle_in_transaction_session_timeout=0"
    with psycopg.connect(plain_url(settings.DATABASES["default"]), options=patient) as opened:
        opened.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        opened.read_only = True
        yield Snapshot(opened)


def write_script(seen: Snapshot, target: BinaryIO, show: Callable[[str], None]) -> dict[str, int]:
    """Write the snapshot as a compressed SQL script; return the number of rows of each table. Raises BackupError."""
    program = _pg_dump(seen.number)
    command = [str(program), f"--snapshot={seen.id}", "--no-owner", "--no-privileges", "--no-comments"]
    command += ["--no-tablespaces", "--no-publications", "--no-subscriptions", "--encoding=UTF8"]
    command += [f"--exclude-table-data={table}" for table in NOT_COPIED]
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=_environment()) as process:
            counted = _copied(cast(IO[bytes], process.stdout), target, show)
        errors.seek(0)
        message = errors.read().decode(errors="replace").strip()
    if process.returncode != 0 or counted is None:
        raise BackupError(f"{program} ended too early, with status {process.returncode}: {message}")
    return counted


def _copied(script: Iterable[bytes], target: BinaryIO, show: Callable[[str], None]) -> dict[str, int] | None:
    """Compress a script; return the number of rows of each table, or None if it ends within one."""
    counted: dict[str, int] = {}
    with gzip.GzipFile(fileobj=target, mode="wb", compresslevel=_COMPRESSION, mtime=0, filename="") as packed:
        try:
            # The script is written as it was read; its parts are only counted.
            for part in parts(_written(script, packed)):
                if isinstance(part, Rows):
                    counted[part.table] = _count(part, show)
        except ScriptBroken:
            return None
    return counted


def _count(rows: Rows, show: Callable[[str], None]) -> int:
    number = 0
    for number, _ in enumerate(rows.lines, start=1):
        if number % _PROGRESS_EVERY == 0:
            show(f"{rows.table}: {number:,} rows")
    return number


def _written(script: Iterable[bytes], target: gzip.GzipFile) -> Iterator[bytes]:
    for line in script:
        target.write(line)
        yield line


def database_is_empty() -> bool:
    """Return whether the database has no table yet."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT NOT EXISTS (SELECT FROM information_schema.tables WHERE table_schema = 'public')")
        return bool(cursor.fetchone()[0])


def run_script(script: Iterable[bytes], show: Callable[[str], None]) -> dict[str, int]:
    """Run a script in Django's present transaction; return the number of rows loaded into each table."""
    counted: dict[str, int] = {}
    is_old = postgres_connection().pg_version < 170_000
    # Bypasses Django's wrapper, which would record every statement while DEBUG is on.
    with connection.connection.cursor() as cursor:
        for part in parts(script):
            if isinstance(part, Statements):
                cursor.execute(part.text.replace(b"SET transaction_timeout = 0;\n", b"") if is_old else part.text)
            else:
                show(f"{part.table}")
                with cursor.copy(part.copy) as copy:
                    for portion in _portions(part.lines):
                        copy.write(portion)
                counted[part.table] = cursor.rowcount
        cursor.execute("RESET search_path")
    return counted


def _portions(lines: Iterator[bytes]) -> Iterator[bytes]:
    portion, size = [], 0
    for line in lines:
        portion.append(line)
        size += len(line)
        if size >= _PORTION:
            yield b"".join(portion)
            portion, size = [], 0
    yield b"".join(portion)


def skip_ids(count: int) -> None:
    """Skip ids, so that new rows do not reuse those of rows that were created after the backup and are lost."""
    with connection.cursor() as cursor:
        cursor.execute(_LEAVE_OUT, [count])


def _pg_dump(server: int) -> Path:
    """Return the oldest pg_dump here that is no older than the server; raises BackupError."""
    found = {version: path for path in _candidates() if (version := _major(path)) is not None}
    fitting = [version for version in found if version >= server // 10_000]
    if not fitting:
        known = ", ".join(f"{path} ({version})" for version, path in found.items()) or "none"
        raise BackupError(
            f"The database is PostgreSQL {server // 10_000}, and there is no pg_dump here of that version or newer "
            f"(found: {known}): install one, on Debian and Ubuntu postgresql-client-{server // 10_000}."
        )
    return found[min(fitting)]


def _candidates() -> Iterator[Path]:
    if in_path := shutil.which("pg_dump"):
        yield Path(in_path)
    yield from sorted(_DEBIAN.glob("*/bin/pg_dump"))
    try:
        yield packaged_programs() / "bin" / "pg_dump"
    except PostgresError:
        return


def _major(program: Path) -> int | None:
    try:
        output = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, env=_bare()).stdout
    except OSError:
        return None
    version = re.search(r"(\d+)(\.\d+|devel|beta|rc)", output)
    return int(version[1]) if version else None


def _environment() -> Mapping[str, str]:
    """Return the address of the database for libpq; on a command line everybody here could read a password."""
    return _bare() | libpq_variables(plain_url(settings.DATABASES["default"]))


def _bare() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
