"""Rules against what is declared: facts, their types and values, and lists."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given

from tests.release import rules as some
from walle.release.rules import BUILT_IN_FACTS, FACT_TYPES, FactDeclaration, RuleMalformed, check_rule, compile_rule

FACTS = {
    **BUILT_IN_FACTS,
    "memory": FactDeclaration("memory", "number"),
    "cores": FactDeclaration("cores", "number", (4, 8)),
    "user.vip": FactDeclaration("user.vip", "boolean", source="user"),
    "user.age": FactDeclaration("user.age", "text", ("18-29", "30-49"), source="user"),
}
LISTS = ("testers",)
OS = {"fact": "os", "equals": "ios"}


def operators_of(name: str) -> str:
    """Those that take a type of facts, as a sentence has them."""
    *others, last = FACT_TYPES[name].operators
    return f"{', '.join(others)} or {last}"


@pytest.mark.parametrize(
    "rule",
    [
        OS,
        {"fact": "os_version", "version": ">=14"},
        {"fact": "os_version", "in": ["14", "fourteen"]},
        {"fact": "app_version", "glob": "1.*"},
        {"fact": "performance", "in": ["low", "mid"]},
        {"fact": "memory", "range": {"at_least": 4}},
        {"fact": "cores", "in": [8, 4.0]},
        {"fact": "user.vip", "equals": False},
        {"all": [{"list": "testers"}, {"not": {"devices": ["a"]}}, {"any": [{"fact": "user.age", "prefix": "18"}]}]},
    ],
    ids=repr,
)
def test_a_rule_that_speaks_of_what_there_is(rule: object) -> None:
    check_rule(rule, FACTS, LISTS)


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ({"fact": "age", "in": ["18-29"]}, "rule.fact", "app_version, os, os_version, performance, region, memory"),
        ({"any": [OS, {"fact": "user.os", "equals": "ios"}]}, "rule.any[1].fact", "a declared fact"),
        ({"fact": "os", "version": ">=14"}, "rule.version", f"{operators_of('text')}, as os is a text"),
        ({"fact": "memory", "prefix": "4"}, "rule.prefix", f"{operators_of('number')}, as memory is a number"),
        ({"not": {"fact": "user.vip", "range": {"above": 0}}}, "rule.not.range", "equals or in"),
        ({"fact": "os_version", "range": {"above": 13}}, "rule.range", operators_of("version")),
        ({"fact": "os_version", "in": ["14", 14]}, "rule.in[1]", "a text, as os_version is a version"),
        ({"fact": "memory", "equals": "4"}, "rule.equals", "a number"),
        ({"fact": "memory", "in": [4, True]}, "rule.in[1]", "a number"),
        ({"fact": "user.vip", "in": [True, 1]}, "rule.in[1]", "a boolean"),
        ({"fact": "user.vip", "equals": "true"}, "rule.equals", "a boolean"),
        ({"fact": "performance", "in": ["low", "medium"]}, "rule.in[1]", "a value of performance: low, mid, high"),
        ({"fact": "cores", "equals": 6}, "rule.equals", "a value of cores: 4, 8"),
        ({"list": "friends"}, "rule.list", "an uploaded list: testers"),
        ({"all": [OS, {"list": "friends"}]}, "rule.all[1].list", "an uploaded list"),
        ({"all": [OS, {"fact": "os", "equals": []}]}, "rule.all[1].equals", "text, a number"),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_a_fault_is_named_with_its_place(rule: object, path: str, expected: str) -> None:
    with pytest.raises(RuleMalformed) as caught:
        check_rule(rule, FACTS, LISTS)
    assert caught.value.problems[0].field == path
    assert expected in caught.value.problems[0].expected


def test_where_nothing_is_declared_nothing_is_offered() -> None:
    for rule in ({"list": "testers"}, OS):
        with pytest.raises(RuleMalformed, match="there is none yet"):
            check_rule(rule, {}, ())


def test_many_names_are_cut() -> None:
    with pytest.raises(RuleMalformed, match=r"list-0, .*, \.\.\., found"):
        check_rule({"list": "testers"}, FACTS, [f"list-{number}" for number in range(99)])


@given(some.rules)
def test_nothing_else_goes_wrong_in_the_check(rule: object) -> None:
    with suppress(RuleMalformed):
        check_rule(rule, FACTS, LISTS)
    compile_rule(rule)
