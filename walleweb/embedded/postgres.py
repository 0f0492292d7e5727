"""A small launcher of the PostgreSQL programs that come in a wheel.

One cluster belongs to one folder (`.walle/postgres`): `password` (0600), `lock`, `data/`, `socket/`.
It listens on a unix socket only, asks for its password (SCRAM), and never outlives the process that
started it. `start` goes: take the lock, create the folders, stop an orphan, initdb, launch, wait until
it answers, create the role and the database. Every step may be repeated after an interruption.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
from psycopg import sql

from walleweb.embedded.lock import FolderLock, LockHeld
from walleweb.embedded.places import ClusterFolders, PostgresError, create_folders, find_folders
from walleweb.embedded.process import identity, spawn, stop
from walleweb.private_files import stored_secret

MAJOR = "18"
ROLE = "walle"
DATABASE = "walle"
SUPERUSER = "postgres"
START_SECONDS = 60.0
# Smart shutdown would wait for clients; fast ends their sessions, immediate skips the checkpoint.
FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT
STOP_SIGNALS = ((FAST, 20.0), (IMMEDIATE, 10.0), (signal.SIGKILL, 5.0))
# Settings for data that may be lost with the machine, as in tests.
VOLATILE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def database_url(directory: Path, database: str = DATABASE, role: str = ROLE) -> str:
    """Return the URL of a database of the cluster in `directory`; the cluster need not be running.

    Creates the password on first use, so that settings can be read before the first start.
    """
    password = quote(ensure_password(directory), safe="")
    host = quote(str(find_folders(directory).sockets), safe="")
    return f"postgresql://{role}:{password}@/{database}?host={host}"


def ensure_password(directory: Path) -> str:
    """Return the cluster's password, stored in a file that only its owner can read."""
    path = directory / "password"
    try:
        return stored_secret(path, size=24)
    except PermissionError as error:
        raise PostgresError(
            f"{path} cannot be read or made: start Walle as the user who created this folder, "
            "or set WALLE_DATA_DIR to a folder of your own."
        ) from error


