"""The catalogue's background work, run as the worker runs it."""

import shutil
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import ServerKey
from devices_app.services.apps import add_version, create_app
from devices_app.services.rotation import rotate
from jobs_app.models import JobState
from jobs_app.registry import known_kinds
from jobs_app.runner import run_next
from jobs_app.services import enqueue
from releases_app.models import Release
from tasks_app.models import TaskVersion
from tasks_app.repository import repository_path
from tasks_app.services.scenarios import create_scenario
from tests.support.people import make_staff
from tests.support.releases import draft_of, move_on
from tests.tasks_app.working_copy import GOOD

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def unregistered(copy, camera, keys):
    """A tag that a push left without a row."""
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")


def run_job(kind):
    enqueue(kind=kind)
    job = run_next()
    job.refresh_from_db()
    assert job.state == JobState.SUCCEEDED, job.error
    return job.result


def test_the_jobs_run_by_themselves_often_enough():
    every = {kind.name: kind.every for kind in known_kinds() if kind.name.startswith("tasks.")}
    assert every["tasks.sweep-repositories"] == timedelta(seconds=30)
    assert every["tasks.pack-repositories"] == timedelta(days=1)
    assert every["tasks.renew-signatures"] == timedelta(minutes=10)


def test_the_sweep_registers_what_a_push_left(unregistered):
    assert run_job("tasks.sweep-repositories") == {"registered": ["camera/digits 1.0.0"], "failed": {}}
    assert run_job("tasks.sweep-repositories") == {"registered": [], "failed": {}}
    assert TaskVersion.objects.count() == 1


def test_a_damaged_repository_does_not_keep_others_waiting(unregistered):
    create_scenario(actor=SYSTEM, slug="broken")
    shutil.rmtree(repository_path("broken"))
    result = run_job("tasks.sweep-repositories")
    assert result["registered"] == ["camera/digits 1.0.0"]
    assert result["failed"] == {"broken": "scenario broken has no repository"}


def test_repositories_are_packed(unregistered):
    assert run_job("tasks.pack-repositories") == {"packed": ["camera"]}
    assert list((repository_path("camera") / "objects" / "pack").glob("*.pack"))


def test_a_rotated_key_signs_everything_anew(unregistered):
    run_job("tasks.sweep-repositories")
    rotate(purpose=ServerKey.Purpose.MANIFEST, actor=make_staff(), now=timezone.now())
    assert run_job("tasks.renew-signatures") == {"signed": 1}
    assert run_job("tasks.renew-signatures") == {"signed": 0}


def test_a_release_that_nobody_can_look_at_does_not_keep_others_waiting(unregistered):
    run_job("tasks.sweep-repositories")
    now, version = timezone.now(), TaskVersion.objects.get()
    releases = []
    for slug in ("shop", "bank"):
        app = create_app(slug=slug, name=slug, actor=SYSTEM, now=now)
        add_version(app=app, version="1.0.0", actor=SYSTEM)
        releases.append(move_on(draft_of(app, version, now=now), "start", now=now))
    broken = releases[-1]
    Release.objects.filter(pk=broken.pk).update(strategy={"stages": 5})
    result = run_job("releases.reconcile-all")
    assert result["looked_at"] == 2
    assert list(result["failed"]) == [str(broken.pk)]
    assert [release.state for release in Release.objects.order_by("id")] == ["complete", "running"]
