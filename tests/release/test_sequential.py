"""Evidence: exactly valid under every way of ordering, looking and stopping; and right in its numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import exp, factorial, inf, log, log1p

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from walle.release.sequential import (
    EVEN,
    RARE,
    TENTH,
    Prior,
    difference_evidence,
    limit_evidence,
    mean_evidence,
    rate_bounds,
    rate_evidence,
    ratio_evidence,
    trials_within,
)

ROUNDING = 1e-9
PRIORS = {"rare": RARE, "tenth": TENTH, "even": EVEN}
limits = st.floats(1e-4, 0.95)
Arms = tuple[tuple[int, int], tuple[int, int]]


@st.composite
def arms(draw: st.DrawFn, most: int = 100_000) -> tuple[int, int]:
    trials = draw(st.integers(0, most))
    return draw(st.integers(0, trials)), trials


# One arm: each report multiplies the evidence by at most 1 on average, whatever came before.


@given(limits, st.floats(0, 1), arms(1_000_000))
def test_no_report_within_the_limit_is_expected_to_raise_the_evidence(limit: float, part: float, arm: Arms) -> None:
    hits, trials = arm
    now, rate = limit_evidence(hits, trials, limit), part * limit
    hit = exp(limit_evidence(hits + 1, trials + 1, limit) - now)
    miss = exp(limit_evidence(hits, trials + 1, limit) - now)
    assert rate * hit + (1 - rate) * miss <= 1 + ROUNDING * max(1, trials * 1e-3)


@given(limits, st.floats(0.01, 1), st.floats(0.01, 0.99), arms(10_000))
def test_nor_that_against_one_rate(limit: float, part: float, above: float, arm: Arms) -> None:
    hits, trials = arm
    alternative, rate = limit + above * (1 - limit), part * limit
    now = rate_evidence(hits, trials, limit, alternative)
    hit = exp(rate_evidence(hits + 1, trials + 1, limit, alternative) - now)
    miss = exp(rate_evidence(hits, trials + 1, limit, alternative) - now)
    assert rate * hit + (1 - rate) * miss <= 1 + ROUNDING * max(1, trials)


@given(st.floats(0.01, 0.99), arms(10_000))
def test_draws_as_planned_are_not_expected_to_change_the_evidence(share: float, arm: Arms) -> None:
    first, drawn = arm
    now = ratio_evidence(first, drawn - first, share)
    one = exp(ratio_evidence(first + 1, drawn - first, share) - now)
    other = exp(ratio_evidence(first, drawn - first + 1, share) - now)
    assert share * one + (1 - share) * other == pytest.approx(1, rel=1e-6)


# Two arms: the best that anyone can do who picks the arm of each report and when to stop, knowing both true rates.


def best_expected(evidence: Callable[[Arms], float], rates: tuple[float, float], most: int) -> float:
    """The largest expected e-value that any choice of arms, looks and stop within `most` reports can reach."""

    @cache
    def best(treatment: tuple[int, int], control: tuple[int, int]) -> float:
        stopped = exp(evidence((treatment, control)))
        if treatment[1] + control[1] == most:
            return stopped
        going_on = (
            sum(
                chance * best(treatment, (control[0] + hit, control[1] + 1))
                for hit, chance in ((1, rates[1]), (0, 1 - rates[1]))
            ),
            sum(
                chance * best((treatment[0] + hit, treatment[1] + 1), control)
                for hit, chance in ((1, rates[0]), (0, 1 - rates[0]))
            ),
        )
        return max(stopped, *going_on)

    return best((0, 0), (0, 0))


ALIKE = [(rate, rate) for rate in (0.01, 0.05, 0.2, 0.5, 0.9)]
WITHIN_A_TENTH = [(0.1, 0.0), (0.15, 0.05), (0.6, 0.5), (1.0, 0.9), (0.3, 0.25)]


@pytest.mark.slow
@pytest.mark.parametrize("priors", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("rates", [*ALIKE, (0.05, 0.1), (0.0, 0.5)])
def test_no_strategy_gains_evidence_for_treatment_that_is_no_worse(
    rates: tuple[float, float], priors: tuple[Prior, Prior]
) -> None:
    assert best_expected(lambda arms: difference_evidence(*arms, priors=priors), rates, 16) <= 1 + ROUNDING


@pytest.mark.parametrize("rates", WITHIN_A_TENTH)
def test_nor_for_what_is_worse_within_the_margin(rates: tuple[float, float]) -> None:
    assert best_expected(lambda arms: difference_evidence(*arms, margin=0.1, priors=TENTH), rates, 16) <= 1 + ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize("rates", [*ALIKE, *WITHIN_A_TENTH, *(rates[::-1] for rates in WITHIN_A_TENTH)])
def test_nor_for_what_differs_within_the_margin(rates: tuple[float, float]) -> None:
    def evidence(arms: Arms) -> float:
        return difference_evidence(*arms, margin=0.1, two_sided=True, priors=EVEN)

    assert best_expected(evidence, rates, 16) <= 1 + ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.1, 0.02])
@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5])
def test_the_chance_of_ever_objecting_keeps_to_alpha(rate: float, alpha: float) -> None:
    """Exact, for whoever orders the reports of two equal arms so that it becomes as large as possible."""
    threshold = -log(alpha)

    def reached(arms: Arms) -> float:
        return 0.0 if difference_evidence(*arms, priors=EVEN) >= threshold else -inf

    assert best_expected(reached, (rate, rate), 20) <= alpha


@pytest.mark.parametrize(("limit", "alpha"), [(0.01, 0.01), (0.1, 0.05), (0.5, 0.1)])
def test_the_chance_of_ever_exceeding_a_limit_that_is_kept_keeps_to_alpha(limit: float, alpha: float) -> None:
    """Exact, over 400 reports that each hit with the limit's probability."""
    alive, objected = {0: 1.0}, 0.0
    for trials in range(1, 401):
        after: dict[int, float] = {}
        for hits, chance in alive.items():
            after[hits] = after.get(hits, 0.0) + chance * (1 - limit)
            after[hits + 1] = after.get(hits + 1, 0.0) + chance * limit
        objections = {hits for hits in after if limit_evidence(hits, trials, limit) >= -log(alpha)}
        objected += sum(after.pop(hits) for hits in objections)
        alive = after
    assert 0 < objected <= alpha


