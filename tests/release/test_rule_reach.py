"""What a rule can reach: no device that it takes is ever overlooked, whatever little is known of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release import rules as some
from walle.release.rules import RuleMalformed, compile_rule, uniform
from walle.release.rules.reach import can_match

ANDROID = {"fact": "os", "equals": "android"}
NEW = {"fact": "app_version", "version": ">=2"}


@given(some.rules, some.facts, st.sets(st.sampled_from(some.NAMES)))
def test_no_device_that_matches_is_out_of_reach(rule: object, facts: dict[str, Any], names: set[str]) -> None:
    known = {name: facts[name] for name in names if name in facts}
    assert can_match(rule, known) or not compile_rule(rule)(facts)


@given(some.facts, some.leaves.filter(lambda leaf: "fact" in leaf))
def test_where_all_of_a_leaf_is_known_the_answer_is_the_rules(facts: dict[str, Any], leaf: dict[str, Any]) -> None:
    known = {name: value for name, value in facts.items() if name != "lists"}
    if leaf["fact"] in known:
        assert can_match(leaf, known) == compile_rule(leaf)(facts)
        assert can_match({"not": leaf}, known) != compile_rule(leaf)(facts)


@given(some.rules, some.facts)
def test_knowing_more_never_widens_the_reach(rule: object, facts: dict[str, Any]) -> None:
    known = {name: value for name, value in facts.items() if name != "lists"}
    assert can_match(rule, {}) or not can_match(rule, known)


@pytest.mark.parametrize(
    ("rule", "reached"),
    [
        (uniform(["1.0.0", "2.0.0"]), True),
        (uniform(["1.0.0"]), False),
        ({"all": [NEW, ANDROID]}, True),
        ({"all": [NEW, {"not": ANDROID}]}, False),
        ({"all": [NEW, {"list": "testers"}, {"fact": "region", "equals": "eu"}]}, True),
        ({"any": [{"not": NEW}, {"devices": ["d1"]}]}, True),
        ({"not": {"any": [NEW, {"list": "testers"}]}}, False),
        ({"not": {"all": [NEW, {"list": "testers"}]}}, True),
    ],
    ids=repr,
)
def test_what_a_cell_needs(rule: object, reached: bool) -> None:
    assert can_match(rule, {"app_version": "2.0.0", "os": "android", "os_version": "14"}) == reached


def test_a_malformed_rule_is_refused() -> None:
    with pytest.raises(RuleMalformed):
        can_match({"fact": "os"}, {})
