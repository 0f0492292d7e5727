"""The service and the apps of examples/service as processes of their own, with a real Walle server behind them."""

from __future__ import annotations

import json
import os
import sys

import httpx
import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import Device, Report
from devices_app.services.apps import add_version, create_app, create_secret_key
from devices_app.services.keys import ensure_keys
from tasks_app.models import TaskVersion
from tasks_app.services.scenarios import create_scenario
from tests.device.serving import serve
from tests.support.people import make_member, token_of
from tests.support.processes import Children, free_port, run
from tests.support.releases import draft_of, move_on
from tests.support.waiting import ANSWER_S, wait_for
from tests.tasks_app.conftest import server  # noqa: F401
from walleweb.config import BASE_DIR

pytestmark = pytest.mark.django_db(transaction=True)

EXAMPLE = BASE_DIR / "examples" / "image"
SHARED = ("task.toml", "main.py", "model.npz", "samples/seven.json", "samples/zero.json")


def files_of(version: str) -> dict[str, bytes]:
    """What is pushed: the first version of the example, or what a later one puts over it."""
    files = {name: (EXAMPLE / "task" / name).read_bytes() for name in SHARED}
    if version != "1.0.0":
        over = EXAMPLE / "versions" / version
        files |= {str(path.relative_to(over)): path.read_bytes() for path in over.rglob("*") if path.is_file()}
    return files


@pytest.fixture
def walle(server, settings, transactional_db, tmp_path):  # noqa: F811
    """The address of Walle's server, which has an app `shop` and a scenario `camera`; and its keys in a folder."""
    address = f"http://127.0.0.1:{server.port}"
    settings.WALLE_PUBLIC_URL, settings.WALLE_GIT_DIR = address, server.data / "git"
    settings.WALLE_ARTIFACTS_DIR = server.data / "artifacts"
    ensure_keys(now=timezone.now())
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now(), check_in_interval=1)
    add_version(app=app, version="1.0.0", profile={}, actor=SYSTEM)
    create_scenario(actor=SYSTEM, slug="camera")
    developer = make_member("developer", "scenario:camera", "ada")
    clone = server.copy(tmp_path / "clone", "camera", token_of(developer))

    def release(version: str) -> None:
        clone.commit(files_of(version))
        clone.tag(f"digits/{version}")
        clone.push("digits", "--tags")
        wait_for(lambda: TaskVersion.objects.filter(version=version).exists(), timeout=30, describe=server.log)
        row = TaskVersion.objects.get(version=version)
        move_on(draft_of(app, row, now=timezone.now()), "start", now=timezone.now())

    return address, app, release


@pytest.fixture
def environment(walle, tmp_path) -> dict[str, str]:
    """What the example's processes are told."""
    address, app, _ = walle
    wait_for(lambda: httpx.get(f"{address}/walle/v1/roots/1.json").status_code == 200, timeout=30)
    (tmp_path / "root.json").write_bytes(httpx.get(f"{address}/walle/v1/roots/1.json", timeout=ANSWER_S).content)
    keys = {kind: create_secret_key(app=app, kind=kind, label="test", actor=SYSTEM)[1] for kind in ("enrol", "gateway")}
    told = {"WALLE_SERVER": address, "WALLE_APP": "shop", "WALLE_ROOT": str(tmp_path / "root.json")}
    return {**os.environ, **told, "WALLE_GATEWAY_KEY": keys["gateway"], "WALLE_APP_KEY": keys["enrol"]}


class Front:
    """Stands before Walle's server and notes what is asked of it; it has no tunnel."""

    def __init__(self, address: str) -> None:
        self.asked: list[str] = []
        self._address = address

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})
            return
        self.asked.append(scope["path"])
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        async with httpx.AsyncClient(base_url=self._address, timeout=ANSWER_S, verify=False) as client:
            answer = await client.request(scope["method"], scope["path"], headers=scope["headers"], content=body)
        headers = [line for line in answer.headers.raw if line[0].lower() not in (b"content-encoding", b"date")]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": answer.content})


