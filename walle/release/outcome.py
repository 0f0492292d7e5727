"""Derive the outcome of a selected device from its reports: one for each device and version.

The outcome is that of the first run, or of a failed installation before it; a fall-back turns it into a failure. Their
order follows the device's own clock, so that it does not matter in which order reports arrive, nor how often.
A report may be about several runs of a stream task, and fails if any of them did. The first one of an installation is
about FIRST_RUNS at most; later ones, from which devices held back get their outcome, are about as many as there were.
Of more runs, so many decide, chosen at random: otherwise control would fail more often for having run more often.
How long runs take is told by the first cold run and by the first warm one: the first run of all is cold on devices that
have just installed a version, and mostly warm on those that have had theirs for long.
Times are Unix seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from typing import Any, Final

FIRST_RUNS: Final = 3
"""The number of runs that decide about a device; the first report of an installation is about no more."""
FELL_BACK: Final = "fell-back"
"""The error class of a removal that a device made by itself, back to the version before."""


@dataclass(frozen=True, slots=True)
class ReportFact:
    """The facts of one report. `release`, `number` and `offered_at` come from its offer token, None without one.

    It is about `runs` runs, of which `failed_runs` failed; `chance` is a number from 0 to 1, the same each time that
    this report is looked at, which decides which of many runs count.
    """

    kind: str
    outcome: str
    error_class: str
    reported_at: float
    received_at: float
    duration_ms: float | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    release: int | None = None
    number: int | None = None
    offered_at: float | None = None
    start: str = ""
    runs: int = 1
    failed_runs: int = 0
    chance: float = 0.0
    version: str = ""

    @property
    def order(self) -> tuple[float, float]:
        return self.reported_at, self.received_at

    @property
    def fell_back(self) -> bool:
        return self.is_of("remove", "failure") and self.error_class == FELL_BACK

    def is_of(self, kind: str, outcome: str) -> bool:
        return (self.kind, self.outcome) == (kind, outcome)


@dataclass(frozen=True, slots=True)
class ExposureState:
    """The exposure of a device in one release.

    `outcome` is empty while it is open. `reported_at` and `settled_at` are the times, by the device's clock and by the
    gateway's, of the report that settled it; a fall-back alone settles without a `reported_at`. `duration_ms` and
    `metrics` are of that report; `cold_ms` and `warm_ms` of the first run of each kind, `cold_at` and `warm_at` are
    their times by the device's clock. `version` is what the release is about; a device that was held back and ran it
    all the same has `crossed`: it is no example of the former version, nor was it selected for the new one.
    """

    release: int
    treated: bool
    drawn_at: float
    offered_at: float | None = None
    number: int | None = None
    installed_at: float | None = None
    outcome: str = ""
    error_class: str = ""
    reported_at: float | None = None
    settled_at: float | None = None
    duration_ms: float | None = None
    cold_ms: float | None = None
    cold_at: float | None = None
    warm_ms: float | None = None
    warm_at: float | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    crossed: bool = False


def apply_reports(state: ExposureState, reports: Sequence[ReportFact]) -> ExposureState:
    """Update the exposure with more reports of the device about the task."""
    proofs = [each for each in reports if each.release == state.release]
    if state.offered_at is None and proofs:
        first = min(proofs, key=lambda each: each.order)
        state = replace(state, offered_at=first.offered_at, number=first.number)
    counting = proofs if state.treated else [each for each in reports if _is_of_control(state, each)]
    installed = _installed(state, counting) if state.treated else _crossed(state, reports)
    return _fallen_back(_timed(_settled(installed, counting), counting), counting)


def outcome_of(reports: Sequence[ReportFact]) -> str:
    """Return the outcome that a device's reports about one version give by themselves; "" if none of them gives one."""
    unknown = ExposureState(release=0, treated=True, drawn_at=0.0)
    return _fallen_back(_settled(unknown, reports), reports).outcome


