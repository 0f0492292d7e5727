"""The threshold of a cascade: as low as a test allows, and with the level that it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.cascades import HeldOut, choose_threshold
from walle.whitebox.cascades.thresholds import score_of


def held(records, *, wrong_below=0.0, seed=0):
    """Records of which the whole is always right, and the prefix wherever it is surer than a bound."""
    sure = np.random.default_rng(seed).uniform(0.5, 1, records)
    return HeldOut(sure, sure >= wrong_below, np.ones(records, np.bool_))


def test_a_prefix_that_is_right_where_it_is_sure_answers_that_alone():
    found = choose_threshold(held(10_000, wrong_below=0.7), 0.001, 0.95)
    assert found.threshold == pytest.approx(0.7, abs=0.01)
    assert found.answered == pytest.approx(0.6, abs=0.02)
    assert (found.whole_accuracy, found.cascade_accuracy) == (1.0, pytest.approx(1.0, abs=0.001))


def test_too_few_records_prove_nothing():
    assert choose_threshold(held(2000), 0.001, 0.95) is None
    assert choose_threshold(held(2800), 0.001, 0.95) is not None
    assert choose_threshold(held(0), 0.001, 0.95) is None


def test_a_prefix_that_is_better_answers_everything():
    records = 5000
    sure = np.linspace(0.5, 1, records)
    found = choose_threshold(HeldOut(sure, np.ones(records, np.bool_), sure > 0.6), 0.001, 0.95)
    assert found.answered == 1.0
    assert found.cascade_accuracy > found.whole_accuracy
    assert found.threshold < 0.5


def test_a_threshold_is_never_between_equal_confidences():
    sure = np.repeat([0.9, 0.8, 0.6], 4000)
    found = choose_threshold(HeldOut(sure, sure > 0.7, np.ones(12_000, np.bool_)), 0.001, 0.95)
    assert found.threshold == pytest.approx(0.7)
    assert found.answered == pytest.approx(2 / 3)


def test_the_score_is_none_for_a_difference_of_the_tolerance_itself():
    assert score_of(0, 0, 3000, 0.001) == pytest.approx(-np.sqrt(3), abs=0.01)
    assert score_of(30, 27, 3000, 0.001) == pytest.approx(0.0, abs=1e-9)


@given(worse=st.integers(0, 50), better=st.integers(0, 50))
def test_more_records_for_which_the_cascade_alone_is_right_speak_for_it(worse, better):
    assert score_of(worse, better + 1, 1000, 0.01) < score_of(worse, better, 1000, 0.01)
    assert score_of(worse + 1, better, 1000, 0.01) > score_of(worse, better, 1000, 0.01)


def test_the_level_holds_where_accuracy_is_less_by_the_tolerance_at_the_bound():
    """A prefix whose loss passes the tolerance at one threshold: lower ones are chosen in one case of twenty."""
    rng = np.random.default_rng(5)
    records, tolerance, chosen_too_low, trials = 4000, 0.01, 0, 400
    for _ in range(trials):
        sure = rng.random(records)
        # Of the records below 0.9 it is wrong in a tenth: a loss of 0.01 in all where it answers down to 0.8.
        right = (sure > 0.9) | (rng.random(records) > 0.1)
        found = choose_threshold(HeldOut(sure, right, np.ones(records, np.bool_)), tolerance, 0.95)
        chosen_too_low += found is not None and found.threshold < 0.8
    assert chosen_too_low / trials < 0.09
