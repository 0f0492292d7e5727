"""Tasks that mean harm, through the whole simulation: contained, named in the cell, the worker unharmed."""

import pytest

from releases_app.services.simulation import outcome
from tests.container.hostile import HOSTILE
from tests.container.support import processes_named
from tests.releases_app.simulation.running import work
from tests.support.profiles import profile
from tests.support.waiting import wait_for
from tests.tasks_app.working_copy import GOOD, MAIN

pytestmark = pytest.mark.django_db(transaction=True)

HOSTILE_TASK = """\
[task]
entry_point = "main:run"
[outputs.result]
type = "list"
[trigger]
every_s = 5
[limits]
time_ms = 1000
memory_mb = 64
[[samples]]
name = "only"
input = {}
"""


def test_hostile_tasks_are_contained_and_named_and_the_worker_goes_on(declare, started, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://walle:hunter2@db/walle")
    declare(v1_0_0=profile())
    for task in HOSTILE:
        release = started({"task.toml": HOSTILE_TASK, "main.py": task.source})
        work()
        cell = release.simulation_cells.get()
        assert cell.state == "failed", (task.name, cell.sentence)
        assert cell.result["samples"][0]["error_class"] in task.ends, (task.name, cell.sentence)
        assert any(end in outcome(release).sentence for end in task.ends)
        assert len(cell.logs) <= 16 * 1024
        assert "hunter2" not in f"{cell.logs} {cell.result}"
        wait_for(lambda name=task.name: processes_named(f"walle-{name}") == [])
    release = started({**GOOD, "main.py": MAIN})
    work()
    assert outcome(release).kind == "pass"
