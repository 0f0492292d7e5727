"""A device with stream tasks: what it runs counts the clicks among its events, when and as a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.device.conftest import Bench, Device
from walle.conformance.client.repository import ReferenceRepository
from walle.device.running.runner import Execution
from walle.protocol.reports import Report

IPV = "shop/ipv"
EXIT = {"on": ["page_exit"]}


class Counting(Bench):
    """`behaviour` gives an error class for a bundle's main.py, or None; runs wait for `gates` of their code."""

    def __init__(self) -> None:
        super().__init__()
        self.error_of: Callable[[bytes], str | None] = lambda code: None
        self.gates: dict[bytes, asyncio.Event] = {}

    async def __call__(self, bundle: Path, manifest: Any, inputs: Any) -> Execution:
        code = (bundle / "main.py").read_bytes()
        self.ran.append((code, dict(inputs)))
        if code in self.gates:
            await self.gates[code].wait()
        if error := self.error_of(code):
            return Execution(error_class=error, message="Ada is at fault", duration_ms=1.0, start="warm")
        clicks = sum(event["kind"] == "click" for event in inputs.get("events", ()))
        return Execution(
            {"clicks": clicks}, {"seen": 1.0}, duration_ms=3.0, cpu_ms=2.0, start="warm", peak_memory_kb=9000
        )


def publish(repository: ReferenceRepository, version: str = "1.0.0", **more: Any) -> None:
    """Make a version of a stream task the current one; `main.py` is its `code`, or its task and version."""
    task = more.pop("task", IPV)
    fields = {
        "inputs": {"events": {"type": "list"}},
        "outputs": {"clicks": {"type": "integer"}},
        "trigger": EXIT,
        **more,
    }
    code = fields.pop("code", f"{task} {version}".encode())
    repository.publish(task, version, {"main.py": code}, **fields)


def visit(device: Device, page: str = "item/1", clicks: int = 1) -> None:
    """Report a visit of a page, a second for each click."""
    track = device.parts.streams.track
    assert track("page_enter", page)
    for _ in range(clicks):
        device.clock.now += 1
        assert track("click", page, contents={"item": 1}, private={"name": "Ada"})
    assert track("page_exit", page)


def runs(repository: ReferenceRepository) -> list[Report]:
    """Return the reports about runs, checked as the cloud checks them."""
    return [Report.from_dict(report) for report in repository.reports if report["kind"] == "run"]
