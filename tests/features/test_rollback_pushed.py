"""A rollback reaches a device that would not check in for an hour: git, web server and device are real processes."""

import re
import sys

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import AppKey, Report
from devices_app.services.apps import add_version, create_app, create_secret_key
from releases_app.models import Release
from tasks_app.models import TaskVersion
from tests.support.phone import Phone
from tests.support.processes import Child, Children
from tests.support.releases import draft_of, move_on
from tests.support.waiting import wait_for
from tests.tasks_app.conftest import clone, developer, served, server  # noqa: F401
from tests.tasks_app.working_copy import GOOD, MAIN

pytestmark = pytest.mark.django_db(transaction=True)

HOUR_S = 3600
TO_ALL = {
    "simulation": False,
    "control_percent": 0,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 86_400, "evidence": 0}],
}


def start(children: Children, phone: Phone, address: str, task: str) -> Child:
    """The phone's agent, which runs until it is stopped."""
    argv = ["-m", "walle.device", "--interval", str(HOUR_S), "--server", address, "--app", "shop"]
    argv += ["--app-version", "1.0.0", "--app-key", phone.app_key, "--store", str(phone.folder / "store")]
    argv += ["--root", str(phone.folder / "root.json"), "--inputs", f"{task}={phone.folder / 'inputs.jsonl'}"]
    return children.start(sys.executable, *argv, name="device")


def check_ins(device: Child) -> int:
    return len(re.findall(r"^\S+ checked-in ", device.output(), re.MULTILINE))


def test_a_connected_device_goes_back_without_a_check_in(
    children,
    server,  # noqa: F811
    served,  # noqa: F811
    clone,  # noqa: F811
    settings,
    tmp_path,
) -> None:
    address = settings.WALLE_PUBLIC_URL = f"http://127.0.0.1:{server.port}"
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now(), check_in_interval=HOUR_S)
    add_version(app=app, version="1.0.0", profile={}, actor=SYSTEM)
    _, app_key = create_secret_key(app=app, kind=AppKey.Kind.ENROL, label="test", actor=SYSTEM)
    for version, source in (("1.0.0", MAIN), ("2.0.0", f"{MAIN}# better\n")):
        clone.commit({**GOOD, "main.py": source})
        clone.tag(f"digits/{version}")
    clone.push("digits", "--tags")
    task = f"{served.slug}/digits"
    good, bad = (TaskVersion.objects.get(version=version) for version in ("1.0.0", "2.0.0"))
    move_on(draft_of(app, good, now=timezone.now()), "start", "complete", now=timezone.now())
    risky = move_on(draft_of(app, bad, now=timezone.now(), strategy=TO_ALL), "start", now=timezone.now())

    device = start(children, Phone(tmp_path / "phone", app_key), address, task)
    said = device.output
    wait_for(lambda: f"{task} 2.0.0: installed" in said(), timeout=60, describe=said)
    wait_for(lambda: "tunnel-opened" in said(), timeout=60, describe=said)
    before = check_ins(device)

    move_on(Release.objects.get(pk=risky.pk), "roll-back", now=timezone.now())
    wait_for(lambda: f"{task} 1.0.0: installed" in said(), timeout=60, describe=said)
    wait_for(lambda: Report.objects.filter(kind="install", version="1.0.0").exists(), timeout=60, describe=said)
    assert check_ins(device) == before
    assert "refused" not in said()
