"""The shipped systemd units, read by systemd itself."""

import re
import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.processes import run
from walle.gateway.tunnel.limits import TunnelLimits
from walle.whitebox.serving.supervisor import DRAIN_S
from walleweb.config import BASE_DIR, Config
from walleweb.embedded.commands import serving_command, web_command

pytestmark = pytest.mark.processes

UNITS = BASE_DIR / "deploy" / "systemd"
PROGRAM = shutil.which("systemd-analyze")
SERVERS = {"walle-gateway@.service": "walle-gateway@8101.service", "walle-web@.service": "walle-web@8001.service"}
INSTANCES = {**SERVERS, "walle-serving@.service": "walle-serving@8201.service"}


@pytest.mark.skipif(PROGRAM is None, reason="systemd-analyze is not installed: apt-get install -y systemd")
def test_systemd_has_nothing_against_the_units(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("uvicorn", "celery", "python"):
        (programs / name).symlink_to("/bin/true")
    for unit in UNITS.glob("walle*.*"):
        if unit.suffix != ".env":
            (tmp_path / unit.name).write_text(unit.read_text().replace("/opt/walle/.venv/bin", str(programs)))
    names = sorted(INSTANCES.get(path.name, path.name) for path in tmp_path.glob("walle*"))
    assert len(names) == 10
    for template, instance in INSTANCES.items():
        shutil.copy(tmp_path / template, tmp_path / instance)
    done = run([PROGRAM, "verify", "--man=no", *(str(tmp_path / name) for name in names)])
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_an_upgrade_waits_until_nginx_asks_the_restarted_server_again() -> None:
    guide = (BASE_DIR / "docs" / "guides" / "production.md").read_text()
    pause = re.search(r"/readyz; do sleep [\d.]+; done\n +sleep (\d+)", guide)
    left_alone = re.findall(r"fail_timeout=(\d+)s", (BASE_DIR / "deploy" / "nginx" / "walle.conf").read_text())
    assert pause is not None
    assert int(pause[1]) > max(map(int, left_alone))


def test_the_settings_are_those_of_a_production_that_starts() -> None:
    lines = [line for line in (UNITS / "walle.env").read_text().splitlines() if line and not line.startswith("#")]
    settings = dict(line.split("=", 1) for line in lines)
    secrets = dict.fromkeys(("SECRET_KEY", "WALLE_MASTER_KEY"), "k" * 50)
    assert all(settings[name] == "CHANGE-ME" for name in secrets)
    config = Config.from_env(settings | secrets)
    assert (config.debug, config.https, config.data_dir) == (False, True, Path("/srv/walle"))
    assert config.embedded_postgres is None


def options_of(words: Sequence[str]) -> dict[str, str]:
    """The options of a command that have a value."""
    return {name: value for name, value in pairwise(words) if name.startswith("--") and not value.startswith("--")}


@pytest.mark.parametrize("unit", SERVERS)
def test_servers_speak_the_same_protocols_as_on_one_machine_and_may_drain_before_they_are_killed(unit: str) -> None:
    lines = (UNITS / unit).read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if "=" in line)
    command, here = options_of(settings["ExecStart"].split()), options_of(web_command(Config.from_env({})))
    protocols = ("--loop", "--http", "--ws", "--ws-per-message-deflate", "--ws-max-size", "--lifespan")
    assert {name: command.get(name) for name in protocols} == {name: here[name] for name in protocols}
    graceful = float(command["--timeout-graceful-shutdown"])
    assert graceful >= 2 * TunnelLimits().drain_s
    assert float(settings["TimeoutStopSec"]) > graceful + TunnelLimits().close_s


def test_the_serving_process_is_the_one_of_one_machine_and_has_time_to_drain() -> None:
    lines = (UNITS / "walle-serving@.service").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if "=" in line)
    command, here = settings["ExecStart"].split(), list(serving_command(Config.from_env({})))
    assert command[1:4] == here[:3] == ["-m", "walle.whitebox.serving", "walleweb.serving:load"]
    assert "--lazy" in here
    assert "--lazy" not in command
    assert int(settings["TimeoutStopSec"]) > DRAIN_S
    # It goes on when its supervisor is killed, until the next one has taken over.
    assert settings["KillMode"] == "process"
