"""Rules asked by bit vectors against the same rules asked one by one."""

from __future__ import annotations

from math import nan
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.release import rules as drawn
from walle.release import eligibility
from walle.release.eligibility import Eligibility
from walle.release.rules import compile_rule
from walle.release.rules.predicates import predicate_of
from walle.release.rules.reading import read_rule
from walle.release.rules.terms import MAX_TERMS, subject_of, terms_of
from walle.release.rules.tree import leaves

Rule = dict[str, Any]
Facts = dict[str, Any]


def either(*facts: str) -> Rule:
    return {"any": [{"fact": fact, "equals": 1} for fact in facts]}


MANY: Rule = {"all": [either(f"a{number}", f"b{number}") for number in range(6)]}
"""A rule that comes apart in 64 terms."""


@given(drawn.rules, drawn.facts)
@example({"not": {"all": [either("n", "model"), {"list": "staff"}]}}, {"lists": frozenset()})
def test_any_term_is_enough_and_asks_of_each_fact_by_itself(rule: Rule, facts: Facts) -> None:
    terms = terms_of(read_rule(rule))
    assert terms is not None
    for term in terms:
        assert all({subject_of(leaf) for leaf in leaves(node)} == {fact} for fact, node in term.items())
    held = [all(predicate_of(node)({name: facts.get(name)}) for name, node in term.items()) for term in terms]
    assert any(held) == compile_rule(rule)(facts)


def test_a_rule_of_too_many_terms_has_none() -> None:
    assert terms_of(read_rule(MANY)) is None
    assert len(terms_of(read_rule({"all": MANY["all"][:5]})) or ()) == MAX_TERMS
    deep = MANY
    for _ in range(5):
        deep = {"not": {"any": [deep, MANY]}}
    assert terms_of(read_rule(deep)) is None


_rules = st.lists(st.one_of(drawn.rules, drawn.rules, st.just(MANY), st.just({"not": MANY})), max_size=5)
_sides = st.sampled_from([f"{side}{number}" for side in "ab" for number in range(6)])
_facts = st.one_of(drawn.facts, st.dictionaries(_sides, st.just(1)))


@settings(max_examples=400)
@given(_rules, st.lists(_facts, min_size=1, max_size=4))
@example([{"fact": "n", "range": {"below": 1}}], [{"n": nan}, {"n": 0}, {"n": nan}])
@example([{"fact": "n", "in": [True]}, {"fact": "n", "in": [1]}], [{"n": True}, {"n": 1}, {"n": 1.0}, {"n": "1"}])
@example([{"fact": "n", "in": [1, 3]}], [{"n": 2}, {"n": 1}, {"n": 3.0}, {"n": 2.5}])
@example([{"list": "staff"}], [{"lists": frozenset({"staff"})}, {"lists": "staff"}, {"lists": ["staff"]}, {}])
def test_the_rules_that_hold_are_those_whose_predicates_do(rules: list[Rule], devices: list[Facts]) -> None:
    asked = Eligibility(map(read_rule, rules))
    predicates = list(map(compile_rule, rules))
    for facts in devices:
        expected = [place for place, holds in enumerate(predicates) if holds(facts)]
        held = asked.bits(facts)
        assert [place for place, bits in enumerate(asked.bits_of_rules) if held & bits] == expected


@given(st.lists(drawn.rules, min_size=1, max_size=4), drawn.facts, drawn.facts)
def test_devices_of_one_kind_agree_on_every_rule(rules: list[Rule], one: Facts, other: Facts) -> None:
    asked = Eligibility(map(read_rule, rules))
    if all(fact._kind(one.get(fact.name)) == fact._kind(other.get(fact.name)) for fact in asked._facts):
        assert [compile_rule(rule)(one) for rule in rules] == [compile_rule(rule)(other) for rule in rules]


def test_numbers_between_the_same_ends_are_of_one_kind() -> None:
    asked = Eligibility([read_rule({"fact": "n", "range": {"at_least": 20, "below": 80}})])
    for number in range(10_000):
        asked.bits({"n": number / 100})
    assert len(asked._facts[0]._known) == 5


def test_texts_that_nobody_asks_for_do_not_fill_memory(monkeypatch: Any) -> None:
    monkeypatch.setattr(eligibility, "_MAX_VALUES", 100)
    asked = Eligibility([read_rule({"fact": "model", "prefix": "model-1"})])
    for number in range(1000):
        assert bool(asked.bits({"model": f"model-{number}"})) == str(number).startswith("1")
    assert len(asked._facts[0]._known) <= 100
