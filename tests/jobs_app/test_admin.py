"""Jobs in the admin: to read, not to change."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from jobs_app.models import Job, JobState

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def failed(db):
    return Job.objects.create(
        kind="tests.x", state=JobState.FAILED, error="it broke", run_at=NOON, created_at=NOON, finished_at=NOON
    )


def test_a_failed_job_shows_its_error(admin_client, failed):
    listed = admin_client.get(reverse("admin:jobs_app_job_changelist"), {"state": "failed"})
    assert listed.status_code == 200
    assert "tests.x" in listed.content.decode()
    shown = admin_client.get(reverse("admin:jobs_app_job_change", args=[failed.pk]))
    assert "it broke" in shown.content.decode()


def test_nobody_changes_a_job_by_hand(admin_client, failed):
    change = reverse("admin:jobs_app_job_change", args=[failed.pk])
    assert admin_client.post(change, {"state": "pending"}).status_code == 403
    assert admin_client.get(reverse("admin:jobs_app_job_add")).status_code == 403
    assert admin_client.post(reverse("admin:jobs_app_job_delete", args=[failed.pk])).status_code == 403
