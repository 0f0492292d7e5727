"""Evidence that stays valid however often one looks: e-values out of counts, as natural logarithms.

Each function compares the probability of the data under "something is wrong" with the largest one under "all is well"
(the null hypothesis). While all is well, the evidence exceeds 1/alpha at any time, after any number of looks, with a
probability of at most alpha (Ville 1939; Howard, Ramdas, McAuliffe, Sekhon 2021, arXiv:1810.08240). So a release may be
judged after every report, and the errors of several tests add up to at most the sum of their alphas.

All of it is a function of counts: the order of reports does not matter, and the evidence can be worked out again from
the rows at any time. A call costs microseconds, whatever the counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, exp, lgamma, log, log1p
from typing import Final, NamedTuple

_SPAN: Final = log(100)
_STEPS: Final = 16
_RATIO_WEIGHT: Final = 100.0
_HALVINGS: Final = 40
"""A likelihood is flat around its top: a rate that is 1e-12 off costs nothing."""
_GRID: Final = tuple(1 / (1 + exp(-14 * step / 511)) for step in range(-511, 512))
"""Rates from a millionth to all but a millionth, whose odds lie a fortieth apart."""


class Prior(NamedTuple):
    """A beta distribution over an arm's rate: as if `hits` and `misses` had been seen before; both above 0."""

    hits: float
    misses: float

    def log_mixture(self, hits: int, trials: int) -> float:
        """Return the log probability of one order of the outcomes, averaged over the rate."""
        misses = trials - hits
        return _log_beta(self.hits + hits, self.misses + misses) - _log_beta(self.hits, self.misses)


RARE: Final = (Prior(1, 10), Prior(0.5, 20))
"""For rates of failures and the like: what treatment and control are expected to show if something is wrong."""
TENTH: Final = (Prior(1, 5), Prior(2, 18))
"""For shares beyond a 0.9 quantile: a tenth in control, more in treatment."""
EVEN: Final = (Prior(1, 1), Prior(10, 10))
"""For shares below a median: a half in control, anything in treatment."""


def limit_evidence(hits: int, trials: int, limit: float) -> float:
    """Log evidence that the rate of hits is above `limit` (0 < limit < 1), against: it is at most that.

    For each rate above the limit, the likelihood ratio to the limit is a supermartingale as long as no trial hits with
    a probability above the limit given those before it; trials need be neither alike nor independent. Their average
    over fixed rates is one as well (the method of mixtures; Robbins 1970). The rates here have 100^(1/16), 100^(2/16),
    ..., 100 times the odds of the limit, in equal parts: near enough to each other for what lies between them.
    """
    ratios = [hits * hit + (trials - hits) * miss for hit, miss in _alternatives(limit)]
    top = max(ratios)
    return top + log(sum(exp(ratio - top) for ratio in ratios) / _STEPS)


def trials_within(hits: int, limit: float) -> int:
    """Return the fewest trials with which a rate of so many hits is as likely below `limit` as above it.

    Every order of magnitude of the rate is taken to be as likely as each other beforehand, so that its distribution
    afterwards is about a gamma distribution of `hits` over the trials, whose median is `hits` - 1/3 (Choi 1994).
    Without any hit no trial is needed.
    """
    return max(hits, ceil((hits - 1 / 3) / limit)) if hits else 0


@lru_cache(maxsize=8192)
def rate_bounds(hits: int, trials: int, alpha: float) -> tuple[float, float]:
    """Return a confidence sequence: the bounds of the true rate, valid however often one looks.

    Each end is ever wrong with a probability of at most `alpha`. The ends are the limits that `limit_evidence` does not
    reject, for hits and for misses, and hold under its assumptions; they are rounded outwards, to a fortieth of their
    odds. They come no closer to the observed rate than a seventh of its odds: the mixture has no nearer rates.
    """
    threshold = -log(alpha)
    return _above(hits, trials, threshold), 1 - _above(trials - hits, trials, threshold)


def _above(hits: int, trials: int, threshold: float) -> float:
    """Return the highest limit of the grid that is exceeded, 0 if none is: the evidence falls with the limit."""
    exceeded = bisect_right(_GRID, -threshold, key=lambda limit: -limit_evidence(hits, trials, limit))
    return _GRID[exceeded - 1] if exceeded else 0.0


def rate_evidence(hits: int, trials: int, limit: float, rate: float) -> float:
    """Like `limit_evidence` against the one alternative `rate` (limit < rate < 1): the log likelihood ratio.

    Where hits are at least `rate` of the trials, it is at least trials * KL(rate || limit), so that the rule "stop at
    this rate after so many trials" has an exact alpha too.
    """
    return _log_likelihood(hits, trials, rate) - _log_likelihood(hits, trials, limit)


