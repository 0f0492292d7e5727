"""A PostgreSQL cluster that is migrated once and copied for every test process.

The template is kept below `.pytest_cache` under a digest of everything that decides what it holds. A copy has two
migrated databases: `test_walle` for tests, and `walle` for a product that a test starts.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from walleweb.config import BASE_DIR
from walleweb.embedded.places import create_folders
from walleweb.private_files import passage

TEMPLATES = BASE_DIR / ".pytest_cache" / "d" / "clusters"
# Clusters of tests listen on a socket in a closed folder only, and are gone after the run.
PASSWORD = "of-the-tests"
TEST_DATABASE = "test_walle"
# What decides what a migrated cluster holds: the schema, the rows that migrating leaves, and who made it how.
INGREDIENTS = (
    "*/migrations/*.py",
    "*/models.py",
    "*/models/*.py",
    "*/apps.py",
    "jobs_app/broker.py",
    "requirements.txt",
    "tests/settings.py",
    "tests/support/cluster.py",
    "walleweb/settings.py",
    "walleweb/embedded/*.py",
)


def write_password(directory: Path) -> None:
    """Give the cluster that is to be copied to `directory` the password of the template."""
    passage(directory)
    path = directory / "password"
    path.touch(mode=0o600)
    path.write_text(PASSWORD)


def copy_template(directory: Path) -> None:
    """Make `directory` a stopped cluster with migrated databases; the template is built where there is none."""
    write_password(directory)
    place = create_folders(directory)
    _copy(_ready_template(), place.data)


def _ready_template() -> Path:
    TEMPLATES.mkdir(parents=True, exist_ok=True)
    template = TEMPLATES / _digest()
    with (TEMPLATES / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            for old in TEMPLATES.iterdir():
                if old.is_dir():
                    shutil.rmtree(old)
            environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
            environment.pop("DATABASE_URL", None)
            argv = [sys.executable, "-m", "tests.support.cluster", str(template)]
            subprocess.run(argv, cwd=BASE_DIR, env=environment, check=True)
    return template


def _digest() -> str:
    digest = hashlib.sha256(f"{sys.version} {os.geteuid()}".encode())
    for pattern in INGREDIENTS:
        for path in sorted(BASE_DIR.glob(pattern)):
            digest.update(f"{path.relative_to(BASE_DIR)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:32]


def _copy(source: Path, target: Path) -> None:
    """Copy with owners and modes: the account that runs a cluster has to own it."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def build(template: Path) -> None:
    """Create, migrate and stop a cluster, and put its files where the template belongs, whole or not at all."""
    import django

    django.setup()
    from django.conf import settings
    from django.db import connection

    from walleweb.embedded.places import find_folders
    from walleweb.embedded.postgres import VOLATILE, running

    directory = settings.CONFIG.embedded_postgres
    if directory is None:
        raise RuntimeError("a template is built of an embedded cluster; DATABASE_URL names another")
    with running(directory, log=settings.WALLE_DATA_DIR / "logs" / "postgres.log", settings=VOLATILE):
        connection.settings_dict["TEST"]["NAME"] = TEST_DATABASE
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        connection.close()
        _finish(directory)
    unfinished = template.with_name(f"{template.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    _copy(find_folders(directory).data, unfinished)
    unfinished.rename(template)


def _finish(directory: Path) -> None:
    """Let tests empty tables past their triggers, and copy the migrated database for products."""
    import psycopg

    from walleweb.embedded.postgres import DATABASE, ROLE, SUPERUSER, database_url

    with psycopg.connect(database_url(directory, "postgres", SUPERUSER), autocommit=True) as superuser:
        superuser.execute(f"GRANT SET ON PARAMETER session_replication_role TO {ROLE}")
        superuser.execute(f"DROP DATABASE {DATABASE}")
        superuser.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE} TEMPLATE {TEST_DATABASE}")


if __name__ == "__main__":
    build(Path(sys.argv[1]))
