"""REST, the command line and the admin pages write in one way: the same audit rows, and refusals in the same words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from django.contrib.messages import get_messages
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.services.apps import add_version
from releases_app.models import DeliveryGrant
from tasks_app.models import Scenario, Task, TaskVersion
from tasks_app.services.scenarios import create_scenario
from tests.support.admin_pages import AdminPages
from tests.support.fleet import make_device
from tests.support.people import make_staff, token_of
from tests.support.releases import draft_of
from tests.support.waiting import ANSWER_S

FACES = ("rest", "terminal", "pages")
# To versions of the app of their own, so that none of the three supersedes another.
APP_VERSIONS = dict(zip(FACES, ("1.0.0", "1.1.0", "1.2.0"), strict=True))


@dataclass
class Faces:
    """One person at all three; each call answers what it said."""

    address: str
    secret: str
    walle: Any
    staff: AdminPages

    def rest(self, method: str, path: str, body: Any) -> str:
        headers = {"Authorization": f"Bearer {self.secret}"}
        answer = httpx.request(method, f"{self.address}/api/v1/{path}", json=body, headers=headers, timeout=ANSWER_S)
        return answer.json().get("detail", "") if answer.content else ""

    def terminal(self, *arguments: object) -> str:
        return str(self.walle(*arguments).err)

    def pages(self, address: str, data: dict[str, Any]) -> str:
        answer = self.staff.client.post(address, data)
        return " ".join(str(message) for message in get_messages(answer.wsgi_request))


@pytest.fixture
def faces(address, signed_in, walle):
    actor = signed_in(make_staff())
    return Faces(address, token_of(actor), walle, AdminPages(actor.user))


def trail(scenario, *hidden):
    """What the audit log says since the beginning of the test, without what is each face's own."""
    found = []
    for entry in AuditEntry.objects.filter(actor_name="root").order_by("id"):
        row = f"{entry.action} {entry.scope} {entry.object_type} {entry.object_name} {entry.before} {entry.after}"
        row = re.sub(r"\d{4}-\d\d-\d\dT[^'\"]*", "*", row)
        for name in hidden:
            row = re.sub(rf"\b{re.escape(name)}\b", "*", row)
        found.append(row)
    return found


def by_face(write, scenario):
    """The audit rows of the same writing at each face."""
    found = {}
    for face in FACES:
        before = len(trail(scenario))
        hidden = write(face)
        found[face] = trail(scenario, *hidden)[before:]
    return found


def move(faces, face, release, action):
    if face == "rest":
        return faces.rest("POST", f"releases/{release.pk}/{action}", {"reason": "because"})
    if face == "terminal":
        sure = ["--yes"] if action == "resume" else []
        return faces.terminal("release", action, release.pk, "--reason", "because", *sure)
    form = {"_form_submitted": "on", "reason": "because"}
    return faces.pages(f"/admin/releases_app/release/{release.pk}/{action}/", form)


@pytest.fixture
def drafts(shop, pushed, task):
    """A draft for each face."""
    add_version(app=shop, version="1.2.0", actor=SYSTEM)
    version = TaskVersion.objects.get(version="1.0.0")
    return {
        face: draft_of(shop, version, app_versions=[app_version], now=timezone.now())
        for face, app_version in APP_VERSIONS.items()
    }


def test_releases_are_moved_in_one_way(drafts, faces, scenario):
    def write(face):
        for action in ("start", "pause", "resume", "pause", "abort"):
            move(faces, face, drafts[face], action)
        return [f"release {drafts[face].pk}"]

    found = by_face(write, scenario)
    assert [row.split()[0] for row in found["rest"]] == [
        *("release.start", "release.pause", "release.resume", "release.pause", "release.abort"),
    ]
    assert found["rest"] == found["terminal"] == found["pages"]


def test_a_move_that_is_not_possible_is_refused_in_one_way(drafts, faces, scenario):
    said = {face: move(faces, face, drafts[face], "resume") for face in FACES}
    assert said["rest"]
    assert said["rest"] in said["terminal"].replace("\n", " ")
    assert said["rest"] == said["pages"]
    assert trail(scenario) == []


