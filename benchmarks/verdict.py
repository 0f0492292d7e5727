"""Claim: a release may be judged after every report, and a healthy one is still almost never rolled back.

Releases of a fleet of 6000 devices are simulated through four gray stages with a control of 5 %, which reports afresh
in each: silent devices, slow ones, metrics, reports that arrive one by one, and `judge` after each of them. Healthy
ones fail with a probability of exactly the limit of 1 %, and are exactly as often slow as the latency limit allows.
Beside it, on the same healthy releases, the rule of many systems is evaluated, "roll back at 2 % or more after 100
reports". No stage passes while its failures are more likely than not above their limit: how many reports that costs
versions within it is measured as well.

How far the failure limit is from what any test could do is printed for each rate of failures, as a ratio to Wald's
bound; and what whole distributions of run times show that one quantile does not. In an outage both arms fail;
`failing_later` is a version that fails just as much from the same stage on, which control then tells apart. Invented
devices come from somebody with the app's key: nobody vouches for them, and they register while the release goes on.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import ClassVar

import numpy as np
from rich.console import Console
from rich.table import Column, Table

from benchmarks.support.fleets import CONTROL, FAILED, FLEET, REPORTED, Behaviour
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.trials import LIMITS, MINIMUM, End, Scenario, Trial, simulate
from benchmarks.support.verdict_power import (
    percentile,
    power_of_control,
    power_of_distributions,
    power_of_ratio,
    reports_to_bound,
)
from walle.release.sequential import limit_evidence, trials_within
from walle.release.verdict import VerdictKind

SEED = 2022
AUDITED = 500
"""The number of events of a release that are judged to check the bounds."""
NAIVE_RATE, NAIVE_AFTER = 0.02, 100
RATES = (0.001, 0.003, 0.005, 0.01, 0.02, 0.05)
"""How often a version fails that waits until its failures no longer lean towards harm; the limit is 1 %."""
WITHIN = 2_000

KINDS = tuple(kind.value for kind in VerdictKind)
STANDING = (VerdictKind.FAIL, VerdictKind.ERROR)

console = Console(width=100)


@dataclass(frozen=True)
class Group:
    """Releases of one kind: the part of RELEASES to simulate, and the count that says how soon they are detected."""

    scenario: Scenario
    part: float = 1.0
    count: str = "reported"

    @property
    def judged(self) -> bool:
        """Whether the time to detection is judged: of those that fail, by their reports."""
        return self.count == "reported" and self.scenario.treatment.failed > self.healthy

    healthy: ClassVar[float] = Behaviour().failed


GROUPS = {
    "healthy": Group(Scenario()),
    "healthy_alone": Group(Scenario(control=None)),
    "failing_20": Group(Scenario(Behaviour(failed=0.20)), 0.4),
    "failing_5": Group(Scenario(Behaviour(failed=0.05)), 0.4),
    "failing_20_alone": Group(Scenario(Behaviour(failed=0.20), control=None), 0.25),
    "failing_5_alone": Group(Scenario(Behaviour(failed=0.05), control=None), 0.25),
    "silent_15": Group(Scenario(Behaviour(silent=0.15)), 0.05, "due"),
    "silent_50": Group(Scenario(Behaviour(silent=0.50)), 0.05, "due"),
    "beyond_latency_30": Group(Scenario(Behaviour(slow=0.30)), 0.05),
    "slower_30": Group(Scenario(Behaviour(shift="slower")), 0.05),
    "bimodal_10": Group(Scenario(Behaviour(shift="bimodal")), 0.05),
    "drift_80": Group(Scenario(Behaviour(low=0.80)), 0.05),
    "draws_lost_50": Group(Scenario(lost=0.50), 0.05, "drawn"),
    "outage_at_once": Group(Scenario(outage=0.30), 0.1),
    "outage_later": Group(Scenario(outage=0.30, outage_from=2), 0.1),
    "failing_later": Group(Scenario(Behaviour(failed=0.30, failed_from=2)), 0.1),
    "invented_failing": Group(Scenario(invented=60), 0.1, "drawn"),
    "invented_praising": Group(Scenario(Behaviour(failed=0.20), invented=90, praising=True), 0.1),
}
BENCHMARK = Benchmark(
    "verdict",
    scale={"releases": Dimension(2000, 4), "pairs": Dimension(200, 2)},
    targets=(
        Target("healthy_rolled_back", at_most=0.01),
        Target("healthy_alone_rolled_back", at_most=0.01),
        *(
            Target(f"failing_{rate}{arms}_reported{percentile}", at_most=most)
            for arms in ("", "_alone")
            for rate, percentile, most in ((20, "", 20), (20, "_p95", 50), (5, "", 200), (5, "_p95", 500))
        ),
        *(
            Target(f"wald_{rate}_ratio{percentile}", at_most=most)
            for rate in (2, 3, 5, 10, 20)
            for percentile, most in (("", 1.3), ("_p95", 3.6))
        ),
        Target("outage_later_rolled_back", at_most=0.05),
        Target("invented_failing_rolled_back", at_most=0.01),
        *(Target(f"{shift}_whole_at_5000", at_least=0.8) for shift in ("tail", "middle", "bimodal")),
        Target("stage_at_0.3_reports_p95", at_most=70),
        Target("stage_at_0.3_held", at_most=0.01),
    ),
    assumptions=(
        f"a fleet of {FLEET} devices, control {CONTROL / 10_000:g} %, a limit of 1 %, a verdict after every report",
        "devices fail, are slow or fall silent independently of each other, each with a fixed probability",
        "a healthy release fails exactly as often as the limit allows: the worst that is still healthy",
        "devices are drawn in the first half of a stage, and report soon after or never",
    ),
)


def main() -> int:
    BENCHMARK.announce()
    started = time.process_time()
    audit()
    figures: dict[str, float] = {}
    table = Table(
        *(Column(head, no_wrap=True) for head in ("releases", *KINDS, "rolled back", "known after, p50 / p95"))
    )
    for name, group in GROUPS.items():
        found = measure(name, group)
        shares = [f"{found[kind]:.1%}" for kind in (*KINDS, "rolled_back")]
        soon = [f"{found[name]:.0f}" for name in (group.count, f"{group.count}_p95") if name in found]
        after = f"{' / '.join(soon)} {group.count}" if soon else ""
        table.add_row(name, *shares, after)
        figures |= {f"{name}_{figure}": value for figure, value in found.items()}
    console.print(table)
    console.print(f"naively, {figures['healthy_naively_rolled_back']:.1%} of the same healthy releases are rolled back")
    pairs = BENCHMARK.size("pairs")
    figures |= reports_to_bound(console, 10 * pairs, SEED) | power_of_distributions(console, pairs, SEED)
    figures |= power_of_control(console, pairs, SEED) | power_of_ratio(console, pairs, SEED) | reports_until_passing()
    figures["cpu_seconds"] = time.process_time() - started
    return BENCHMARK.judge(figures)


def audit() -> None:
    """Judge some releases after events at which no test could fail, by their bounds: none may fail there."""
    rng = np.random.default_rng(SEED)
    for name in ("failing_5",) if is_tiny() else ("healthy", "failing_5", "silent_15", "bimodal_10", "outage_later"):
        trial = simulate(GROUPS[name].scenario, rng)
        closed = np.flatnonzero(~trial.open)
        for event in map(int, closed[:: max(1, len(closed) // AUDITED)]):
            verdict, _ = trial.judged(event)
            if verdict.decisive:
                raise SystemExit(f"{name}: a test fails after event {event}, against its bound: {verdict.sentence}")


def measure(name: str, group: Group) -> dict[str, float]:
    """Return shares of releases by how they ended, and the devices until the verdict: p50, p95 and p99.

    The end is the first stage that does not pass. `rolled_back` and the devices also count releases that were held
    before and then resumed; `naively_rolled_back` is the result of the usual rule on the same releases.
    """
    rng = np.random.default_rng([SEED, *name.encode()])
    size = max(2, round(BENCHMARK.size("releases") * group.part))
    console.print(f"judging {size} releases: {name}")
    firsts, lasts, naive = [], [], 0
    for _ in range(size):
        trial = simulate(group.scenario, rng)
        ends = trial.ends()
        firsts.append(next((end.kind for end in ends if end.kind is not VerdictKind.PASS), VerdictKind.PASS))
        lasts.append(ends[-1])
        naive += naively_rolled_back(trial)
    until = [devices(end, group.count) for end in lasts]
    found_out = {
        f"{group.count}{name}": percentile(until, share) for name, share in (("", 50), ("_p95", 95), ("_p99", 99))
    }
    return {
        "releases": size,
        **{kind.value: firsts.count(kind) / size for kind in VerdictKind},
        "rolled_back": sum(end.kind is VerdictKind.FAIL for end in lasts) / size,
        "naively_rolled_back": naive / size,
        **(found_out if group.judged else {name: count for name, count in found_out.items() if isfinite(count)}),
    }


def devices(end: End, count: str) -> float:
    """Return the number of devices until the verdict; infinite if there was none."""
    return float(getattr(end.evidence.treatment, count)) if end.kind in STANDING else inf


def naively_rolled_back(trial: Trial) -> bool:
    _, counts = trial.counts(0)
    reported, failed = counts[:, REPORTED], counts[:, FAILED]
    return bool(((reported >= NAIVE_AFTER) & (failed >= NAIVE_RATE * reported)).any())


def reports_until_passing() -> dict[str, float]:
    """Return how many reports a stage needs to pass by its failures alone, and how often it does not by WITHIN.

    `early` is how often a stage passes at its minimum of samples, `naive` how often it did while only evidence of
    10 to 1 kept it: that rule let a version pass with 1 failure of 11.
    """
    pairs = 10 * BENCHMARK.size("pairs")
    table = Table("fails", "reports, p50 / p95", "passes at once", "10 to 1", "not at all", title="reports of a stage")
    figures: dict[str, float] = {}
    rng = np.random.default_rng(SEED)
    fewest = np.array([trials_within(failed, LIMITS.failure_rate) for failed in range(WITHIN + 1)])
    reported = np.arange(1, WITHIN + 1)
    for rate in RATES:
        failed = (rng.random((pairs, WITHIN)) < rate).cumsum(axis=1)
        passing = (reported >= fewest[failed]) & (reported >= MINIMUM)
        needed = np.where(passing.any(axis=1), passing.argmax(axis=1) + 1, inf).tolist()
        at_minimum = failed[:, MINIMUM - 1].tolist()
        naive = sum(limit_evidence(hits, MINIMUM, LIMITS.failure_rate) < log(10) for hits in at_minimum) / pairs
        name = f"stage_at_{100 * rate:g}"
        found = {
            "reports": percentile(needed, 50),
            "reports_p95": percentile(needed, 95),
            "early": sum(count == MINIMUM for count in needed) / pairs,
            "naive": naive,
            "held": sum(count == inf for count in needed) / pairs,
        }
        soon = f"{found['reports']:.0f} / {found['reports_p95']:.0f}"
        table.add_row(f"{rate:.1%}", soon, *(f"{found[share]:.1%}" for share in ("early", "naive", "held")))
        figures |= {f"{name}_{figure}": value for figure, value in found.items() if isfinite(value)}
    console.print(table)
    return figures


if __name__ == "__main__":
    sys.exit(main())
