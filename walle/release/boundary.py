"""How much evidence against a limit is enough: the lowest threshold that keeps the probability of a false alarm.

Ville's inequality allows evidence of 1/alpha and gives something away: evidence grows in jumps, by a factor of up to a
hundred with each hit, and exceeds a threshold more often than it just reaches it. How often it is ever exceeded can be
worked out, since it depends on the numbers of hits and trials alone: a number of hits rejects until a number of trials,
which grows with it, and the hits between two such numbers of trials have a binomial distribution at the limit (Noe
1972). What may come after LEVELS such steps is bounded by Ville's inequality, from what the evidence is there.

It holds for trials that hit with a probability of at most the limit given those before them, as the evidence does:
they hit no sooner than independent trials at the limit, and fewer hits never reject sooner.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p
from typing import Final

from walle.release.sequential import limit_evidence

LEVELS: Final = 32
"""Up to so many hits, their distribution is followed."""
_MOST_GAINED, _STEPS = 0.8, 20
"""By how much the threshold may be lower than Ville's, and in how many steps that is tried."""
_MOST_TRIALS: Final = 1 << 40


@lru_cache(maxsize=1024)
def limit_threshold(limit: float, alpha: float) -> float:
    """Return the value from which `limit_evidence` against this limit rejects: ever, with a probability up to `alpha`.

    It is at most -log(alpha), and mostly about 0.6 less, which saves a tenth of the reports. It takes some fifty
    milliseconds, once for a limit.
    """
    highest = -log(alpha)
    lower = (highest - _MOST_GAINED * step / _STEPS for step in range(_STEPS, 0, -1))
    return next((threshold for threshold in lower if false_alarms(limit, threshold) <= alpha), highest)


def false_alarms(limit: float, threshold: float) -> float:
    """Return an upper bound of the probability that the evidence ever reaches the threshold, at the limit itself."""
    trials, chances = 0, [1.0]
    for level in range(1, LEVELS + 1):
        until = _last_rejecting(level, limit, threshold)
        if until > trials:
            chances = _below(level, chances, until - trials, limit)
            trials = until
    beyond = sum(chance * exp(limit_evidence(hits, trials, limit) - threshold) for hits, chance in enumerate(chances))
    return 1 - sum(chances) + beyond


def _last_rejecting(hits: int, limit: float, threshold: float) -> int:
    """Return the largest number of trials of which so many hits reject; 0 if there is none."""
    if limit_evidence(hits, hits, limit) < threshold:
        return 0
    low, high = hits, 2 * hits
    while high < _MOST_TRIALS and limit_evidence(hits, high, limit) >= threshold:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if limit_evidence(hits, middle, limit) >= threshold else (low, middle)
    return low


def _below(level: int, chances: list[float], trials: int, limit: float) -> list[float]:
    """Return the chances of 0 to `level` - 1 hits after more trials, from those before them; more hits reject."""
    more = [_binomial(hits, trials, limit) for hits in range(min(level - 1, trials) + 1)]
    return [
        sum(chance * more[hits - before] for before, chance in enumerate(chances) if 0 <= hits - before < len(more))
        for hits in range(level)
    ]


def _binomial(hits: int, trials: int, rate: float) -> float:
    """Return the probability of so many hits."""
    ways = lgamma(trials + 1) - lgamma(hits + 1) - lgamma(trials - hits + 1)
    return exp(ways + hits * log(rate) + (trials - hits) * log1p(-rate))
