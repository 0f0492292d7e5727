"""How a release proceeds: its stages, what each waits for, and what it may not exceed; data, frozen at its start.

{"simulation": true, "approval": false, "control_percent": 5, "grace_s": 3600, "silence_s": 900,
 "limits": {"failure_rate": 0.01}, "metric": "confidence",
 "stages": [{"kind": "beta", "list": "testers"},
            {"kind": "gray", "percent": 1, "dwell_s": 300, "evidence": 100, "pace": 200},
            {"kind": "gray", "percent": 100}],
 "window": {"zone": "Asia/Shanghai", "from": "01:00", "to": "05:00", "days": [0, 1, 2, 3, 4]}}
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, Self, cast

from walle.protocol.names import SLUG_PATTERN
from walle.protocol.reports import METRIC_PATTERN
from walle.release.cohort import BUCKETS
from walle.release.limits import Limits, LimitsMalformed
from walle.release.states import Course
from walle.release.windows import Window

StageKind = Literal["beta", "gray"]
MAX_STAGES: Final = 20
MAX_SECONDS: Final = 30 * 86_400
MAX_PACE: Final = 10_000_000
_PER_PERCENT: Final = BUCKETS // 100
_FEW: Final = BUCKETS // 2
"""What may be reached before any device has to report: the version is shown to these, and the others wait for them."""
_KNOWN: Final = frozenset(
    {"simulation", "approval", "stages", "control_percent", "limits", "metric", "grace_s", "silence_s", "window"}
)


class StrategyMalformed(ValueError):
    """A strategy that means nothing; `path` says where in its JSON the fault is."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path}: expected {expected}")
        self.path = path
        self.expected = expected


@dataclass(frozen=True)
class StagePlan:
    """One stage: `share` millionths of the eligible devices, or those of an id list.

    It lasts at least `dwell_s` seconds and until `evidence` devices have reported; `pace` bounds the offers per
    second of all gateways together.
    """

    kind: StageKind
    share: int
    id_list: str | None = None
    dwell_s: float = 60.0
    evidence: int = 20
    pace: int | None = None

    def to_dict(self) -> dict[str, Any]:
        reach = {"list": self.id_list} if self.id_list else {"percent": self.share / _PER_PERCENT}
        return {
            "kind": self.kind,
            **reach,
            "dwell_s": self.dwell_s,
            "evidence": self.evidence,
            "pace": self.pace,
        }


DEFAULT_STAGES: Final = (
    StagePlan("beta", 1_000, dwell_s=300),
    StagePlan("gray", 10_000, dwell_s=300, evidence=100),
    StagePlan("gray", 100_000, dwell_s=300, evidence=100),
    StagePlan("gray", 500_000, dwell_s=300, evidence=100),
    StagePlan("gray", BUCKETS, dwell_s=300, evidence=100),
)


AT_ONCE: Final[Mapping[str, Any]] = {
    "simulation": False,
    "control_percent": 0,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 0}],
}
"""One step that takes every eligible device and waits for nothing: for what must go out now."""


