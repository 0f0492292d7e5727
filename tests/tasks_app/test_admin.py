"""The admin pages of scenarios, tasks, versions, files and variants."""

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from tasks_app.models import Scenario, Task, TaskVersion, Variant, VersionFile
from tasks_app.repository import Repository
from tasks_app.services.registration import register_version
from tasks_app.services.variants import upload_variant
from tests.support.admin_pages import AdminPages
from tests.support.people import make_user
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff():
    return make_user("root", staff=True)


@pytest.fixture
def pages(staff):
    return AdminPages(staff)


@pytest.fixture
def variant(copy, camera, repository, keys):
    """A version with an exclusive file that has one variant."""
    copy.commit({**GOOD, "task.toml": EXCLUSIVE, "defaults/prefs.json": "{}"})
    copy.tag("digits/1.0.0", "The first")
    copy.push("digits", "--tags")
    asked = {"scenario": camera, "task": "digits", "version": "1.0.0", "repository": repository}
    version = register_version(actor=SYSTEM, **asked).version
    return upload_variant(
        actor=SYSTEM, version=version, path="prefs.json", key="18-25", content=b"young", now=timezone.now()
    )


def test_everything_can_be_listed_searched_filtered_and_opened(pages, variant):
    version = variant.file.version
    for row, word in (
        (version.task.scenario, "camera"),
        (version.task, "digits"),
        (version, "1.0.0"),
        (variant.file, "prefs"),
        (variant, "18-25"),
    ):
        found = pages.list_of(type(row), q=word)
        assert found.status_code == 200
        assert b"0 results" not in found.content
        assert pages.page_of(row).status_code == 200
    assert pages.list_of(TaskVersion, task__scenario__id__exact=str(version.task.scenario_id)).status_code == 200
    assert pages.list_of(Task, retired_at__isempty="1").status_code == 200


def test_a_version_shows_its_manifest_and_links(pages, variant):
    version = variant.file.version
    page = pages.page_of(version).content.decode()
    assert "&quot;entry_point&quot;: &quot;main:run&quot;" in page
    assert f"/admin/tasks_app/task/{version.task_id}/change/" in page
    assert "prefs.json" in page


def test_what_is_immutable_can_only_be_read(pages, variant):
    version = variant.file.version
    for row in (version, variant.file, version.task):
        assert pages.delete(row).status_code == 403
        assert pages.change(row, version="2.0.0").status_code == 403
    for model in (Task, TaskVersion, VersionFile, Variant):
        assert pages.add_page(model).status_code == 403
    assert pages.delete(version.task.scenario).status_code == 403


def test_a_scenario_is_opened_and_described_through_the_services(pages, staff):
    assert pages.add_page(Scenario).status_code == 200
    inline = {"tasks-TOTAL_FORMS": "0", "tasks-INITIAL_FORMS": "0"}
    answer = pages.add(Scenario, slug="shop", description="one", **inline)
    assert answer.status_code == 302
    scenario = Scenario.objects.get()
    with Repository("shop") as repository:
        assert repository.branches() == {}
    assert pages.change(scenario, slug="other", description="two", **inline).status_code == 302
    scenario.refresh_from_db()
    assert (scenario.slug, scenario.description) == ("shop", "two")
    log = AuditEntry.objects.filter(object_type="tasks_app.scenario").values_list("action", "user")
    assert list(log) == [("scenario.configure", staff.pk), ("scenario.create", staff.pk)]
    again = pages.add(Scenario, slug="shop", description="", **inline)
    assert b"already exists" in again.content
    wrong = pages.add(Scenario, slug="Shop!", description="", **inline)
    assert b"expected a lowercase letter" in wrong.content


def test_tasks_are_retired_and_brought_back_by_actions(pages, variant):
    task = variant.file.version.task
    pages.act("retire", task)
    task.refresh_from_db()
    assert task.retired_at
    pages.act("unretire", task)
    task.refresh_from_db()
    assert task.retired_at is None


def test_a_variant_is_removed_with_its_audit_row(pages, variant, staff):
    assert pages.delete(variant).status_code == 302
    assert not Variant.objects.exists()
    assert AuditEntry.objects.get(action="variant.remove").user == staff


def test_a_scenario_page_shows_its_tasks_and_repository(pages, variant):
    page = pages.page_of(Scenario.objects.get()).content
    assert b"/git/camera.git" in page
    assert b"digits" in page


def test_lists_do_not_ask_the_database_once_per_row(pages, variant, django_assert_max_num_queries):
    version = variant.file.version
    Task.objects.bulk_create(Task(scenario=version.task.scenario, slug=f"task-{n}") for n in range(20))
    with django_assert_max_num_queries(14):
        pages.list_of(Task)
    with django_assert_max_num_queries(14):
        pages.list_of(VersionFile)
