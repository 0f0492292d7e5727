"""The rules of the tiers that are plain functions: budgets, and the list of tests that may be skipped."""

import pytest

from tests.tiers.budgets import BUDGETS, TOLERANCE
from tests.tiers.costs import judge
from tests.tiers.skips import LIST, is_allowed, read_allowed
from tests.tiers.tier import Tier


@pytest.mark.parametrize(("share", "exceeded"), [(1.0, ()), (TOLERANCE, ()), (TOLERANCE + 0.01, ("database",))])
def test_cpu_time_over_the_budget_by_half_is_too_much(share, exceeded):
    judgement = judge({"database": [3, 1e6, share * BUDGETS[Tier.DATABASE]]})
    assert judgement.exceeded == exceeded


def test_every_tier_has_a_budget():
    assert set(BUDGETS) == set(Tier)


def test_a_skip_is_allowed_by_a_pattern_under_its_reason():
    allowed = read_allowed("# no such kernel\ntests/a.py::*[wide]\ntests/b.py::test_one\n")
    assert set(allowed.values()) == {"no such kernel"}
    assert is_allowed("tests/a.py::test_x[wide]", allowed)
    assert not is_allowed("tests/a.py::test_x[w]", allowed)
    assert not is_allowed("tests/b.py::test_one_more", allowed)


def test_a_pattern_without_a_reason_is_refused():
    with pytest.raises(AssertionError, match="no reason"):
        read_allowed("tests/a.py::*\n")


def test_the_list_is_readable():
    read_allowed(LIST.read_text())
