"""Releases simulated report by report, and judged after each by the same function as real ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import lgamma, log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle.release.cohort import BUCKETS
from walle.release.evidence import ArmCounts, Baseline, Evidence, SampleRatio
from walle.release.finding import ALPHAS
from walle.release.findings import RATIO_ALPHA
from walle.release.limits import Limits
from walle.release.sequential import EVEN, RARE, TENTH, Prior, ratio_evidence
from walle.release.verdict import Verdict, VerdictKind, judge

Numbers = NDArray[Any]

FLEET: Final = 6_000
SHARES: Final = (10_000, 100_000, 500_000, 950_000)
CONTROL: Final = 50_000
MINIMUM: Final = 20
LIMITS: Final = Limits(latency_ms=200.0)
BASELINE: Final = Baseline(latency_ms=150.0, metric="confidence", median=0.9)
DRAWING, REPORTING, SILENCE = 0.5, 0.05, 0.3
"""Times in a stage of length 1: the end of the selection, the usual delay of reports, and the silence timeout."""
DRAWN, REPORTED, FAILED, DUE, SILENT, SLOW, SLOWER, LOW = range(8)
COMPARISONS: Final = (
    ("control", FAILED, REPORTED, RARE),
    ("silence", SILENT, DUE, RARE),
    ("slowdown", SLOWER, REPORTED, TENTH),
    ("drift", LOW, REPORTED, EVEN),
)


@dataclass(frozen=True)
class Behaviour:
    """The probabilities with which a device of an arm does what counts against it; a silent one reports nothing."""

    failed: float = 0.01
    silent: float = 0.05
    slow: float = 0.1
    slower: float = 0.1
    low: float = 0.5


@dataclass(frozen=True)
class Scenario:
    """One kind of release.

    `lost` is the share of control's exposures that are never logged. From stage `outage_from` on, something else breaks
    so that `outage` of the devices of both arms fail. Control is selected and reports in the first stage.
    """

    treatment: Behaviour = field(default_factory=Behaviour)
    control: Behaviour | None = field(default_factory=Behaviour)
    lost: float = 0.0
    outage: float = 0.0
    outage_from: int = 0


@dataclass(frozen=True)
class End:
    """How a stage of a release ended, and what was counted by then."""

    kind: VerdictKind
    evidence: Evidence


@dataclass(frozen=True)
class Trial:
    """One release: the counts after each event (a selection, a report, a detected silence), in the order of time.

    `treatment` and `control` are (events, 8), by the names above; `first` counts the treatment's selections of the
    first stage; `stage_ends` are the numbers of events before each stage ended.
    """

    scenario: Scenario
    treatment: Numbers
    control: Numbers
    first: Numbers
    stage_ends: tuple[int, ...]

    def evidence(self, event: int) -> Evidence:
        treatment, control = _arm(self.treatment[event]), _arm(self.control[event])
        if self.scenario.control is None:
            return Evidence(treatment, baseline=BASELINE)
        ratio = SampleRatio(int(self.first[event]), control.drawn, SHARES[0], CONTROL)
        return Evidence(treatment, control, ratio, BASELINE)

    def judged(self, event: int) -> Verdict:
        return judge(self.evidence(event), LIMITS, MINIMUM)

    def ends(self, *, screened: bool = True) -> list[End]:
        """Return the end of each stage, judged after every event, up to the first final verdict.

        A stage that ends without a pass holds the release; the following ones are the result of resuming it.
        """
        ends, start = [], 0
        for stop in self.stage_ends:
            events = start + np.flatnonzero(self.open[start:stop]) if screened else range(start, stop)
            for event in [*map(int, events), stop - 1]:
                verdict = self.judged(event)
                if verdict.decisive:
                    return [*ends, End(verdict.kind, self.evidence(event))]
            ends.append(End(verdict.kind, self.evidence(stop - 1)))
            start = stop
        return ends

    @cached_property
    def open(self) -> Numbers:
        """Return the events after which any test could fail; judging after the others would change nothing.

        No evidence is above its ceiling: there, the average over rates above a limit is replaced by the best rate, and
        the best pair of rates that a null hypothesis allows by the pooled rate, which it allows too.
        """
        return np.logical_or.reduce([ceiling >= -log(alpha) for ceiling, alpha in self._ceilings()])

    def _ceilings(self) -> Iterator[tuple[Numbers, float]]:
        treatment, control = self.treatment.T, self.control.T
        yield above(treatment[FAILED], treatment[REPORTED], LIMITS.failure_rate), ALPHAS["limit"]
        yield above(treatment[SLOW], treatment[REPORTED], 1 - LIMITS.latency_quantile), ALPHAS["latency"]
        if self.scenario.control is None:
            yield above(treatment[SILENT], treatment[DUE], LIMITS.silent_share), ALPHAS["silence"]
            return
        yield off_plan(self.first, control[DRAWN]), RATIO_ALPHA
        for test, hits, trials, priors in COMPARISONS:
            yield apart(treatment[[hits, trials]], control[[hits, trials]], priors), ALPHAS[test]


def _arm(row: Numbers) -> ArmCounts:
    drawn, reported, failed, due, silent, slow, slower, low = row.tolist()
    return ArmCounts(drawn, drawn, reported, failed, due, silent, reported, slow, slower, reported, low)


def likelihood(hits: Numbers, trials: Numbers, rate: Numbers | float) -> Numbers:
    """Return the log likelihood of one order of outcomes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(hits > 0, hits * np.log(rate), 0) + np.where(
            trials > hits, (trials - hits) * np.log1p(-np.asarray(rate)), 0
        )


