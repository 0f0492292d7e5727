"""Runs counted by task and class of devices, as their reports are stored."""

from datetime import timedelta
from typing import Any

import pytest

from devices_app.models import Report
from devices_app.services.intake import store_reports
from tasks_app.models import RunCount, Task
from tasks_app.selectors.runs import KEPT, ClassRuns, TaskRuns, runs_of
from tasks_app.services.run_counts import delete_run_counts
from tests.devices_app.records import received
from tests.releases_app.trials import NOW
from tests.support.fleet import make_device
from tests.vectors.reports import RUNS
from walle.gateway.ports import ReceivedReport
from walle.release.run_tally import MOST_RUNS

pytestmark = pytest.mark.django_db
AT = NOW.timestamp()
COLD: dict[str, Any] = {"start": "cold", "duration_ms": 50.0, "peak_memory_kb": 40_000}
WARM: dict[str, Any] = {"start": "warm", "duration_ms": 5.0, "peak_memory_kb": 50_000}


@pytest.fixture
def digits(camera):
    return Task.objects.create(scenario=camera, slug="digits")


@pytest.fixture
def phones(shop):
    """device-1 is a fast one, device-2 a slow one; device-3 has not checked in yet."""
    for name, performance in (("device-1", "high"), ("device-2", "low")):
        device = make_device(shop, name)
        device.facts = {**device.facts, "os": "android", "performance": performance}
        device.save()


def run(device: str = "device-1", at: float = AT, **changes: Any) -> ReceivedReport:
    sent = received(at, **changes)
    return ReceivedReport(sent.app, device, sent.report, sent.offer, sent.received)


def runs(task: Task, days: int = 7) -> TaskRuns:
    return runs_of(task, days=days, now=NOW)


def shown(of: ClassRuns) -> tuple[str, str, int, int]:
    return of.os, of.performance, of.cold.runs, of.warm.runs


def test_runs_are_counted_by_class_cold_and_warm_apart(digits, phones):
    store_reports([run(**COLD), run(**WARM), run(**WARM)])
    store_reports([run("device-2", **COLD), run("device-3", **WARM), run(kind="install")])
    found = runs(digits)
    assert [shown(each) for each in found.classes] == [
        ("android", "high", 1, 2),
        ("", "", 0, 1),
        ("android", "low", 1, 0),
    ]
    assert shown(found.all) == ("", "", 2, 3)
    assert found.all.cold.duration_ms.p50 == pytest.approx(50, rel=0.09)
    assert found.all.warm.duration_ms.p99 == pytest.approx(5, rel=0.09)
    assert found.all.warm.peak_memory_kb.p90 == pytest.approx(50_000, rel=0.09)


def test_what_comes_later_is_added(digits, phones):
    for took in (1.0, 1.0, 100.0, 1.0):
        store_reports([run(**WARM | {"duration_ms": took})])
    store_reports([run(**WARM | {"duration_ms": None, "peak_memory_kb": None, "outcome": "failure"})])
    [row] = RunCount.objects.all()
    assert (row.runs, row.failed, sum(row.durations), sum(row.memory)) == (5, 1, 4, 4)
    found = runs(digits).all
    assert (found.failed, found.warm.duration_ms.p50) == (1, pytest.approx(1, rel=0.09))
    assert found.warm.duration_ms.p99 == pytest.approx(100, rel=0.09)


def test_a_run_without_a_duration_is_counted_all_the_same(digits, phones):
    bare = {"duration_ms": None, "peak_memory_kb": None}
    for _ in range(2):
        store_reports([run(**bare)])
    found = runs(digits).all.cold
    assert (found.runs, found.duration_ms, found.peak_memory_kb) == (2, None, None)


def test_the_ends_of_vms_are_counted_by_cause(digits, phones):
    for ends in (["idle", "killed:SIGKILL"], ["idle", "killed:SIGSEGV", "whatever"], [None]):
        store_reports([run(start="cold", vm_end=end) for end in ends])
    assert runs(digits).all.vm_ends == [
        {"cause": "idle", "count": 2},
        {"cause": "killed", "count": 2},
        {"cause": "other", "count": 1},
    ]


def test_what_ran_models_is_counted_by_class(digits, phones):
    for backend in ("mnn", "mnn", "walle"):
        store_reports([run(**WARM, backends={"net": backend}), run("device-2", **COLD, backends={"net": "walle"})])
    found = runs(digits)
    assert [(each.performance, each.model_backends) for each in found.classes] == [
        ("high", [{"backend": "mnn", "runs": 2}, {"backend": "walle", "runs": 1}]),
        ("low", [{"backend": "walle", "runs": 3}]),
    ]
    assert found.all.model_backends == [{"backend": "walle", "runs": 4}, {"backend": "mnn", "runs": 2}]


def test_a_report_about_several_runs_counts_them_all(digits, phones):
    """41 runs, of which 3 failed and one was cold; 2 more were shed."""
    for _ in range(2):
        store_reports([run(**COLD, runs=RUNS), run(**WARM)])
    found = runs(digits).all
    assert (found.runs, found.failed, found.shed, found.cold.runs, found.warm.runs) == (84, 6, 4, 2, 82)
    assert found.cold.duration_ms.p50 == pytest.approx(50, rel=0.09)
    assert found.warm.duration_ms.p50 == pytest.approx(2, rel=0.09)
    assert found.warm.duration_ms.p99 == pytest.approx(31.5, rel=0.09)


def test_nobody_makes_counts_overflow(digits, phones):
    """A thousand reports of as many runs as a report may say would be more than PostgreSQL's largest number."""
    huge = RUNS | dict.fromkeys(("count", "cold", "failed", "shed"), 2**53 - 1)
    store_reports([run(**COLD, runs=huge) for _ in range(2)])
    assert (runs(digits).all.runs, runs(digits).all.shed) == (2 * MOST_RUNS, 2 * MOST_RUNS)


def test_a_report_that_comes_again_is_counted_once(digits, phones):
    sent = run(**COLD)
    store_reports([sent])
    store_reports([sent, sent])
    assert runs(digits).all.runs == Report.objects.count() == 1


def test_runs_of_what_is_no_task_leave_no_row(digits, phones):
    store_reports([run(task="camera/invented"), run(task="invented/digits")])
    assert not RunCount.objects.exists()


def test_only_the_runs_of_the_period_are_shown_and_older_ones_are_forgotten(digits, phones):
    ages = [timedelta(hours=1), timedelta(days=3), KEPT + timedelta(days=1)]
    store_reports([run(at=(NOW - age).timestamp(), **COLD) for age in ages])
    assert [runs(digits, days).all.runs for days in (1, 7, 30)] == [1, 2, 2]
    assert delete_run_counts(before=NOW - KEPT) == 1
    assert RunCount.objects.count() == 2
