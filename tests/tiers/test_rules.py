"""The rules of the tiers that are plain functions: budgets, and the list of tests that may be skipped."""

import pytest

from tests.tiers.budgets import BUDGETS, TOLERANCE
from tests.tiers.costs import judge
from tests.tiers.skips import LIST, is_allowed, read_allowed
from tests.tiers.speed import REFERENCE_SECONDS, Speedometer
from tests.tiers.tier import Tier


@pytest.mark.parametrize(("share", "exceeded"), [(1.0, ()), (TOLERANCE, ()), (TOLERANCE + 0.01, ("database",))])
def test_cpu_time_over_the_budget_by_half_is_too_much(share, exceeded):
    judgement = judge({"database": [3, 1e6, share * BUDGETS[Tier.DATABASE]]}, slowness=1)
    assert judgement.exceeded == exceeded


@pytest.mark.parametrize(("slowness", "exceeded"), [(1.2, ("database",)), (1.4, ())])
def test_a_machine_that_takes_longer_for_the_same_work_has_larger_budgets(slowness, exceeded):
    judgement = judge({"database": [3, 1e6, 1.3 * TOLERANCE * BUDGETS[Tier.DATABASE]]}, slowness)
    assert judgement.exceeded == exceeded
    assert f"{slowness:.2f} times" in judgement.lines[0]


def test_the_machine_is_looked_at_every_few_seconds():
    now = 0.0
    speedometer = Speedometer(clock=lambda: now)
    for now in (0.0, 1.0, 4.9, 5.0, 6.0, 20.0):  # noqa: B007 - the clock reads it
        speedometer.look()
    assert len(speedometer.samples) == 3


@pytest.mark.parametrize(("shares", "slowness"), [((), 1.0), ((0.5, 0.5), 1.0), ((1.0, 2.0), 1.5), ((5.0,), 2.0)])
def test_budgets_grow_with_the_samples_and_never_shrink(shares, slowness):
    speedometer = Speedometer()
    speedometer.samples += [share * REFERENCE_SECONDS for share in shares]
    assert speedometer.slowness == pytest.approx(slowness)


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
