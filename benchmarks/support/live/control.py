"""The control plane as its people use it: an app and its backend, tasks pushed with git, releases over the API."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from walleweb.demo.publishing import push_version

APP = "bench"
SCENARIO = "bench"
APP_VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "1.3.0")
TIMEOUT_S = 60.0
Found = TypeVar("Found")

_TASK = """
[task]
description = "{description}"
entry_point = "main:run"

[inputs.x]
type = "number"

[outputs.y]
type = "number"

[[samples]]
name = "one"
input = {{ x = 1 }}
[samples.expect]
y = {{ equals = 2 }}

[trigger]
every_s = {every_s}

[limits]
time_ms = 5000
memory_mb = 128
output_kb = 4
"""
_GOOD = "def run(inputs, context):\n    return {'y': 2 * inputs['x']}\n"


def task_name(task: str) -> str:
    """Return the full name of one of the scenario's tasks."""
    return f"{SCENARIO}/{task}"


@dataclass(frozen=True)
class Credentials:
    """The app's backend, and a person's token for the API and git; `root` is the root that devices trust."""

    backend_key: Ed25519PrivateKey
    token: str
    root: bytes


def prepare(interval: int, lists: Mapping[str, Sequence[str]] = {}) -> Credentials:
    """Create the app with its versions, key and id lists, a scenario, and a person who may do everything."""
    from django.contrib.auth.models import User

    from accounts_app.actors import SYSTEM, Actor
    from accounts_app.services.tokens import issue_token
    from devices_app.models import Root
    from devices_app.services import apps
    from releases_app.services.delivery_grants import allow_delivery
    from tasks_app.services.scenarios import create_scenario

    now = datetime.now(UTC)
    app = apps.create_app(slug=APP, name="Bench", actor=SYSTEM, now=now, check_in_interval=interval)
    for version in APP_VERSIONS:
        apps.add_version(app=app, version=version, actor=SYSTEM)
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    apps.add_backend_key(app=app, label="bench", public_key=public, actor=SYSTEM)
    _make_lists(app, lists, now)
    scenario = create_scenario(actor=SYSTEM, slug=SCENARIO, description="Benchmarks")
    allow_delivery(app=app, scenario=scenario, complete_early=True, actor=SYSTEM, now=now)
    user = User.objects.create(username="bench", is_staff=True, is_superuser=True)
    _, token = issue_token(actor=Actor(user=user), user=user, name="bench")
    return Credentials(key, token, bytes(Root.objects.order_by("version")[0].metadata))


def change_interval(interval: int) -> None:
    """Have the app's devices check in at this interval, in seconds, from now on."""
    from accounts_app.actors import SYSTEM
    from devices_app.models import App
    from devices_app.services import apps

    apps.configure_app(app=App.objects.get(slug=APP), check_in_interval=interval, actor=SYSTEM, now=datetime.now(UTC))


def _make_lists(app: Any, lists: Mapping[str, Sequence[str]], now: datetime) -> None:
    from devices_app.models import IdList, IdListMember

    for name, devices in lists.items():
        id_list = IdList.objects.create(app=app, name=name, updated_at=now, updated_by="bench")
        IdListMember.objects.bulk_create(IdListMember(id_list=id_list, device=device) for device in devices)


class Operator:
    """Pushes and releases; a request without an answer of the web server is repeated until there is one."""

    def __init__(self, server: str, token: str, folder: Path) -> None:
        self._server, self._token, self._folder = server, token, folder
        headers = {"authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=f"{server}/api/v1/", headers=headers, timeout=10)

    def push(self, task: str, version: str, *, source: str = _GOOD, every_s: float = 5) -> None:
        """Push a new version of a task that doubles a number, or that has another `source`."""
        tree = self._folder / f"{task}-{version}"
        tree.mkdir(parents=True)
        (tree / "task.toml").write_text(_TASK.format(description=f"{task} {version}", every_s=every_s))
        (tree / "main.py").write_text(source)
        push_version(self._server, self._token, task_name(task), version, tree)

    def release(self, task: str, version: str, rule: Mapping[str, Any], strategy: Mapping[str, Any]) -> int:
        """Create a release, unless that has happened, and start it, unless that has; return its number."""
        name = task_name(task)
        body = {"app": APP, "task": name, "version": version, "rule": rule, "strategy": strategy}
        release = self._insist(lambda: self._known(name, version) or self._request("POST", "releases", body))
        self._insist(lambda: self._start(int(release["id"])))
        return int(release["id"])

    def _known(self, task: str, version: str) -> dict[str, Any] | None:
        found = self._request("GET", f"releases?app={APP}&task={task}")["results"]
        return next((release for release in found if release["version"] == version), None)

    def _start(self, release: int) -> dict[str, Any]:
        found = self._request("GET", f"releases/{release}")
        return found if found["state"] != "draft" else self._request("POST", f"releases/{release}/start", {})

    def _request(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        response = self._client.request(method, path, json=body)
        if response.is_client_error:
            raise RuntimeError(f"{method} {path}: {response.status_code} {response.text[:500]}")
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer

    def _insist(self, request: Callable[[], Found]) -> Found:
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                return request()
            except httpx.HTTPError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
