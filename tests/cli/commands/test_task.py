"""`walle task`."""

from __future__ import annotations

from django.utils import timezone

from devices_app.models import App
from tasks_app.models import RunCount, Task


def test_retiring_asks_whether_one_is_sure(walle, pushed, task):
    asked = walle("task", "retire", task)
    assert (asked.status, "--yes" in asked.err) == (2, True)
    assert walle("task", "retire", task, "--yes").status == 0
    assert walle("task", "show", task, "--json").json["retired_at"]
    assert walle("task", "unretire", task).status == 0
    assert walle("task", "show", task, "--json").json["retired_at"] is None


def test_runs_are_shown_by_class_of_devices(walle, pushed, task, shop):
    nothing = walle("task", "runs", task)
    assert (nothing.status, "No device has reported a run" in nothing.out) == (0, True)
    row = {"task": Task.objects.get(), "app": App.objects.get(), "at": timezone.now(), "os": "android"}
    ends = {"idle": 3, "killed": 1}
    RunCount.objects.create(
        **row, performance="mid", warm=False, runs=10, failed=0, durations=[0] * 72 + [10], memory=[10], vm_ends=ends
    )
    RunCount.objects.create(**row, performance="mid", warm=True, runs=30, failed=0, durations=[30], memory=[30])
    shown = walle("task", "runs", task, "--days", "1")
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert "all cold 10 (25 %) 49 ms / 50.8 ms / 51.2 ms 66 KB" in lines
    assert "android mid warm 30 (75 %) 0.1 ms / 0.1 ms / 0.1 ms 66 KB" in lines
    assert "ends of VMs idle 3, killed 1" in lines
    assert walle("task", "runs", task, "--json").json["all"]["runs"] == 40
    assert "days" in walle("task", "runs", task, "--days", "31").err
