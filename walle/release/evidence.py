"""The evidence of a verdict: counts of devices in both arms of a release, as read from the rows.

Only established devices decide about a release: those that the app's backend vouches for, and those that were known
before the release began. An app's key ships inside the app, so that whoever takes it out can invent any number of
devices. Such new devices are counted apart: they can only make a release pause (docs/adr/0015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

from walle.release.cohort import BUCKETS
from walle.release.grid import RUN_TIMES, VALUES
from walle.release.subjects import CALLERS, DEVICES, Subjects

BASELINE_QUANTILE: Final = 0.9
"""The quantile of the durations before a release; longer runs count as slow in both arms."""
CONDITION_SHOWN: Final = 4
"""The number of a condition's ids that a sentence names."""
SURGE_WINDOW_S: Final = 600
"""The length of the window in which new devices are counted to detect a surge."""


@dataclass(frozen=True)
class ArmCounts:
    """Counts of devices of one arm, each counted once however often it reports. All counts only grow.

    - `drawn`: selected for the release; `offered` the version (none in control).
    - `reported` an outcome, of which `failed`: the denominator of every failure rate.
    - `due`: those whose silence time is over, of which `silent`: without a check-in after being selected.
    - `timed`: those with the duration of a cold run, of which `slow` took longer than the limit, `slower` longer than
      the baseline of cold runs; `warm_timed`, `warm_slow` and `warm_slower` the same of warm runs. A run that does not
      say how it began counts as a cold one.
    - `measured`: those with the baseline's metric, of which `low` lie below its median before the release.
    - With a number at its end (`slower_99`): beyond that percentile before the release (walle.release.grid).
    """

    drawn: int = 0
    offered: int = 0
    reported: int = 0
    failed: int = 0
    due: int = 0
    silent: int = 0
    timed: int = 0
    slow: int = 0
    slower: int = 0
    warm_timed: int = 0
    warm_slow: int = 0
    warm_slower: int = 0
    measured: int = 0
    low: int = 0
    slower_25: int = 0
    slower_50: int = 0
    slower_75: int = 0
    slower_95: int = 0
    slower_99: int = 0
    warm_slower_25: int = 0
    warm_slower_50: int = 0
    warm_slower_75: int = 0
    warm_slower_95: int = 0
    warm_slower_99: int = 0
    low_5: int = 0
    low_25: int = 0
    low_75: int = 0
    low_95: int = 0

    def __post_init__(self) -> None:
        for part, total in _PARTS:
            if not 0 <= getattr(self, part) <= getattr(self, total):
                raise ValueError(f"expected {part} between 0 and {total}, found {self}")


_PARTS: Final = (
    ("failed", "reported"),
    ("silent", "due"),
    ("slow", "timed"),
    ("slower", "timed"),
    ("warm_slow", "warm_timed"),
    ("warm_slower", "warm_timed"),
    ("low", "measured"),
    *((f"slower{point.suffix}", "timed") for point in RUN_TIMES[1:]),
    *((f"warm_slower{point.suffix}", "warm_timed") for point in RUN_TIMES[1:]),
    *((f"low{point.suffix}", "measured") for point in VALUES[1:]),
)


@dataclass(frozen=True)
class StageArms:
    """The devices that a stage selected, and those held back that reported while it lasted.

    Both arms report in the same time, so that whatever else breaks breaks both.
    """

    treatment: ArmCounts = field(default_factory=ArmCounts)
    control: ArmCounts = field(default_factory=ArmCounts)


@dataclass(frozen=True)
class SampleRatio:
    """Counts of exposures that show whether the arms are selected as planned.

    `treatment` counts exposures with a bucket below `treatment_share` (millionths, of the first gray step), so that it
    does not depend on how far the release has come; `control` all those of the `control_share` millionths held back.
    """

    treatment: int
    control: int
    treatment_share: int
    control_share: int

    def __post_init__(self) -> None:
        if min(self.treatment, self.control) < 0 or min(self.treatment_share, self.control_share) < 1:
            raise ValueError(f"expected counts of exposures and shares above 0, found {self}")
        if self.treatment_share + self.control_share > BUCKETS:
            raise ValueError(f"expected shares of at most {BUCKETS} together, found {self}")

    @property
    def share(self) -> float:
        """Return the probability that an exposure is one of treatment."""
        return self.treatment_share / (self.treatment_share + self.control_share)


@dataclass(frozen=True)
class NewDevices:
    """Devices that registered after the start of the release and that nobody vouches for.

    `counts` are those in treatment. `registered` came to the app during the last SURGE_WINDOW_S seconds, as far as the
    release had begun, and `usual` is how many came in so much time during the day before. `accepted`: somebody has
    resumed the release in this stage after it had paused by itself, and so said that it may go on in spite of them.
    """

    counts: ArmCounts = field(default_factory=ArmCounts)
    registered: int = 0
    usual: float = 0.0
    accepted: bool = False


