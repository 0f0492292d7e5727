"""The second half of the journey: releases in stages to a fleet: a good one, one that cannot run, a flawed one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walle.cli.rendering import matrix
from walle.release.states import ReleaseState
from walleweb.demo import rollback, show, viewers
from walleweb.demo.context import DemoContext, Seen, StepFailed, expect, expect_found, expect_state
from walleweb.demo.control_plane import ControlPlaneRefused
from walleweb.demo.examples import BETTER, FLAWED, IMAGE, UNFIT, Example
from walleweb.demo.strategies import HASTY, TESTERS, in_stages
from walleweb.demo.testers import gather_testers
from walleweb.demo.watching import is_unsure, let_go_on, wait_until

DEVICES = 75
TESTER_COUNT = 5
FLEET_S = 600.0
STAGES = in_stages(DEVICES, TESTER_COUNT)
HASTY_STAGES = in_stages(DEVICES, TESTER_COUNT, HASTY)


def fleet_comes(world: DemoContext) -> Seen:
    """Wait until every device has run the first version and the list of testers is complete."""
    world.walle.start_fleet(DEVICES, TESTER_COUNT, viewers=viewers.SHARE, lapse=viewers.LAPSE)
    _everybody_runs(world, IMAGE)
    testers = gather_testers(world.control_plane, world.app)
    expect(len(testers) == TESTER_COUNT, f"{TESTER_COUNT} devices of testers, found {testers}")
    return f"{DEVICES + TESTER_COUNT} devices run {IMAGE}; {len(testers)} of them are in the list “{TESTERS}”"


def _everybody_runs(world: DemoContext, example: Example) -> None:
    """Wait until every device of the fleet has run a version."""
    query = {"task": example.task, "version": example.version, "kind": "run", "outcome": "success"}

    def all_have_run() -> bool:
        ran = {report["device"] for report in world.control_plane.reports(**query)}
        world.show(f"{len(ran)} devices have run {example}")
        return len(ran) >= DEVICES + TESTER_COUNT

    wait_until(all_have_run, FLEET_S, f"{DEVICES + TESTER_COUNT} devices to run {example}", every=1.5)


def good_release(world: DemoContext) -> Seen:
    """Release in stages: simulation, beta, three gray stages, complete."""
    world.push(BETTER)
    release = world.follow(world.start_release(BETTER, STAGES))
    expect_state(release, ReleaseState.COMPLETE)
    _everybody_runs(world, BETTER)
    return [
        matrix(world.control_plane.simulation(release["id"])["cells"]),
        show.stages(release),
        show.arms(release),
        *show.reasons(release),
    ]


def unfit_release(world: DemoContext) -> Seen:
    """Release a version that the simulation stops: no device is ever offered it."""
    world.push(UNFIT)
    release = world.follow(world.start_release(UNFIT, STAGES))
    expect_state(release, ReleaseState.REJECTED)
    simulation = world.control_plane.simulation(release["id"])
    failed = [cell for cell in simulation["cells"] if cell["state"] == "failed"]
    versions, sentences = {cell["app_version"] for cell in failed}, sorted({cell["sentence"] for cell in failed})
    expect(versions == {"1.0.0"}, f"app 1.0.0 alone to fail, found {sorted(versions)}: {sentences}")
    _expect_never_offered(world, release)
    return [
        matrix(simulation["cells"]),
        show.stages(release),
        simulation["sentence"],
        f"its log: {show.last_line(failed[0]['logs'])}",
        "selected: no device; offered to: no device",
    ]


def _expect_never_offered(world: DemoContext, release: Mapping[str, Any]) -> None:
    selected = {arm: release["figures"][arm]["drawn"] for arm in ("treatment", "control")}
    reports = world.control_plane.reports(release=str(release["id"]))
    expect(
        not any(selected.values()) and not reports,
        f"no device to be selected, found {selected} and {len(reports)} reports",
    )
    entries = [entry["release"] for entry in world.control_plane.table(world.app)["entries"]]
    expect(release["id"] not in entries, "no entry of it in the table")


def flawed_release(world: DemoContext) -> Seen:
    """Release a version that passes the simulation and the testers, and that its verdict stops in a gray stage."""
    world.push(FLAWED)
    release = _go_on_if_unsure(world, world.follow(world.start_release(FLAWED, HASTY_STAGES)))
    expect_state(release, ReleaseState.ROLLED_BACK)
    figures = rollback.measure(world.control_plane, release, BETTER.version)
    return [show.stages(release), release["transitions"][-1]["reason"], show.rollback(figures)]


def _go_on_if_unsure(world: DemoContext, release: dict[str, Any]) -> dict[str, Any]:
    """Resume the release, as a person would, if half the fleet leaves the verdict open and it goes on hold."""
    if not is_unsure(release):
        return release
    let_go_on(world.control_plane, release)
    return world.follow(release["id"])


def stays_out(world: DemoContext) -> Seen:
    """Check the quarantine: the version cannot be released again, and no device has it any more."""
    try:
        world.start_release(FLAWED, STAGES)
    except ControlPlaneRefused as refusal:
        return [refusal.detail, *_why_not(world)]
    raise StepFailed(f"expected the release of {FLAWED} to be refused")


def _why_not(world: DemoContext) -> list[str]:
    """Explain the decision about the task on a device that had the flawed version."""
    query = {"task": FLAWED.task, "version": FLAWED.version, "kind": "install"}
    report = expect_found(world.control_plane.newest_report(**query), f"a device to have had {FLAWED}")
    device = report["device"]
    return show.explanation(device, world.control_plane.explanation(world.app, device, FLAWED.task))
