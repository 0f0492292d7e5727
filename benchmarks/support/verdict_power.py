"""What single tests of a verdict can tell, without a release around them."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, log
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.ceilings import Numbers, apart, fewest_hits
from benchmarks.support.fleets import CONTROL, SHARES, Shift, run_times, usual_time
from benchmarks.support.trials import LIMITS
from walle.release.boundary import limit_threshold
from walle.release.finding import ALPHA, ALPHAS
from walle.release.findings import RATIO_ALPHA
from walle.release.grid import RUN_TIMES
from walle.release.sequential import RARE, TENTH, Prior, difference_evidence, mean_evidence, ratio_evidence

PER_ARM = (500, 2_000, 5_000)
WORSE = (0.02, 0.03, 0.05, 0.10)
DRAWS = (500, 2_000, 6_000)
LOST = (0.1, 0.2, 0.5)
EFFECTS: Final = (0.02, 0.03, 0.05, 0.10, 0.20, 0.50)
SHIFTS: Final[tuple[Shift, ...]] = ("", "tail", "middle", "bimodal", "slower")
SHIFT_STEP: Final = 100
"""Distributions are compared after so many reports of each arm."""


def percentile(counts: Iterable[float], share: float) -> float:
    """Return the smallest count that this many per cent do not exceed; infinite if that many never ended."""
    return float(np.percentile(list(counts), share, method="inverted_cdf"))


def reports_to_bound(console: Console, versions: int, seed: int) -> dict[str, float]:
    """Return how many reports the failure limit needs to tell a rate from the limit, in parts of Wald's bound.

    No test that is ever wrong with a probability of `ALPHA` needs fewer reports on average than log(1 / ALPHA) over the
    divergence of the two rates (Wald 1945), and that takes a test made for this one rate. Beside ours, what that one
    needs in the same releases: Wald's own, with all of ALPHA. Counts are whole numbers: at 50 % the bound is below 3.
    """
    limit, rng = LIMITS.failure_rate, np.random.default_rng(seed)
    title = f"telling a rate of failures from {limit:.0%}: reports, and in parts of Wald's bound"
    table = Table("fails", "bound", "p50", "p95", "of the bound: p50", "p95", "made for it: p50", "p95", title=title)
    figures = {}
    for rate in EFFECTS:
        bound = -log(ALPHA) / (rate * log(rate / limit) + (1 - rate) * log((1 - rate) / (1 - limit)))
        most = int(8 * bound) + 10
        failed = (rng.random((versions, most)) < rate).cumsum(axis=1)
        reported = np.arange(1, most + 1)
        ours = failed >= fewest_hits(limit, limit_threshold(limit, ALPHAS["limit"]), most)[1:]
        likelihood = failed * log(rate / limit) + (reported - failed) * log((1 - rate) / (1 - limit))
        found = [_first(ours), _first(likelihood >= -log(ALPHA))]
        p50, p95, wald50, wald95 = (percentile(firsts, share) for firsts in found for share in (50, 95))
        name = f"wald_{100 * rate:g}"
        figures |= {f"{name}_bound": bound, f"{name}_ratio": p50 / bound, f"{name}_ratio_p95": p95 / bound}
        figures |= {f"{name}_made_for_it": wald50 / bound, f"{name}_made_for_it_p95": wald95 / bound}
        parts = [f"{count / bound:.2f}" for count in (p50, p95, wald50, wald95)]
        table.add_row(f"{rate:.0%}", f"{bound:.1f}", f"{p50:.0f}", f"{p95:.0f}", *parts)
    console.print(table)
    return figures


def _first(reached: Numbers) -> list[float]:
    """Return after how many reports each release is found out."""
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, inf).tolist()


def power_of_distributions(console: Console, pairs: int, seed: int) -> dict[str, float]:
    """Return how often a shift of run times is detected by this many reports of each arm.

    `single` is the former test, of the 0.9 quantile alone; `whole` that of the whole distribution, both with the same
    alpha. The first row is of versions that are as fast as before.
    """
    rng, threshold = np.random.default_rng(seed), -log(ALPHAS["slowdown"])
    margin, usual = LIMITS.slowdown_margin, RUN_TIMES[0].share
    values = np.array([usual_time(point.share) for point in RUN_TIMES])
    title = "power against a shift of run times: the 0.9 quantile alone / whole distributions"
    table = Table("shift", *(f"{size} per arm" for size in PER_ARM), title=title)
    figures = {}
    for shift in SHIFTS:
        console.print(f"comparing run times {pairs} times: {shift or 'none'}")
        firsts: dict[str, list[float]] = {"single": [], "whole": []}
        for _ in range(pairs):
            beyond = [run_times(of, PER_ARM[-1], rng)[:, None] > values for of in (shift, "")]
            treatment, control = (each.cumsum(axis=0)[SHIFT_STEP - 1 :: SHIFT_STEP].tolist() for each in beyond)
            found = dict.fromkeys(firsts, inf)
            for look, (new, old) in enumerate(zip(treatment, control, strict=True), start=1):
                size = look * SHIFT_STEP
                arms = [((t, size), (c, size)) for t, c in zip(new, old, strict=True)]
                single = difference_evidence(*arms[0], margin=margin, priors=TENTH)
                whole = mean_evidence(
                    [
                        difference_evidence(*each, margin=point.margin(margin, usual), priors=point.priors)
                        for each, point in zip(arms, RUN_TIMES, strict=True)
                    ]
                )
                for name, evidence in (("single", single), ("whole", whole)):
                    if evidence >= threshold:
                        found[name] = min(found[name], size)
                if max(found.values()) < inf:
                    break
            for name, first in found.items():
                firsts[name].append(first)
        cells = []
        for size in PER_ARM:
            powers = {name: sum(first <= size for first in each) / pairs for name, each in firsts.items()}
            figures |= {f"{shift or 'same'}_{name}_at_{size}": power for name, power in powers.items()}
            cells.append(" / ".join(f"{power:.0%}" for power in powers.values()))
        table.add_row(shift or "none", *cells)
    console.print(table)
    return figures


def power_of_control(console: Console, pairs: int, seed: int) -> dict[str, float]:
    """Return how often the comparison with control alone detects a release by this many reports of each arm.

    Control fails with 1 %; the reports of the arms alternate, and the evidence is judged after each pair.
    """
    table = Table("control", "treatment", *(f"{size} per arm" for size in PER_ARM), title="power of the control test")
    figures = {}
    rng = np.random.default_rng(seed)
    for rate in WORSE:
        firsts = []
        console.print(f"comparing {pairs} times 1 % with {rate:.0%}")
        for _ in range(pairs):
            treatment, control = (rng.random((2, PER_ARM[-1])) < [[rate], [0.01]]).cumsum(axis=1)
            firsts.append(first_objection(treatment, control))
        powers = [sum(first <= size for first in firsts) / pairs for size in PER_ARM]
        table.add_row("1 %", f"{rate:.0%}", *(f"{power:.0%}" for power in powers))
        name = f"control_1_to_{100 * rate:.0f}_at"
        figures |= {f"{name}_{size}": power for size, power in zip(PER_ARM, powers, strict=True)}
    console.print(table)
    return figures


def first_objection(treatment: Numbers, control: Numbers, priors: tuple[Prior, Prior] = RARE) -> float:
    """Return the number of pairs after which the control test fails, from each arm's failures after each pair."""
    threshold = -log(ALPHAS["control"])
    pairs = np.arange(1, len(treatment) + 1)
    ceiling = apart(np.stack([treatment, pairs]), np.stack([control, pairs]), priors, LIMITS.failure_margin)
    for at in np.flatnonzero(ceiling >= threshold):
        arms = (int(treatment[at]), int(pairs[at])), (int(control[at]), int(pairs[at]))
        if difference_evidence(*arms, margin=LIMITS.failure_margin, priors=priors) >= threshold:
            return float(pairs[at])
    return inf


