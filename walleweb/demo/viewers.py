"""The journey's stream task: users of emulated devices browse, and their devices make features of it."""

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
FEATURES_S: Final = 180.0


def features_come(world: DemoContext) -> Seen:
    """Release a stream task to one version of the app, and wait until a device reports what its user's views gave."""
    messages = world.push(IPV)
    release = world.follow(world.start_release(IPV, AT_ONCE, uniform([APP_VERSION])))
    expect_state(release, ReleaseState.COMPLETE)
    report = _first_report(world)
    expect(report["outcome"] == "success", f"{IPV} to succeed, found {report}")
    output, runs = report["output"], report["runs"]
    feature = json.dumps(output["feature"], separators=(",", ":"))
    return [
        messages,
        f"{report['device']}: {runs['count']} views, {runs['events']} events, {runs['p50_ms']:.1f} ms for the median",
        f"the last one, {output['page']}: {output['feature']['events']} events in {output['feature']['dwell_s']} s,"
        f" a feature of {len(feature)} bytes, {4 * len(output['encoding'])} bytes encoded",
    ]


def _first_report(world: DemoContext) -> dict[str, Any]:
    found: list[dict[str, Any]] = []

    def has_come() -> bool:
        found.extend(world.control_plane.reports(task=IPV.task, kind="run"))
        return bool(found)

    wait_until(has_come, FEATURES_S, f"a device to report about {IPV}")
    return found[0]
