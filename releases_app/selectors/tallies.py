"""Counts of the devices that a release has selected: those that PostgreSQL keeps, or a count of the exposures.

Reading the kept ones takes the same time however many exposures there are (models.tallies).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection

from releases_app.models import Exposure, Release, Stage, TalliedRelease
from releases_app.models.tallies import COUNTS
from walle.release.evidence import ArmCounts, StageArms

CROSSED: Final = "crossed"
_SUMS: Final = ", ".join(f"sum({name})::bigint AS {name}" for name in COUNTS)
TALLIED: Final = f"""
SELECT stage, arm, established, {_SUMS} FROM releases_app_exposuretally WHERE release = %(release)s GROUP BY 1, 2, 3
"""  # noqa: S608 - names of columns
COUNTED: Final = f"""
SELECT stage, arm, established, {", ".join(COUNTS)} FROM walle_count_exposures(
    %(release)s::bigint, %(began_at)s::timestamptz, %(compared)s::bigint[], %(bucket_low)s::integer,
    %(bucket_high)s::integer, %(limit_ms)s::float8, %(baseline_ms)s::float8, %(warm_baseline_ms)s::float8,
    %(metric)s::text, %(median)s::float8, %(cold_grid)s::float8[], %(warm_grid)s::float8[], %(metric_grid)s::float8[]
)
"""  # noqa: S608 - names of columns


@dataclass(frozen=True)
class Thresholds:
    """How the exposures of a release are counted: the columns of that name of a TalliedRelease."""

    began_at: datetime | None
    compared: list[int]
    bucket_low: int
    bucket_high: int
    limit_ms: float | None
    baseline_ms: float | None
    warm_baseline_ms: float | None
    metric: str
    median: float | None
    cold_grid: list[float]
    warm_grid: list[float]
    metric_grid: list[float]


class Group(NamedTuple):
    """Devices that are counted together: those selected in one stage and arm that are established, or that are new.

    The arm of a device that has crossed is "crossed".
    """

    stage: int
    arm: str
    established: bool


_BESIDES: Final = ("installed", "comparable")
"""What is counted and is no part of the evidence of an arm."""


@dataclass(frozen=True)
class Tally:
    """The devices of one arm of a release: what verdicts count, and `installed`, `comparable` and `in_stage` besides.

    `comparable` are those whose number can be compared with the other arm's; `in_stage` are those selected in the
    present stage that have reported.
    """

    counts: ArmCounts = field(default_factory=ArmCounts)
    installed: int = 0
    comparable: int = 0
    in_stage: int = 0


@dataclass(frozen=True)
class Tallies:
    """The established devices of each arm, which verdicts count, and the new devices, which nobody vouches for.

    `crossed` were held back, and ran the version all the same: only their number is compared with what was planned.
    """

    treatment: Tally = field(default_factory=Tally)
    control: Tally = field(default_factory=Tally)
    new_treatment: Tally = field(default_factory=Tally)
    new_control: Tally = field(default_factory=Tally)
    crossed: Tally = field(default_factory=Tally)


@dataclass(frozen=True)
class ReleaseTallies:
    """The counts of a release by groups; each in the order of COUNTS."""

    groups: Mapping[Group, tuple[int, ...]]

    def of_arms(self, stage: Stage | None) -> Tallies:
        """Return the counts of each arm; `stage` is the present one."""
        present = stage.pk if stage else None
        return Tallies(
            treatment=self._tally(Exposure.Arm.TREATMENT, present, established=True),
            control=self._tally(Exposure.Arm.CONTROL, present, established=True),
            new_treatment=self._tally(Exposure.Arm.TREATMENT, present, established=False),
            new_control=self._tally(Exposure.Arm.CONTROL, present, established=False),
            crossed=self._tally(CROSSED, present, established=True),
        )

    def of_stage(self, stage: Stage) -> dict[str, int]:
        """Return the counts of the devices in treatment that were selected in a stage; nothing if there are none."""
        return _sums(counts for group, counts in self.groups.items() if group[:2] == (stage.pk, Exposure.Arm.TREATMENT))

    def of_stages(self, stages: Iterable[int]) -> list[StageArms]:
        """Return the established devices of both arms in each of these stages: those of control that reported in it."""
        return [
            StageArms(
                self._counts_in(stage, (Exposure.Arm.TREATMENT,)),
                self._counts_in(stage, (Exposure.Arm.CONTROL, Exposure.Arm.REPEAT)),
            )
            for stage in stages
        ]

    def _counts_in(self, stage: int, arms: Collection[str]) -> ArmCounts:
        found = (
            counts
            for group, counts in self.groups.items()
            if group.stage == stage and group.arm in arms and group.established
        )
        return _arm_counts(_sums(found))

    def _tally(self, arm: str, present: int | None, *, established: bool) -> Tally:
        found = {group: counts for group, counts in self.groups.items() if group[1:] == (arm, established)}
        sums = _sums(found.values())
        in_stage = _sums(counts for group, counts in found.items() if group.stage == present).get("reported", 0)
        return Tally(_arm_counts(sums), sums.get("installed", 0), sums.get("comparable", 0), in_stage)


def _arm_counts(sums: Mapping[str, int]) -> ArmCounts:
    return ArmCounts(**{name: count for name, count in sums.items() if name not in _BESIDES})


def _sums(rows: Iterable[tuple[int, ...]]) -> dict[str, int]:
    found = list(rows)
    return dict(zip(COUNTS, map(sum, zip(*found, strict=True)), strict=True)) if found else {}


def thresholds_of(release: Release) -> Thresholds:
    """Return the thresholds by which exposures are counted; they are fixed when a release meets its first devices."""
    plan, baseline = release.parsed_strategy, release.baseline
    low, high = plan.compared_buckets
    return Thresholds(
        began_at=release.began_at,
        compared=[stage.pk for stage in release.stages.all() if plan.is_compared(stage.position)],
        bucket_low=low,
        bucket_high=high,
        limit_ms=plan.limits.latency_ms,
        baseline_ms=baseline.get("latency_ms"),
        warm_baseline_ms=baseline.get("warm_latency_ms"),
        metric=plan.metric or "",
        median=baseline.get("median"),
        cold_grid=baseline.get("cold_grid", []),
        warm_grid=baseline.get("warm_grid", []),
        metric_grid=baseline.get("metric_grid", []),
    )


def stored_thresholds(tallied: TalliedRelease) -> Thresholds:
    """Return the thresholds by which the exposures of a release are tallied."""
    return Thresholds(**{each.name: getattr(tallied, each.name) for each in fields(Thresholds)})


def release_tallies(release: Release) -> ReleaseTallies:
    """Return the counts of a release: those that are kept, or what counting its exposures gives where none are yet."""
    if TalliedRelease.objects.filter(release=release.pk).exists():
        return ReleaseTallies(_groups(TALLIED, {"release": release.pk}))
    return ReleaseTallies(_groups(COUNTED, {"release": release.pk, **vars(thresholds_of(release))}))


def _groups(statement: str, parameters: Mapping[str, Any]) -> dict[Group, tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return {Group(stage, arm, established): tuple(counts) for stage, arm, established, *counts in cursor.fetchall()}
