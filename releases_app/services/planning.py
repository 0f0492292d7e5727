"""Preview a release before it is created: it is checked as if it were created, and nothing is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil, sqrt
from typing import Any, Final

from accounts_app.actors import Actor
from devices_app.models import App
from devices_app.selectors.counting import CountedDevices, check_in_ages, estimate_devices
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
from walle.release.sizing import stage_seconds
from walle.release.strategy import StageStrategy, Strategy

SIMULATION: Final = "strategy.simulation"
FEW_COMPARED: Final = 5
"""Fewer devices than this, held back for comparison, cannot tell what else makes devices fail."""
WEEK: Final = timedelta(days=7)


@dataclass(frozen=True)
class StageReach:
    """One stage of a preview: the devices reached at its end, those that it `adds`, and those held back as control.

    It takes at least `at_least_s` seconds: its soak time, or what its pace requires. `about_s` is how long it will take
    at the present rate of check-ins; None if too few devices would ever report.
    """

    position: int
    plan: StageStrategy
    reaches: CountedDevices
    adds: CountedDevices
    held_back: CountedDevices
    at_least_s: float
    about_s: float | None


@dataclass(frozen=True)
class PlanWarning:
    """What is allowed but probably unintended, and the place in the request that causes it."""

    field: str
    detail: str


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
    about_s: float | None
    cells: list[Cell]
    problems: list[str]
    supersedes: list[SupersededRelease]
    replaces: Release | None
    warnings: list[PlanWarning] = field(default_factory=list)


def plan_release(
    *,
    app: App,
    version: TaskVersion,
    rule: Mapping[str, Any],
    strategy: Mapping[str, Any] | None = None,
    actor: Actor,
    now: datetime,
) -> ReleasePlan:
    """Return the preview of such a release. Raises what `create_release` would."""
    plan = plan_of(app=app, version=version, rule=rule, strategy=strategy, actor=actor, now=now)
    release = Release(app=app, version=version, rule=dict(rule), strategy=plan.to_dict(), created_by=actor.name)
    search = matching_rule(app, release.eligible_rule)
    everybody = estimate_devices(search)
    installed = estimate_devices(with_installed(search, version.task.name, version.manifest_digest))
    ages = [] if version.kind == PIPELINE else check_in_ages(search, now=now)
    stages = list(_stages(release, plan, everybody, ages))
    older = list(older_releases(release).filter(state__in=WITH_ITS_FIRST_DEVICES | WHEN_COMPLETE).order_by("-id"))
    replaced = last_good(release)
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
        about_s=_about(plan, [stage.about_s for stage in stages], now),
        cells=cells[:MAX_CELLS],
        problems=problems,
        supersedes=[
            *(SupersededRelease(each, "first-devices") for each in among(release, older, WITH_ITS_FIRST_DEVICES)),
            *(SupersededRelease(each, "complete") for each in among(release, older, WHEN_COMPLETE)),
        ],
        replaces=replaced,
        warnings=[
            # Nobody knows how many callers a pipeline has before they call.
            *(() if version.kind == PIPELINE else _warnings_of_reach(plan, everybody, installed, stages)),
            *_warnings_of_simulation(plan, len(cells)),
            *_warnings_of_version(version, replaced),
        ],
    )


def _about(plan: Strategy, stages: Sequence[float | None], now: datetime) -> float | None:
    """Return how long all stages will take: outside a time window they stand still."""
    known = [seconds for seconds in stages if seconds is not None]
    if len(known) < len(stages):
        return None
    if plan.window is None:
        return sum(known)
    opened = plan.window.open_seconds(now, now + WEEK) / WEEK.total_seconds()
    return sum(known) / opened if opened else None


def _stages(release: Release, plan: Strategy, everybody: CountedDevices, ages: Sequence[float]) -> Iterator[StageReach]:
    listed, before = CountedDevices(0, exact=True), CountedDevices(0, exact=True)
    for position, stage in enumerate(plan.stages):
        if stage.id_list:
            rule = {"all": [release.eligible_rule, {"list": stage.id_list}]}
            listed = estimate_devices(matching_rule(release.app, rule))
        reaches = _with_listed(_part(everybody, stage.share), listed, stage.share)
        adds = CountedDevices(max(0, reaches.count - before.count), reaches.exact and before.exact, reaches.margin)
        held_back = _part(everybody, plan.control_at(position))
        at_least_s = max(stage.dwell_s, adds.count / stage.pace if stage.pace else 0.0)
        about_s = stage_seconds(stage, adds.count, ages)
        yield StageReach(position, stage, reaches, adds, held_back, at_least_s, about_s)
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
) -> Iterator[PlanWarning]:
    if everybody.count == 0:
        yield PlanWarning("rule", "the rule matches no known device")
    elif installed.count >= everybody.count:
        sampled = "" if installed.exact else ", as far as a sample shows"
        yield PlanWarning("rule", f"all devices that the rule matches have the version already{sampled}")
    for stage in stages:
        yield from _warnings_of_stage(plan, stage)
    if everybody.count and plan.control_share:
        held_back = max(stage.held_back.count for stage in stages)
        if held_back < FEW_COMPARED:
            few = (
                f"about {held_back} devices are held back for comparison, too few to tell what else makes devices fail"
            )
            yield PlanWarning("strategy.control_percent", few)
    watched = plan.after_complete
    if watched is not None and 0 < everybody.count + everybody.margin < watched.evidence:
        never = f"waits for {watched.evidence} devices in each period, and the rule matches {everybody.count}"
        yield PlanWarning(
            "strategy.after_complete.evidence", f"the watch after completion {never}: it would never judge"
        )


def _warnings_of_stage(plan: Strategy, stage: StageReach) -> Iterator[PlanWarning]:
    field = f"strategy.stages[{stage.position}].evidence"
    minimum, most = stage.plan.evidence, stage.adds.count + stage.adds.margin
    waits = f"it waits for {minimum} devices to report"
    if minimum > most:
        holds = f"the release would go on hold {plan.grace_s:g} s after its soak time"
        yield PlanWarning(field, f"{waits}, and reaches about {stage.adds.count} more: {holds}")
    elif stage.about_s is not None and stage.about_s > stage.at_least_s + plan.grace_s:
        late = f"which takes about {_span(stage.about_s)} at the present rate of check-ins"
        yield PlanWarning(field, f"{waits}, {late}: the release would go on hold before")


def _warnings_of_version(version: TaskVersion, replaced: Release | None) -> Iterator[PlanWarning]:
    if replaced is not None and version.order < replaced.version.order:
        from_ = f"which devices have from release {replaced.pk}"
        yield PlanWarning("version", f"it is lower than {replaced.version.version}, {from_}")


def _span(seconds: float) -> str:
    """Return a time in words, in the unit in which people would say it."""
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _warnings_of_simulation(plan: Strategy, cells: int) -> Iterator[PlanWarning]:
    if plan.simulation and cells == 0:
        yield PlanWarning(SIMULATION, "the simulation would find nothing to test, and the release would go on hold")
    if cells > MAX_CELLS:
        many = f"the simulation would have {cells} cells, more than the {MAX_CELLS} allowed: narrow the rule"
        yield PlanWarning(SIMULATION, many)
