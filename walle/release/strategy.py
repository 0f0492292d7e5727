"""The strategy of a release: stages, their conditions and limits; data, frozen at the start of the release.

{"simulation": true, "approval": false, "control_percent": 5, "grace_s": 3600, "silence_s": 900,
 "limits": {"failure_rate": 0.01}, "metric": "confidence", "defer_s": 86400,
 "stages": [{"kind": "beta", "list": "testers"},
            {"kind": "gray", "percent": 1, "dwell_s": 300, "evidence": 100, "pace": 200},
            {"kind": "gray", "percent": 100}],
 "window": {"zone": "Asia/Shanghai", "from": "01:00", "to": "05:00", "days": [0, 1, 2, 3, 4]},
 "after_complete": {"failure_rate": 0.02, "period_s": 86400, "evidence": 50, "action": "alert"}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from walle.protocol.names import SLUG_PATTERN
from walle.protocol.reports import METRIC_PATTERN
from walle.release.after_complete import AFTER_COMPLETE, AfterComplete, check_against
from walle.release.cohort import BUCKETS
from walle.release.deferral import DEFAULT_S, LONGEST_S
from walle.release.limits import LIMIT_FIELDS, LIMITS, Limits
from walle.release.stage_kinds import STAGE_KINDS, StageKind
from walle.release.states import StageOutline
from walle.release.windows import WINDOW, Window
from walle.schema import Fields, Items, Malformed, Nullable, Number, OneOfTexts, Problems, Text, Value, checked

MAX_STAGES: Final = 20
MAX_SECONDS: Final = 30 * 86_400
MAX_PACE: Final = 10_000_000
_PER_PERCENT: Final = BUCKETS // 100
_FEW: Final = BUCKETS // 2
"""The share that may be reached before any device has to report."""


class StrategyMalformed(Malformed):
    """The strategy is invalid."""


@dataclass(frozen=True)
class StageStrategy:
    """One stage: `share` millionths of the eligible devices, or those of an id list.

    It lasts at least `dwell_s` seconds and until `evidence` devices have reported; `pace` bounds the offers per
    second of all gateways together.
    """

    kind: str
    share: int
    id_list: str | None = None
    dwell_s: float = 60.0
    evidence: int = 20
    pace: int | None = None

    @property
    def traits(self) -> StageKind:
        """Return the properties of the stage's kind."""
        return STAGE_KINDS[self.kind]

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
    StageStrategy("beta", 1_000, dwell_s=300),
    StageStrategy("gray", 10_000, dwell_s=300, evidence=100),
    StageStrategy("gray", 100_000, dwell_s=300, evidence=100),
    StageStrategy("gray", 500_000, dwell_s=300, evidence=100),
    StageStrategy("gray", BUCKETS, dwell_s=300, evidence=100),
)


AT_ONCE: Final[Mapping[str, Any]] = {
    "simulation": False,
    "control_percent": 0,
    "defer_s": 0,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 0}],
}
"""A strategy with one stage for every eligible device, without waiting: for urgent releases."""


