"""docs/guides/key-rotation.md, executed word for word against a running Walle; a device works after each section.

Only places are others: the file of settings, the folder of backups, and `systemctl`, which is a script here.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import ApiToken, AuditEntry
from devices_app.models import AppKey, Root, ServerKey
from devices_app.services.apps import add_version, create_app, create_secret_key
from devices_app.services.keys import ensure_keys
from tasks_app.models import TaskVersion
from tasks_app.services.scenarios import create_scenario
from tests.support.backups import present_installation
from tests.support.people import make_user, token_of
from tests.support.phone import Phone
from tests.support.processes import free_port
from tests.support.releases import draft_of, move_on
from tests.tasks_app.working_copy import GOOD, WorkingCopy
from walleweb.config import BASE_DIR
from webhooks_app.models import Webhook
from webhooks_app.services.webhooks import create_webhook

pytestmark = pytest.mark.django_db(transaction=True)

GUIDE = BASE_DIR / "docs" / "guides" / "key-rotation.md"
SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = """#!/bin/sh
exec {python} "$@"
"""
# What systemd does for `systemctl restart walle.target`: end the server, and start it with the present settings.
SYSTEMCTL = """#!/bin/bash
set -euo pipefail
[ "$*" = "restart walle.target" ]
cd {root}
if [ -f {folder}/pid ]; then
    kill "$(cat {folder}/pid)"
    while kill -0 "$(cat {folder}/pid)" 2>> {folder}/waiting; do sleep 0.05; done
fi
unset WALLE_MASTER_KEY WALLE_MASTER_KEY_FALLBACKS SECRET_KEY SECRET_KEY_FALLBACKS
set -a; . {folder}/walle.env; set +a
exec >> {folder}/server.log 2>&1 < /dev/null
setsid {python} -m uvicorn walleweb.asgi:application --port {port} --lifespan on &
echo $! > {folder}/pid
for _ in $(seq 600); do
    if curl -fsS -o {folder}/ready http://127.0.0.1:{port}/walle/v1/roots/1.json 2>> {folder}/waiting; then exit 0; fi
    sleep 0.1
done
exit 1
"""


class Site:
    """One machine of the guide."""

    def __init__(self, folder: Path, environment: dict[str, str], port: int) -> None:
        self.folder, self.port, self.environment = folder, port, environment
        programs = folder / "bin"
        programs.mkdir()
        places = {"root": BASE_DIR, "folder": folder, "python": sys.executable, "port": port}
        for name, text in (("python", PYTHON), ("systemctl", SYSTEMCTL)):
            (programs / name).write_text(text.format(**places))
            (programs / name).chmod(0o755)

    def run(self, script: str, **variables: str) -> str:
        """Runs the lines of one section in one shell, in the folder of the code."""
        script = script.replace("/etc/walle/walle.env", str(self.folder / "walle.env"))
        script = script.replace("/var/backups/walle", str(self.folder / "backups"))
        script = re.sub(r"> (new-\w+\.json)", rf"> {self.folder}/\1", script)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=BASE_DIR,
            env={**self.environment, "PATH": path, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}{self.log()}"
        return done.stdout

    def log(self) -> str:
        return (self.folder / "server.log").read_text() if (self.folder / "server.log").exists() else ""

    def stop(self) -> None:
        if (self.folder / "pid").exists():
            os.kill(int((self.folder / "pid").read_text()), 15)


def sections() -> dict[str, list[str]]:
    """The shell blocks of the guide by their section; those before the first one come under ''."""
    titles = ["", *SECTION.findall(GUIDE.read_text())]
    return dict(zip(titles, map(BLOCK.findall, SECTION.split(GUIDE.read_text())[::2]), strict=True))


@pytest.fixture
def site(tmp_path: Path, settings):
    tmp_path.chmod(0o755)
    port = free_port()
    settings.WALLE_PUBLIC_URL = f"http://127.0.0.1:{port}"
    settings.WALLE_ARTIFACTS_DIR, settings.WALLE_GIT_DIR = tmp_path / "data/artifacts", tmp_path / "data/git"
    own = {"SECRET_KEY": "s" * 50, "WALLE_PUBLIC_URL": settings.WALLE_PUBLIC_URL, "WALLE_DEBUG": "off"}
    installation = present_installation(tmp_path / "data", **own)
    kept = ("SECRET_KEY", "WALLE_MASTER_KEY", "WALLE_PUBLIC_URL", "DATABASE_URL", "WALLE_DATA_DIR", "WALLE_DEBUG")
    lines = [f"{name}='{installation.environment[name]}'" for name in kept]
    (tmp_path / "walle.env").write_text("\n".join(lines) + "\n")
    machine = Site(tmp_path, installation.environment, port)
    yield machine
    machine.stop()


def test_the_guide_is_right_and_a_device_goes_on(site: Site, tmp_path: Path, settings) -> None:
    now = timezone.now()
    ensure_keys(now=now)
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=now)
    add_version(app=app, version="1.0.0", actor=SYSTEM)
    create_scenario(actor=SYSTEM, slug="camera")
    key, text = create_secret_key(app=app, kind=AppKey.Kind.ENROL, label="release build 1", actor=SYSTEM)
    staff = Actor(user=make_user("root", superuser=True))
    webhook, _ = create_webhook(actor=staff, now=now, scope="app:shop", url="https://example.org/hook", events=["*"])
    steps = sections()
    site.run("systemctl restart walle.target")
    tokens = token_of(staff), token_of(staff)
    old_token = ApiToken.objects.get(prefix=tokens[1][:11])
    copy = WorkingCopy(tmp_path / "copy", remote=f"http://git:{tokens[0]}@127.0.0.1:{site.port}/git/camera.git")
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    version = TaskVersion.objects.get()
    move_on(draft_of(app, version, now=now), "start", now=now)
    phone = Phone(tmp_path / "phone", text)
    address, task = f"http://127.0.0.1:{site.port}", "camera/digits"
    phone.wait_until_it_runs("1.0.0", address, task)
    variables = {"WALLE_TOKEN": tokens[0], "OLD_KEY": str(key.pk), "OLD_TOKEN": old_token.prefix}
    variables |= {"WEBHOOK": str(webhook.pk)}
    begin = "".join(steps.pop(""))

    for blocks in steps.values():
        site.run(begin + "".join(blocks), **variables)
        phone.wait_until_it_runs("1.0.0", address, task)

    signed = ServerKey.objects.filter(state="accepted").values_list("purpose", flat=True)
    assert set(signed) == {"root", "manifest", "assignment", "device"}
    assert Root.objects.count() == 4
    assert set(AuditEntry.objects.filter(action="master-key.reseal").values_list("after__key", flat=True))
    assert "WALLE_MASTER_KEY_FALLBACKS" not in (site.folder / "walle.env").read_text()
    assert settings.WALLE_MASTER_KEY not in (site.folder / "walle.env").read_text()
    assert AppKey.objects.get(pk=key.pk).revoked_at
    assert json.loads((site.folder / "new-key.json").read_text())["text"]
    assert ApiToken.objects.get(pk=old_token.pk).revoked_at
    assert Webhook.objects.get().previous_until
    assert len(list((site.folder / "backups").glob("*Z"))) == 3
