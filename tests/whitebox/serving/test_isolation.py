"""When a serving process must be replaced, and how long the plan that held it up is kept out."""

from __future__ import annotations

from pathlib import Path

from walle.whitebox.serving.heartbeat import Heartbeat, Pulse
from walle.whitebox.serving.isolation import FIRST_S, LONGEST_S, IsolatedPlan, IsolationFile, isolated_again
from walle.whitebox.serving.supervisor import LOAD_WALL_S, LOOP_WALL_S, PLAN_CPU_S, PLAN_WALL_S, stuck

PLAN = "f" * 64


def test_a_plan_is_stuck_by_what_it_computes_and_at_last_by_time() -> None:
    runs = Pulse(beat=100.0, began=100.0, plan=PLAN)
    assert not stuck(runs, 100.0 + 2 * PLAN_CPU_S, cpu=PLAN_CPU_S / 2), "a busy machine is no fault of the plan's"
    computed = stuck(runs, 100.0 + 2 * PLAN_CPU_S, cpu=1.5 * PLAN_CPU_S)
    took = stuck(runs, 100.1 + PLAN_WALL_S, cpu=0.0)
    assert computed is not None
    assert took is not None
    assert ("computed" in computed.text, "took" in took.text) == (True, True)
    assert computed.plan == took.plan == PLAN


def test_a_loop_that_stands_still_without_a_plan_is_replaced_too() -> None:
    still = Pulse(beat=100.0, began=0.0, plan="")
    assert not stuck(still, 99.0 + LOOP_WALL_S, cpu=10.0)
    reason = stuck(still, 101.0 + LOOP_WALL_S, cpu=0.0)
    assert reason is not None
    assert (reason.plan, "stood still" in reason.text) == ("", True)


def test_a_plan_that_is_never_loaded_is_at_fault() -> None:
    loads = Pulse(beat=1000.0, loading_since=100.0, loading=PLAN)
    assert stuck(loads, 100.0 + LOAD_WALL_S, cpu=0.0) is None
    reason = stuck(loads._replace(beat=500.0 + LOAD_WALL_S), 101.0 + LOAD_WALL_S, cpu=0.0)
    assert reason is not None
    assert reason.plan == PLAN


def test_a_heartbeat_says_what_runs() -> None:
    heartbeat = Heartbeat()
    assert heartbeat.read() == Pulse(0.0)
    heartbeat.begin(PLAN.encode())
    began = heartbeat.read()
    assert began.began > 0
    assert began.plan == PLAN
    heartbeat.end()
    assert heartbeat.read().plan == ""
    heartbeat.load(PLAN.encode())
    assert heartbeat.read().loading == PLAN
    heartbeat.loaded()
    assert heartbeat.read().loading == ""
    heartbeat.beat()
    assert heartbeat.read().beat >= began.began


def test_isolation_grows_up_to_a_day() -> None:
    first = isolated_again(None, "it looped", 1000.0)
    second = isolated_again(first, "it looped", 2000.0)
    assert first == IsolatedPlan("it looped", 1000.0 + FIRST_S, 1)
    assert second == IsolatedPlan("it looped", 2000.0 + 2 * FIRST_S, 2)
    assert isolated_again(IsolatedPlan("", 0.0, 40), "", 0.0).until == LONGEST_S


def test_an_isolation_file_that_is_damaged_isolates_nothing(tmp_path: Path) -> None:
    file = IsolationFile(tmp_path / "folder" / "isolated.json")
    assert file.read() == {}
    isolated = {PLAN: IsolatedPlan("it looped", 1000.0, 2)}
    file.write(isolated)
    assert file.read() == isolated
    (tmp_path / "folder" / "isolated.json").write_bytes(b'{"x": 1}')
    assert file.read() == {}
