"""Backups for tests: an installation to take them of, and an empty one to restore them into."""

import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import psycopg
from django.db import connection
from psycopg import sql
from rich.console import Console

from tests.support.processes import child_environment, run
from walleweb.config import BASE_DIR
from walleweb.databases import plain_url


@dataclass(frozen=True)
class Installation:
    """A database and a data folder of their own; `environment` is that of its processes."""

    database: str
    data: Path
    environment: dict[str, str]

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(self.database, autocommit=True)

    def rows(self, table: str) -> list[tuple]:
        with self.connect() as opened:
            return opened.execute(sql.SQL("SELECT * FROM {} ORDER BY 1").format(sql.Identifier(table))).fetchall()


def present_installation(data: Path, **settings: str) -> Installation:
    """This test's database with a data folder."""
    environment = child_environment(WALLE_DATA_DIR=str(data), **_master_key() | settings)
    return Installation(environment["DATABASE_URL"], data, environment)


@contextmanager
def empty_installation(data: Path, **settings: str) -> Iterator[Installation]:
    """A new database beside this test's, dropped at the end."""
    name = f"walle_{secrets.token_hex(4)}"
    url = plain_url({**connection.settings_dict, "NAME": name})
    with psycopg.connect(plain_url(connection.settings_dict), autocommit=True) as beside:
        beside.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            own = {"WALLE_DATA_DIR": str(data), "DATABASE_URL": url, **_master_key()}
            yield Installation(url, data, child_environment(**own | settings))
        finally:
            beside.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _master_key() -> dict[str, str]:
    from django.conf import settings

    return {"WALLE_MASTER_KEY": settings.WALLE_MASTER_KEY}


def manage(installation: Installation, *arguments: str) -> str:
    """Runs manage.py to its end; what it printed."""
    done = run([sys.executable, "manage.py", *arguments], cwd=BASE_DIR, env=installation.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def silent() -> Console:
    return Console(file=StringIO())