def _is_of_control(state: ExposureState, report: ReportFact) -> bool:
    """Return whether a report is about the former version of a held-back device, before an offer."""
    is_former = report.kind != "install" and not _is_about(state, report)
    return is_former and report.release != state.release and _is_while_held_back(state, report)


def _is_while_held_back(state: ExposureState, report: ReportFact) -> bool:
    return report.received_at > state.drawn_at and (state.offered_at is None or report.received_at < state.offered_at)


def _is_about(state: ExposureState, report: ReportFact) -> bool:
    return bool(state.version) and report.version == state.version


def _crossed(state: ExposureState, reports: Sequence[ReportFact]) -> ExposureState:
    """Note that a device ran the version while it was held back: not a run before, of which it tells late."""
    found = any(
        each.kind == "run"
        and _is_about(state, each)
        and each.release != state.release
        and _is_while_held_back(state, each)
        and each.reported_at > state.drawn_at
        for each in reports
    )
    return replace(state, crossed=True) if found else state


def _installed(state: ExposureState, reports: Sequence[ReportFact]) -> ExposureState:
    """Set the time of installation. A run proves it if its report came before the exposure was logged, or never."""
    times = [each.received_at for each in reports if each.kind == "run" or each.is_of("install", "success")]
    if state.installed_at is not None:
        times.append(state.installed_at)
    return replace(state, installed_at=min(times)) if times else state


def _settled(state: ExposureState, reports: Sequence[ReportFact]) -> ExposureState:
    deciding = [each for each in reports if each.kind == "run" or each.is_of("install", "failure")]
    first = min(deciding, key=lambda each: each.order, default=None)
    if first is None or not _is_earlier(first, state):
        return state
    fell_back = state.error_class == FELL_BACK
    ran = first.kind == "run"
    passed = first.outcome == "success" or _drawn_runs_passed(first)
    return replace(
        state,
        outcome=state.outcome if fell_back else "success" if passed else "failure",
        error_class=state.error_class if fell_back else "" if passed else first.error_class,
        reported_at=first.reported_at,
        settled_at=first.received_at,
        duration_ms=first.duration_ms if ran else None,
        metrics=first.metrics if ran else {},
    )


def _drawn_runs_passed(report: ReportFact) -> bool:
    """Return whether FIRST_RUNS of the runs of a failed report, chosen at random, are all among those that passed."""
    if report.runs <= FIRST_RUNS:
        return False
    passed = report.runs - report.failed_runs
    return report.chance < comb(passed, FIRST_RUNS) / comb(report.runs, FIRST_RUNS)


def _is_earlier(report: ReportFact, state: ExposureState) -> bool:
    if state.reported_at is None or state.settled_at is None:
        return True
    return report.order < (state.reported_at, state.settled_at)


def _timed(state: ExposureState, reports: Sequence[ReportFact]) -> ExposureState:
    """Note the first cold run and the first warm one; a run that does not say how it began is taken for cold."""
    cold = _first_duration(state.cold_at, state.cold_ms, (each for each in reports if each.start != "warm"))
    warm = _first_duration(state.warm_at, state.warm_ms, (each for each in reports if each.start == "warm"))
    return replace(state, cold_at=cold[0], cold_ms=cold[1], warm_at=warm[0], warm_ms=warm[1])


def _first_duration(
    at: float | None, duration_ms: float | None, reports: Iterable[ReportFact]
) -> tuple[float | None, float | None]:
    """Return the time and the duration of the earliest run; of runs at the same time, of the shortest."""
    told = [(at, duration_ms), *((each.reported_at, each.duration_ms) for each in reports if each.kind == "run")]
    runs = [(when, took) for when, took in told if when is not None and took is not None]
    return min(runs, default=(None, None))


def _fallen_back(state: ExposureState, reports: Sequence[ReportFact]) -> ExposureState:
    times = [each.received_at for each in reports if each.fell_back]
    if not times:
        return state
    if state.reported_at is None:
        times += [state.settled_at] if state.settled_at else []
        state = replace(state, settled_at=min(times))
    return replace(state, outcome="failure", error_class=FELL_BACK)