def start_service(children: Children, environment: dict[str, str]) -> str:
    port = free_port()
    argv = ("-m", "uvicorn", "examples.service.service:app", "--port", str(port), "--log-level", "warning")
    child = children.python(*argv, env=environment, name="service")
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert not child.ended(), child.output()
        try:
            answer = httpx.get(f"{address}/cart/ada", timeout=ANSWER_S)
            return answer.json() == {"user": "ada", "items": ["milk", "bread"]}
        except httpx.TransportError:
            return False

    wait_for(answers, timeout=60, describe=child.output)
    return address


def conforms(address: str, riding: str, environment: dict[str, str]) -> None:
    """The whole product, database included, and the example's service keep to the protocol."""
    words = ("conformance", address, "--root", environment["WALLE_ROOT"], "--riding", riding, "--json")
    done = run([sys.executable, "-m", "walle.cli", *words], env=environment, cwd=BASE_DIR)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    unmet = {row["name"]: row["found"] for row in told["checks"] if row["result"] != "passed"}
    nothing_of_it_here = ("enrol.statement", "checkin.removal", "exclusive.")
    assert all(name.startswith(nothing_of_it_here) for name in unmet), unmet


def test_a_release_reaches_apps_on_their_own_requests(children, walle, environment, tmp_path):
    address, _, release = walle
    service, front = start_service(children, environment), Front(address)
    with serve(front) as before_walle:
        where = ("--service", service, "--walle", before_walle, "--root", environment["WALLE_ROOT"])
        # An app whose requests stall for a whole interval asks by itself, as it should; a busy machine may stall them.
        often = ("--interval", "4", "--pause", "0.2")
        apps = []
        for name in ("app", "app_async"):
            argv = ("-m", f"examples.service.{name}", *where, *often, "--folder", str(tmp_path / name))
            apps.append(children.python(*argv, env=environment, name=name))

        def printed(text: str) -> bool:
            assert not any(app.ended() for app in apps), output()
            return all(text in app.output() for app in apps)

        def output() -> str:
            return "\n".join(app.output() for app in apps)

        wait_for(lambda: printed("checked-in checked in: nothing new"), timeout=60, describe=output)
        own = front.asked.count("/walle/v1/checkin")
        for version in ("1.0.0", "1.1.0"):
            release(version)
            wait_for(lambda version=version: printed(f"ran camera/digits {version}"), timeout=60, describe=output)
        assert printed("cart ['milk', 'bread']")
        runs = Report.objects.filter(kind="run", version="1.1.0", outcome="success")
        wait_for(lambda: runs.count() >= 2, timeout=30)
        wait_for(lambda: Device.objects.filter(profile__has_key="camera/digits").count() == 2, timeout=30)
        assert 0 < own <= 4
        assert front.asked.count("/walle/v1/checkin") == own, "a check-in did not ride on the app's request"
    conforms(address, f"{service}/cart/ada", environment)


def test_the_service_works_while_walle_cannot_be_reached(children, environment):
    service = start_service(children, {**environment, "WALLE_SERVER": "http://127.0.0.1:9"})
    headers = {"Walle-Device": '"device-1";c="k1.1.x.0";n=0', "Walle-App": '"shop";v="1.0.0"'}
    response = httpx.get(f"{service}/cart/ada", headers=headers, timeout=ANSWER_S)
    assert (response.status_code, response.json()["user"]) == (200, "ada")
    assert response.headers["walle-error"] == "unavailable"


def test_the_guide_shows_the_examples_as_they_are():
    guide = (BASE_DIR / "docs" / "guides" / "apps.md").read_text()
    blocks = [block.strip() for block in guide.split("```python\n")[1:]]
    shown = [block.partition("\n```")[0] for block in blocks]
    assert len(shown) >= 3
    sources = [path.read_text() for path in sorted((BASE_DIR / "examples" / "service").glob("*.py"))]
    for block in shown:
        assert any(block in source for source in sources), f"not in examples/service:\n{block}"
