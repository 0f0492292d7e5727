"""The image and the services of deploy/compose.yaml: what their units are, and started where there is an engine."""

import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.support.certificate import make_certificate
from tests.support.processes import run
from tests.support.waiting import wait_for
from walleweb.config import BASE_DIR

DEPLOY = BASE_DIR / "deploy"
FILE = DEPLOY / "compose.yaml"
SERVICES: dict[str, Any] = yaml.safe_load(FILE.read_text())["services"]
UNITS = DEPLOY / "systemd"
OF_UNITS = {
    "gateway-8101": "walle-gateway@",
    "gateway-8102": "walle-gateway@",
    "web-8001": "walle-web@",
    "web-8002": "walle-web@",
    "serving-8201": "walle-serving@",
    "serving-8202": "walle-serving@",
    "worker": "walle-worker",
    "urgent-worker": "walle-urgent-worker",
    "simulation-worker": "walle-simulation-worker",
    "beat": "walle-beat",
    "backup": "walle-backup",
}
OURS = {*OF_UNITS, "prepare", "doctor"}
OTHERS = {"network", "postgres", "redis", "nginx"}
IMAGE = "python:3.11-slim-bookworm"


def unit(name: str) -> dict[str, list[str]]:
    """The settings of a unit, each with all of its values."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / f"{name}.service").read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def test_there_is_a_service_for_each_unit() -> None:
    assert set(SERVICES) == OURS | OTHERS
    assert set(OF_UNITS.values()) == {path.stem for path in UNITS.glob("*.service")}


@pytest.mark.parametrize("service", OF_UNITS)
def test_a_service_is_its_unit(service: str) -> None:
    described, settings = SERVICES[service], unit(OF_UNITS[service])
    commands = " && ".join(settings["ExecStart"]).replace("%i", service.rpartition("-")[2])
    command = described["command"]
    # Compose reads its variables from the shell that starts it, with the unit's value where there is none.
    own = re.sub(r"\$\{(\w+):-2\}", r"${\1}", command if isinstance(command, str) else command[-1])
    assert own == commands
    environment = dict(line.split("=", 1) for line in settings.get("Environment", []))
    environment.pop("WALLE_SIMULATION_PROCESSES", None)
    assert described.get("environment", {}) == environment
    assert str(described.get("ulimits", {}).get("nofile", "")) == settings.get("LimitNOFILE", [""])[0]
    if "TimeoutStopSec" in settings:
        assert described["stop_grace_period"] == f"{settings['TimeoutStopSec'][0]}s"


@pytest.mark.parametrize("service", sorted(OURS))
def test_a_service_has_no_rights_and_writes_to_its_volumes_alone(service: str) -> None:
    described = SERVICES[service]
    assert described["read_only"] is True
    assert described["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in described["security_opt"]
    unconfined = "seccomp:unconfined" in described["security_opt"]
    # The same that are less confined by systemd, and what asks whether they could work.
    assert unconfined == (service == "doctor" or "RestrictNamespaces" not in unit(OF_UNITS.get(service, "walle-beat")))
    assert not {"user", "privileged", "cap_add", "ports"} & set(described)
    assert described["network_mode"] == "service:network"


def test_files_that_it_names_are_there() -> None:
    places = [volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    files = [DEPLOY / place for place in places if place.startswith(".")]
    build = SERVICES["network"]["build"]
    files.append((DEPLOY / build["context"]).resolve() / build["dockerfile"])
    assert len(files) == 3
    assert [str(file) for file in files if not file.is_file()] == []
    volumes = {place for place in places if re.fullmatch(r"[a-z-]+", place)}
    assert volumes == set(yaml.safe_load(FILE.read_text())["volumes"])


def test_the_image_is_built_in_stages_of_files_that_are_there_and_belongs_to_no_root() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("FROM")].count(f"FROM {IMAGE}") == 1
    assert sum(line.startswith("FROM") for line in lines) == 3
    copied = [line.split()[1] for line in lines if line.startswith("COPY") and "--from" not in line]
    assert [name for name in copied if not (BASE_DIR / name).exists()] == []
    assert [line for line in lines if line.startswith("USER")] == ["USER walle"]
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert {".git", ".venv", ".walle", "**/node_modules"} <= set(ignored)


def has_engine() -> bool:
    """Docker answers, with Compose, and has the image that ours is built upon, or can get it."""
    if shutil.which("docker") is None or run(["docker", "info"]).returncode:
        return False
    if run(["docker", "compose", "version"]).returncode:
        return False
    return not run(["docker", "image", "inspect", IMAGE]).returncode or not run(["docker", "pull", IMAGE]).returncode


@pytest.fixture
def compose(tmp_path: Path) -> Iterator[Any]:
    """Runs `docker compose` on a project of the test's own, which is gone at its end; returns what it printed."""
    if not has_engine():
        pytest.skip("there is no container engine")
    password, project = secrets.token_hex(16), f"walle-test-{secrets.token_hex(4)}"
    (tmp_path / "password").write_text(password)
    (tmp_path / "password").chmod(0o644)
    settings = (UNITS / "walle.env").read_text().replace("walle:CHANGE-ME@", f"walle:{password}@")
    (tmp_path / "walle.env").write_text(re.sub("CHANGE-ME", lambda _: secrets.token_urlsafe(50), settings))
    live = tmp_path / "live" / "walle.example.com"
    live.mkdir(parents=True)
    make_certificate(live)
    (live / "certificate.pem").rename(live / "fullchain.pem")
    (live / "key.pem").rename(live / "privkey.pem")
    # No ports of the machine.
    (tmp_path / "ports.yaml").write_text("services: {network: {ports: !reset []}}\n")
    environment = {
        "WALLE_IMAGE": project,
        "WALLE_SETTINGS": str(tmp_path / "walle.env"),
        "WALLE_POSTGRES_PASSWORD": str(tmp_path / "password"),
        "WALLE_CERTIFICATES": str(tmp_path),
    }

    def docker_compose(*arguments: str, check: bool = True) -> str:
        files = ("--file", str(FILE), "--file", str(tmp_path / "ports.yaml"))
        words = [f"{name}={value}" for name, value in environment.items()]
        done = run(["env", *words, "docker", "compose", "--project-name", project, *files, *arguments])
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return str(done.stdout)

    yield docker_compose
    docker_compose("--profile", "serving", "down", "--volumes", "--timeout", "5", "--rmi", "local", check=False)


@pytest.mark.processes
@pytest.mark.slow
def test_the_image_is_built_and_all_of_walle_starts_in_it(compose: Any) -> None:
    compose("build", "--quiet")
    compose("up", "--detach", "--quiet-pull")
    assert compose("exec", "web-8001", "id", "-un").strip() == "walle"
    asking = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8101/readyz').read().decode())"
    ready = wait_for(lambda: compose("exec", "gateway-8101", "python", "-c", asking, check=False), timeout=60)
    assert '"ready":true' in ready.replace(" ", "")
    through_nginx = (
        "import ssl, urllib.request as r; context = ssl._create_unverified_context();"
        "asked = r.Request('https://127.0.0.1/admin/login/', headers={'host': 'walle.example.com'});"
        "print(r.urlopen(asked, context=context).status)"
    )
    assert wait_for(lambda: compose("exec", "web-8001", "python", "-c", through_nginx, check=False)).strip() == "200"
    said = compose("run", "--rm", "doctor", check=False)
    assert "✓ migrations" in said
    assert "✓ static files" in said
    assert "✗ worker" not in wait_for(lambda: _without("✗ worker", compose("run", "--rm", "doctor", check=False)))


def _without(text: str, said: str) -> str:
    return "" if text in said else said
