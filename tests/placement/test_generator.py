"""The problems that benchmarks draw keep to what is said of them."""

from __future__ import annotations

from benchmarks.support.placement.generator import PRICES, document, generated


def test_a_seed_is_always_the_same_problem():
    assert document(7) == document(7)
    assert document(7) != document(8)


def test_sizes_and_prices_are_within_the_published_ranges():
    problems = [generated(seed) for seed in range(60)]
    assert {len(each.workflow.operators) for each in problems} == {3, 4, 5, 6}
    assert {len(each.infrastructure.tiers) for each in problems} == {2, 3}
    counts = [len(each.infrastructure.workers) for each in problems]
    assert min(counts) >= 5
    assert max(counts) <= 30
    for problem in problems:
        assert all(each.cost_per_hour == PRICES[each.type] for each in problem.infrastructure.workers)
        assert all(0.1 <= price <= 0.3 for price in problem.infrastructure.network.usd_per_gb.values())
        assert problem.assumed
