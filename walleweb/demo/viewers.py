"""The journey's stream task: users of emulated devices browse; features of it go up, and recommendations come back."""

from __future__ import annotations

import json
from typing import Any, Final

from walle.release.rules import uniform
from walle.release.states import ReleaseState
from walleweb.demo.context import DemoContext, Seen, expect, expect_state
from walleweb.demo.examples import IPV
from walleweb.demo.strategies import AT_ONCE
from walleweb.demo.watching import wait_until

SHARE: Final = 0.1
"""How many devices have users who browse."""
LAPSE: Final = 5.0
"""How many times faster than in reality they browse: a journey is short."""
APP_VERSION: Final = "1.1.0"
FEATURES_S: Final = 600.0


def features_come(world: DemoContext) -> Seen:
    """Release a stream task to one version of the app; wait for a device's report and for answered features."""
    messages = world.push(IPV)
    release = world.follow(world.start_release(IPV, AT_ONCE, uniform([APP_VERSION])))
    expect_state(release, ReleaseState.COMPLETE)
    report = _first_report(world)
    expect(report["outcome"] == "success", f"{IPV} to succeed, found {report}")
    output, runs = report["output"], report["runs"]
    feature = json.dumps(output["feature"], separators=(",", ":"))
    answered, uploaded = _answers(world), world.control_plane.newest_feature(task=IPV.task)
    return [
        messages,
        f"{report['device']}: {runs['count']} views, {runs['events']} events, {runs['p50_ms']:.1f} ms for the median",
        f"the last one, {output['page']}: {output['feature']['events']} events in {output['feature']['dwell_s']} s,"
        f" a feature of {len(feature)} bytes, {4 * len(output['encoding'])} bytes encoded",
        f"the newest in the cloud, from {uploaded['device']}: {uploaded['wire_bytes']} bytes went through its tunnel,"
        f" {uploaded['delay_ms']:.0f} ms after the event",
        f"recommendations went back for {answered} of them",
    ]


def _first_report(world: DemoContext) -> dict[str, Any]:
    found: list[dict[str, Any]] = []

    def has_come() -> bool:
        found.extend(world.control_plane.reports(task=IPV.task, kind="run"))
        return bool(found)

    wait_until(has_come, FEATURES_S, f"a device to report about {IPV}")
    return found[0]


def _answers(world: DemoContext) -> int:
    """Return how many features the cloud half has answered, once there are some."""
    answered = 0

    def has_answered() -> bool:
        nonlocal answered
        version = world.control_plane.version(IPV.task, IPV.version)
        answered = version["cloud"]["answered"] if version else 0
        return answered > 0

    wait_until(has_answered, FEATURES_S, f"features of {IPV.task} to be answered")
    return answered
