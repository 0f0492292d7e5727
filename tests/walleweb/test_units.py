"""The shipped systemd units, read by systemd itself."""

import shutil
from pathlib import Path

import pytest

from tests.support.processes import run
from walleweb.config import BASE_DIR, Config

pytestmark = pytest.mark.processes

UNITS = BASE_DIR / "deploy" / "systemd"
PROGRAM = shutil.which("systemd-analyze")
INSTANCES = {"walle-gateway@.service": "walle-gateway@8101.service", "walle-web@.service": "walle-web@8001.service"}


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
    assert len(names) == 9
    for template, instance in INSTANCES.items():
        shutil.copy(tmp_path / template, tmp_path / instance)
    done = run([PROGRAM, "verify", "--man=no", *(str(tmp_path / name) for name in names)])
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_settings_are_those_of_a_production_that_starts() -> None:
    lines = [line for line in (UNITS / "walle.env").read_text().splitlines() if line and not line.startswith("#")]
    settings = dict(line.split("=", 1) for line in lines)
    secrets = dict.fromkeys(("SECRET_KEY", "WALLE_MASTER_KEY"), "k" * 50)
    assert all(settings[name] == "CHANGE-ME" for name in secrets)
    config = Config.from_env(settings | secrets)
    assert (config.debug, config.https, config.data_dir) == (False, True, Path("/srv/walle"))
    assert config.embedded_postgres is None
