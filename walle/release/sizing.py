"""Fit what a strategy leaves open to the devices that a rule matches, and tell how long its stages will take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

from walle.release.after_complete import AfterComplete
from walle.release.cohort import BUCKETS
from walle.release.strategy import DEFAULT_STAGES, MAX_SECONDS, StageStrategy, Strategy

FEWEST: Final = 10
"""A default stage that would add fewer devices is left out, unless no other one comes before most devices."""
MOST_OPENING: Final = 100
"""The default stage that comes first reaches about so many devices at most."""
_OPENING: Final = BUCKETS // 10
"""It is left out where it would be a larger share than this."""
NEEDED_PART: Final = 3
"""At most one in so many of the devices that a stage adds has to report, unless the strategy says how many."""
COMPARED: Final = 10
"""The control group has at least so many devices, unless that were more than MOST_CONTROL percent of all."""
MOST_CONTROL: Final = 20
GRACE_MARGIN: Final = 1.5
_HALF: Final = BUCKETS // 2


@dataclass(frozen=True)
class MatchedDevices:
    """The devices that a rule matches: their number, those in an id list, and how long ago each checked in, in order.

    The last two are asked for where they are needed.
    """

    devices: int
    listed: Callable[[str], int]
    ages: Callable[[], Sequence[float]]


def fitted(requested: Mapping[str, Any], matched: MatchedDevices) -> dict[str, Any]:
    """Return a requested strategy with what it leaves open and what depends on the devices.

    These are stages, minimum samples, the control group and the grace period. It need not be valid: what cannot be read
    stays as it is. Where no device matches, nothing is known, and the usual values are left to be filled in.
    """
    devices = matched.devices
    if devices < 1:
        return dict(requested)
    made = {"control_percent": fitted_control(devices), **requested}
    made["stages"] = _stages(requested["stages"], matched) if "stages" in requested else _usual_stages(devices)
    watched = requested.get("after_complete", {})
    if isinstance(watched, dict):
        made["after_complete"] = {"evidence": fitted_evidence(AfterComplete.evidence, devices), **watched}
    if "grace_s" not in requested and isinstance(made["stages"], list):
        made["grace_s"] = _fitted_grace(made["stages"], matched)
    return made


def fitted_stages(devices: int) -> tuple[StageStrategy, ...]:
    """Return the default stages for so many matching devices."""
    kept: list[StageStrategy] = []
    reached = 0
    for stage in DEFAULT_STAGES:
        share = _opening_share(stage.share, devices) if stage.traits.opens else stage.share
        adds = devices * (share - reached) / BUCKETS
        if share <= _OPENING if stage.traits.opens else adds >= FEWEST or share >= _HALF:
            kept.append(replace(stage, share=share, evidence=fitted_evidence(stage.evidence, adds)))
            reached = share
    return tuple(kept)


def _opening_share(usual: int, devices: int) -> int:
    """Return the share that is FEWEST to MOST_OPENING devices, as near to the usual one, rounded up to two digits."""
    wanted = min(MOST_OPENING, max(FEWEST, devices * usual / BUCKETS))
    share = ceil(BUCKETS * wanted / devices)
    unit = int(10 ** max(0, len(str(share)) - 2))
    return ceil(share / unit) * unit


def fitted_evidence(usual: int, adds: float) -> int:
    """Return how many devices have to report of those that a stage adds: the usual number, or fewer of few."""
    return min(usual, max(1, int(adds / NEEDED_PART)))


def fitted_control(devices: int) -> float:
    """Return the share held back, in percent: larger where the usual one would be too few devices to compare with."""
    return float(min(MOST_CONTROL, max(Strategy.control * 100 // BUCKETS, ceil(100 * COMPARED / devices))))


def _usual_stages(devices: int) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in stage.to_dict().items() if value is not None}
        for stage in fitted_stages(devices)
    ]


def _stages(stages: Any, matched: MatchedDevices) -> Any:
    if not isinstance(stages, list):
        return stages
    return [
        stage if adds is None else {"evidence": fitted_evidence(StageStrategy.evidence, adds), **stage}
        for stage, adds in zip(stages, _added(stages, matched), strict=True)
    ]


def _added(stages: Sequence[Any], matched: MatchedDevices) -> Iterator[float | None]:
    """Yield how many devices each stage adds; None where that cannot be read."""
    reached = 0.0
    for stage in stages:
        share, name = (stage.get("percent"), stage.get("list")) if isinstance(stage, dict) else (None, None)
        if isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 100:
            yield matched.devices * max(0.0, share - reached) / 100
            reached = max(reached, share)
        else:
            yield float(matched.listed(name)) if isinstance(name, str) else None


def _fitted_grace(stages: Sequence[Any], matched: MatchedDevices) -> float:
    """Return a grace period within which the devices that have to report will have checked in, with a margin."""
    needed = [
        stage["evidence"] / adds
        for stage, adds in zip(stages, _added(stages, matched), strict=True)
        if adds and isinstance(stage.get("evidence"), int)
    ]
    ages = matched.ages() if any(needed) else ()
    waits = max((seconds_until(part, ages) or 0.0 for part in needed), default=0.0)
    return float(min(MAX_SECONDS, max(Strategy.grace_s, ceil(GRACE_MARGIN * waits))))


def seconds_until(part: float, ages: Sequence[float]) -> float | None:
    """Return after how long so large a part of some devices has checked in; None if it never will, or none is known.

    `ages`, in order, are the seconds since the last check-in of devices like these. If devices come as they did before,
    the time until a device comes next is distributed as the time since it last came.
    """
    if not ages or part > 1:
        return None
    return ages[max(0, ceil(part * len(ages)) - 1)]


def stage_seconds(stage: StageStrategy, adds: int, ages: Sequence[float]) -> float | None:
    """Return how long a stage will take that adds so many devices; None if too few would ever report."""
    waits: float | None = 0.0
    if stage.evidence:
        waits = seconds_until(stage.evidence / adds, ages) if adds else None
    if waits is None:
        return None
    return max(stage.dwell_s, waits, adds / stage.pace if stage.pace else 0.0)