@dataclass(frozen=True)
class TriggerWait:
    """What the established devices in treatment that have `installed` a stream task's version wait for.

    `condition` are the ids of the task's trigger. On `awaiting` devices it has not occurred yet: they check in, and
    have no outcome. `quiet` devices have no outcome either, and have not checked in during the silence timeout.
    """

    condition: tuple[str, ...]
    installed: int = 0
    awaiting: int = 0
    quiet: int = 0

    @property
    def text(self) -> str:
        """Return a sentence for people about the devices without an outcome; "" if there are none."""
        if not self.awaiting and not self.quiet:
            return ""
        open_ones = []
        if self.awaiting:
            where = "it" if self.installed == 1 else f"{self.awaiting} of them"
            open_ones.append(f"the condition {condition_text(self.condition)} has not occurred on {where} yet")
        if self.quiet:
            whom = f"{self.quiet}" if self.awaiting else f"{self.quiet} of them"
            open_ones.append(f"{whom} have not checked in lately")
        known = "1 device has" if self.installed == 1 else f"{self.installed} devices have"
        return f"{known} installed it; {', and '.join(open_ones)}"


@dataclass(frozen=True)
class CloudFailures:
    """How many calls of the version's cloud half have failed since the last one that answered, and why the last did."""

    calls: int
    error: str = ""


def condition_text(condition: Sequence[str]) -> str:
    """Return the ids of a condition in their order, shortened if they are many."""
    shown = ", then ".join(condition[:CONDITION_SHOWN])
    return shown if len(condition) <= CONDITION_SHOWN else f"{shown}, then {len(condition) - CONDITION_SHOWN} more"


_GRIDS: Final = ("cold_grid", "warm_grid", "metric_grid")


@dataclass(frozen=True)
class Baseline:
    """Measurements of the task before the release, fixed at its start; None if unknown.

    `latency_ms` is the BASELINE_QUANTILE of the durations of cold runs, `warm_latency_ms` that of warm ones, `median`
    that of the metric named `metric`. `cold_grid`, `warm_grid` and `metric_grid` are the other points of their
    distributions (walle.release.grid).
    """

    latency_ms: float | None = None
    warm_latency_ms: float | None = None
    metric: str | None = None
    median: float | None = None
    cold_grid: tuple[float, ...] = ()
    warm_grid: tuple[float, ...] = ()
    metric_grid: tuple[float, ...] = ()

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read what `asdict` wrote."""
        known: dict[str, Any] = {**value, **{name: tuple(value.get(name, ())) for name in _GRIDS}}
        return cls(**known)


@dataclass(frozen=True)
class Evidence:
    """Everything known about a release at one moment; control and baseline may be missing.

    `treatment`, `control` and `ratio` count established devices only. `kept`: the version asks for its VM to be kept,
    so that its usual run is a warm one. `trigger` is None for a version that no condition triggers. `callers`: what is
    counted are the callers of a pipeline. `cloud` is None where no cloud half fails, or somebody has resumed the
    release in this stage.

    `stages` are the arms in each stage that was compared so far, of `compared` that will be; without them, arms are
    compared as a whole. `patient`: control may still report before anybody is held responsible for what broke lately.
    """

    treatment: ArmCounts
    control: ArmCounts | None = None
    ratio: SampleRatio | None = None
    baseline: Baseline = field(default_factory=Baseline)
    new: NewDevices = field(default_factory=NewDevices)
    kept: bool = False
    trigger: TriggerWait | None = None
    callers: bool = False
    cloud: CloudFailures | None = None
    stages: tuple[StageArms, ...] = ()
    compared: int = 0
    patient: bool = False

    @property
    def pairs(self) -> tuple[StageArms, ...]:
        """Return the arms that are compared, which report in the same time: those of each stage, future ones empty.

        Tests of them are averaged, so there are as many from the first report on.
        """
        if not self.stages:
            return (StageArms(self.treatment, self.control or ArmCounts()),)
        return self.stages + (StageArms(),) * (self.compared - len(self.stages))

    @property
    def subjects(self) -> Subjects:
        return CALLERS if self.callers else DEVICES

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        control, ratio, new, trigger = value["control"], value["ratio"], value["new"], value.get("trigger")
        cloud, stages = value.get("cloud"), value.get("stages", ())
        return cls(
            ArmCounts(**value["treatment"]),
            ArmCounts(**control) if control is not None else None,
            SampleRatio(**ratio) if ratio is not None else None,
            Baseline.from_dict(value["baseline"]),
            NewDevices(**{**new, "counts": ArmCounts(**new["counts"])}),
            value.get("kept", False),
            TriggerWait(**{**trigger, "condition": tuple(trigger["condition"])}) if trigger is not None else None,
            value.get("callers", False),
            CloudFailures(**cloud) if cloud is not None else None,
            tuple(StageArms(*(ArmCounts(**arms[name]) for name in ("treatment", "control"))) for arms in stages),
            value.get("compared", 0),
            value.get("patient", False),
        )