def power_of_ratio(console: Console, pairs: int, seed: int) -> dict[str, float]:
    """Return how often the mismatch of arms is detected by a number of selections if a part of control's are lost."""
    table = Table("of control's draws", *(f"{size} draws" for size in DRAWS), title="power of the sample-ratio test")
    figures = {}
    rng = np.random.default_rng(seed)
    planned = SHARES[0] / (SHARES[0] + CONTROL)
    for lost in LOST:
        first = rng.random((pairs, DRAWS[-1])) < planned / (planned + (1 - planned) * (1 - lost))
        firsts = [first_mismatch(draws.cumsum(), planned) for draws in first]
        powers = [sum(at <= size for at in firsts) / pairs for size in DRAWS]
        table.add_row(f"{lost:.0%} lost", *(f"{power:.0%}" for power in powers))
        figures |= {f"draws_lost_{100 * lost:.0f}_at_{size}": power for size, power in zip(DRAWS, powers, strict=True)}
    console.print(table)
    return figures


def first_mismatch(first: Numbers, planned: float) -> float:
    """Return the number of selections after which the sample-ratio test fails, from those of treatment after each."""
    pairs = enumerate(first.tolist(), start=1)
    return next((at for at, hits in pairs if ratio_evidence(hits, at - hits, planned) >= -log(RATIO_ALPHA)), inf)