@dataclass(frozen=True)
class Strategy:
    """`control` counts the millionths held back for comparison until the last stage takes them in.

    `metric` is the task's number that is checked for drift. `grace_s` is how long a stage waits for its minimum samples
    after its soak time before the release pauses; `silence_s` after how long without a check-in a device is silent.
    `defer_s` is for how long a device may put the version off; 0: not at all.
    `after_complete` is how the release is watched once it is complete; None: not at all.
    """

    stages: tuple[StageStrategy, ...] = DEFAULT_STAGES
    simulation: bool = True
    approval: bool = False
    control: int = 50_000
    limits: Limits = field(default_factory=Limits)
    metric: str | None = None
    grace_s: float = 3600.0
    silence_s: float = 900.0
    defer_s: float = DEFAULT_S
    window: Window | None = None
    after_complete: AfterComplete | None = field(default_factory=AfterComplete)

    @property
    def outline(self) -> StageOutline:
        return StageOutline(len(self.stages), self.simulation, self.approval)

    @property
    def waits_for_evidence(self) -> bool:
        """Return whether devices have to report before the version has reached more than half of all devices."""
        return any(stage.evidence and stage.share <= _FEW for stage in self.stages)

    @property
    def control_share(self) -> int:
        """Return the share held back from the first stage with a control group on."""
        return self.control_at(self._first_compared)

    @property
    def compared_buckets(self) -> tuple[int, int]:
        """Return the bounds of the buckets of treatment whose number is compared with control.

        These are the buckets that the first stage with a control group adds: they are selected at the same time as
        control.
        """
        previous = self.stages[self._first_compared - 1].share if self._first_compared else 0
        return previous, self.stages[self._first_compared].share

    def is_compared(self, position: int) -> bool:
        """Return whether devices selected at a stage are compared: while the whole control group is held back."""
        return self.control_share > 0 and self.control_at(position) == self.control_share

    @property
    def _first_compared(self) -> int:
        return next(position for position, stage in enumerate(self.stages) if stage.traits.has_control)

    def control_at(self, position: int) -> int:
        """Return the millionths held back at a stage: none for a kind without control, never those that it reaches."""
        stage = self.stages[position]
        return min(self.control, BUCKETS - stage.share) if stage.traits.has_control else 0

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
            "defer_s": self.defer_s,
            "window": self.window.to_dict() if self.window else None,
            "after_complete": self.after_complete.to_dict() if self.after_complete else None,
        }

    @classmethod
    def from_stored(cls, value: object) -> Self:
        """Read a strategy that a newer version of Walle may have stored; raises StrategyMalformed.

        What this version does not know is left out, so that during an upgrade and after the way back it goes on with
        the release.
        """
        known = _known(_FIELDS, value)
        known |= {name: _known(fields, known[name]) for name, fields in _TABLES.items() if known.get(name)}
        if "stages" in known:
            known["stages"] = [_known(_STAGE, stage) for stage in known["stages"]]
        return cls.from_dict(known)

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Read a strategy and fill in defaults; raises StrategyMalformed."""
        values = checked(_STRATEGY, value, "strategy", StrategyMalformed)
        read = {name: values[name] for name in ("simulation", "approval", "metric") if name in values}
        read |= {name: float(values[name]) for name in ("grace_s", "silence_s", "defer_s") if name in values}
        if "stages" in values:
            read["stages"] = tuple(map(_stage, values["stages"]))
        if "control_percent" in values:
            read["control"] = _share(values["control_percent"])
        if "limits" in values:
            read["limits"] = Limits.from_dict(values["limits"])
        if values.get("window") is not None:
            read["window"] = Window.from_dict(values["window"])
        if "after_complete" in values:
            watched = values["after_complete"]
            read["after_complete"] = None if watched is None else AfterComplete.from_dict(watched)
        return cls(**read)


def _stage(values: Mapping[str, Any]) -> StageStrategy:
    options = {name: values[name] for name in ("evidence", "pace") if name in values}
    if "dwell_s" in values:
        options["dwell_s"] = float(values["dwell_s"])
    return StageStrategy(values["kind"], _share(values.get("percent", 0)), values.get("list"), **options)


def _share(percent: float) -> int:
    return round(percent * _PER_PERCENT)


def _percentage(least: int) -> Value:
    """Return the schema of a percentage of at least `least` millionths; finer than 0.0001 % is refused, not rounded."""

    def holds(value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
            return False
        return _share(value) >= least and abs(_share(value) - value * _PER_PERCENT) < 1e-6

    return Value(f"a percentage, {least / _PER_PERCENT:g} to 100 in steps of 0.0001", holds)


def _integer(low: int, high: int) -> Number:
    return Number(low, high, integer=True, words=f"a whole number, {low} to {high}")


_FLAG: Final = Value("true or false", lambda value: isinstance(value, bool))
_SECONDS: Final = Number(0, MAX_SECONDS, words=f"seconds, 0 to {MAX_SECONDS}")
_STAGE: Final = Fields(
    {
        "kind": OneOfTexts(tuple(STAGE_KINDS), words=" or ".join(STAGE_KINDS)),
        "percent": _percentage(least=1),
        "list": Text("the name of an id list", SLUG_PATTERN.fullmatch),
        "dwell_s": _SECONDS,
        "evidence": _integer(0, 1_000_000),
        "pace": Nullable(_integer(1, MAX_PACE)),
    },
    required=("kind",),
    words="an object",
)


@dataclass(frozen=True)
class _Stage:
    """The schema of a stage, which reaches a share of the devices or, for some kinds, an id list."""

    expected: str = _STAGE.expected

    def check(self, value: object, field: str, problems: Problems) -> None:
        _STAGE.check(value, field, problems)
        if not isinstance(value, dict) or problems.touches(f"{field}.kind"):
            return
        reach = [name for name in ("percent", "list") if name in value]
        takes_list = STAGE_KINDS[value["kind"]].takes_list
        if reach != ["percent"] and (reach != ["list"] or not takes_list):
            expected = "percent or list, one of them" if takes_list else "percent"
            problems.say(field, expected, " and ".join(reach) or "neither")


_STAGES: Final = Items(_Stage(), f"a list of 1 to {MAX_STAGES} stages", 1, MAX_STAGES)


@dataclass(frozen=True)
class _StageSequence:
    """The schema of all stages: one may open the release, each reaches more devices, the last one reaches all."""

    expected: str = _STAGES.expected

    def check(self, value: object, field: str, problems: Problems) -> None:
        _STAGES.check(value, field, problems)
        stages = value if isinstance(value, list) else []
        previous: int | None = None
        for position, stage in enumerate(stages):
            place, is_last = f"{field}[{position}]", position == len(stages) - 1
            sound = not problems.touches(f"{place}.percent") and "percent" in stage
            share = _share(stage["percent"]) if sound else None
            if not problems.touches(f"{place}.kind") and _opens(stage) and (position or is_last):
                others = " or ".join(name for name, kind in STAGE_KINDS.items() if not kind.opens)
                rule = f": a {stage['kind']} stage comes first, and once" if position else " in the last stage"
                problems.add(f"{place}.kind", others + rule, stage["kind"])
            elif share is not None and previous is not None and share <= previous:
                problems.add(f"{place}.percent", f"more than the {previous / _PER_PERCENT} before", stage["percent"])
            elif is_last and share is not None and share != BUCKETS:
                problems.add(f"{place}.percent", "100 in the last stage", stage["percent"])
            previous = share


def _opens(stage: Mapping[str, Any]) -> bool:
    return STAGE_KINDS[stage["kind"]].opens


_FIELDS: Final = Fields(
    {
        "simulation": _FLAG,
        "approval": _FLAG,
        "stages": _StageSequence(),
        "control_percent": _percentage(least=0),
        "limits": LIMITS,
        "metric": Nullable(Text("the name of a metric", METRIC_PATTERN.fullmatch)),
        "grace_s": _SECONDS,
        "silence_s": _SECONDS,
        "defer_s": Number(0, LONGEST_S, words=f"seconds, 0 to {LONGEST_S}"),
        "window": Nullable(WINDOW),
        "after_complete": Nullable(AFTER_COMPLETE),
    },
    words="an object",
)


@dataclass(frozen=True)
class _StrategyNode:
    """The schema of a strategy, with the relation between its limits."""

    expected: str = _FIELDS.expected

    def check(self, value: object, field: str, problems: Problems) -> None:
        _FIELDS.check(value, field, problems)
        if not isinstance(value, dict) or problems.touches(f"{field}.limits"):
            return
        stage_limit = value.get("limits", {}).get("failure_rate", Limits.failure_rate)
        check_against(value.get("after_complete"), stage_limit, f"{field}.after_complete", problems)


_STRATEGY: Final = _StrategyNode()
_TABLES: Final = {"limits": LIMIT_FIELDS, "window": WINDOW, "after_complete": AFTER_COMPLETE}


def _known(fields: Fields, values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in fields.fields}
