"""The watch of complete releases: what a strategy may say of it, and when a period exceeds its limit."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.after_complete import ALPHA, AfterComplete, judge_period
from walle.release.sequential import limit_evidence
from walle.release.strategy import Strategy, StrategyMalformed
from walle.release.subjects import CALLERS

USUAL = {"failure_rate": None, "period_s": 86_400.0, "evidence": 50, "action": "alert"}


def test_a_complete_release_is_watched_and_only_alerts_unless_its_strategy_says_otherwise():
    assert Strategy.from_dict({}).to_dict()["after_complete"] == USUAL
    assert Strategy.from_dict({"after_complete": None}).after_complete is None
    said = {"failure_rate": 0.03, "period_s": 3600, "evidence": 5, "action": "roll-back"}
    assert Strategy.from_dict({"after_complete": said}).to_dict()["after_complete"] == said


def test_what_is_written_is_read_again():
    for said in ({}, {"after_complete": None}, {"after_complete": {"failure_rate": 0.5, "action": "roll-back"}}):
        strategy = Strategy.from_dict(said)
        assert Strategy.from_dict(strategy.to_dict()) == strategy


def test_the_limit_is_twice_that_of_the_stages_if_none_is_given():
    assert AfterComplete().limit(0.01) == 0.02
    assert AfterComplete().limit(0.9) < 1
    assert AfterComplete(0.5).limit(0.01) == 0.5


@pytest.mark.parametrize(
    ("said", "field", "expected"),
    [
        ({"after_complete": 1}, "after_complete", "an object"),
        ({"after_complete": {"failure_rate": 2}}, "after_complete.failure_rate", "a number from"),
        ({"after_complete": {"period_s": 1}}, "after_complete.period_s", "seconds, 60 to"),
        ({"after_complete": {"evidence": 0}}, "after_complete.evidence", "a whole number, 1 to"),
        ({"after_complete": {"action": "pause"}}, "after_complete.action", "alert or roll-back"),
        ({"after_complete": {"wait": 1}}, "after_complete", "wait"),
        ({"after_complete": {"failure_rate": 0.005}}, "after_complete.failure_rate", "at least the failure_rate 0.01"),
        (
            {"limits": {"failure_rate": 0.1}, "after_complete": {"failure_rate": 0.05}},
            "after_complete.failure_rate",
            "at least the failure_rate 0.1",
        ),
    ],
)
def test_faults_name_their_place(said, field, expected):
    with pytest.raises(StrategyMalformed) as found:
        Strategy.from_dict(said)
    assert any(f"strategy.{field}" in text and expected in text for text in found.value.texts), found.value.texts


def test_a_period_exceeds_its_limit_only_with_enough_reports_and_strong_evidence():
    plan = AfterComplete(evidence=20)
    assert not judge_period(plan, 0.01, 19, 19).exceeds
    assert judge_period(plan, 0.01, 20, 10).exceeds
    assert not judge_period(plan, 0.01, 100, 4).exceeds, "4 % may be chance"
    found = judge_period(plan, 0.01, 412, 37, CALLERS)
    assert found.exceeds
    assert found.sentence == (
        "37 of 412 callers failed since the period began (8.98 %); the limit after completion is 2 %"
    )


def test_nothing_is_known_before_the_first_report():
    found = judge_period(AfterComplete(), 0.01, 0, 0)
    assert (found.enough, found.exceeds) == (False, False)
    assert found.sentence == "0 of 0 devices failed since the period began; the limit after completion is 2 %"


@given(st.integers(1, 2000), st.data())
def test_it_takes_the_evidence_of_its_error_probability(reported, data):
    failed = data.draw(st.integers(0, reported))
    found = judge_period(AfterComplete(evidence=1), 0.01, reported, failed)
    assert found.exceeds == (limit_evidence(failed, reported, 0.02) >= -log(ALPHA))