def difference_evidence(
    treatment: tuple[int, int],
    control: tuple[int, int],
    *,
    margin: float = 0.0,
    two_sided: bool = False,
    priors: tuple[Prior, Prior] = RARE,
) -> float:
    """Log evidence that treatment's rate is above control's by more than `margin`, against: it is not.

    Arms are (hits, trials). If `two_sided`, the null hypothesis is that the rates are within `margin` of each other.
    Universal inference (Wasserman, Ramdas, Balakrishnan 2020, arXiv:1912.11436), its sequential form: a beta mixture of
    each arm over the likelihood of the best pair of rates that the null hypothesis allows. Over that of the true pair
    it would be a martingale; the best pair only makes it smaller.

    Proven for one rate in each arm, whatever the order and proportion in which the arms report. If rates change with
    time for both arms alike, as in an outage, the comparison is only fair while the arms' shares of the reports stay.
    """
    mixed = priors[0].log_mixture(*treatment) + priors[1].log_mixture(*control)
    return mixed - _best_fit(treatment, control, margin, two_sided)


def mean_evidence(evidences: Sequence[float]) -> float:
    """Log evidence of several tests together that something is wrong in any of them: the log of their mean odds.

    Valid however much the tests depend on each other, as two of the same devices do (Vovk, Wang 2021,
    arXiv:1912.06116), if which tests there are is fixed beforehand. It is at most log(len) below the strongest one.
    """
    top = max(evidences)
    return top + log(sum(exp(evidence - top) for evidence in evidences) / len(evidences))


def ratio_evidence(first: int, second: int, share: float) -> float:
    """Log evidence that selections do not fall to the first of two arms with probability `share` (0 < share < 1).

    The sequential test for a sample-ratio mismatch (Lindon, Malek 2022, arXiv:2011.03567): a beta mixture around the
    share over the share's own likelihood; a martingale if selections are independent.
    """
    around = Prior(_RATIO_WEIGHT * share, _RATIO_WEIGHT * (1 - share))
    trials = first + second
    return around.log_mixture(first, trials) - _log_likelihood(first, trials, share)


@lru_cache(maxsize=2048)
def _alternatives(limit: float) -> tuple[tuple[float, float], ...]:
    """Return for each rate of the mixture the log likelihood ratio of a hit and that of a miss."""
    odds = limit / (1 - limit)
    rates = [1 - 1 / (1 + odds * exp(_SPAN * step / _STEPS)) for step in range(1, _STEPS + 1)]
    return tuple((log(rate / limit), log1p(-rate) - log1p(-limit)) for rate in rates)


def _best_fit(treatment: tuple[int, int], control: tuple[int, int], margin: float, two_sided: bool) -> float:
    """Return the largest log likelihood of both arms that the null hypothesis of no difference allows."""
    (hits_t, trials_t), (hits_c, trials_c) = treatment, control
    if trials_t and trials_c:
        excess = hits_t / trials_t - hits_c / trials_c
        if excess > margin:
            return _best_at(treatment, control, margin)
        if two_sided and -excess > margin:
            return _best_at(control, treatment, margin)
    return _fit(hits_t, trials_t) + _fit(hits_c, trials_c)


def _best_at(higher: tuple[int, int], lower: tuple[int, int], margin: float) -> float:
    """Return the largest log likelihood of two arms at rates `margin` apart, if their fits are further apart.

    It is concave in the rate, and its slope changes sign between the fit of the lower arm and that of the higher one.
    """
    (hits_h, trials_h), (hits_l, trials_l) = higher, lower

    def slope(rate: float) -> float:
        return _slope(hits_h, trials_h, rate + margin) + _slope(hits_l, trials_l, rate)

    rate = _falls_to_zero(slope, hits_l / trials_l, hits_h / trials_h - margin)
    return _log_likelihood(hits_h, trials_h, rate + margin) + _log_likelihood(hits_l, trials_l, rate)


def _falls_to_zero(slope: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function reaches zero between two points, by bisection."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if slope(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _fit(hits: int, trials: int) -> float:
    return _log_likelihood(hits, trials, hits / trials) if trials else 0.0


def _log_likelihood(hits: int, trials: int, rate: float) -> float:
    """Return the log likelihood of one order of the outcomes; what never occurred may have probability zero."""
    misses = trials - hits
    hit = hits * log(rate) if hits else 0.0
    return hit + (misses * log1p(-rate) if misses else 0.0)


def _slope(hits: int, trials: int, rate: float) -> float:
    """Return the derivative of the log likelihood with respect to the rate."""
    misses = trials - hits
    return (hits / rate if hits else 0.0) - (misses / (1 - rate) if misses else 0.0)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
