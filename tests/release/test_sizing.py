"""What a strategy leaves open fits the devices, and how long stages take follows from when devices checked in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.cohort import BUCKETS
from walle.release.sizing import MatchedDevices, fitted, fitted_control, fitted_stages, seconds_until, stage_seconds
from walle.release.strategy import DEFAULT_STAGES, StageStrategy, Strategy

MINUTES = [60.0 * minute for minute in range(1, 61)]


def audience(devices, listed=0, ages=MINUTES):
    return MatchedDevices(devices, lambda _: listed, lambda: ages)


@given(st.integers(1, 10**7))
def test_default_stages_never_wait_for_more_than_a_third_of_what_they_add(devices):
    stages = fitted_stages(devices)
    before = 0
    for stage in stages:
        adds = devices * (stage.share - before) / BUCKETS
        assert 1 <= stage.evidence <= max(1, adds / 3)
        before = stage.share
    assert before == BUCKETS
    strategy = Strategy.from_dict(fitted({}, audience(devices)))
    assert strategy.stages == stages
    assert strategy.waits_for_evidence, "or it would take the right to complete early"
    assert strategy.control_at(0) in (0, strategy.control)


@pytest.mark.parametrize(
    ("devices", "expected"),
    [
        (5, [(50, 1), (100, 1)]),
        (80, [(50, 13), (100, 13)]),
        (99, [(50, 16), (100, 16)]),
        (100, [(10, 3), (50, 13), (100, 16)]),
        (1_000, [(1, 3), (10, 30), (50, 100), (100, 100)]),
        (3_456, [(0.29, 3), (1, 8), (10, 100), (50, 100), (100, 100)]),
        (10**6, [(0.01, 20), (1, 100), (10, 100), (50, 100), (100, 100)]),
    ],
)
def test_the_default_stages_of_fleets(devices, expected):
    assert [(stage.share / 10_000, stage.evidence) for stage in fitted_stages(devices)] == expected


@given(st.integers(100, 10**8))
def test_beta_is_ten_to_a_hundred_devices_wherever_that_is_a_tenth_at_most(devices):
    first, *_ = fitted_stages(devices)
    assert first.kind == "beta"
    assert 10 <= devices * first.share / BUCKETS <= 110 + devices / BUCKETS
    assert first.share <= BUCKETS / 10


def test_of_devices_that_nobody_knows_the_usual_values_are_left_to_be_filled_in():
    assert fitted({"simulation": False}, audience(0)) == {"simulation": False}
    assert Strategy.from_dict(fitted({}, audience(0))).stages == DEFAULT_STAGES


def test_what_is_said_stays():
    said = {
        "stages": [{"kind": "gray", "percent": 100, "evidence": 40}],
        "control_percent": 0,
        "grace_s": 10,
        "after_complete": {"evidence": 99},
    }
    assert fitted(said, audience(30)) == said
    assert fitted({**said, "after_complete": None}, audience(30))["after_complete"] is None


def test_minimum_samples_that_are_left_out_fit_each_stage():
    stages = [{"kind": "beta", "list": "testers"}, {"kind": "gray", "percent": 50}, {"kind": "gray", "percent": 100}]
    found = fitted({"stages": stages}, audience(60, listed=6))
    assert [stage["evidence"] for stage in found["stages"]] == [2, 10, 10]


@pytest.mark.parametrize("stages", [None, 3, "all", [3, None, {"percent": "x"}, {"percent": True}, {"list": 4}, {}]])
def test_what_cannot_be_read_is_left_to_be_refused(stages):
    assert fitted({"stages": stages}, audience(60))["stages"] == stages


def test_few_devices_are_compared_with_more_of_them():
    assert [fitted_control(devices) for devices in (1, 30, 80, 200, 10**6)] == [20, 20, 13, 5, 5]


def test_the_grace_period_lasts_until_the_devices_needed_have_checked_in():
    rarely = [3600.0 * hour for hour in range(1, 61)]
    assert fitted({}, audience(1_000))["grace_s"] == 3600
    # A third of 10, 90 and a quarter of 400 and 500 devices: the first 20 of 60 ages, with a margin.
    assert fitted({}, audience(1_000, ages=rarely))["grace_s"] == 1.5 * 20 * 3600


@given(st.lists(st.floats(0, 10**6), min_size=1).map(sorted), st.floats(0.001, 1))
def test_within_the_time_so_large_a_part_has_checked_in(ages, part):
    seconds = seconds_until(part, ages)
    assert sum(age <= seconds for age in ages) >= part * len(ages) - 1e-9
    assert sum(age < seconds for age in ages) < part * len(ages) + 1e-9


def test_a_stage_takes_its_soak_time_its_pace_or_until_enough_have_checked_in():
    stage = StageStrategy("gray", BUCKETS, dwell_s=30, evidence=50)
    assert stage_seconds(stage, 100, MINUTES) == 1800
    assert stage_seconds(stage, 50, MINUTES) == 3600
    assert stage_seconds(stage, 49, MINUTES) is None
    assert stage_seconds(stage, 100, []) is None
    quick = StageStrategy("gray", BUCKETS, dwell_s=30, evidence=0, pace=2)
    assert stage_seconds(quick, 0, []) == 30
    assert stage_seconds(quick, 100, []) == 50
