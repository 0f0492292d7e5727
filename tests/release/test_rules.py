"""Rules: what they mean, and that what means nothing is refused with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.strategies import json_values
from walle.release.rules import RuleMalformed, compile_rule, facts_in, uniform


def test_uniform_takes_the_versions_it_names() -> None:
    matches = compile_rule(uniform(["1.0.0", "1.1.0"]))
    assert matches({"app_version": "1.1.0"})
    assert not matches({"app_version": "1.2.0"})
    assert not matches({})
    assert facts_in(uniform(["1.0.0"])) == {"app_version"}


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (None, "rule"),
        ([], "rule"),
        ({}, "rule"),
        ({"fact": "a"}, "rule"),
        ({"fact": "a", "in": ["b"], "not": True}, "rule"),
        ({"fact": "", "in": ["b"]}, "rule.fact"),
        ({"fact": 1, "in": ["b"]}, "rule.fact"),
        ({"fact": "a", "in": []}, "rule.in"),
        ({"fact": "a", "in": "b"}, "rule.in"),
        ({"fact": "a", "in": ["b", None]}, "rule.in[1]"),
        ({"fact": "a", "in": [["b"]]}, "rule.in[0]"),
    ],
    ids=repr,
)
def test_a_rule_that_means_nothing_is_refused_with_its_place(rule: object, path: str) -> None:
    with pytest.raises(RuleMalformed) as caught:
        compile_rule(rule)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: expected ")


@given(st.one_of(json_values, st.fixed_dictionaries({"fact": json_values, "in": json_values})))
def test_any_json_compiles_or_is_malformed(rule: object) -> None:
    try:
        matches = compile_rule(rule)
    except RuleMalformed:
        return
    assert matches({}) is False