# The numbers themselves.


@given(arms(300), arms(300), st.sampled_from([RARE, TENTH, EVEN]))
def test_a_mixture_is_the_product_of_its_predictions(first: Arms, second: Arms, priors: tuple[Prior, Prior]) -> None:
    """Each report predicted from those before it, as an urn does (Polya)."""
    for prior, (hits, trials) in zip(priors, (first, second), strict=True):
        expected, seen = 0.0, [prior.hits, prior.misses]
        for outcome in [0] * hits + [1] * (trials - hits):
            expected += log(seen[outcome] / sum(seen))
            seen[outcome] += 1
        assert prior.log_mixture(hits, trials) == pytest.approx(expected, abs=1e-9, rel=1e-9)


@given(
    arms(10_000),
    arms(10_000),
    st.sampled_from([0.0, 0.002, 0.1, 0.9]),
    st.booleans(),
    st.floats(0, 1),
    st.floats(-1, 1),
)
@example((60, 100), (45, 100), 0.1, False, 0.475, 0.1)
def test_no_rates_that_the_null_hypothesis_allows_fit_better(
    treatment: Arms, control: Arms, margin: float, two_sided: bool, rate: float, apart: float
) -> None:
    other = min(1.0, max(0.0, rate + margin * apart if two_sided else min(rate + margin, rate + apart)))
    allowed = likelihood(*treatment, other) + likelihood(*control, rate)
    mixed = RARE[0].log_mixture(*treatment) + RARE[1].log_mixture(*control)
    assert difference_evidence(treatment, control, margin=margin, two_sided=two_sided) <= mixed - allowed + 1e-6


def likelihood(hits: int, trials: int, rate: float) -> float:
    if (hits and rate == 0) or (hits < trials and rate == 1):
        return -inf
    return (hits * log(rate) if hits else 0) + ((trials - hits) * log1p(-rate) if hits < trials else 0)


@given(arms(), arms())
def test_the_best_common_rate_is_the_pooled_one(treatment: Arms, control: Arms) -> None:
    (hits_t, trials_t), (hits_c, trials_c) = treatment, control
    hits, trials = hits_t + hits_c, trials_t + trials_c
    if hits_t * trials_c > hits_c * trials_t:
        mixed = RARE[0].log_mixture(*treatment) + RARE[1].log_mixture(*control)
        expected = mixed - likelihood(hits, trials, hits / trials)
        assert difference_evidence(treatment, control) == pytest.approx(expected, abs=1e-6)


