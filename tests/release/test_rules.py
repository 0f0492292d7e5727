"""Rules: what they mean, and that what means nothing is refused with its place."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.strategies import json_values
from tests.release import rules as some
from walle.release.rules import RuleMalformed, compile_rule, facts_in, inline_lists, inline_name, lists_in, uniform

PHONE = {"app_version": "1.10.0", "os": "android", "os_version": "14", "model": "Pixel 8", "memory": 7.5, "vip": True}
TESTERS = {**PHONE, "lists": frozenset({"testers"})}
OS = {"fact": "os", "equals": "android"}


def test_uniform_takes_the_versions_it_names() -> None:
    matches = compile_rule(uniform(["1.0.0", "1.1.0"]))
    assert matches({"app_version": "1.1.0"})
    assert not matches({"app_version": "1.2.0"})
    assert not matches({})
    assert facts_in(uniform(["1.0.0"])) == {"app_version"}


@pytest.mark.parametrize(
    "rule",
    [
        OS,
        {"fact": "os", "in": ["ios", "android"]},
        {"fact": "vip", "equals": True},
        {"fact": "memory", "in": [7.5]},
        {"fact": "app_version", "version": ">=1.2, <2"},
        {"fact": "os_version", "version": "==14.0.0"},
        {"fact": "os_version", "version": "*"},
        {"fact": "model", "prefix": "Pixel"},
        {"fact": "model", "glob": "P?xel*8"},
        {"fact": "memory", "range": {"at_least": 7.5, "below": 8}},
        {"fact": "memory", "range": {"above": 7, "at_most": 7.5}},
        {"all": [OS, {"fact": "vip", "equals": True}]},
        {"any": [{"fact": "os", "equals": "ios"}, OS]},
        {"not": {"fact": "os", "equals": "ios"}},
        {"not": {"fact": "user.age", "range": {"above": 17}}},
        {"not": {"fact": "os_version", "range": {"above": 0}}},
        {"not": {"fact": "vip", "equals": 1}},
    ],
    ids=repr,
)
def test_rules_that_take_the_phone(rule: object) -> None:
    assert compile_rule(rule)(PHONE)
    assert not compile_rule({"not": rule})(PHONE)


@pytest.mark.parametrize(
    "rule",
    [
        {"fact": "os", "equals": "Android"},
        {"fact": "app_version", "version": "<1.10.0"},
        {"fact": "os", "version": "*"},
        {"fact": "memory", "version": "*"},
        {"fact": "model", "prefix": "pixel"},
        {"fact": "model", "glob": "Pixel"},
        {"fact": "model", "glob": "Pixel ??"},
        {"fact": "memory", "prefix": "7"},
        {"fact": "memory", "equals": "7.5"},
        {"fact": "memory", "range": {"above": 7.5}},
        {"fact": "vip", "range": {"at_least": 0}},
        {"fact": "vip", "in": [1, 1.0, "true", "True"]},
        {"fact": "user.age", "range": {"at_least": 0}},
        {"all": [OS, {"fact": "vip", "equals": False}]},
        {"list": "testers"},
    ],
    ids=repr,
)
def test_rules_that_leave_it_out(rule: object) -> None:
    assert not compile_rule(rule)(PHONE)
    assert compile_rule({"not": rule})(PHONE)


def test_a_device_is_in_uploaded_and_in_inline_lists() -> None:
    inline = {"devices": ["b", "a", "b"]}
    assert compile_rule({"list": "testers"})(TESTERS)
    assert not compile_rule({"list": "staff"})(TESTERS)
    assert not compile_rule(inline)(TESTERS)
    assert compile_rule(inline)({"lists": frozenset({inline_name(frozenset("ab"))})})
    assert inline_name(frozenset("ab")) == "#a76de9f2d561975f"


@pytest.mark.parametrize("claimed", ["testers", ["testers"], {"testers": 1}, {"testers"}, True], ids=repr)
def test_no_device_claims_to_be_in_a_list(claimed: object) -> None:
    assert not compile_rule({"list": "testers"})({"lists": claimed})


def test_what_a_rule_looks_at() -> None:
    rule = {"all": [OS, {"not": {"any": [{"list": "testers"}, {"devices": ["a"]}]}}, {"fact": "user.age", "in": [1]}]}
    assert facts_in(rule) == {"os", "user.age", "lists"}
    assert lists_in(rule) == {"testers"}
    assert inline_lists(rule) == {inline_name(frozenset("a")): {"a"}}
    assert (facts_in(OS), lists_in(OS), inline_lists(OS)) == ({"os"}, set(), {})


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (None, "rule"),
        ([], "rule"),
        ({}, "rule"),
        ({"fact": "a"}, "rule"),
        ({"fact": "a", "in": ["b"], "not": True}, "rule"),
        ({"fact": "a", "equals": 1, "in": [1]}, "rule"),
        ({"fact": "a", "matches": ["b"]}, "rule"),
        ({"fact": "a", 1: ["b"]}, "rule"),
        ({"all": [OS], "any": [OS]}, "rule"),
        ({"none": [OS]}, "rule"),
        ({None: [OS]}, "rule"),
        ({"fact": "", "in": ["b"]}, "rule.fact"),
        ({"fact": 1, "in": ["b"]}, "rule.fact"),
        ({"fact": "lists", "in": ["b"]}, "rule.fact"),
        ({"fact": "admin.age", "in": ["b"]}, "rule.fact"),
        ({"fact": "user.user.age", "in": ["b"]}, "rule.fact"),
        ({"fact": "A", "in": ["b"]}, "rule.fact"),
        ({"fact": "a\n", "in": ["b"]}, "rule.fact"),
        ({"fact": "a", "in": []}, "rule.in"),
        ({"fact": "a", "in": "b"}, "rule.in"),
        ({"fact": "a", "in": ["b", None]}, "rule.in[1]"),
        ({"fact": "a", "in": [["b"]]}, "rule.in[0]"),
        ({"fact": "a", "in": ["\0"]}, "rule.in[0]"),
        ({"fact": "a", "in": ["\ud800"]}, "rule.in[0]"),
        ({"fact": "a", "in": ["b" * 257]}, "rule.in[0]"),
        ({"fact": "a", "in": [2**53]}, "rule.in[0]"),
        ({"fact": "a", "in": [float("nan")]}, "rule.in[0]"),
        ({"fact": "a", "in": list(range(1001))}, "rule.in"),
        ({"fact": "a", "equals": None}, "rule.equals"),
        ({"fact": "a", "equals": {}}, "rule.equals"),
        ({"fact": "a", "version": "new"}, "rule.version"),
        ({"fact": "a", "version": ""}, "rule.version"),
        ({"fact": "a", "version": 2}, "rule.version"),
        ({"fact": "a", "prefix": ""}, "rule.prefix"),
        ({"fact": "a", "prefix": 1}, "rule.prefix"),
        ({"fact": "a", "glob": ""}, "rule.glob"),
        ({"fact": "a", "glob": ["*"]}, "rule.glob"),
        ({"fact": "a", "range": {}}, "rule.range"),
        ({"fact": "a", "range": [1]}, "rule.range"),
        ({"fact": "a", "range": {"least": 1}}, "rule.range"),
        ({"fact": "a", "range": {"above": "1"}}, "rule.range.above"),
        ({"fact": "a", "range": {"at_least": 1, "below": True}}, "rule.range.below"),
        ({"fact": "a", "range": {"below": float("inf")}}, "rule.range.below"),
        ({"all": []}, "rule.all"),
        ({"any": {}}, "rule.any"),
        ({"all": [OS, {"any": [OS, OS, {"fact": "a"}]}]}, "rule.all[1].any[2]"),
        ({"not": [OS]}, "rule.not"),
        ({"not": {"not": {"fact": "a", "in": [[]]}}}, "rule.not.not.in[0]"),
        ({"list": "Testers"}, "rule.list"),
        ({"list": ["testers"]}, "rule.list"),
        ({"list": "#a76de9f2d561975f"}, "rule.list"),
        ({"devices": []}, "rule.devices"),
        ({"devices": "a"}, "rule.devices"),
        ({"devices": ["a", "b c"]}, "rule.devices[1]"),
        ({"devices": ["a", 1]}, "rule.devices[1]"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_rule_that_means_nothing_is_refused_with_its_place(rule: object, path: str) -> None:
    with pytest.raises(RuleMalformed) as caught:
        compile_rule(rule)
    assert caught.value.problems[0].field == path
    assert str(caught.value).startswith(f"{path}: expected ")


def nested(depth: int) -> object:
    return OS if depth == 1 else {"not": nested(depth - 1)}


def test_rules_are_bounded() -> None:
    ids = [f"device-{number}" for number in range(5001)]
    compile_rule(nested(16))
    compile_rule({"all": [OS] * 999})
    compile_rule({"any": [{"devices": ids[:5000]}, {"devices": ids[:5000]}]})
    for rule in (nested(17), {"all": [OS] * 1000}, {"any": [{"devices": ids}, {"devices": ids}]}):
        with pytest.raises(RuleMalformed):
            compile_rule(rule)
    endless: dict[str, Any] = {}
    endless["not"] = endless
    with pytest.raises(RuleMalformed, match="deeper"):
        compile_rule(endless)


keys = st.sampled_from(
    ["all", "any", "not", "list", "devices", "fact", "in", "equals", "version", "prefix", "glob", "range", "below"]
)
mistaken = st.recursive(
    st.one_of(json_values, some.values, some.rules),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(keys, inner, min_size=1, max_size=2)),
    max_leaves=5,
)
spoiled = st.builds(lambda rule, key, value: {**rule, key: value}, some.rules, keys, mistaken)


@given(
    st.one_of(mistaken, spoiled, some.rules),
    st.one_of(some.facts, st.dictionaries(st.sampled_from(some.NAMES), mistaken)),
)
def test_any_json_compiles_or_is_malformed(rule: object, facts: dict[str, Any]) -> None:
    try:
        matches = compile_rule(rule)
    except RuleMalformed:
        return
    assert matches(facts) is not compile_rule({"all": [{"not": rule}]})(facts)


@given(some.rules, some.facts)
def test_a_rule_looks_at_nothing_else_than_it_says(rule: object, facts: dict[str, Any]) -> None:
    asked = facts_in(rule)
    assert compile_rule(rule)(facts) is compile_rule(rule)({name: facts[name] for name in facts if name in asked})


def test_odd_facts_never_raise() -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

    for value in (Odd(), [], {}, None, float("nan"), float("inf"), 10**5000, b"a", "x" * 10_000, object):
        for test in (
            {"in": ["a", 1, True]},
            {"version": "*"},
            {"prefix": "a"},
            {"glob": "*a*"},
            {"range": {"below": 1}},
        ):
            assert compile_rule({"fact": "a", **test})({"a": value}) is False


def naive_glob(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(naive_glob(pattern[1:], text[start:]) for start in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and naive_glob(pattern[1:], text[1:])


@given(st.text("ab*?", min_size=1, max_size=7), st.text("ab\n", max_size=8))
def test_a_glob_is_the_whole_text(pattern: str, text: str) -> None:
    assert compile_rule({"fact": "a", "glob": pattern})({"a": text}) is naive_glob(pattern, text)


@given(some.texts.filter(len))
def test_only_stars_and_question_marks_are_special(text: str) -> None:
    plain = re.sub(r"[*?]", "", text) or "."
    assert compile_rule({"fact": "a", "glob": plain})({"a": plain})
    assert not compile_rule({"fact": "a", "glob": plain})({"a": plain + "a"})


def test_no_text_makes_a_glob_slow() -> None:
    """With backtracking this would outlast the universe."""
    matches = compile_rule({"fact": "a", "glob": "*a" * 100 + "b"})
    assert not matches({"a": "a" * 8000})


def test_all_that_is_wrong_with_a_rule_is_told_at_once() -> None:
    rule = {
        "all": [
            {"fact": "Os", "equals": []},
            {"any": [{"list": "Testers"}, {"devices": ["a", "b c"]}, {"nor": []}]},
            {"fact": "n", "range": {"above": "1", "below": 2}},
        ]
    }
    with pytest.raises(RuleMalformed) as caught:
        compile_rule(rule)
    assert [problem.field for problem in caught.value.problems] == [
        "rule.all[0].fact",
        "rule.all[0].equals",
        "rule.all[1].any[0].list",
        "rule.all[1].any[1].devices[1]",
        "rule.all[1].any[2]",
        "rule.all[2].range.above",
    ]


def test_what_is_too_much_is_said_once() -> None:
    with pytest.raises(RuleMalformed) as caught:
        compile_rule({"all": [{"all": [OS] * 999}, {"any": [{"list": 1}] * 900}]})
    assert [problem.expected for problem in caught.value.problems] == ["at most 1000 rules within each other"]
