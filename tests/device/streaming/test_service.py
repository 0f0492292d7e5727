"""What a device does with behaviour events: which tasks run, on what, what is kept, and what is reported."""

from __future__ import annotations

from typing import Any

from tests.device.conftest import Bench
from walle.device.running.runner import Execution
from walle.protocol.reports import Report

IPV = "shop/ipv"
EXIT = {"on": ["page_exit"]}
INPUTS = {"events": {"type": "list"}, "page": {"type": "object"}}
OUTPUTS = {"clicks": {"type": "integer"}}


def publish(repository, version="1.0.0", *, task=IPV, code=None, trigger=EXIT, stream=None, **more):
    bundle = {"main.py": code or f"{task} {version}".encode()}
    fields = {"inputs": INPUTS, "outputs": OUTPUTS, **more, **({"stream": stream} if stream else {})}
    repository.publish(task, version, bundle, trigger=trigger, **fields)


def counting() -> Bench:
    """An executor whose runs count the clicks among their events."""
    bench = Bench()

    async def run(bundle: Any, manifest: Any, inputs: Any) -> Execution:
        await Bench.__call__(bench, bundle, manifest, inputs)
        found = bench.behaviour((bundle / "main.py").read_bytes())
        if found.error_class is not None:
            return found
        clicks = sum(event["kind"] == "click" for event in inputs.get("events", ()))
        return Execution(output={"clicks": clicks}, duration_ms=3.0, cpu_ms=2.0, start="warm")

    run.ran, run.bench = bench.ran, bench  # type: ignore[attr-defined]
    return run  # type: ignore[return-value]


def visit(device, page="item/1", clicks=1):
    track = device.parts.streams.track
    assert track("page_enter", page)
    for _ in range(clicks):
        device.clock.now += 1
        assert track("click", page, contents={"item": 1}, private={"name": "Ada"})
    assert track("page_exit", page)


def runs(repository) -> list[Report]:
    return [Report.from_dict(report) for report in repository.reports if report["kind"] == "run"]


async def test_a_task_runs_on_the_events_of_its_page_and_what_it_returns_is_kept_and_reported(repository, devices):
    publish(repository)
    device = await devices.start(executor=counting(), inputs=lambda task, manifest: None)
    await device.agent.once()
    assert device.bench.ran == []
    visit(device, clicks=2)
    await device.agent.once()
    [(_, inputs)] = device.bench.ran
    assert [event["kind"] for event in inputs["events"]] == ["page_enter", "click", "click", "page_exit"]
    assert inputs["page"]["page"] == "item/1"
    assert set(inputs) == {"events", "page"}
    assert not any("private" in event for event in inputs["events"])
    [report] = runs(repository)
    assert (report.task, report.outcome, report.output) == (IPV, "success", {"clicks": 2})
    assert report.runs["count"] == 1
    assert report.runs["events"] == 4
