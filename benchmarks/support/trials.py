"""Releases simulated report by report, and judged after each by the same function as real ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from benchmarks.support.ceilings import Numbers, apart, fewest_hits, mean_of_odds, off_plan
from benchmarks.support.fleets import (
    COLUMNS,
    CONTROL,
    DRAWN,
    DUE,
    FAILED,
    FLEET,
    LOW,
    REPORTED,
    SHARES,
    SILENT,
    SLOW,
    SLOWER,
    Behaviour,
    arm_of,
    arrivals,
)
from walle.release.boundary import limit_threshold
from walle.release.cohort import BUCKETS
from walle.release.evidence import ArmCounts, Baseline, Evidence, NewDevices, SampleRatio, StageArms
from walle.release.finding import ALPHAS
from walle.release.findings import NEW_FAILURES_ALPHA, RATIO_ALPHA
from walle.release.grid import RUN_TIMES, VALUES
from walle.release.limits import Limits
from walle.release.sequential import RARE, Prior
from walle.release.verdict import Verdict, VerdictKind, judge

MINIMUM: Final = 20
LIMITS: Final = Limits(latency_ms=200.0)
BASELINE: Final = Baseline(
    latency_ms=150.0,
    metric="confidence",
    median=0.9,
    cold_grid=(60.0, 80.0, 110.0, 180.0, 260.0),
    metric_grid=(0.4, 0.7, 0.95, 0.99),
)
STAGES: Final = len(SHARES)
HELD_STEP: Final = 20
"""A release that is paused is judged after so many events, and after the last one."""


@dataclass(frozen=True)
class Scenario:
    """One kind of release.

    `lost` is the share of control's exposures that are never logged. From stage `outage_from` on, something else breaks
    so that `outage` of the devices of both arms fail. `invented` devices, which nobody vouches for, come in the first
    stage and report failures, or successes if they are `praising`.
    """

    treatment: Behaviour = field(default_factory=Behaviour)
    control: Behaviour | None = field(default_factory=Behaviour)
    lost: float = 0.0
    outage: float = 0.0
    outage_from: int = 0
    invented: int = 0
    praising: bool = False


@dataclass(frozen=True)
class End:
    """How a stage of a release ended, and what was counted by then."""

    kind: VerdictKind
    evidence: Evidence


@dataclass(frozen=True)
class Events:
    """What happens in one arm: at which times, to devices of which stages, what is to be counted, and drawn since when.

    Of control, the events of a device's first stage are `first`.
    """

    times: Numbers
    stages: Numbers
    rows: Numbers
    drawn: Numbers
    first: Numbers

    def among(self, chosen: Numbers) -> Events:
        return Events(*(values[chosen] for values in vars(self).values()))


class Trial:
    """One release: a selection, a report, a detected silence after the other, in the order of time."""

    def __init__(self, scenario: Scenario, treatment: Events, control: Events) -> None:
        self.scenario, self._arms = scenario, (treatment, control)
        self.times = np.sort(np.concatenate([treatment.times, control.times]), kind="stable")
        self.stage_ends = tuple(np.searchsorted(self.times, np.arange(1.0, STAGES + 1)).tolist())
        self._known: dict[tuple[int, int | None], tuple[Numbers, Numbers]] = {}

    def counts(self, arm: int, stage: int | None = None) -> tuple[Numbers, Numbers]:
        """Return the times of an arm's events, of one stage or of all, and the counts after each of them.

        Of control without a stage: of the first time that each device was held back.
        """
        if (arm, stage) not in self._known:
            events = self._arms[arm]
            events = events.among(events.first if stage is None else events.stages == stage)
            order = np.argsort(events.times, kind="stable")
            counts = np.vstack([np.zeros((1, COLUMNS), np.int32), events.rows[order].cumsum(axis=0, dtype=np.int32)])
            self._known[arm, stage] = events.times[order], counts
        return self._known[arm, stage]

    def at(self, arm: int, time: float, stage: int | None = None) -> ArmCounts:
        times, counts = self.counts(arm, stage)
        return arm_of(counts[np.searchsorted(times, time, side="right")])

    def evidence(self, event: int, *, patient: bool = True) -> Evidence:
        time = self.times[event]
        treatment, control = self.at(0, time), self.at(1, time)
        new = self._new(time)
        if self.scenario.control is None:
            return Evidence(treatment, baseline=BASELINE, new=new)
        first = self.at(0, time, 0).drawn
        ratio = SampleRatio(first, control.drawn, SHARES[0], CONTROL)
        begun = min(STAGES, int(time) + 1)
        stages = tuple(StageArms(self.at(0, time, stage), self.at(1, time, stage)) for stage in range(begun))
        return Evidence(treatment, control, ratio, BASELINE, new, stages=stages, compared=STAGES, patient=patient)

    def _new(self, time: float) -> NewDevices:
        """Return the invented devices that have reported by then: evenly in the first stage."""
        told = int(self.scenario.invented * min(1.0, time))
        return NewDevices(ArmCounts(told, told, told, 0 if self.scenario.praising else told), told)

    def judged(self, event: int, *, patient: bool = True) -> tuple[Verdict, Evidence]:
        found = self.evidence(event, patient=patient)
        return judge(found, LIMITS, MINIMUM), found

    def ends(self) -> list[End]:
        """Return the end of each stage up to the first final verdict, judged after every event where a test could fail.

        A stage that ends without a pass holds the release; the following ones are the result of resuming it.
        """
        ends, start = [], 0
        for stop in self.stage_ends:
            events = start + np.flatnonzero(self.open[start:stop])
            for event in [*map(int, events), stop - 1]:
                verdict, found = self.judged(event)
                if verdict.kind is VerdictKind.FAIL:
                    return [*ends, End(verdict.kind, found)]
                if verdict.kind is VerdictKind.ERROR:
                    return [*ends, self._held(float(self.times[event]), found)]
            ends.append(End(verdict.kind, found))
            start = stop
        return ends

    def _held(self, since: float, found: Evidence) -> End:
        """Return how a paused release ends: nobody else is offered the version, and reports come in for one stage."""
        treatment, control = self._arms
        paused = Trial(self.scenario, treatment.among(treatment.drawn <= since), control)
        events = np.flatnonzero((paused.times > since) & (paused.times <= since + 1))[::-HELD_STEP][::-1]
        for event in map(int, events):
            verdict, later = paused.judged(event, patient=event != events[-1])
            if verdict.kind is VerdictKind.FAIL:
                return End(verdict.kind, later)
        return End(VerdictKind.ERROR, found)

    @cached_property
    def open(self) -> Numbers:
        """Return the events after which any test could fail; judging after the others would change nothing.

        No evidence is above its ceiling (benchmarks.support.ceilings).
        """
        times, counts = self.counts(0)
        at_event = np.searchsorted(times, self.times, side="right")
        columns = counts.T
        found = np.zeros(len(self.times), np.bool_)
        limits = [
            (FAILED, REPORTED, LIMITS.failure_rate, "limit"),
            (SLOW, REPORTED, 1 - LIMITS.latency_quantile, "latency"),
        ]
        if self.scenario.control is None:
            limits.append((SILENT, DUE, LIMITS.silent_share, "silence"))
        for hits, trials, limit, test in limits:
            fewest = fewest_hits(limit, limit_threshold(limit, ALPHAS[test]))
            found |= (columns[hits] >= fewest[columns[trials]])[at_event]
        if self.scenario.invented and not self.scenario.praising:
            told = (self.scenario.invented * np.minimum(1.0, self.times)).astype(int)
            needed = limit_threshold(LIMITS.failure_rate, NEW_FAILURES_ALPHA)
            found |= told >= fewest_hits(LIMITS.failure_rate, needed)[told]
        if self.scenario.control is not None:
            for ceiling, alpha in self._comparisons():
                found |= ceiling >= -np.log(alpha)
        return found

    def _comparisons(self) -> Iterator[tuple[Numbers, float]]:
        (times_t, counts_t), (times_c, counts_c) = self.counts(0), self.counts(1)
        at_t, at_c = (np.searchsorted(times, self.times, side="right") for times in (times_t, times_c))
        silence = apart(
            counts_t[at_t][:, [SILENT, DUE]].T, counts_c[at_c][:, [SILENT, DUE]].T, RARE, LIMITS.silence_margin
        )
        yield silence, ALPHAS["silence"]
        times_f, counts_f = self.counts(0, 0)
        first = counts_f[np.searchsorted(times_f, self.times, side="right"), DRAWN]
        yield off_plan(first, counts_c[at_c, DRAWN], SHARES[0] / (SHARES[0] + CONTROL)), RATIO_ALPHA
        by_stage = [self._stage_ceilings(stage) for stage in range(STAGES)]
        for place, test in enumerate(("control", "slowdown", "drift")):
            yield mean_of_odds([ceilings[place] for ceilings in by_stage]), ALPHAS[test]

    def _stage_ceilings(self, stage: int) -> list[Numbers]:
        """Return the ceilings of failures, run times and metric in one stage, after each event of the release."""
        (times_t, counts_t), (times_c, counts_c) = self.counts(0, stage), self.counts(1, stage)
        tells = [np.diff(counts[:, REPORTED]) > 0 for counts in (counts_t, counts_c)]
        times = np.sort(np.concatenate([times_t[tells[0]], times_c[tells[1]]]))
        t, c = (
            counts[np.searchsorted(own, times, side="right")]
            for own, counts in ((times_t, counts_t), (times_c, counts_c))
        )

        def ceiling(hits: int, priors: tuple[Prior, Prior], margin: float, *, two_sided: bool = False) -> Numbers:
            return apart(t[:, [hits, REPORTED]].T, c[:, [hits, REPORTED]].T, priors, margin, two_sided=two_sided)

        found = [
            ceiling(FAILED, RARE, LIMITS.failure_margin),
            mean_of_odds(
                [
                    ceiling(SLOWER + place, point.priors, point.margin(LIMITS.slowdown_margin, RUN_TIMES[0].share))
                    for place, point in enumerate(RUN_TIMES)
                ]
            ),
            mean_of_odds(
                [
                    ceiling(
                        LOW + place, point.priors, point.margin(LIMITS.drift_margin, VALUES[0].share), two_sided=True
                    )
                    for place, point in enumerate(VALUES)
                ]
            ),
        ]
        at_event = np.searchsorted(times, self.times, side="right")
        return [np.concatenate([[0.0], values])[at_event] for values in found]


def simulate(scenario: Scenario, rng: np.random.Generator) -> Trial:
    """Simulate one release through all its stages, without verdicts.

    Control reports once in each stage. A device that fails there, or is slow, is so each time.
    """
    sizes = np.diff((0, *SHARES)) * FLEET // BUCKETS
    stages = np.repeat(np.arange(STAGES), sizes)
    treatment = _events(scenario, scenario.treatment, stages, [0], rng)
    held = CONTROL * FLEET // BUCKETS
    held = int((rng.random(held) >= (scenario.lost if scenario.control else 1)).sum())
    control = _events(scenario, scenario.control or Behaviour(), np.zeros(held, int), range(STAGES), rng)
    return Trial(scenario, treatment, control)


def _events(
    scenario: Scenario, arm: Behaviour, stages: Numbers, turns: Sequence[int], rng: np.random.Generator
) -> Events:
    """Return the events of devices that are selected in these stages, and again so many stages later."""
    did = arm.of_devices(len(stages), rng)
    parts = []
    for turn in turns:
        times, rows = arrivals(stages + turn, did, (scenario.outage, scenario.outage_from), rng)
        drawn = np.tile(times[0], len(times))
        which = np.tile(stages + turn, len(times))
        parts.append(
            Events(times.ravel(), which, rows.reshape(-1, COLUMNS), drawn, np.full(times.size, turn == turns[0]))
        )
    return Events(*(np.concatenate([vars(part)[name] for part in parts]) for name in vars(parts[0])))
