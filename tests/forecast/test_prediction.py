"""A small fleet goes through releases: what must hold in every second of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from walle.forecast.cloud import NEW
from walle.forecast.fleet import DeviceBehaviour, DeviceKind
from walle.forecast.prediction import Forecast, ForecastScenario, Prediction, predict
from walle.release.cohort import Cohort, cohort_limit, cohort_number
from walle.release.states import ReleaseAction, ReleaseState
from walle.release.strategy import Strategy

pytestmark = pytest.mark.slow

RULE = {"all": [{"fact": "app_version", "version": ">=6.2.0"}, {"not": {"fact": "performance", "equals": "low"}}]}
PACE = 600
STRATEGY: dict[str, Any] = {
    "stages": [
        {"kind": "beta", "percent": 0.1, "dwell_s": 60, "evidence": 5},
        {"kind": "gray", "percent": 2, "dwell_s": 60, "evidence": 50, "pace": PACE},
        {"kind": "gray", "percent": 20, "dwell_s": 60, "evidence": 50, "pace": PACE},
        {"kind": "gray", "percent": 100, "dwell_s": 120, "evidence": 50, "pace": PACE},
    ],
    "silence_s": 120,
}
KINDS = [
    DeviceKind({"app_version": version, "performance": performance}, devices, targeted)
    for version, performance, devices, targeted in (
        ("6.1.0", "high", 10_000, False),
        ("6.2.0", "low", 10_000, False),
        ("6.2.0", "high", 80_000, True),
        ("6.10.0", "high", 100_000, True),
    )
]
SCENARIO = ForecastScenario(
    RULE, Strategy.from_dict(STRATEGY), KINDS, behaviour=DeviceBehaviour(failure=0.005), seconds=1260
)
SMALL = replace(SCENARIO, kinds=[replace(kind, devices=kind.devices // 5) for kind in KINDS], seconds=400)
BAD = replace(SCENARIO, behaviour=DeviceBehaviour(failure=0.2), seconds=400)


@pytest.fixture(scope="module")
def prediction() -> Prediction:
    return predict(SCENARIO)


@pytest.fixture(scope="module")
def bad() -> Prediction:
    return predict(BAD)


def test_nobody_else_is_offered_anything(prediction: Prediction, bad: Prediction) -> None:
    assert prediction.series["offers"].sum() > 170_000
    assert not prediction.series["wrong_offers"].any()
    assert not bad.series["wrong_offers"].any()


def test_stages_come_in_order_after_their_dwell_time(prediction: Prediction) -> None:
    moves = [move for move in prediction.moves if move.state in (ReleaseState.RUNNING, ReleaseState.COMPLETE)]
    assert [move.position for move in moves] == [0, 1, 2, 3, 3]
    assert moves[-1].action == ReleaseAction.COMPLETE
    for (before, after), stage in zip(pairwise(moves), SCENARIO.strategy.stages, strict=True):
        assert after.second - before.second >= stage.dwell_s


def test_no_second_exceeds_the_pace(prediction: Prediction) -> None:
    begun = next(move.second for move in prediction.moves if move.position == 1)
    complete = prediction.moves[-1].second
    offers = prediction.series["offers"][begun + 1 : complete + 1]
    assert offers.max() <= PACE
    assert prediction.series["refused"][begun:complete].any()


def test_coverage_only_grows_and_ends_with_nearly_everybody(prediction: Prediction) -> None:
    covered, reached = prediction.series["covered"], prediction.series["reached"]
    assert (np.diff(covered) >= 0).all()
    assert (np.diff(reached) >= 0).all()
    assert (covered <= reached).all()
    assert covered[-1] >= 0.98 * 180_000
    assert (prediction.series["covered_online"] <= prediction.series["online"]).all()


def test_a_seed_makes_one_prediction() -> None:
    first, again, other = predict(SMALL), predict(SMALL), predict(replace(SMALL, seed=7))
    assert first.moves == again.moves
    assert all(np.array_equal(values, again.series[name]) for name, values in first.series.items())
    assert not np.array_equal(first.series["covered"], other.series["covered"])


def seconds(forecast: Forecast, scenario: ForecastScenario) -> Iterator[tuple[int, Any]]:
    for second in range(scenario.seconds):
        yield second, forecast.turn(second)


def test_cohorts_are_nested_and_counts_are_kept() -> None:
    """Whoever has the version is below the share of the stage that gateways know of, and keeps it."""
    forecast = Forecast(SMALL)
    fleet, before = forecast.fleet, np.zeros(len(forecast.fleet), np.bool_)
    for second, now in seconds(forecast, SMALL):
        if second % 20 or not second:
            continue
        has = fleet.version == NEW
        assert has[before].all()
        before = has
        share = SMALL.strategy.stages[forecast.cloud.current.position or 0].share
        numbers = cohort_number(*cohort(forecast), fleet.points(np.flatnonzero(has).astype(np.int32)))
        assert (numbers < cohort_limit(share)).all()
        assert now["covered"] == np.count_nonzero(has & fleet.targeted)
        assert now["online"] == np.count_nonzero(fleet.online & fleet.targeted)
        assert now["covered_online"] == np.count_nonzero(fleet.online & fleet.targeted & has)
    assert before.any()


def cohort(forecast: Forecast) -> tuple[int, int]:
    found = Cohort(next(entry.salt for entry in forecast.cloud.table.table.entries if entry.release == 2))
    return found.factor, found.offset


def test_a_bad_version_is_taken_back_from_the_few_that_got_it(bad: Prediction) -> None:
    move = bad.moves[-1]
    assert move.action == ReleaseAction.ROLL_BACK
    assert bad.series["reached"][-1] < 0.01 * 180_000
    assert bad.series["stranded"].max() > 0
    # An interval, as devices and gateways spread it, and a pull.
    last = int(np.flatnonzero(bad.series["stranded"])[-1])
    assert last - move.second <= 60 * 1.1 + 21
    assert not bad.series["offers"][move.second + 2 :].any()


def test_too_few_reports_hold_a_release_where_it_is() -> None:
    """A beta that nobody belongs to gives no evidence: no stage is skipped for lack of it."""
    stages = [{**STRATEGY["stages"][0], "percent": 0.0001, "evidence": 50}, *STRATEGY["stages"][1:]]
    strategy = Strategy.from_dict({**STRATEGY, "stages": stages, "grace_s": 100})
    found = predict(replace(SMALL, strategy=strategy, seconds=200))
    assert [(move.action, move.position) for move in found.moves[2:]] == [(ReleaseAction.PAUSE, 0)]
    assert found.series["reached"][-1] <= 3


def test_a_time_window_is_refused() -> None:
    window = {"zone": "Asia/Shanghai", "from": "01:00", "to": "05:00"}
    with pytest.raises(ValueError, match="without a time window"):
        predict(replace(SMALL, strategy=Strategy.from_dict({**STRATEGY, "window": window})))