class Postgres:
    """One cluster that this process runs; `start` it from the thread that lives longest.

    `start` again after a crash (`poll` tells) brings it back. `settings` are PostgreSQL's, by name.
    """

    name = "postgres"

    def __init__(self, directory: Path, *, log: Path, settings: dict[str, str] | None = None) -> None:
        self.directory = directory.absolute()
        self.log = log
        self.settings = settings or {}
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = FolderLock(self.directory / "lock")

    def start(self) -> None:
        """Return when the database accepts connections; raise PostgresError with the reason otherwise."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def poll(self) -> int | None:
        """Return the exit status once the server has ended, None while it runs."""
        return None if self.process is None else self.process.poll()

    def stop(self) -> None:
        """Shut the server down and release the folder; does nothing when it is not running."""
        if self.process is not None:
            stop(self.process, signals=STOP_SIGNALS)
            self.process = None
        self._lock.release()

    def _start(self) -> None:
        self._take_lock()
        place = create_folders(self.directory)
        ensure_password(self.directory)
        _stop_orphan(place)
        if not place.data.exists():
            _initialize(place, password=ensure_password(self.directory))
        _check_version(place)
        self.process = self._launch(place)
        self._wait_until_ready(place, self.process)
        _ensure_database(self.directory)

    def _take_lock(self) -> None:
        try:
            self._lock.take()
        except LockHeld as error:
            raise PostgresError(
                f"{self.directory} is in use by another running Walle ({error}): stop that one, "
                "or set WALLE_DATA_DIR to another folder."
            ) from error

    def _launch(self, place: ClusterFolders) -> subprocess.Popen[bytes]:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(place.sockets),
            "unix_socket_permissions": "0700",
            **self.settings,
        }
        switches = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        program = str(place.programs / "bin" / "postgres")
        with self.log.open("ab") as output:
            return spawn(
                [program, "-D", str(place.data), *switches],
                output=output,
                env=_environment(),
                cwd=place.data,
                account=place.account,
                death_signal=FAST,
            )

    def _wait_until_ready(self, place: ClusterFolders, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while _status(place, pid=process.pid) != "ready":
            if process.poll() is not None:
                raise PostgresError(f"PostgreSQL did not start. {self._last_words()}")
            if time.monotonic() > deadline:
                raise PostgresError(f"PostgreSQL took over {START_SECONDS:.0f} s. {self._last_words()}")
            time.sleep(0.01)

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-8:]
        return f"Its log {self.log} ends with:\n" + "\n".join(lines)


@contextlib.contextmanager
def running(directory: Path, *, log: Path, settings: dict[str, str] | None = None) -> Iterator[Postgres]:
    """Run a cluster for the length of a with block."""
    server = Postgres(directory, log=log, settings=settings)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _initialize(place: ClusterFolders, *, password: str) -> None:
    """Run initdb beside the final folder and rename, so that a half-made cluster is never taken for one."""
    fresh = place.home / "data.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    # The complete cluster belongs to the account, including the file with the password for initdb.
    secret = place.sockets / "initial-password"
    secret.touch(mode=0o600)
    secret.write_text(password)
    if place.account is not None:
        os.chown(fresh, place.account.uid, place.account.gid)
        os.chown(secret, place.account.uid, place.account.gid)
    try:
        _run_initdb(place, fresh, secret)
    finally:
        secret.unlink()
    fresh.rename(place.data)


def _run_initdb(place: ClusterFolders, fresh: Path, secret: Path) -> None:
    done = subprocess.run(
        [
            str(place.programs / "bin" / "initdb"),
            *("-D", str(fresh), "-U", SUPERUSER, f"--pwfile={secret}", "--auth=scram-sha-256"),
            *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            "--no-sync",
        ],
        capture_output=True,
        text=True,
        check=False,
        env=_environment(),
        cwd=place.home,
        **identity(place.account),
    )
    if done.returncode != 0:
        raise PostgresError(f"initdb failed in {fresh}:\n{done.stdout}{done.stderr}")


def _check_version(place: ClusterFolders) -> None:
    found = (place.data / "PG_VERSION").read_text().strip()
    if found != MAJOR:
        raise PostgresError(
            f"{place.data} was made by PostgreSQL {found}; this Walle runs {MAJOR}. Dump it with the old "
            "version and load it here, or move the folder away to begin with an empty database."
        )


def _stop_orphan(place: ClusterFolders) -> None:
    """End a server that outlived a killed parent; drop a pid file whose number now belongs to another."""
    pid_file = place.data / "postmaster.pid"
    try:
        pid = int(pid_file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return
    if not _alive(pid):
        return
    if not _serves(pid, place.data):
        pid_file.unlink()
        return
    for number, grace in STOP_SIGNALS:
        if _end(pid, number, grace):
            return
    raise PostgresError(f"PostgreSQL process {pid} still holds {place.data} and cannot be stopped.")


def _end(pid: int, number: signal.Signals, grace: float) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
    deadline = time.monotonic() + grace
    while _alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _alive(pid: int) -> bool:
    """Return whether the process still runs; a zombie has ended although its number is taken."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _serves(pid: int, data: Path) -> bool:
    """Return whether process `pid` is a PostgreSQL server of the folder `data`."""
    try:
        arguments = psutil.Process(pid).cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
    return str(data) in arguments and Path(arguments[0]).name == "postgres"


def _status(place: ClusterFolders, *, pid: int) -> str:
    """Return the last line of postmaster.pid, which PostgreSQL updates ("starting", "ready", ...)."""
    try:
        lines = (place.data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return "absent"
    ours = bool(lines) and lines[0] == str(pid)
    return lines[7].strip() if ours and len(lines) > 7 else "starting"


def _ensure_database(directory: Path) -> None:
    """Create the role that Walle works as (no superuser) and its database."""
    password = ensure_password(directory)
    with psycopg.connect(database_url(directory, "postgres", SUPERUSER), autocommit=True) as connection:
        role, database = sql.Identifier(ROLE), sql.Identifier(DATABASE)
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone():
            create = sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}")
            connection.execute(create.format(role, sql.Literal(password)))
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role))


def _environment() -> dict[str, str]:
    """Return a minimal environment: no PG* variable of the user's may redirect the programs."""
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
