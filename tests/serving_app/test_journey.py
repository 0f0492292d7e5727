"""A pipeline on its way: pushed, simulated, released to a share of its callers, found worse, rolled back."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.services.tokens import issue_token
from devices_app.models import App
from devices_app.services.apps import create_app
from jobs_app.models import Job, JobState
from jobs_app.runner import run_next
from releases_app.models import Exposure, Release, StoredVerdict
from releases_app.selectors.simulation import SIMULATE
from releases_app.services.reconciliation import reconcile
from releases_app.services.releases import act, create_release
from serving_app.models import ServingHost
from tasks_app.models import TaskVersion
from tests.serving_app.archives import pipeline_files
from tests.serving_app.callers import EVERYBODY, STAGED
from tests.support.people import make_member
from tests.support.processes import Child, Children, child_environment, free_port
from tests.support.releases import allow, move_on
from tests.support.waiting import ANSWER_S, wait_for
from tests.tasks_app.git_server import GitServer
from tests.tasks_app.working_copy import WorkingCopy
from walle.release.states import ReleaseAction, ReleaseState

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]
AT_ONCE = {"control_percent": 0, "stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 0}]}
CALLERS = [f"user-{number}" for number in range(300)]


class ServingClient:
    """A business service that asks for its users."""

    def __init__(self, address: str, secret: str) -> None:
        self.client = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {secret}"}, timeout=ANSWER_S)

    def ask(self, path: str, caller: str, record: dict[str, Any]) -> httpx.Response:
        return self.client.post(path, json={"record": record, "caller": caller})


@pytest.fixture
def shop(served: Any) -> App:
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())


@pytest.fixture
def host(server: GitServer, shop: App, tmp_path: Any) -> Iterator[ServingClient]:
    """A serving process, and a service whose token may ask it for callers of the shop."""
    children, port = Children(logs=tmp_path / "logs"), free_port()
    environment = child_environment(WALLE_DATA_DIR=str(server.data))
    options = ("--listen", f"127.0.0.1:{port}", "--folder", str(tmp_path / "serving"))
    child = children.start(
        sys.executable, "-m", "walle.whitebox.serving", "walleweb.serving:load", *options, env=environment,
        name="serving",
    )  # fmt: skip
    service = make_member("developer", "app:shop", "service").user
    _, secret = issue_token(actor=SYSTEM, user=service, name="recommender", permissions=["predict"])
    try:
        wait_for(lambda: _is_ready(child, port), timeout=120, describe=child.output)
        yield ServingClient(f"http://127.0.0.1:{port}", secret)
    finally:
        children.stop_all()


def _is_ready(child: Child, port: int) -> bool:
    assert not child.ended(), child.output()
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=ANSWER_S).status_code == 200
    except httpx.TransportError:
        return False


def push(clone: WorkingCopy, version: str, files: dict[str, bytes]) -> TaskVersion:
    # As `walle pipeline export` does: parameters of the version before do not stay.
    shutil.rmtree(clone.folder / "parameters", ignore_errors=True)
    clone.commit(files)
    clone.tag(f"buyers/{version}")
    clone.push("HEAD:buyers", "--tags")
    return TaskVersion.objects.select_related("task__scenario").get(task__slug="buyers", version=version)


def release_of(shop: App, version: TaskVersion, strategy: dict[str, Any]) -> Release:
    """A release that has been simulated, and runs."""
    now = timezone.now()
    allow(shop, version.task.scenario, now=now)
    release = create_release(app=shop, version=version, rule=EVERYBODY, strategy=strategy, actor=SYSTEM, now=now)
    move_on(release, "start", now=now)
    while Job.objects.filter(kind=SIMULATE, state=JobState.PENDING).exists():
        run_next(clock=timezone.now)
    reconcile(release=release.pk, now=timezone.now())
    found = Release.objects.get(pk=release.pk)
    assert found.state == ReleaseState.RUNNING
    return found


def test_a_worse_model_reaches_a_share_of_its_callers_and_is_taken_back(
    shop: App, host: ServingClient, clone: WorkingCopy
) -> None:
    good = push(clone, "1.0.0", pipeline_files((0.5, 0.25)))
    path = f"/predict/v1/shop/{good.task.name}"

    def ask_all() -> Iterator[str]:
        """Every caller asks about a visit of its own kind, as long as somebody listens; the version that answers."""
        for number, caller in enumerate(CALLERS):
            record = {"pages": float(number % 5), "minutes": float(number % 3)}
            response = host.ask(path, caller, record)
            assert response.status_code == 200, response.text
            yield response.json()["version"]

    assert host.ask(path, "user-0", {"pages": 1.0, "minutes": 1.0}).status_code == 404
    act(release=release_of(shop, good, AT_ONCE), action=ReleaseAction.COMPLETE, actor=SYSTEM, now=timezone.now())
    wait_for(lambda: host.ask(path, "user-0", {"pages": 1.0, "minutes": 1.0}).status_code == 200, timeout=30)
    answer = host.ask(path, "user-0", {"pages": 2.0, "minutes": 2.0}).json()
    assert (answer["version"], answer["prediction"]["label"]) == ("1.0.0", "buys")
    assert answer["prediction"]["probabilities"][1] == pytest.approx(0.622459, abs=1e-6)
    assert set(ask_all()) == {"1.0.0"}
    refused = host.ask(path, "user-0", {"pages": "many", "minutes": 2.0})
    assert (refused.status_code, refused.json()["records"][0]["field"]) == (422, "pages")

    wait_for(lambda: reports_of(good) >= 60, timeout=30)
    worse = push(clone, "1.1.0", pipeline_files((9.0, 9.0), intercept=9.0))
    release = release_of(shop, worse, STAGED)
    wait_for(lambda: "1.1.0" in ask_all(), timeout=60)
    share = sum(version == "1.1.0" for version in ask_all())
    assert 60 < share < 120
    wait_for(lambda: Exposure.objects.filter(release=release.pk, arm="treatment", outcome="success").count() == share)
    wait_for(lambda: Exposure.objects.filter(release=release.pk, arm="control", outcome="success").count() > 60)

    reconcile(release=release.pk, now=timezone.now())
    assert Release.objects.get(pk=release.pk).state == ReleaseState.ROLLED_BACK
    assert "score" in StoredVerdict.objects.filter(release=release.pk).last().sentence
    wait_for(lambda: all(version == "1.0.0" for version in ask_all()), timeout=30)
    wait_for(lambda: ServingHost.objects.get().installed >= 1)


def reports_of(version: TaskVersion) -> int:
    from devices_app.models import Report

    return Report.objects.filter(task=version.task.name, version=version.version).count()
