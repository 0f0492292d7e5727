"""Which reports are made of triggered runs, and when: the time is passed in."""

from __future__ import annotations

import pytest

from tests.device.conftest import Clock
from walle.device.link import reports
from walle.device.running.runner import Execution
from walle.device.storage.state import Installation
from walle.device.streaming.aggregation import RunAggregator
from walle.protocol.reports import Report

VERSION = Installation("shop/ipv", "1.0.0", "a" * 64, "f" * 32, 7, "token")
OTHER = Installation("shop/rank", "1.0.0", "b" * 64, "e" * 32, 7)


class Device:
    """An aggregator with clocks that agree, and runs that it is told of."""

    def __init__(self, *, private: bool = False) -> None:
        self.now = Clock(1000.0)
        self.aggregator = RunAggregator(clock=self.now, monotonic=self.now)
        for installed in (VERSION, OTHER):
            self.aggregator.expect(installed, private=private)
        self.runs = 0

    def run(self, installed=VERSION, *, last=False, error=None, message=None, output=None, **more) -> Report | None:
        self.runs += 1
        run_id = f"00000000-0000-0000-0000-{self.runs:012d}"
        execution = Execution(output=output, error_class=error, message=message, **{"duration_ms": 2.0, **more})
        report = reports.measured(
            reports.about(installed, "run", at=self.now(), report_id=run_id),
            duration_ms=execution.duration_ms,
            peak_memory_kb=execution.peak_memory_kb,
            metrics=execution.metrics,
            output=output,
            start=execution.start,
            vm_end=execution.vm_end,
            backends=execution.backends,
        )
        if error:
            report = reports.failed(report, error, message)
        return self.aggregator.ran(installed, report, execution, events=4, last=last)

    def after(self, seconds: float) -> list[Report]:
        self.now.now += seconds
        return [Report.from_dict(report.to_dict()) for _, report in self.aggregator.take_due()]


@pytest.fixture
def device() -> Device:
    return Device()


def test_the_first_three_runs_make_a_report_under_the_id_of_the_third(device):
    assert [device.run(), device.run(OTHER), device.run()] == [None, None, None]
    report = device.run(output={"y": 3})
    assert (report.id[-1], report.runs["count"], report.runs["events"], report.output) == ("4", 3, 12, {"y": 3})
    assert report.offer_token == "token"
    assert (report.runs["since"], report.at) == (1000.0, 1000.0)


def test_fewer_first_runs_are_reported_after_a_minute(device):
    assert device.aggregator.due == float("inf")
    device.run()
    device.now.now += 30
    device.run()
    assert device.aggregator.due == 1060.0
    assert device.after(29.9) == []
    [report] = device.after(0.1)
    assert report.runs["count"] == 2
    assert device.aggregator.due == float("inf")


def test_after_the_first_report_there_is_one_each_five_minutes_with_runs(device):
    for _ in range(3):
        device.run()
    assert device.after(400) == [], "nothing ran"
    report = device.run()
    assert (report.runs["count"], report.runs["since"]) == (1, 1400.0), "the last report is long ago"
    for _ in range(10):
        assert device.run() is None
    assert device.after(299.9) == []
    [report] = device.after(0.1)
    assert report.runs["count"] == 10


def test_what_is_left_is_reported_at_the_end_and_of_a_version_that_goes(device):
    device.run()
    device.run(OTHER)
    [(installed, report)] = device.aggregator.take(OTHER.folder)
    assert (installed, report.task) == (OTHER, "shop/rank")
    assert [report.task for _, report in device.aggregator.take()] == ["shop/ipv"]
    assert device.aggregator.take() == []


def test_a_version_that_is_given_up_is_reported_at_once(device):
    assert device.run(error="timeout", last=True).runs["failed"] == 1


def test_any_failure_makes_the_report_one_and_the_first_says_why(device):
    device.run(error="timeout", message="too slow", peak_memory_kb=30)
    device.run(output={"y": 1}, peak_memory_kb=10, metrics={"m": 1.0}, vm_end="idle", backends={"net": "mnn"})
    report = device.run(error="exception:KeyError", message="'x'", peak_memory_kb=20)
    assert (report.outcome, report.error_class, report.message) == ("failure", "timeout", "too slow")
    assert (report.output, report.metrics, report.peak_memory_kb, report.vm_end) == ({"y": 1}, {"m": 1.0}, 30, "idle")
    assert report.backends == {"net": "mnn"}
    assert [each["error_class"] for each in report.runs["failures"]] == ["timeout", "exception:KeyError"]


def test_the_duration_is_the_median_of_the_runs_that_began_in_the_usual_way(device):
    device.run(duration_ms=90.0)
    device.run(duration_ms=2.0, start="warm")
    report = device.run(duration_ms=4.0, start="warm")
    assert (report.start, round(report.duration_ms)) == ("warm", 2)
    assert (report.runs["cold"], report.runs["max_ms"]) == (1, 90.0)


def test_what_is_to_be_said_of_an_installation_is_in_its_next_report_only(device):
    device.aggregator.note(VERSION, "starts afresh")
    device.run(OTHER)
    device.run()
    assert {report.task: report.message for report in device.after(60)} == {
        "shop/ipv": "starts afresh",
        "shop/rank": None,
    }
    device.run()
    [report] = device.after(300)
    assert report.message is None


def test_shed_triggers_are_told_with_the_runs_and_costs_outlast_the_reports(device):
    device.aggregator.shed(VERSION, 2)
    assert device.after(3600) == []
    device.run(cpu_ms=5.0)
    device.aggregator.skipped(VERSION)
    [report] = device.after(60)
    assert report.runs["shed"] == 2
    device.run(cpu_ms=5.0)
    [report] = device.after(300)
    assert report.runs["shed"] == 0
    costs = device.aggregator.costs["shop/ipv"]
    assert (costs.count, costs.shed, costs.skipped, costs.cpu_ms) == (2, 2, 1, 10.0)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("exception:Ada", "exception"),
        ("crashed:exit-42", "crashed"),
        ("crashed:SIGUSR1", "crashed"),
        ("timeout", "timeout"),
        ("memory-limit", "memory-limit"),
    ],
)
def test_of_a_private_task_nothing_is_reported_that_its_code_has_a_say_in(error, told):
    device = Device(private=True)
    device.aggregator.note(VERSION, "starts afresh")
    device.run(output={"y": "Ada"}, metrics={"m": 1.0}, vm_end="killed:SIGUSR1", backends={"net": "ada"})
    report = device.run(error=error, message="Ada", last=True)
    assert (report.error_class, report.message, report.output, report.metrics) == (told, None, None, {})
    assert (report.vm_end, report.backends) == ("killed", {})
    assert report.runs["failures"] == [{"error_class": told, "count": 1}]
    assert "Ada" not in str(report.to_dict())
