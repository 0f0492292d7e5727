"""Runs of plans on threads: what arrives at the sink, once, whatever happens to workers."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import count, islice
from math import inf

import pytest

from tests.placement.processor import arithmetic
from tests.placement.processor.problems import ANSWERING, COUNTING, HERE, answering, counting
from tests.placement.processor.threads import Threads, ThreadWorker
from tests.support.waiting import wait_for
from walle.placement.evaluation import PlanMismatch
from walle.placement.processor.network import LinkShape
from walle.placement.processor.operators import CodeUnusable
from walle.placement.processor.planning import NotRunnable, WorkflowCode, deploy
from walle.placement.processor.running import PlanRun, RunFailed, RunSettings
from walle.placement.processor.specs import OperatorCode

FAST = RunSettings(rate=inf)


def arithmetic_code(window=4, **changes):
    entries = {name: OperatorCode(HERE, f"arithmetic:{name}") for name in ("split", "square", "parity", "odd")}
    entries["sums"] = OperatorCode(HERE, "arithmetic:total", key="arithmetic:key", window=window)
    return WorkflowCode({**entries, **changes})


def images(number):
    return islice(({"image": None, "sound": None} for _ in count()), number)


def run_counting(backend, numbers=range(50), *, code=None, **options):
    results = []
    items = ({"numbers": each} for each in numbers)
    run = PlanRun(
        counting(), COUNTING, backend, items, results.extend,
        code=code or arithmetic_code(), settings=options.pop("settings", FAST), **options,
    )  # fmt: skip
    return run, results


def test_all_kinds_of_operators_compute_what_a_plain_loop_does():
    run, results = run_counting(Threads())
    report = run.run()
    found = {each.number: dict(each.records) for each in results}
    wanted = {4 * n: sums for n, sums in enumerate(arithmetic.expected(range(50), 4)) if sums}
    assert found == wanted
    assert (report.acknowledged, report.pending, report.counts["duplicates"]) == (50, 0, 0)
    assert report.operator("both").dropped == 0
    assert report.operator("split").taken == 50
    assert sum(each.items for each in results) + 4 * report.counts.get("empty", 0) >= 50


def test_stand_ins_make_as_many_records_as_the_problem_says_and_count_its_bytes():
    problem = answering(latency_ms=0.01)
    workflow = problem.workflow
    halved = replace(workflow.edges[2], rate_ratio=0.5)
    problem = replace(problem, workflow=replace(workflow, edges=(*workflow.edges[:2], halved, workflow.edges[3])))
    report = PlanRun(problem, ANSWERING, Threads(), images(40), lambda results: None, settings=FAST).run()
    assert report.operator("features").taken == 40
    sent = {sender: sum(found.values()) for sender, found in report.sent.items()}
    assert sent[None] == 40 * 15 * 1024
    assert sent["edge-1"] + sent["edge-2"] == 20 * 2 * 1024
    assert report.acknowledged == 40
    cents = 40 * (5 + 0.5 * 2) * 1024 / 2**30 * 0.1
    assert report.network_usd == pytest.approx(cents)


def test_sources_wait_for_room_and_lose_nothing():
    held, most = threading.Event(), []
    results = []

    def sink(found):
        results.extend(found)
        held.wait(60)

    run = PlanRun(
        answering(0.01), ANSWERING, Threads(), images(100), sink, settings=RunSettings(rate=inf, in_flight=7),
        progress=lambda report: (most.append(report.pending), held.set()),
    )  # fmt: skip
    threading.Timer(0, lambda: (wait_for(lambda: results), held.set())).start()
    report = run.run()
    assert max(most) <= 7
    assert report.counts["throttled"] > 0
    assert len(results) == len({each.number for each in results}) == 100


def until_killed(backend, worker, before, after):
    """Yield numbers, some of them only when a worker was killed; return them with a sink that kills it at a result."""
    results, gone = [], threading.Event()

    def sink(found):
        results.extend(found)
        if results and not gone.is_set():
            backend.kill(worker)
            gone.set()

    def numbers():
        yield from range(before)
        gone.wait(60)
        yield from range(before, after)

    return numbers(), sink, results


@pytest.mark.parametrize("worker", ["w0", "w1", "w4", "w7"])
def test_a_killed_worker_is_started_again_and_no_item_is_lost_or_doubled(worker):
    backend = Threads()
    numbers, sink, results = until_killed(backend, worker, 100, 200)
    items = ({"numbers": each} for each in numbers)
    run = PlanRun(counting(), COUNTING, backend, items, sink, code=arithmetic_code(), settings=FAST)
    report = run.run()
    assert {each.number: dict(each.records) for each in results} == {
        4 * n: sums for n, sums in enumerate(arithmetic.expected(range(200), 4)) if sums
    }
    assert len(results) == len({each.number for each in results})
    assert (report.acknowledged, report.counts["restarts"], backend.started.count(worker)) == (200, 1, 2)


def test_results_that_come_twice_are_left_out(monkeypatch):
    once = ThreadWorker.collect
    kept = []

    def twice(self, timeout_s):
        found = once(self, timeout_s)
        kept.extend(found)
        return found + kept[: len(kept) // 2] + found

    monkeypatch.setattr(ThreadWorker, "collect", twice)
    run, results = run_counting(Threads(), range(60))
    report = run.run()
    assert len(results) == len({each.number for each in results}) > 0
    assert report.counts["duplicates"] > 0


def test_another_plan_takes_over_where_no_machine_is_left():
    backend, asked = Threads(), []
    backend.for_good.add("cloud-2")
    numbers, sink, results = until_killed(backend, "cloud-2", 60, 150)
    before = set(threading.enumerate())

    def replan(problem):
        asked.append({each.id for each in problem.infrastructure.workers})
        return replace(ANSWERING, workers={**ANSWERING.workers, "answer": ("cloud-3",)})

    items = ({"image": None, "sound": None} for _ in numbers)
    run = PlanRun(answering(0.5), ANSWERING, backend, items, sink, settings=FAST, replan=replan)
    report = run.run()
    assert sorted(each.number for each in results) == list(range(150))
    assert report.counts["replans"] == 1
    assert asked == [{"edge-1", "edge-2", "cloud-1", "cloud-3"}]
    assert ("answer", "cloud-3") in report.operators
    wait_for(lambda: not set(threading.enumerate()) - before, describe=lambda: str(threading.enumerate()))


def test_a_run_that_no_plan_can_save_fails_with_the_reason():
    backend = Threads()
    backend.broken.add("w4")
    run, _ = run_counting(backend)
    with pytest.raises(RunFailed, match="no machine is left for w4, and no other plan does without"):
        run.run()


def test_a_worker_that_fails_again_and_again_ends_the_run():
    backend = Threads()
    run, _ = run_counting(
        backend, count(), settings=RunSettings(rate=100, restarts=2), progress=lambda report: backend.kill("w3")
    )
    with pytest.raises(RunFailed, match="lost 3 times, the last was w3"):
        run.run()


def test_a_join_that_waits_in_vain_drops_and_counts():
    lagging = arithmetic_code(both=OperatorCode(HERE, join_wait_s=0.02))
    problem, backend = counting(), Threads()
    run = PlanRun(problem, COUNTING, backend, ({"numbers": n} for n in range(8)), lambda r: None, code=lagging)
    slow = replace(run.deployment.workers["w3"], links={"w4": LinkShape(delay_s=0.3), "w5": LinkShape(delay_s=0.3)})
    run.deployment.workers["w3"] = slow
    report = run.run()
    assert report.operator("both").dropped == 8
    assert report.acknowledged == 8
    assert report.counts.get("results", 0) == 0


def test_what_an_operator_raises_ends_the_run():
    run, _ = run_counting(Threads(), code=arithmetic_code(square=OperatorCode(HERE, "arithmetic:broken")))
    with pytest.raises(ArithmeticError, match="no number at all"):
        run.run()


def test_a_model_that_returns_too_little_is_named():
    run, _ = run_counting(Threads(), code=arithmetic_code(square=OperatorCode(HERE, "arithmetic:short")))
    with pytest.raises(CodeUnusable, match="square: expected 2 outputs of model default, found 0"):
        run.run()


def test_what_the_sink_raises_ends_the_run():
    def full(results):
        raise OSError("disk full")

    run = PlanRun(answering(latency_ms=0.01), ANSWERING, Threads(), images(10), full, settings=FAST)
    with pytest.raises(OSError, match="disk full"):
        run.run()


def test_a_stopped_run_ends_when_all_it_sent_is_acknowledged():
    results = []
    run = PlanRun(answering(0.01), ANSWERING, Threads(), images(10**9), results.extend, settings=RunSettings(rate=500))
    stopper = threading.Thread(target=lambda: (wait_for(lambda: len(results) > 5), run.stop()))
    stopper.start()
    report = run.run()
    stopper.join()
    assert report.acknowledged == report.admitted == len(results)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (lambda: arithmetic_code(odd=OperatorCode(HERE)), "expected code of odd with an entry, found none"),
        (lambda: arithmetic_code(odd=OperatorCode(HERE, "arithmetic:odd", window=2)), "one of odd"),
        (lambda: arithmetic_code(sums=OperatorCode(HERE, "arithmetic:total")), "expected a key of sums"),
    ],
)
def test_code_that_does_not_fit_the_workflow_is_named(code, problem):
    with pytest.raises(NotRunnable, match=problem):
        deploy(counting(), COUNTING, code())


def test_a_window_that_never_gets_complete_is_refused():
    with pytest.raises(NotRunnable, match="as many items on their way as a window has, found 3"):
        run_counting(Threads(), settings=RunSettings(in_flight=3))


def test_sources_of_different_rates_are_refused():
    problem = answering()
    uneven = replace(problem, target=replace(problem.target, rates={"image": 40, "sound": 20}))
    with pytest.raises(NotRunnable, match=r"one rate at all sources.*found image 40/s, sound 20/s"):
        deploy(uneven, ANSWERING, WorkflowCode())


def test_a_plan_of_another_problem_is_refused():
    with pytest.raises(PlanMismatch):
        deploy(counting(), ANSWERING, WorkflowCode())


def test_a_tiers_cap_is_divided_among_its_senders_by_what_they_send():
    problem = answering(bandwidth_mbps={"tiers": {"edge": 12}, "workers": {"cloud-1": 3}})
    deployment = deploy(problem, ANSWERING, WorkflowCode())
    # The sources send 5 KB an item up to the cloud, both workers at the edge together 2 KB.
    assert deployment.source_mbps == pytest.approx(12 * 5 / 7)
    assert deployment.workers["edge-1"].uplink_mbps == pytest.approx(12 / 7)
    assert deployment.workers["cloud-1"].uplink_mbps == 3
    assert set(deployment.source_links) == {"cloud-1", "cloud-2"}


def test_the_plans_own_shares_count():
    plan = replace(ANSWERING, shares={"features": (0.25, 0.75)})
    table = deploy(answering(), plan, WorkflowCode()).table
    assert table.bounds["features"] == pytest.approx((0.25, 1.0))


def test_the_planned_capacity_is_in_items_of_the_sources():
    problem = counting()
    workflow = problem.workflow
    tripled = tuple(replace(each, rate_ratio=3.0) if each.target == "sums" else each for each in workflow.edges)
    slow = replace(problem, workflow=replace(workflow, edges=tripled))
    # Two workers sum up 1000 records a second each, of which an item has three.
    assert deploy(slow, COUNTING, WorkflowCode()).planned_capacity == pytest.approx(2000 / 3)
