"""An infeasible problem names the constraint, and every change that it proposes lets a plan through."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

from tests.placement.small_problems import price, small_problem
from walle.placement.exact.search import prove
from walle.placement.frontiers import with_accuracy, with_rates
from walle.placement.infeasible import Infeasibility, Remedy, explain_infeasible
from walle.placement.problem.model import NetworkPrices, PlacementProblem, PlacementWorker

PROBLEM = small_problem(19)


def explained(problem: PlacementProblem) -> Infeasibility:
    found = explain_infeasible(problem, 60.0, lambda: 0.0)
    assert found is not None
    assert found.certain
    for remedy in found.remedies:
        assert price(remedy.problem, remedy.plan) < math.inf, remedy.text
    return found


def the(kind: str, found: Infeasibility) -> Remedy:
    return next(each for each in found.remedies if each.constraint == kind)


def test_a_feasible_problem_has_nothing_to_explain() -> None:
    assert explain_infeasible(PROBLEM, 60.0, lambda: 0.0) is None


def test_too_high_an_accuracy_is_named_with_the_highest_one_that_is_reached() -> None:
    found = explained(with_accuracy(PROBLEM, 99.0))

    assert found.constraints == ("accuracy",)
    highest = the("accuracy", found).value
    assert prove(with_accuracy(PROBLEM, highest + 1e-6), 60.0, lambda: 0.0).plan is None
    assert the("accuracy", found).text == f"lower the accuracy from 99 to {highest:g}"


def test_too_high_rates_are_named_with_the_highest_ones_and_with_workers_that_would_do() -> None:
    found = explained(with_rates(PROBLEM, 10))

    assert "rates" in found.constraints
    factor = the("rates", found).value
    assert prove(with_rates(PROBLEM, 10 * factor * 1.01), 60.0, lambda: 0.0).plan is None
    more = the("workers", found)
    assert len(more.problem.infrastructure.workers) == len(PROBLEM.infrastructure.workers) + more.value


def test_too_low_a_cap_is_named_with_the_lowest_one_that_is_enough() -> None:
    workers = tuple(replace(each, tier=max(1, each.tier)) for each in PROBLEM.infrastructure.workers)
    infrastructure = replace(PROBLEM.infrastructure, workers=workers, tier_caps={0: 0.01})
    found = explained(replace(PROBLEM, infrastructure=infrastructure))

    assert "bandwidth" in found.constraints
    enough = the("bandwidth", found).value
    lower = replace(infrastructure, tier_caps={0: enough * 0.99})
    assert prove(replace(PROBLEM, infrastructure=lower), 60.0, lambda: 0.0).plan is None


def test_traffic_that_would_have_to_go_down_is_named() -> None:
    first, last = PROBLEM.workflow.order[0], PROBLEM.workflow.order[-1]
    tables = {
        name: {
            model: {"up": 1.0 if name == first else None, "down": 1.0 if name != first else None}
            for model in ("a", "b")
        }
        for name in (first, last)
    }
    infrastructure = replace(
        PROBLEM.infrastructure,
        workers=(PlacementWorker("high", "up", 1, "x", 1.0), PlacementWorker("low", "down", 0, "x", 1.0)),
        network=NetworkPrices({(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.1}),
    )
    profiles = replace(PROBLEM.profiles, tables={"p75": tables})

    found = explained(replace(PROBLEM, infrastructure=infrastructure, profiles=profiles))

    assert found.constraints == ("one-way",)
    assert {each.subject for each in found.remedies} == {f"down in {tier}" for tier in ("tier1", "tier2")} | {
        "up in tier0"
    }


def test_changes_that_are_not_found_in_time_are_missing() -> None:
    seconds = itertools.count()
    asked = with_rates(PROBLEM, 3.0)

    found = explain_infeasible(asked, 60.0, lambda: float(next(seconds)), total_s=60.0)

    everything = explained(asked)
    assert found is not None
    assert 0 < len(found.remedies) < len(everything.remedies)
    assert {each.text for each in found.remedies} < {each.text for each in everything.remedies}
