"""Strategies: what is said is kept, what is not is filled in, and every fault is named where it is."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.cohort import BUCKETS
from walle.release.strategy import AT_ONCE, DEFAULT_STAGES, StageStrategy, Strategy, StrategyMalformed

shares = st.lists(st.integers(1, BUCKETS - 1), max_size=5, unique=True).map(lambda found: [*sorted(found), BUCKETS])


@st.composite
def strategies(draw: st.DrawFn) -> Strategy:
    def gray(share: int) -> StageStrategy:
        pace = draw(st.none() | st.integers(1, 10**6))
        return StageStrategy("gray", share, None, draw(st.integers(0, 900)), draw(st.integers(0, 500)), pace)

    stages = [gray(share) for share in draw(shares)]
    beta = draw(st.sampled_from([(), (StageStrategy("beta", 0, "testers"),)]))
    control = draw(st.integers(0, BUCKETS))
    return Strategy((*beta, *stages), draw(st.booleans()), draw(st.booleans()), control)


@given(strategies())
def test_round_trip(strategy: Strategy) -> None:
    assert Strategy.from_dict(strategy.to_dict()) == strategy


@given(strategies())
def test_control_never_takes_what_a_stage_takes(strategy: Strategy) -> None:
    for position, stage in enumerate(strategy.stages):
        assert 0 <= strategy.control_at(position) <= min(strategy.control, BUCKETS - stage.share)
        assert stage.kind == "gray" or not strategy.control_at(position)
    assert strategy.control_at(len(strategy.stages) - 1) == 0


def test_what_a_newer_version_stored_is_left_out_where_it_is_unknown() -> None:
    window = {"zone": "Asia/Shanghai", "from": "01:00", "to": "05:00", "days": [0]}
    strategy = Strategy.from_dict({"window": window, "limits": {"failure_rate": 0.005}})
    stored = strategy.to_dict()
    for table in (stored, *stored["stages"], stored["limits"], stored["window"], stored["after_complete"]):
        table["of_next_year"] = {"x": 1}
    assert Strategy.from_stored(stored) == strategy
    with pytest.raises(StrategyMalformed, match="of_next_year"):
        Strategy.from_dict(stored)
    without = strategy.to_dict() | {"window": None, "after_complete": None}
    assert Strategy.from_stored(without) == Strategy.from_dict(without)


def test_what_is_not_said_is_filled_in() -> None:
    strategy = Strategy.from_dict({})
    assert strategy.stages == DEFAULT_STAGES
    assert strategy.simulation
    assert strategy.limits.failure_rate == 0.01
    assert strategy.outline.stages == len(DEFAULT_STAGES)
    assert Strategy.from_dict(dict(AT_ONCE)).stages[0].share == BUCKETS


@pytest.mark.parametrize(("percent", "share"), [(0.0001, 1), (12.3456, 123_456), (100, BUCKETS), (33.3333, 333_333)])
def test_shares_resolve_to_a_millionth(percent: float, share: int) -> None:
    stages = [{"kind": "gray", "percent": percent}] + [{"kind": "gray", "percent": 100}] * (share < BUCKETS)
    assert Strategy.from_dict({"stages": stages}).stages[0].share == share


GRAY = {"kind": "gray", "percent": 100}
WRONG: list[tuple[Any, str]] = [
    (None, "strategy"),
    ([], "strategy"),
    ({"speed": 1}, "strategy.speed"),
    ({"simulation": 1}, "strategy.simulation"),
    ({"approval": "yes"}, "strategy.approval"),
    ({"grace_s": -1}, "strategy.grace_s"),
    ({"silence_s": float("nan")}, "strategy.silence_s"),
    ({"silence_s": True}, "strategy.silence_s"),
    ({"control_percent": 101}, "strategy.control_percent"),
    ({"metric": "Bad Name"}, "strategy.metric"),
    ({"limits": {"failure_rate": 2}}, "strategy.limits.failure_rate"),
    ({"limits": {"failures": 2}}, "strategy.limits.failures"),
    ({"limits": {"failure_rate": 0.6}}, "strategy.limits.stop_rate"),
    ({"limits": 3}, "strategy.limits"),
    ({"window": {"zone": "Mars", "from": "01:00", "to": "02:00"}}, "strategy.window.zone"),
    ({"window": []}, "strategy.window"),
    ({"stages": []}, "strategy.stages"),
    ({"stages": [GRAY] * 21}, "strategy.stages"),
    ({"stages": [5]}, "strategy.stages[0]"),
    ({"stages": [{"kind": "full", "percent": 100}]}, "strategy.stages[0].kind"),
    ({"stages": [{"kind": "gray"}]}, "strategy.stages[0]"),
    ({"stages": [{"kind": "gray", "list": "testers"}]}, "strategy.stages[0]"),
    ({"stages": [{"kind": "beta", "list": "testers", "percent": 1}, GRAY]}, "strategy.stages[0]"),
    ({"stages": [{"kind": "beta", "list": "No Slug"}, GRAY]}, "strategy.stages[0].list"),
    ({"stages": [{**GRAY, "speed": 1}]}, "strategy.stages[0].speed"),
    ({"stages": [{**GRAY, "percent": 0}]}, "strategy.stages[0].percent"),
    ({"stages": [{**GRAY, "percent": 0.00001}]}, "strategy.stages[0].percent"),
    ({"stages": [{**GRAY, "percent": 100.5}]}, "strategy.stages[0].percent"),
    ({"stages": [{**GRAY, "percent": 50}]}, "strategy.stages[0].percent"),
    ({"stages": [{**GRAY, "percent": 50}, {**GRAY, "percent": 50}]}, "strategy.stages[1].percent"),
    ({"stages": [GRAY, {"kind": "beta", "percent": 100}]}, "strategy.stages[1].kind"),
    ({"stages": [{"kind": "beta", "percent": 100}]}, "strategy.stages[0].kind"),
    ({"stages": [{**GRAY, "pace": 0}]}, "strategy.stages[0].pace"),
    ({"stages": [{**GRAY, "evidence": 1.5}]}, "strategy.stages[0].evidence"),
    ({"stages": [{**GRAY, "dwell_s": "1m"}]}, "strategy.stages[0].dwell_s"),
]


@pytest.mark.parametrize(("value", "path"), WRONG, ids=[str(value)[:60] for value, _ in WRONG])
def test_each_fault_is_named_where_it_is(value: Any, path: str) -> None:
    with pytest.raises(StrategyMalformed, match="expected") as caught:
        Strategy.from_dict(value)
    [problem] = caught.value.problems
    assert problem.field == path
    assert str(caught.value).startswith(f"{path}: expected {problem.expected}, found {problem.found}")


def test_all_faults_are_named_together() -> None:
    """Each that can be judged while the others stand: what a stage takes is compared even if its pace is wrong."""
    stages = [
        {"kind": "beta", "list": "No Slug"},
        {"kind": "gray", "percent": 20, "pace": 0},
        {"kind": "gray", "percent": 20, "dwell_s": "1m", "speed": 1},
        {"kind": "grey", "percent": 30},
        {"kind": "beta", "percent": 40},
        {"kind": "gray", "percent": "all"},
        {"kind": "gray", "percent": 40},
    ]
    window = {"zone": "Mars", "from": "1:00", "days": [7, 0]}
    wrong = {"simulation": 1, "stages": stages, "limits": {"failure_rate": 2, "odd": 1}, "window": window, "speed": 1}
    with pytest.raises(StrategyMalformed) as refused:
        Strategy.from_dict(wrong)
    assert sorted(problem.field for problem in refused.value.problems) == [
        *("strategy.limits.failure_rate", "strategy.limits.odd", "strategy.simulation", "strategy.speed"),
        *("strategy.stages[0].list", "strategy.stages[1].pace", "strategy.stages[2].dwell_s"),
        *("strategy.stages[2].percent", "strategy.stages[2].speed", "strategy.stages[3].kind"),
        *("strategy.stages[4].kind", "strategy.stages[5].percent", "strategy.stages[6].percent"),
        *("strategy.window.days[0]", "strategy.window.from", "strategy.window.to", "strategy.window.zone"),
    ]


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(st.sampled_from(["stages", "limits", "window", "kind", "percent", "grace_s"]), x)
        ),
    )
)
def test_nothing_but_a_named_fault_comes_of_nonsense(value: Any) -> None:
    with contextlib.suppress(StrategyMalformed):
        Strategy.from_dict(value)


def test_treatment_and_control_are_compared_in_number_while_both_are_drawn() -> None:
    beta = {"kind": "beta", "percent": 1}
    gray = [{"kind": "gray", "percent": percent} for percent in (5, 50, 97, 100)]
    strategy = Strategy.from_dict({"control_percent": 5, "stages": [beta, *gray]})
    assert strategy.compared_buckets == (10_000, 50_000)
    assert [strategy.is_compared(position) for position in range(5)] == [False, True, True, False, False]
    by_list = Strategy.from_dict({"stages": [{"kind": "beta", "list": "testers"}, *gray]})
    assert by_list.compared_buckets == (0, 50_000)
    assert not any(Strategy.from_dict(dict(AT_ONCE)).is_compared(position) for position in range(1))


@pytest.mark.parametrize("percent", [9, 10])
def test_a_stage_that_takes_no_more_devices_than_the_one_before_is_refused(percent: int) -> None:
    stages = [{"kind": "gray", "percent": share} for share in (10, percent, 100)]
    with pytest.raises(StrategyMalformed, match=r"stages\[1\]\.percent: expected more than the 10"):
        Strategy.from_dict({"stages": stages})