@dataclass(frozen=True)
class Strategy:
    """`control` counts the millionths held back for comparison until the last stage takes them in.

    `metric` is the task's number whose drift is watched. `grace_s` is how long a stage waits for enough evidence beyond
    its dwell time before it holds; `silence_s` after how long a device that was never heard of again counts as silent.
    """

    stages: tuple[StagePlan, ...] = DEFAULT_STAGES
    simulation: bool = True
    approval: bool = False
    control: int = 50_000
    limits: Limits = field(default_factory=Limits)
    metric: str | None = None
    grace_s: float = 3600.0
    silence_s: float = 900.0
    window: Window | None = None

    @property
    def course(self) -> Course:
        return Course(len(self.stages), self.simulation, self.approval)

    @property
    def waits_for_evidence(self) -> bool:
        """Whether devices have to report before the version has reached more than half of all."""
        return any(stage.evidence and stage.share <= _FEW for stage in self.stages)

    @property
    def control_share(self) -> int:
        """The share held back from the first gray step on."""
        return self.control_at(self._first_gray)

    @property
    def compared_buckets(self) -> tuple[int, int]:
        """The ends of the buckets of treatment that are compared with control in number.

        They are those that the first gray step adds to the beta: drawn side by side with control, as long as both are.
        """
        before = self.stages[self._first_gray - 1].share if self._first_gray else 0
        return before, self.stages[self._first_gray].share

    def is_compared(self, position: int) -> bool:
        """Whether what is drawn at a stage is: not in beta, nor once a stage takes devices that were held back."""
        return self.control_share > 0 and self.control_at(position) == self.control_share

    @property
    def _first_gray(self) -> int:
        return next(position for position, stage in enumerate(self.stages) if stage.kind == "gray")

    def control_at(self, position: int) -> int:
        """The millionths held back at a stage: none in beta, and never those that the stage takes."""
        stage = self.stages[position]
        return min(self.control, BUCKETS - stage.share) if stage.kind == "gray" else 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "simulation": self.simulation,
            "approval": self.approval,
            "stages": [stage.to_dict() for stage in self.stages],
            "control_percent": self.control / _PER_PERCENT,
            "limits": self.limits.to_dict(),
            "metric": self.metric,
            "grace_s": self.grace_s,
            "silence_s": self.silence_s,
            "window": self.window.to_dict() if self.window else None,
        }

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Reads a strategy, filling in what is not said; raises StrategyMalformed."""
        given = _object("strategy", value, _KNOWN)
        read = {name: _flag(f"strategy.{name}", given[name]) for name in ("simulation", "approval") if name in given}
        for name in ("grace_s", "silence_s"):
            if name in given:
                read[name] = _seconds(f"strategy.{name}", given[name])
        if "stages" in given:
            read["stages"] = _stages(given["stages"])
        if "control_percent" in given:
            read["control"] = _share("strategy.control_percent", given["control_percent"], low=0)
        if "limits" in given:
            read["limits"] = _limits(given["limits"])
        if given.get("metric") is not None:
            read["metric"] = _name("strategy.metric", given["metric"], METRIC_PATTERN, "the name of a metric")
        if given.get("window") is not None:
            read["window"] = _window(given["window"])
        return cls(**read)


def _stages(value: object) -> tuple[StagePlan, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_STAGES:
        raise StrategyMalformed("strategy.stages", f"a list of 1 to {MAX_STAGES} stages")
    stages = tuple(_stage(f"strategy.stages[{position}]", stage) for position, stage in enumerate(value))
    for position, (before, after) in enumerate(pairwise(stages), start=1):
        path = f"strategy.stages[{position}]"
        if after.kind == "beta":
            raise StrategyMalformed(f"{path}.kind", "gray: a beta stage comes first, and once")
        if not after.share > before.share:
            raise StrategyMalformed(f"{path}.percent", f"more than the {before.share / _PER_PERCENT} before")
    if stages[-1].kind == "beta":
        raise StrategyMalformed(f"strategy.stages[{len(stages) - 1}].kind", "gray in the last stage")
    if stages[-1].share != BUCKETS:
        raise StrategyMalformed(f"strategy.stages[{len(stages) - 1}].percent", "100 in the last stage")
    return stages


def _stage(path: str, value: object) -> StagePlan:
    given = _object(path, value, {"kind", "percent", "list", "dwell_s", "evidence", "pace"})
    kind = given.get("kind")
    if kind not in ("beta", "gray"):
        raise StrategyMalformed(f"{path}.kind", "beta or gray")
    read: dict[str, Any] = {"share": 0}
    if "list" in given and "percent" not in given and kind == "beta":
        read["id_list"] = _name(f"{path}.list", given["list"], SLUG_PATTERN, "the name of an id list")
    elif "percent" in given and "list" not in given:
        read["share"] = _share(f"{path}.percent", given["percent"], low=1)
    else:
        raise StrategyMalformed(path, "percent" if kind == "gray" else "percent or list, one of them")
    if "dwell_s" in given:
        read["dwell_s"] = _seconds(f"{path}.dwell_s", given["dwell_s"])
    if "evidence" in given:
        read["evidence"] = _whole(f"{path}.evidence", given["evidence"], 0, 1_000_000)
    if given.get("pace") is not None:
        read["pace"] = _whole(f"{path}.pace", given["pace"], 1, MAX_PACE)
    return StagePlan(cast("StageKind", kind), **read)


def _object(path: str, value: object, known: Collection[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise StrategyMalformed(path, "an object")
    if unknown := sorted(value.keys() - set(known)):
        raise StrategyMalformed(f"{path}.{unknown[0]}", f"one of {', '.join(sorted(known))}")
    return value


def _flag(path: str, value: object) -> Any:
    if not isinstance(value, bool):
        raise StrategyMalformed(path, "true or false")
    return value


def _seconds(path: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_SECONDS:
        raise StrategyMalformed(path, f"seconds, 0 to {MAX_SECONDS}")
    return float(value)


def _whole(path: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise StrategyMalformed(path, f"a whole number, {low} to {high}")
    return value


def _name(path: str, value: object, pattern: re.Pattern[str], expected: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise StrategyMalformed(path, expected)
    return value


def _share(path: str, value: object, low: int) -> int:
    """Millionths from a percentage; what is finer than 0.0001 % is refused, not rounded."""
    if not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 100:
        share = round(value * _PER_PERCENT)
        if share >= low and abs(share - value * _PER_PERCENT) < 1e-6:
            return share
    raise StrategyMalformed(path, f"a percentage, {low / _PER_PERCENT:g} to 100 in steps of 0.0001")


def _limits(value: object) -> Limits:
    try:
        return Limits.from_dict(value)
    except LimitsMalformed as error:
        raise StrategyMalformed(f"strategy.limits.{error.path}", error.expected) from error


def _window(value: object) -> Window:
    try:
        return Window.from_dict(value)
    except ValueError as error:
        raise StrategyMalformed("strategy.window", str(error)) from error
