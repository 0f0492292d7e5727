"""Scenarios and tasks: opening, describing, retiring, and who sees them."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import PermissionDenied
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry, Member
from accounts_app.services.tokens import authenticate_token
from tasks_app.exceptions import ScenarioExists
from tasks_app.models import Scenario, Task
from tasks_app.repository import Repository, repository_path
from tasks_app.selectors import catalogue
from tasks_app.services.retirement import retire_task, unretire_task
from tasks_app.services.scenarios import configure_scenario, create_scenario
from tests.support.people import make_member, make_staff, make_user, token_of
from walle.protocol.names import InvalidNameError

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def task(camera):
    return Task.objects.create(scenario=camera, slug="digits")


def test_opening_a_scenario_makes_its_repository_and_its_owner():
    staff = make_staff()
    scenario = create_scenario(actor=staff, slug="shop", description="what people buy")
    with Repository("shop") as repository:
        assert repository.branches() == {}
    assert Member.objects.get().scope == "scenario:shop"
    assert (Member.objects.get().user, Member.objects.get().role) == (staff.user, "owner")
    entry = AuditEntry.objects.get(action="scenario.create")
    assert (entry.object_id, entry.scope, entry.user) == (str(scenario.pk), "scenario:shop", staff.user)


def test_opening_takes_staff_a_slug_and_a_free_name(camera):
    with pytest.raises(PermissionDenied):
        create_scenario(actor=make_member("owner", "scenario:camera"), slug="mine")
    with pytest.raises(ScenarioExists, match="there is already a scenario camera"):
        create_scenario(actor=SYSTEM, slug="camera")
    for slug in ("", "Camera", "../x", "a_b", "x" * 41):
        with pytest.raises(InvalidNameError):
            create_scenario(actor=SYSTEM, slug=slug)
        with pytest.raises((IntegrityError, DataError)), transaction.atomic():
            Scenario.objects.create(slug=slug)


def test_a_scenario_whose_repository_cannot_be_made_does_not_come_to_be(settings, tmp_path):
    (tmp_path / "occupied").write_text("a file where a folder should be")
    settings.WALLE_GIT_DIR = tmp_path / "occupied"
    with pytest.raises(OSError, match="occupied"), transaction.atomic():
        create_scenario(actor=SYSTEM, slug="shop")
    assert not Scenario.objects.exists()


def test_configuring(camera):
    owner = make_member("owner", "scenario:camera")
    assert configure_scenario(actor=owner, scenario=camera, description="faces").description == "faces"
    configure_scenario(actor=owner, scenario=camera, description="faces")
    assert configure_scenario(actor=owner, scenario=camera, approval_required=True).description == "faces"
    described, demanded = AuditEntry.objects.filter(action="scenario.configure").order_by("id")
    assert (described.before, described.after) == ({"description": "what the camera sees"}, {"description": "faces"})
    assert (demanded.before, demanded.after) == ({"approval_required": False}, {"approval_required": True})
    with pytest.raises(PermissionDenied):
        configure_scenario(actor=make_member("developer", "scenario:camera"), scenario=camera, description="x")


def test_retiring_and_back_each_leave_one_entry(task, keys):
    releaser = make_member("releaser", "scenario:camera")
    assert retire_task(actor=releaser, task=task, now=NOW).retired_at == NOW
    assert retire_task(actor=releaser, task=task, now=timezone.now()).retired_at == NOW
    assert unretire_task(actor=releaser, task=task, now=NOW).retired_at is None
    assert unretire_task(actor=releaser, task=task, now=NOW).retired_at is None
    actions = AuditEntry.objects.filter(object_type="tasks_app.task").values_list("action", "actor_name")
    assert list(actions) == [("task.unretire", "releaser"), ("task.retire", "releaser")]


def test_retiring_takes_a_releaser(task, keys):
    with pytest.raises(PermissionDenied):
        retire_task(actor=make_member("developer", "scenario:camera"), task=task, now=NOW)


def test_everybody_sees_what_they_have_a_role_in(camera, task):
    create_scenario(actor=SYSTEM, slug="shop")
    viewer, stranger, staff = make_member("viewer", "scenario:camera"), Actor(make_user()), make_staff()
    seen = {
        actor.name: [row.slug for row in catalogue.scenarios_visible_to(actor)]
        for actor in (viewer, stranger, staff, SYSTEM)
    }
    assert seen == {"viewer": ["camera"], "alice": [], "root": ["camera", "shop"], "system": ["camera", "shop"]}
    assert [row.name for row in catalogue.tasks_visible_to(viewer)] == ["camera/digits"]
    assert catalogue.task_visible_to(viewer, "camera", "digits") == task
    with pytest.raises(Scenario.DoesNotExist):
        catalogue.scenario_visible_to(viewer, "shop")
    with pytest.raises(Task.DoesNotExist):
        catalogue.task_visible_to(stranger, "camera", "digits")


def test_a_limited_token_narrows_what_is_seen(camera):
    create_scenario(actor=SYSTEM, slug="shop")
    for person in (make_staff(), make_member("viewer", "scenario:shop")):
        actor = authenticate_token(secret=token_of(person, "scenario:shop"), now=NOW)
        assert [row.slug for row in catalogue.scenarios_visible_to(actor)] == ["shop"]


def test_a_deactivated_user_sees_nothing(camera):
    for person in (make_staff(), make_member("viewer", "scenario:camera")):
        person.user.is_active = False
        assert not catalogue.scenarios_visible_to(person).exists()


def test_counts_come_along(camera, task):
    assert catalogue.scenario_visible_to(SYSTEM, "camera").task_count == 1
    assert catalogue.task_visible_to(SYSTEM, "camera", "digits").version_count == 0
    assert repository_path("camera").is_dir()
