"""Frontiers go up, hold what single searches hold, and tell where plans change."""

from __future__ import annotations

import itertools

import pytest

from tests.placement.small_problems import small_problem
from walle.placement.exact.search import prove
from walle.placement.frontiers import accuracy_frontier, different, throughput_frontier, with_accuracy, with_rates

PROBLEM = small_problem(30, workers=6)


def test_each_step_of_the_accuracy_frontier_is_the_cheapest_plan_down_to_the_step_before() -> None:
    found = list(accuracy_frontier(PROBLEM, 60.0, lambda: 0.0))

    assert len(found) > 1
    below = -1.0
    for each in found:
        assert each.accuracy > below
        assert each.evaluation.accuracy == each.accuracy
        for asked in (below + 1e-6, each.accuracy):
            cost = prove(with_accuracy(PROBLEM, asked), 60.0, lambda: 0.0).cost
            assert each.evaluation.cost == pytest.approx(cost, rel=3e-6)
        below = each.accuracy
    assert prove(with_accuracy(PROBLEM, below + 1e-6), 60.0, lambda: 0.0).plan is None


def test_the_throughput_frontier_has_both_sides_of_each_change_and_ends_where_nothing_carries_more() -> None:
    found = list(throughput_frontier(PROBLEM, (0.5, 1.0, 8.0), 60.0, lambda: 0.0, precision=0.25))

    factors = [each.factor for each in found]
    assert factors == sorted(factors)
    assert [each.evaluation.cost for each in found] == sorted(each.evaluation.cost for each in found)
    for before, each in itertools.pairwise(found):
        assert each.changed == different(PROBLEM, before.plan, each.plan)
        assert not each.changed or each.factor <= before.factor * 1.25 + 1e-9
    assert any(each.changed for each in found)
    assert prove(with_rates(PROBLEM, found[-1].factor * 1.25), 60.0, lambda: 0.0).plan is None


def test_frontiers_end_when_they_are_cancelled() -> None:
    assert list(throughput_frontier(PROBLEM, (0.5, 1.0), 60.0, lambda: 0.0, cancelled=lambda: True)) == []
    assert list(accuracy_frontier(PROBLEM, 60.0, lambda: 0.0, cancelled=lambda: True)) == []
