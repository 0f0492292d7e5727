"""Bounds that no evidence exceeds, for many counts at once: where they stay below a threshold, no test fails.

The best pair of rates that a null hypothesis allows is replaced by one that is near it: the margin apart, around the
pooled rate. Against a limit, the bound is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import lgamma
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle.release.sequential import Prior, limit_evidence, ratio_evidence

Numbers = NDArray[Any]
MOST: Final = 6_000
"""The largest count."""


def likelihood(hits: Numbers, trials: Numbers, rate: Numbers | float) -> Numbers:
    """Return the log likelihood of one order of outcomes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(hits > 0, hits * np.log(rate), 0) + np.where(
            trials > hits, (trials - hits) * np.log1p(-np.asarray(rate)), 0
        )


def best_fit(hits: Numbers, trials: Numbers) -> Numbers:
    return likelihood(hits, trials, hits / np.maximum(trials, 1))


@cache
def fewest_hits(limit: float, threshold: float, most: int = MOST) -> Numbers:
    """Return for 0, 1, ..., `most` trials with how many hits the evidence against a limit reaches the threshold."""
    hits, found = 1, [1]
    for trials in range(1, most + 1):
        while hits <= trials and limit_evidence(hits, trials, limit) < threshold:
            hits += 1
        found.append(hits)
    return np.array(found)


def apart(
    treatment: Numbers, control: Numbers, priors: tuple[Prior, Prior], margin: float = 0.0, *, two_sided: bool = False
) -> Numbers:
    """Return a bound of `walle.release.sequential.difference_evidence` for two arms, each (hits, trials)."""
    hits, trials = treatment + control
    pooled = hits / np.maximum(trials, 1)
    fit = best_fit(hits, trials)
    for sign in (1, -1) if two_sided else (1,):
        up = pooled + sign * margin * control[1] / np.maximum(trials, 1)
        down = pooled - sign * margin * treatment[1] / np.maximum(trials, 1)
        inside = (np.minimum(up, down) > 0) & (np.maximum(up, down) < 1)
        there = likelihood(*treatment, np.where(inside, up, 0.5)) + likelihood(*control, np.where(inside, down, 0.5))
        fit = np.where(inside, np.maximum(fit, there), fit)
    excess = treatment[0] / np.maximum(treatment[1], 1) - control[0] / np.maximum(control[1], 1)
    within = np.abs(excess) <= margin if two_sided else excess <= margin
    fit = np.where(within, best_fit(*treatment) + best_fit(*control), fit)
    return mixture(priors[0], *treatment) + mixture(priors[1], *control) - fit


def mean_of_odds(evidences: Sequence[Numbers]) -> Numbers:
    """Return `walle.release.sequential.mean_evidence` of many counts at once."""
    return np.logaddexp.reduce(evidences) - np.log(len(evidences))


def off_plan(first: Numbers, control: Numbers, planned: float) -> Numbers:
    """Return the evidence that the arms do not get the planned shares; it changes with the first stage's selections."""
    changes = np.flatnonzero(np.diff(first + control, prepend=-1))
    several = [ratio_evidence(int(first[at]), int(control[at]), planned) for at in changes]
    return np.repeat(several, np.diff(changes, append=len(first)))


def mixture(prior: Prior, hits: Numbers, trials: Numbers) -> Numbers:
    """Return `Prior.log_mixture` of many counts at once."""
    hit, miss, both = (log_gammas(seen) for seen in (prior.hits, prior.misses, prior.hits + prior.misses))
    return hit[hits] + miss[trials - hits] - both[trials] - (hit[0] + miss[0] - both[0])


@cache
def log_gammas(offset: float) -> Numbers:
    return np.array([lgamma(offset + count) for count in range(MOST + 1)])
