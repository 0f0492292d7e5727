"""/api/v1/tasks/{task}/runs: how a task runs, by class of devices."""

import pytest
from django.utils import timezone

from tasks_app.models import RunCount
from tests.api.contract import problem
from tests.support.cases import cases

pytestmark = pytest.mark.django_db
ADDRESS = "tasks/camera/digits/runs"


@pytest.fixture
def counted(shop, digits):
    """Ten cold runs, one of which failed, and thirty warm ones; two VMs ended."""
    row = {"task": digits.task, "app": shop, "at": timezone.now(), "os": "android", "performance": "mid"}
    RunCount.objects.create(
        **row, warm=False, runs=10, failed=1, shed=3, durations=[0] * 8 + [9], memory=[], vm_ends={"idle": 2}
    )
    RunCount.objects.create(**row, warm=True, runs=30, failed=0, durations=[30], memory=[30], backends={"mnn": 20})


def test_runs_by_class_of_devices(developer, counted):
    found = developer.get(ADDRESS).json()
    [each] = found["classes"]
    assert (each["os"], each["performance"], each["runs"], each["failed"], each["shed"]) == ("android", "mid", 40, 1, 3)
    assert each["cold"]["duration_ms"] == {"p50": 0.192, "p90": 0.198, "p99": 0.2}
    assert (each["cold"]["runs"], each["cold"]["peak_memory_kb"]) == (10, None)
    assert each["warm"]["peak_memory_kb"] == {"p50": 64.0, "p90": 64.0, "p99": 64.0}
    assert each["vm_ends"] == [{"cause": "idle", "count": 2}]
    assert each["model_backends"] == [{"backend": "mnn", "runs": 20}]
    assert {**each, "os": "", "performance": ""} == found["all"]


def test_of_a_task_that_never_ran(developer, digits):
    found = developer.get(f"{ADDRESS}?days=30").json()
    assert (found["classes"], found["all"]["runs"], found["all"]["cold"]["duration_ms"]) == ([], 0, None)


@cases("days", [0, 31, "many"])
def test_a_period_that_is_not_kept_is_refused(developer, digits, days):
    assert "days" in problem(developer.get(f"{ADDRESS}?days={days}"), 400, "invalid")
