"""Cold starts are not slowdowns: fleets whose devices run a kept task, from their reports to the verdict.

A device that has just installed a version begins cold, and goes on warm; one that is held back has been warm for long,
and is cold only where its VM has ended.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pytest

from walle.release.evidence import ArmCounts, Baseline, Evidence
from walle.release.limits import Limits
from walle.release.outcome import ExposureState, ReportFact, apply_reports
from walle.release.verdict import Verdict, VerdictKind, judge

COLD_MS, WARM_MS, SPREAD = 50.0, 5.0, 0.25
RUNS = 6
ENDED = 0.05
"""The share of VMs that ended before a run."""
BASELINE = Baseline(latency_ms=COLD_MS * 1.37, warm_latency_ms=WARM_MS * 1.37)
"""The 0.9 quantiles of what is drawn below: exp(0.25 * 1.2816)."""
MIXED = Baseline(latency_ms=WARM_MS * 1.5)
"""The quantile where nobody says how runs began: nearly all are warm, on devices that have had the task for long."""
LIMIT = Limits(latency_ms=20.0)
RELEASE = 7


@dataclass(frozen=True)
class Speed:
    """How many times as long runs take as before the release."""

    cold: float = 1.0
    warm: float = 1.0


def runs(draw: random.Random, speed: Speed, *, installed: bool) -> Iterator[ReportFact]:
    """The reports of one device, some faster than others."""
    device = draw.gauss(0.0, SPREAD / 2)
    for number in range(RUNS):
        cold = (installed and number == 0) or draw.random() < ENDED
        usual = COLD_MS * speed.cold if cold else WARM_MS * speed.warm
        took = usual * 2.718281828 ** (device + draw.gauss(0.0, SPREAD * 0.866))
        at = 100.0 + number
        yield ReportFact(
            "run", "success", "", at, at, took, release=RELEASE if installed else None, start="cold" if cold else "warm"
        )


def counts(states: Iterable[ExposureState], baseline: Baseline) -> ArmCounts:
    """What the database counts of exposures."""
    known = list(states)
    cold = [state.cold_ms for state in known if state.cold_ms is not None]
    warm = [state.warm_ms for state in known if state.warm_ms is not None]
    return ArmCounts(
        drawn=len(known),
        offered=len(known),
        reported=len(known),
        timed=len(cold),
        slow=sum(took > LIMIT.latency_ms for took in cold),
        slower=sum(took > baseline.latency_ms for took in cold),
        warm_timed=len(warm),
        warm_slow=sum(took > LIMIT.latency_ms for took in warm),
        warm_slower=sum(took > (baseline.warm_latency_ms or 0.0) for took in warm),
    )


def arm(draw: random.Random, devices: int, speed: Speed, *, treated: bool, told: bool) -> ArmCounts:
    """One arm of a release; with `told` False, reports do not say how runs began."""
    exposures = []
    for _ in range(devices):
        said = list(runs(draw, speed, installed=treated))
        said = said if told else [replace(run, start="") for run in said]
        state = ExposureState(RELEASE, treated, 1.0, 1.0 if treated else None)
        exposures.append(apply_reports(state, said))
    return counts(exposures, BASELINE if told else MIXED)


def verdict(seed: int, speed: Speed, *, devices: int = 400, limits: Limits | None = None, told: bool = True) -> Verdict:
    draw = random.Random(seed)
    treatment = arm(draw, devices, speed, treated=True, told=told)
    control = arm(draw, devices, Speed(), treated=False, told=told)
    baseline = BASELINE if told else MIXED
    return judge(Evidence(treatment, control, baseline=baseline, kept=told), limits or Limits(), 8)


def objections(of: Verdict) -> set[str]:
    return {finding.test for finding in of.findings if finding.objects}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_version_that_was_merely_installed_is_not_slower(seed: int) -> None:
    assert verdict(seed, Speed(), limits=LIMIT).kind is VerdictKind.PASS


def test_without_the_distinction_the_same_reports_fail_the_release() -> None:
    assert objections(verdict(1, Speed(), told=False)) == {"slowdown"}


@pytest.mark.parametrize(
    ("speed", "compared"),
    [
        (Speed(cold=1.5, warm=1.5), ("cold", "warm")),
        (Speed(cold=1.0, warm=1.5), ("warm",)),
        (Speed(cold=2.0, warm=1.0), ("cold",)),
    ],
    ids=["cold and warm", "warm only", "cold only"],
)
def test_a_version_that_is_slower_is_found(speed: Speed, compared: tuple[str, ...]) -> None:
    found = verdict(3, speed)
    assert (found.kind, objections(found)) == (VerdictKind.FAIL, {"slowdown"})
    assert all(f"{kind} runs: " in found.sentence for kind in compared)


def test_where_no_vm_of_the_control_group_ended_warm_runs_decide() -> None:
    draw = random.Random(5)
    control = replace(arm(draw, 400, Speed(), treated=False, told=True), timed=0, slow=0, slower=0)
    sound = Evidence(arm(draw, 400, Speed(), treated=True, told=True), control, baseline=BASELINE, kept=True)
    slow = replace(sound, treatment=arm(draw, 400, Speed(2.0, 2.0), treated=True, told=True))
    assert judge(sound, Limits(), 8).kind is VerdictKind.PASS
    assert objections(judge(slow, Limits(), 8)) == {"slowdown"}


def test_the_limit_of_run_times_counts_the_warm_runs_of_a_kept_task() -> None:
    assert "latency" not in objections(verdict(7, Speed(cold=3.0), limits=LIMIT))
    assert "latency" in objections(verdict(7, Speed(warm=4.0), limits=LIMIT))


@pytest.mark.slow
def test_looked_at_after_every_device_a_sound_version_is_hardly_ever_slower() -> None:
    """The alpha of the test is 1 in 2000: among 60 releases of 150 devices, each judged 30 times, none objects."""
    for seed in range(60):
        draw = random.Random(seed)
        treatment = [arm(draw, 5, Speed(), treated=True, told=True) for _ in range(30)]
        control = [arm(draw, 5, Speed(), treated=False, told=True) for _ in range(30)]
        for looks in range(1, 31):
            seen = Evidence(total(treatment[:looks]), total(control[:looks]), baseline=BASELINE, kept=True)
            assert not objections(judge(seen, Limits(), 8))


def total(parts: Iterable[ArmCounts]) -> ArmCounts:
    rows = [vars(part) for part in parts]
    return ArmCounts(**{name: sum(row[name] for row in rows) for name in rows[0]})