def test_devices_are_revoked_in_one_way(faces, scenario, shop):
    devices = {face: make_device(shop, f"phone-{face}") for face in FACES}

    def write(face):
        for action in ("revoke", "reinstate", "reinstate"):
            if face == "rest":
                faces.rest(
                    "POST", f"devices/shop/phone-{face}/{action}", {"reason": "lost"} if action == "revoke" else {}
                )
            elif face == "terminal":
                faces.terminal(
                    "device", action, "shop", f"phone-{face}", *(["--yes", "-r", "lost"] if action == "revoke" else [])
                )
            elif action == "revoke":
                form = {"_form_submitted": "on", "reason": "lost"}
                faces.pages(f"/admin/devices_app/device/{devices[face].pk}/revoke/", form)
            else:
                faces.staff.act(action, devices[face])
        return [f"phone-{face}"]

    found = by_face(write, scenario)
    assert [row.split()[0] for row in found["rest"]] == ["device.revoke", "device.reinstate"]
    assert found["rest"] == found["terminal"] == found["pages"]


def test_what_may_be_delivered_is_said_in_one_way(faces, scenario, shop):
    others = {face: create_scenario(actor=SYSTEM, slug=f"{scenario}-to-{face}") for face in FACES}

    def write(face):
        slug = others[face].slug
        address = f"apps/shop/scenarios/{slug}"
        if face == "rest":
            faces.rest("PUT", address, {"note": "tried"})
            faces.rest("PUT", address, {"note": "tried", "complete_early": True})
            faces.rest("DELETE", address, None)
        elif face == "terminal":
            faces.terminal("app", "allow", "shop", slug, "--note", "tried")
            faces.terminal("app", "allow", "shop", slug, "--note", "tried", "--complete-early")
            faces.terminal("app", "disallow", "shop", slug, "--yes")
        else:
            pages = "/admin/releases_app/deliverygrant"
            faces.pages(f"{pages}/add/", {"app": shop.pk, "scenario": others[face].pk, "note": "tried"})
            grant = DeliveryGrant.objects.get(scenario=others[face])
            faces.pages(f"{pages}/{grant.pk}/change/", {"note": "tried", "complete_early": "on"})
            faces.pages(f"{pages}/{grant.pk}/delete/", {"post": "yes"})
        return [slug]

    found = by_face(write, scenario)
    assert [row.split()[0] for row in found["rest"]] == ["delivery.allow", "delivery.change", "delivery.withdraw"]
    assert found["rest"] == found["terminal"] == found["pages"]


def test_a_release_without_leave_is_refused_in_one_way(drafts, faces, scenario, shop):
    DeliveryGrant.objects.all().delete()
    said = {face: move(faces, face, drafts[face], "start") for face in FACES}
    assert "may not deliver to app shop; an owner of app shop can allow it" in said["rest"]
    assert said["rest"] in said["terminal"].replace("\n", " ")
    assert said["rest"] == said["pages"]


def test_scenarios_are_opened_in_one_way(faces, scenario):
    def write(face):
        slug = f"{scenario}-{face}"
        if face == "rest":
            faces.rest("POST", "scenarios", {"slug": slug, "description": "sees"})
        elif face == "terminal":
            faces.terminal("scenario", "create", slug, "--description", "sees")
        else:
            faces.pages("/admin/tasks_app/scenario/add/", inline({"slug": slug, "description": "sees"}))
        return [slug]

    found = by_face(write, scenario)
    assert found["rest"][0].split()[0] == "scenario.create"
    assert found["rest"] == found["terminal"] == found["pages"]


def inline(data):
    """A form with its empty table of tasks."""
    return data | {f"tasks-{name}": "0" for name in ("TOTAL_FORMS", "INITIAL_FORMS", "MIN_NUM_FORMS", "MAX_NUM_FORMS")}


def test_tasks_are_retired_in_one_way(faces, scenario):
    parent = Scenario.objects.get(slug=scenario)
    tasks = {face: Task.objects.create(scenario=parent, slug=f"task-{face}") for face in FACES}

    def write(face):
        for action in ("retire", "unretire"):
            if face == "rest":
                faces.rest("POST", f"tasks/{scenario}/task-{face}/{action}", {})
            elif face == "terminal":
                faces.terminal("task", action, f"{scenario}/task-{face}", *(["--yes"] if action == "retire" else []))
            else:
                faces.staff.act(action, tasks[face])
        return [f"task-{face}"]

    found = by_face(write, scenario)
    assert [row.split()[0] for row in found["rest"]] == ["task.retire", "task.unretire"]
    assert found["rest"] == found["terminal"] == found["pages"]
