"""The upgrade of docs/guides/production.md and its way back, from the code before the newest migration.

The guide's lines are executed as they stand. Only places are others, packages and the dashboard are not installed
again, there is one server instead of six, and `systemctl` is a script. What is written in between goes through the
product's addresses (tests/walleweb/upgrade_writes.py).
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.backups import Installation, empty_installation
from tests.support.earlier_code import before_the_newest_migration, unpack
from tests.support.processes import free_port, run
from tests.walleweb.upgrade_writes import PASSWORD, Client, write_everything
from walleweb.config import BASE_DIR

EARLIER = before_the_newest_migration()
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.processes,
    pytest.mark.skipif(EARLIER is None, reason="there is no earlier code that runs with these packages"),
]
GUIDE = BASE_DIR / "docs" / "guides" / "production.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What systemd does for `systemctl restart UNIT`: end it, and start the code that /opt/walle points to.
SYSTEMCTL = """#!/bin/bash
set -euo pipefail
echo "$*" >> {folder}/restarted
[ "$*" = "restart walle-web@{port}" ] || exit 0
if [ -f {folder}/pid ]; then
    kill "$(cat {folder}/pid)"
    while kill -0 "$(cat {folder}/pid)" 2>> {folder}/waiting; do sleep 0.05; done
fi
cd {folder}/opt/walle/
set -a; . {folder}/walle.env; set +a
exec >> {folder}/server.log 2>&1 < /dev/null
PYTHONPATH=$PWD setsid .venv/bin/python -m uvicorn walleweb.asgi:application --port {port} --lifespan on \
    --no-access-log --http walle.gateway.uvicorn_protocol:CheckInProtocol --no-proxy-headers &
echo $! > {folder}/pid
"""
PYTHON = """#!/bin/sh
exec {python} "$@"
"""


class Site:
    """The guide's machine: two folders of code, a database of the earlier one, and a server."""

    def __init__(self, folder: Path, installation: Installation) -> None:
        self.folder, self.port = folder, free_port()
        self.installation = installation
        self.places = {
            "/opt/walle": str(folder / "opt" / "walle"),
            "/etc/walle/walle.env": str(folder / "walle.env"),
            "account=walle": f"account={_account()}",
        }
        _code(folder / "opt" / "walle-1", lambda place: unpack(str(EARLIER), place))
        _code(folder / "opt" / "walle-2", _link_present_code)
        (folder / "opt" / "walle").symlink_to(folder / "opt" / "walle-1")
        admin = folder / "opt/walle-2/deploy/walle-admin"
        admin.write_text(self._replaced((BASE_DIR / "deploy" / "walle-admin").read_text()))
        admin.chmod(0o755)
        kept = ("SECRET_KEY", "WALLE_MASTER_KEY", "DATABASE_URL", "WALLE_DATA_DIR", "WALLE_PUBLIC_URL")
        environment = installation.environment | {"WALLE_PUBLIC_URL": f"http://127.0.0.1:{self.port}"}
        (folder / "walle.env").write_text("".join(f"{name}={shlex.quote(environment[name])}\n" for name in kept))
        (folder / "bin").mkdir()
        (folder / "bin" / "systemctl").write_text(SYSTEMCTL.format(folder=folder, port=self.port))
        (folder / "bin" / "systemctl").chmod(0o755)

    def manage_earlier(self, *arguments: str) -> None:
        place = self.folder / "opt" / "walle-1"
        environment = {**self.installation.environment, "PYTHONPATH": str(place)}
        environment |= {"DJANGO_SUPERUSER_PASSWORD": PASSWORD}
        done = run([sys.executable, "manage.py", *arguments], cwd=place, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr

    def do(self, script: str) -> None:
        """The guide's lines, in one shell."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self._replaced(script)],
            cwd=self.folder,
            env={**kept, "PATH": f"{self.folder / 'bin'}:{kept['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}{self.log()}"

    def _replaced(self, text: str) -> str:
        for shipped, used in self.places.items():
            text = text.replace(shipped, used)
        return text

    def log(self) -> str:
        return (self.folder / "server.log").read_text() if (self.folder / "server.log").exists() else ""

    def code_of_server(self) -> Path:
        return Path(f"/proc/{(self.folder / 'pid').read_text().strip()}/cwd").resolve()

    def stop(self) -> None:
        if (self.folder / "pid").exists():
            os.kill(int((self.folder / "pid").read_text()), 15)


def _account() -> str:
    return run(["id", "-un"]).stdout.strip()


def _code(place: Path, fill: Callable[[Path], None]) -> None:
    place.mkdir(parents=True)
    fill(place)
    (place / ".venv" / "bin").mkdir(parents=True)
    (place / ".venv" / "bin" / "python").write_text(PYTHON.format(python=sys.executable))
    (place / ".venv" / "bin" / "python").chmod(0o755)


def _link_present_code(place: Path) -> None:
    for path in BASE_DIR.iterdir():
        if path.name not in (".venv", "deploy"):
            (place / path.name).symlink_to(path)
    (place / "deploy").mkdir()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    tmp_path.chmod(0o755)
    with empty_installation(tmp_path / "data") as installation:
        machine = Site(tmp_path, installation)
        yield machine
        machine.stop()


def guide() -> tuple[str, str, str, str]:
    """The lines that migrate, that restart, that point back, and that finish."""
    section = GUIDE.read_text().partition("\n## Upgrades\n")[2].partition("\n## ")[0]
    _, migrate, restart, finish = BLOCK.findall(section)
    (back,) = re.findall(r"`(ln -sfn /opt/walle-1 /opt/walle)`", section)
    return migrate, restart, back, finish


def test_the_version_before_writes_on_the_new_schema_and_the_way_back_is_open(site: Site) -> None:
    migrate, restart, back, finish = guide()
    restart = re.sub("for unit in .*; do", f"for unit in walle-web@{site.port}; do", restart)
    point, _, restart = restart.partition("\n")
    client = Client(site.port, site.folder)
    site.manage_earlier("migrate", "--verbosity", "0")
    site.manage_earlier("createsuperuser", "--no-input", "--username", "root", "--email", "root@example.org")
    site.do(restart)

    site.do(migrate)
    write_everything(client, "during")
    site.do(f"{point}\n{restart}")
    assert site.code_of_server().name == "walle-2"
    write_everything(client, "after")
    site.do(f"{back}\n{restart}")
    assert site.code_of_server().name == "walle-1"
    write_everything(client, "back")
    site.do(f"{point}\n{restart}\n{finish}")
    write_everything(client, "finished")

    with psycopg.connect(site.installation.database) as opened:
        tables = ("tasks_app_taskversion", "releases_app_release", "devices_app_report", "webhooks_app_webhook")
        counts = [opened.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables]
    assert counts == [(4,)] * 4
    assert "restart walle-worker walle-urgent-worker walle-simulation-worker walle-beat" in (
        (site.folder / "restarted").read_text()
    )