def best_fit(hits: Numbers, trials: Numbers) -> Numbers:
    return likelihood(hits, trials, hits / np.maximum(trials, 1))


def above(hits: Numbers, trials: Numbers, limit: float) -> Numbers:
    """Return the log likelihood ratio of the best rate to the limit, if it is above the limit."""
    return np.where(hits > limit * trials, best_fit(hits, trials) - likelihood(hits, trials, limit), 0)


def apart(treatment: Numbers, control: Numbers, priors: tuple[Prior, Prior]) -> Numbers:
    """Return the log likelihood ratio of the mixtures of two arms, each (hits, trials), to their pooled rate."""
    hits, trials = treatment + control
    return mixture(priors[0], *treatment) + mixture(priors[1], *control) - best_fit(hits, trials)


def off_plan(first: Numbers, control: Numbers) -> Numbers:
    """Return the evidence that the arms do not get the planned shares; it changes with the first stage's selections."""
    changes = np.flatnonzero(np.diff(first + control, prepend=-1))
    planned = SHARES[0] / (SHARES[0] + CONTROL)
    several = [ratio_evidence(int(first[at]), int(control[at]), planned) for at in changes]
    return np.repeat(several, np.diff(changes, append=len(first)))


def mixture(prior: Prior, hits: Numbers, trials: Numbers) -> Numbers:
    """Return `Prior.log_mixture` of many counts at once."""
    hit, miss, both = (log_gammas(seen) for seen in (prior.hits, prior.misses, prior.hits + prior.misses))
    return hit[hits] + miss[trials - hits] - both[trials] - (hit[0] + miss[0] - both[0])


@cache
def log_gammas(offset: float) -> Numbers:
    return np.array([lgamma(offset + count) for count in range(FLEET + 1)])


def simulate(scenario: Scenario, rng: np.random.Generator) -> Trial:
    """Simulate one release through all its stages, without verdicts."""
    sizes = np.diff((0, *SHARES)) * FLEET // BUCKETS
    stages = np.repeat(np.arange(len(SHARES)), sizes)
    control_stages = np.zeros(CONTROL * FLEET // BUCKETS, int)
    control_stages = control_stages[rng.random(len(control_stages)) >= (scenario.lost if scenario.control else 1)]
    times_t, treatment = _events(scenario, scenario.treatment, stages, rng)
    times_c, control = _events(scenario, scenario.control or Behaviour(), control_stages, rng)
    times = np.concatenate([times_t, times_c])
    order = np.argsort(times, kind="stable")

    def counted(rows: Numbers, before: int, after: int) -> Numbers:
        return np.pad(rows, ((before, after), (0, 0)))[order].cumsum(axis=0, dtype=np.int32)

    first = treatment[:, DRAWN : DRAWN + 1] * (times_t < 1)[:, None]
    ends = np.searchsorted(times[order], np.arange(1.0, len(SHARES) + 1))
    return Trial(
        scenario,
        counted(treatment, 0, len(control)),
        counted(control, len(treatment), 0),
        counted(first, 0, len(control))[:, 0],
        tuple(ends.tolist()),
    )


def _events(scenario: Scenario, arm: Behaviour, stages: Numbers, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return times and increments of the selection, the report and the detected silence of devices in these stages."""
    size = len(stages)
    drawn = stages + DRAWING * rng.random(size)
    reported = drawn + rng.exponential(REPORTING, size)
    silent, failing, slowness, low = rng.random((4, size))
    silent = silent < arm.silent
    broken = (scenario.outage > 0) & (reported >= scenario.outage_from)
    rows = np.zeros((3, size, 8), np.int32)
    rows[0, :, DRAWN] = 1
    rows[1, :, REPORTED] = ~silent
    rows[1, :, FAILED] = ~silent & (failing < np.where(broken, scenario.outage, arm.failed))
    rows[1, :, SLOW] = ~silent & (slowness < arm.slow)
    rows[1, :, SLOWER] = ~silent & (slowness < arm.slower)
    rows[1, :, LOW] = ~silent & (low < arm.low)
    rows[2, :, DUE] = 1
    rows[2, :, SILENT] = silent
    return np.concatenate([drawn, reported, drawn + SILENCE]), rows.reshape(-1, 8)