@given(limits, st.integers(1, 100_000), st.data())
def test_more_hits_are_more_evidence_against_a_limit_and_misses_less(
    limit: float, trials: int, data: st.DataObject
) -> None:
    hits = data.draw(st.integers(0, trials - 1))
    evidence = limit_evidence(hits, trials, limit)
    assert limit_evidence(hits + 1, trials, limit) > evidence > limit_evidence(hits, trials + 1, limit)


@given(st.integers(20, 5_000), st.integers(4, 5_000), st.sampled_from([0.0, 0.002, 0.05]), st.data())
def test_more_failures_are_more_evidence_and_more_in_control_are_less(
    held: int, trials: int, margin: float, data: st.DataObject
) -> None:
    """Where there is evidence, control mostly does well and treatment not all wrong: elsewhere the priors blur it."""
    control = data.draw(st.integers(0, held // 5)), held
    hits = data.draw(st.integers(0, trials * 3 // 4))
    evidence = difference_evidence((hits, trials), control, margin=margin)
    if evidence > 0:
        blur = 1.0 if margin else 0.0
        assert difference_evidence((hits + 1, trials), control, margin=margin) > evidence
        assert difference_evidence((hits, trials), (control[0] + 1, held), margin=margin) < evidence + blur


@given(arms(), arms(), st.sampled_from([0.0, 0.1]))
def test_two_sided_evidence_treats_both_arms_alike(first: Arms, second: Arms, margin: float) -> None:
    alike = (Prior(1, 1), Prior(1, 1))
    one = difference_evidence(first, second, margin=margin, two_sided=True, priors=alike)
    assert one == pytest.approx(difference_evidence(second, first, margin=margin, two_sided=True, priors=alike))


@given(arms(), arms(), st.sampled_from([0.0, 0.1]))
def test_one_sided_evidence_is_never_more_than_two_sided(first: Arms, second: Arms, margin: float) -> None:
    one = difference_evidence(first, second, margin=margin)
    assert one <= difference_evidence(first, second, margin=margin, two_sided=True) + 1e-9


@given(st.floats(0.01, 0.4), st.floats(0.01, 0.99), st.integers(1, 1000))
def test_a_rate_that_is_reached_is_worth_its_divergence(limit: float, above: float, trials: int) -> None:
    rate = limit + above * (0.99 - limit)
    hits = -int(-rate * trials // 1)
    divergence = rate * log(rate / limit) + (1 - rate) * log((1 - rate) / (1 - limit))
    assert rate_evidence(hits, trials, limit, rate) >= trials * divergence - 1e-6


@pytest.mark.parametrize(("first", "second", "share"), [(30, 10, 0.5), (95, 5, 0.9), (5, 95, 0.9), (1, 0, 0.05)])
def test_the_evidence_of_draws_is_that_of_an_urn_filled_by_the_planned_share(
    first: int, second: int, share: float
) -> None:
    """An urn of a hundred balls in the planned proportion, to which each draw adds one of its own kind."""
    expected, urn = 0.0, [100 * share, 100 * (1 - share)]
    for arm, planned in [(0, share)] * first + [(1, 1 - share)] * second:
        expected += log(urn[arm] / sum(urn) / planned)
        urn[arm] += 1
    assert ratio_evidence(first, second, share) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("priors", PRIORS.values(), ids=PRIORS)
def test_each_arm_is_averaged_over_its_own_prior(priors: tuple[Prior, Prior]) -> None:
    for treatment, control in (((9, 60), (3, 60)), ((2, 5), (0, 200)), ((0, 40), (0, 40))):
        (hits_t, trials_t), (hits_c, trials_c) = treatment, control
        pooled = (hits_t + hits_c) / (trials_t + trials_c)
        mixed = priors[0].log_mixture(*treatment) + priors[1].log_mixture(*control)
        fitted = likelihood(hits_t, trials_t, pooled) + likelihood(hits_c, trials_c, pooled)
        assert difference_evidence(treatment, control, priors=priors) == pytest.approx(mixed - fitted, abs=1e-9)


def test_what_is_expected_of_each_arm_where_something_is_wrong() -> None:
    """More hits in treatment than in control, and few in both where they are rare."""
    rates = {name: tuple(prior.hits / sum(prior) for prior in of) for name, of in PRIORS.items()}
    assert rates["rare"] == pytest.approx((1 / 11, 0.5 / 20.5))
    assert rates["tenth"] == pytest.approx((1 / 6, 0.1))
    assert rates["even"] == (0.5, 0.5)


def test_nothing_seen_is_no_evidence() -> None:
    assert limit_evidence(0, 0, 0.01) == rate_evidence(0, 0, 0.01, 0.5) == ratio_evidence(0, 0, 0.3) == 0
    assert difference_evidence((0, 0), (0, 0)) == 0


@given(arms(), st.sampled_from([0.0, 0.1]), st.booleans())
def test_one_arm_alone_is_no_evidence_of_a_difference(arm: Arms, margin: float, two_sided: bool) -> None:
    assert difference_evidence(arm, (0, 0), margin=margin, two_sided=two_sided) <= 1e-6
    assert difference_evidence((0, 0), arm, margin=margin, two_sided=two_sided) <= 1e-6


def test_a_billion_reports_are_no_trouble() -> None:
    billion = 1_000_000_000
    assert limit_evidence(billion // 50, billion, 0.01) == pytest.approx(3_906_000, rel=0.05)
    assert limit_evidence(0, billion, 0.01) < -1_000_000
    assert difference_evidence((billion // 100, billion), (billion // 100, billion)) < 0
    assert difference_evidence((billion // 50, billion), (billion // 100, billion)) > 1_000_000


# Bounds of a rate: the limits that evidence does not speak against.


@given(arms(1_000_000), st.sampled_from([0.0005, 0.004, 0.05]))
def test_bounds_are_where_the_evidence_against_a_limit_reaches_its_threshold(
    arm: tuple[int, int], alpha: float
) -> None:
    hits, trials = arm
    low, high = rate_bounds(hits, trials, alpha)
    assert low <= (hits / trials if trials else 0.5) <= high
    if low:
        assert limit_evidence(hits, trials, low) >= -log(alpha)
    if high < 1:
        assert limit_evidence(trials - hits, trials, 1 - high) >= -log(alpha) - ROUNDING * max(1, trials)
    beyond = min(1.04 * low + 2e-6, 0.999999)
    if hits and beyond < 0.9:
        assert limit_evidence(hits, trials, beyond) < -log(alpha)


@given(arms(10_000), st.integers(1, 1000))
def test_bounds_change_only_the_way_that_outcomes_point(arm: tuple[int, int], more: int) -> None:
    hits, trials = arm
    low, high = rate_bounds(hits, trials, 0.004)
    assert rate_bounds(hits + more, trials + more, 0.004)[0] >= low
    assert rate_bounds(hits, trials + more, 0.004)[1] <= high


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"), [(0, 0, 0, 1), (0, 100, 0, 0.0607), (12, 1000, 0.0031, 0.0307)]
)
def test_bounds_in_numbers(hits: int, trials: int, low: float, high: float) -> None:
    assert rate_bounds(hits, trials, 0.004) == pytest.approx((low, high), abs=1e-4)


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=4))
def test_the_mean_of_odds_is_below_the_best_by_no_more_than_their_number(evidences: list[float]) -> None:
    best = max(evidences)
    assert best - log(len(evidences)) - ROUNDING <= mean_evidence(evidences) <= best + ROUNDING
    assert mean_evidence(evidences * 2) == pytest.approx(mean_evidence(evidences))


@given(st.integers(1, 40), st.floats(1e-4, 0.01))
def test_so_many_trials_make_a_rate_within_its_limit_as_likely_as_one_above(hits: int, limit: float) -> None:
    """A gamma distribution of `hits` exceeds what a Poisson distribution of that mean does not reach."""

    def above(trials: int) -> float:
        mean = limit * trials
        return sum(exp(-mean) * mean**count / factorial(count) for count in range(hits))

    enough = trials_within(hits, limit)
    assert above(enough) < 0.52
    assert above(enough - 1) > 0.48


def test_few_trials_are_within_a_high_limit() -> None:
    assert trials_within(0, 0.01) == 0
    assert trials_within(3, 0.99) == 3
