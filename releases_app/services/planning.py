"""What a release would do, before it is made: checked as it would be when it is made, and nothing is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import Any

from accounts_app.actors import Actor
from devices_app.models import App
from devices_app.selectors.counting import CountedDevices, estimate_devices
from devices_app.selectors.search import matching_rule, with_installed
from devices_app.selectors.targeting import alive
from kit.row_estimates import estimate_count
from releases_app.models import Release
from releases_app.selectors.releases import last_good, older_releases
from releases_app.services.releases import plan_of
from releases_app.services.simulation import MAX_CELLS, cells_for
from releases_app.services.supersession import WHEN_COMPLETE, WITH_ITS_FIRST_DEVICES, among
from tasks_app.models import TaskVersion
from walle.container.profile import Cell
from walle.release.cohort import BUCKETS
from walle.release.strategy import StageStrategy, Strategy


@dataclass(frozen=True)
class StageReach:
    """One stage of a plan: the devices that have been reached at its end, those that it `adds`, and how many are held
    back for comparison meanwhile. It takes at least `at_least_s` seconds: its dwell time, or what its pace allows."""

    position: int
    plan: StageStrategy
    reaches: CountedDevices
    adds: CountedDevices
    held_back: CountedDevices
    at_least_s: float


@dataclass(frozen=True)
class SupersededRelease:
    """An older release that ends through this one: `when` this meets its first devices, or is complete."""

    release: Release
    when: str


@dataclass(frozen=True)
class ReleasePlan:
    """All that can be said of a release before it is made.

    Of the devices that its rule `matched`, so many have `installed` the version already, by another release.
    `replaces` is the complete release whose version its devices go back to; None where there is none. `cells` are to be
    simulated, unless the strategy leaves that out; `problems` say which app versions cannot be. `warnings` say what is
    allowed but probably not meant.
    """

    release: Release
    strategy: Strategy
    matched: CountedDevices
    installed: CountedDevices
    total: int
    stages: list[StageReach]
    at_least_s: float
    cells: list[Cell]
    problems: list[str]
    supersedes: list[SupersededRelease]
    replaces: Release | None
    warnings: list[str] = field(default_factory=list)


def plan_release(
    *,
    app: App,
    version: TaskVersion,
    rule: Mapping[str, Any],
    strategy: Mapping[str, Any] | None = None,
    actor: Actor,
) -> ReleasePlan:
    """What such a release would do. Raises what `create_release` would."""
    plan = plan_of(app=app, version=version, rule=rule, strategy=strategy, actor=actor)
    release = Release(app=app, version=version, rule=dict(rule), strategy=plan.to_dict(), created_by=actor.name)
    sought = matching_rule(app, release.eligible_rule)
    everybody = estimate_devices(sought)
    installed = estimate_devices(with_installed(sought, version.task.name, version.manifest_digest))
    stages = list(_stages(release, plan, everybody))
    older = list(older_releases(release).filter(state__in=WITH_ITS_FIRST_DEVICES | WHEN_COMPLETE).order_by("-id"))
    simulated = cells_for(release) if plan.simulation else None
    cells, problems = (list(simulated.profiles), list(simulated.problems.values())) if simulated else ([], [])
    return ReleasePlan(
        release=release,
        strategy=plan,
        matched=everybody,
        installed=installed,
        total=estimate_count(alive(app).order_by()),
        stages=stages,
        at_least_s=sum(stage.at_least_s for stage in stages),
        cells=cells[:MAX_CELLS],
        problems=problems,
        supersedes=[
            *(SupersededRelease(one, "first-devices") for one in among(release, older, WITH_ITS_FIRST_DEVICES)),
            *(SupersededRelease(one, "complete") for one in among(release, older, WHEN_COMPLETE)),
        ],
        replaces=last_good(release),
        warnings=list(_warnings(plan, everybody, installed, stages, len(cells))),
    )


def _stages(release: Release, plan: Strategy, everybody: CountedDevices) -> Iterator[StageReach]:
    listed, before = CountedDevices(0, exact=True), CountedDevices(0, exact=True)
    for position, stage in enumerate(plan.stages):
        if stage.id_list:
            rule = {"all": [release.eligible_rule, {"list": stage.id_list}]}
            listed = estimate_devices(matching_rule(release.app, rule))
        reaches = _with_listed(_part(everybody, stage.share), listed, stage.share)
        adds = CountedDevices(max(0, reaches.count - before.count), reaches.exact and before.exact, reaches.margin)
        held_back = _part(everybody, plan.control_at(position))
        at_least_s = max(stage.dwell_s, adds.count / stage.pace if stage.pace else 0.0)
        yield StageReach(position, stage, reaches, adds, held_back, at_least_s)
        before = reaches


def _part(whole: CountedDevices, share: int) -> CountedDevices:
    """So many millionths of devices, which their hashes choose: as if each were drawn by lot."""
    part = share / BUCKETS
    if share in (0, BUCKETS):
        return whole if share else CountedDevices(0, exact=True)
    chance = 2 * sqrt(whole.count * part * (1 - part))
    return CountedDevices(round(whole.count * part), exact=False, margin=ceil(whole.margin * part + chance))


def _with_listed(part: CountedDevices, listed: CountedDevices, share: int) -> CountedDevices:
    """Those of an earlier list stay: of them the share is counted already."""
    more = round(listed.count * (1 - share / BUCKETS))
    return CountedDevices(part.count + more, part.exact and listed.exact, part.margin + (listed.margin if more else 0))


def _warnings(
    plan: Strategy, everybody: CountedDevices, installed: CountedDevices, stages: list[StageReach], cells: int
) -> Iterator[str]:
    if everybody.count == 0:
        yield "the rule matches no known device"
    elif installed.count >= everybody.count:
        sampled = "" if installed.exact else ", as far as a sample shows"
        yield f"all devices that the rule matches have the version already{sampled}"
    for stage in stages:
        wanted, most = stage.plan.evidence, stage.adds.count + stage.adds.margin
        if wanted > most:
            yield (
                f"stage {stage.position} waits for {wanted} devices to report, and reaches about {stage.adds.count} "
                f"more: the release would go on hold {plan.grace_s:g} s after its soak time"
            )
    if plan.simulation and cells == 0:
        yield "the simulation would find nothing to test, and the release would go on hold"
    if cells > MAX_CELLS:
        yield f"the simulation would have {cells} cells, more than the {MAX_CELLS} allowed: narrow the rule"
