"""PostgreSQL with a streaming standby that has every commit before it is acknowledged, and the failover to it."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import psycopg

from walleweb.embedded.places import ClusterFolders, create_folders, find_folders
from walleweb.embedded.postgres import DATABASE, ROLE, STOP_SIGNALS, SUPERUSER, Postgres, database_url, ensure_password
from walleweb.embedded.process import identity, spawn, stop

_WAIT_S: Final = 30.0
_STANDBY: Final = "standby"
Connection = psycopg.Connection[Any]


class ReplicatedPostgres:
    """A primary in `folder`/postgres and its standby beside it; start both from the thread that lives longest.

    `address` names both, and whoever uses it reaches the one that takes writes.
    """

    def __init__(self, folder: Path, *, log: Path, settings: Mapping[str, str]) -> None:
        self._primary, self._standby = folder / "postgres", folder / "postgres-standby"
        self._log, self._settings = log, dict(settings)
        self._server = Postgres(self._primary, log=log, settings=self._settings)
        self._replica: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the primary alone."""
        self._server.start()

    def address(self, role: str = ROLE) -> str:
        sockets = ",".join(str(find_folders(directory).sockets) for directory in (self._primary, self._standby))
        password = quote(ensure_password(self._primary), safe="")
        return f"postgresql://{role}:{password}@/{DATABASE}?host={sockets}&target_session_attrs=read-write"

    def connect(self) -> Connection:
        """Connect as superuser to the server that takes writes."""
        return psycopg.connect(self.address(SUPERUSER), autocommit=True)

    def add_standby(self) -> None:
        """Copy the primary, have the copy follow it, and from now on wait for it at each commit."""
        self._standby.mkdir()
        shutil.copy(self._primary / "password", self._standby / "password")
        place = create_folders(self._standby)
        self._copy_primary(place)
        self._replica = self._launch(place)
        with psycopg.connect(database_url(self._primary, role=SUPERUSER), autocommit=True) as primary:
            primary.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{_STANDBY}'")
            primary.execute("SELECT pg_reload_conf()")
            in_step = "SELECT 1 FROM pg_stat_replication WHERE application_name = %s AND sync_state = 'sync'"
            _wait(lambda: primary.execute(in_step, [_STANDBY]).fetchone() is not None, "the standby to follow")

    def kill_primary(self) -> None:
        """Kill the primary's postmaster; the processes of its connections end by themselves."""
        assert self._server.process is not None
        self._server.process.kill()
        self._server.process.wait()

    def promote(self) -> None:
        """Have the standby take writes; return when it does."""
        with psycopg.connect(database_url(self._standby, role=SUPERUSER), autocommit=True) as standby:
            standby.execute("SELECT pg_promote(wait => true)")

    def stop(self) -> None:
        if self._replica is not None:
            stop(self._replica, signals=STOP_SIGNALS)
        self._server.stop()

    def _copy_primary(self, place: ClusterFolders) -> None:
        primary = find_folders(self._primary)
        connection = f"host={primary.sockets} user={SUPERUSER} application_name={_STANDBY}"
        command = [str(place.programs / "bin" / "pg_basebackup"), "-D", str(place.data), "-R", "-X", "stream"]
        command += ["-c", "fast", "--no-sync", "-d", connection]
        environment = {"PGPASSWORD": ensure_password(self._primary), "LC_ALL": "C"}
        account = place.account
        if account is not None:
            # It makes the folder of its data, in one that is not its own.
            place.data.mkdir(mode=0o700)
            shutil.chown(place.data, account.uid, account.gid)
        subprocess.run(command, check=True, env=environment, cwd=place.home, **identity(account))

    def _launch(self, place: ClusterFolders) -> subprocess.Popen[bytes]:
        options = {"listen_addresses": "", "unix_socket_directories": str(place.sockets), **self._settings}
        switches = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        program = str(place.programs / "bin" / "postgres")
        with self._log.with_name("postgres-standby.log").open("ab") as output:
            return spawn(
                [program, "-D", str(place.data), *switches],
                output=output,
                env={"LC_ALL": "C", "TZ": "UTC"},
                cwd=place.data,
                account=place.account,
                death_signal=STOP_SIGNALS[0][0],
            )


def _wait(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _WAIT_S
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {_WAIT_S:g} s in vain for {what}")
        time.sleep(0.05)
