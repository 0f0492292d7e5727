"""The request for a release, out of files and options."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.cli.commands.release import drafting
from walle.cli.commands.release.drafting import StageOptions
from walle.cli.errors import WrongUsage
from walle.release.strategy import Strategy

NAMES = {"app": "shop", "task": "camera/digits", "version": "1.0.0"}


@given(
    st.lists(st.integers(1, 99), unique=True, max_size=5).map(sorted),
    st.one_of(st.none(), st.just("testers"), st.just("0.5"), st.just("0.5 %")),
    st.one_of(st.none(), st.floats(0, 1000)),
    st.one_of(st.none(), st.integers(0, 1000)),
    st.one_of(st.none(), st.integers(1, 1000)),
)
def test_what_options_make_is_a_strategy(gray, beta, dwell, evidence, pace):
    made = drafting.strategy(None, StageOptions(beta, [*gray, 100], dwell, evidence, pace))
    read = Strategy.from_dict(made)
    assert [stage.share for stage in read.stages if stage.kind == "gray"] == [10_000 * one for one in [*gray, 100]]
    assert [stage.kind for stage in read.stages].count("beta") == (beta is not None)
    assert {stage.pace for stage in read.stages} == {pace}


def test_nothing_said_leaves_all_to_the_server():
    assert drafting.strategy(None, StageOptions()) is None


def test_options_win_over_the_file_and_the_rest_of_it_stays():
    given = {"stages": [{"kind": "gray", "percent": 100}], "metric": "confidence", "limits": {"latency_ms": 250}}
    made = drafting.strategy(
        given, StageOptions(gray=(5, 100)), simulation=False, control=2.5, most={"failure_rate": 0.02}
    )
    assert made == {
        "stages": [{"kind": "gray", "percent": 5}, {"kind": "gray", "percent": 100}],
        "metric": "confidence",
        "limits": {"latency_ms": 250, "failure_rate": 0.02},
        "simulation": False,
        "control_percent": 2.5,
    }


def test_at_once_is_one_stage():
    assert len(Strategy.from_dict(drafting.strategy(None, StageOptions(), at_once=True)).stages) == 1
    with pytest.raises(WrongUsage, match="leave out"):
        drafting.strategy(None, StageOptions(gray=(1, 100)), at_once=True)


def test_stage_options_without_stages_mean_nothing():
    with pytest.raises(WrongUsage, match="require --beta or --gray"):
        drafting.strategy(None, StageOptions(dwell_s=3))


def test_a_rule_said_on_the_line_takes_the_place_of_versions_in_the_file():
    file = {**NAMES, "app_versions": ["1.0.0"]}
    assert drafting.request(file, {"rule": {"fact": "os"}}) == {**NAMES, "rule": {"fact": "os"}}
    assert drafting.request(file, {"version": "1.1.0"}) == {**file, "version": "1.1.0"}


@pytest.mark.parametrize(
    ("file", "said", "words"),
    [
        ({}, NAMES, "which devices"),
        ({"app": "shop"}, {}, "needs task, version"),
        ({**NAMES, "rules": {}}, {}, "has no rules"),
    ],
)
def test_what_is_missing_is_named(file, said, words):
    with pytest.raises(WrongUsage, match=words):
        drafting.request(file, said)


@pytest.mark.parametrize("text", ["", "a", "1,,2", "1;2"])
def test_percents_are_numbers(text):
    with pytest.raises(WrongUsage, match="--gray"):
        drafting.percents(text)


def test_limits_are_numbers():
    assert drafting.limits(["failure_rate=0.02", "latency_ms=250"]) == {"failure_rate": 0.02, "latency_ms": 250}
    with pytest.raises(WrongUsage, match="--max"):
        drafting.limits(["failure_rate"])
