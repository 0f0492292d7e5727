"""Preview a release before it is created: it is checked as if it were created, and nothing is written."""

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
from walle.protocol.kinds import PIPELINE
from walle.release.cohort import BUCKETS
from walle.release.strategy import StageStrategy, Strategy


@dataclass(frozen=True)
class StageReach:
    """One stage of a preview: the devices reached at its end, those that it `adds`, and those held back as control.

    It takes at least `at_least_s` seconds: its soak time, or what its pace requires.
    """

    position: int
    plan: StageStrategy
    reaches: CountedDevices
    adds: CountedDevices
    held_back: CountedDevices
    at_least_s: float


@dataclass(frozen=True)
class SupersededRelease:
    """An older release that ends through this one: `when` this reaches its first devices, or is complete."""

    release: Release
    when: str


@dataclass(frozen=True)
class ReleasePlan:
    """The preview of a release.

    Of the devices that its rule `matched`, `installed` have the version already, from another release. `replaces` is
    the complete release whose version its devices return to; None if there is none. `cells` are to be simulated, unless
    the strategy skips that; `problems` say which app versions cannot be simulated. `warnings` say what is allowed but
    probably unintended.
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
    """Return the preview of such a release. Raises what `create_release` would."""
    plan = plan_of(app=app, version=version, rule=rule, strategy=strategy, actor=actor)
    release = Release(app=app, version=version, rule=dict(rule), strategy=plan.to_dict(), created_by=actor.name)
    search = matching_rule(app, release.eligible_rule)
    everybody = estimate_devices(search)
    installed = estimate_devices(with_installed(search, version.task.name, version.manifest_digest))
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
            *(SupersededRelease(each, "first-devices") for each in among(release, older, WITH_ITS_FIRST_DEVICES)),
            *(SupersededRelease(each, "complete") for each in among(release, older, WHEN_COMPLETE)),
        ],
        replaces=last_good(release),
        warnings=[
            # Nobody knows how many callers a pipeline has before they call.
            *(() if version.kind == PIPELINE else _warnings_of_reach(plan, everybody, installed, stages)),
            *_warnings_of_simulation(plan, len(cells)),
        ],
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


def _part(total: CountedDevices, share: int) -> CountedDevices:
    """Return so many millionths of devices, selected by hash, with the margin of a random sample."""
    part = share / BUCKETS
    if share in (0, BUCKETS):
        return total if share else CountedDevices(0, exact=True)
    chance = 2 * sqrt(total.count * part * (1 - part))
    return CountedDevices(round(total.count * part), exact=False, margin=ceil(total.margin * part + chance))


def _with_listed(part: CountedDevices, listed: CountedDevices, share: int) -> CountedDevices:
    """Add the devices of an earlier list, which stay selected: the share already counts some of them."""
    more = round(listed.count * (1 - share / BUCKETS))
    return CountedDevices(part.count + more, part.exact and listed.exact, part.margin + (listed.margin if more else 0))


def _warnings_of_reach(
    plan: Strategy, everybody: CountedDevices, installed: CountedDevices, stages: list[StageReach]
) -> Iterator[str]:
    if everybody.count == 0:
        yield "the rule matches no known device"
    elif installed.count >= everybody.count:
        sampled = "" if installed.exact else ", as far as a sample shows"
        yield f"all devices that the rule matches have the version already{sampled}"
    for stage in stages:
        minimum, most = stage.plan.evidence, stage.adds.count + stage.adds.margin
        if minimum > most:
            yield (
                f"stage {stage.position} waits for {minimum} devices to report, and reaches about {stage.adds.count} "
                f"more: the release would go on hold {plan.grace_s:g} s after its soak time"
            )


def _warnings_of_simulation(plan: Strategy, cells: int) -> Iterator[str]:
    if plan.simulation and cells == 0:
        yield "the simulation would find nothing to test, and the release would go on hold"
    if cells > MAX_CELLS:
        yield f"the simulation would have {cells} cells, more than the {MAX_CELLS} allowed: narrow the rule"
