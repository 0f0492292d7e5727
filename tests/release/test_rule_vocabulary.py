"""Every row of the vocabulary keeps what it promises, and a new row needs nothing else than to be there."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.release import rules as some
from tests.release import vocabulary_additions
from tests.release.tables import entry, table
from walle.release.decision import CompiledTable
from walle.release.eligibility import Eligibility
from walle.release.explain import explain_each
from walle.release.rules import (
    BUILT_IN_FACTS,
    FACT_TYPES,
    OPERATORS,
    FactDeclaration,
    Operator,
    RuleMalformed,
    check_rule,
    compile_rule,
    covers,
)
from walle.release.rules.reach import can_match
from walle.release.rules.reading import read_rule
from walle.release.rules.value_sets import Beginning, OneOf, Some, ValueSet, Within, json_of

NAMES = [*OPERATORS, *(operator.name for operator in vocabulary_additions.NEW)]
VALUES = (None, *some.ODD_SCALARS, *some.GREAT_NUMBERS, *vocabulary_additions.DATE.examples, 3, 4, 6.0, [], {}, [1])
drawn = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are there, and some that might be one day."""
    vocabulary_additions.add_new_words(monkeypatch)


@pytest.fixture(params=NAMES)
def operator(words: None, request: pytest.FixtureRequest) -> Operator:
    """Each row in turn."""
    return OPERATORS[request.param]


def on(test: dict[str, Any]) -> dict[str, Any]:
    return {"fact": "n", **test}


def test_a_row_is_read_and_refused_with_its_place(operator: Operator) -> None:
    (leaf,) = [read_rule(on({operator.name: operator.example}))]
    assert repr(leaf.test.operator) == operator.name  # type: ignore[union-attr]
    hash(leaf)
    for odd in (None, {"a": 1}, [[]], "\0"):
        with pytest.raises(RuleMalformed) as caught:
            read_rule({"all": [on({operator.name: odd})]})
        assert caught.value.problems[0].field.startswith(f"rule.all[0].{operator.name}")


@drawn
@given(data=st.data())
def test_a_row_means_the_same_to_predicates_and_bit_vectors(operator: Operator, data: st.DataObject) -> None:
    rules = data.draw(st.lists(some.tests_of(operator).map(on), min_size=1, max_size=3))
    asked, predicates = Eligibility(map(read_rule, rules)), list(map(compile_rule, rules))
    for value in VALUES + VALUES:
        held = asked.bits({"n": value})
        found = [bool(held & bits) for bits in asked.bits_of_rules]
        assert found == [predicate({"n": value}) for predicate in predicates], value


@drawn
@given(data=st.data())
def test_a_row_admits_the_values_that_pass(operator: Operator, data: st.DataObject) -> None:
    test = data.draw(some.tests_of(operator))
    passes = compile_rule(on(test))
    admitted = read_rule(on(test)).test.admits  # type: ignore[union-attr]
    for value in VALUES:
        if passes({"n": value}):
            assert contains(admitted, value)
        elif isinstance(admitted, OneOf | Within) or (isinstance(admitted, Beginning) and admitted.whole):
            assert not contains(admitted, value)


def contains(admitted: ValueSet, value: Any) -> bool:
    match admitted:
        case OneOf(values):
            return any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in values)
        case Within(order, bounds):
            key = order.key(value)
            return key is not None and all(_is_within(key, sign, end) for sign, end in bounds)
        case Beginning(head):
            return isinstance(value, str) and value.startswith(head)
        case Some(json):
            return json is None or json_of(value) == json


def _is_within(key: Any, sign: str, end: Any) -> bool:
    if sign == "!=":
        return bool(key != end)
    return (key == end and "=" in sign) or (key > end and ">" in sign) or (key < end and "<" in sign)


@drawn
@given(data=st.data())
def test_what_is_proven_of_a_row_is_true(operator: Operator, data: st.DataObject) -> None:
    one = on(data.draw(some.tests_of(operator)))
    other = on(data.draw(st.sampled_from(list(OPERATORS.values())).flatmap(some.tests_of)))
    assert covers(one, one)
    for wide, narrow in ((one, other), (other, one), ({"not": one}, other), ({"not": other}, one)):
        if covers(wide, narrow):
            takes, refused = compile_rule(narrow), compile_rule({"not": wide})
            assert [value for value in VALUES if takes({"n": value}) and refused({"n": value})] == []


def test_a_row_is_checked_against_what_is_declared(operator: Operator) -> None:
    for name, row in FACT_TYPES.items():
        declared = {"n": FactDeclaration("n", name)}
        example = list(row.examples) if operator.name == "in" else row.examples[0]
        rule = on({operator.name: example if operator.operand.form in ("value", "values") else operator.example})
        if name in operator.types:
            check_rule(rule, declared, ())
        else:
            with pytest.raises(RuleMalformed, match=f"{row.usual}.* as n is a {name}"):
                check_rule(rule, declared, ())


def test_no_fact_makes_a_row_fail(operator: Operator) -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

    passes = compile_rule(on({operator.name: operator.example}))
    for value in (Odd(), [], {}, None, nan, inf, 10**5001 + 1, b"a", "x" * 10_000 + "y", object):
        assert passes({"n": value}) is False


def test_types_and_operators_know_each_other() -> None:
    for row in FACT_TYPES.values():
        assert row.operators[0] == row.usual
        assert all(map(row.fits, row.examples[:2]))
        assert {json_of(value) for value in row.examples} == {row.json}
    assert {name for operator in OPERATORS.values() for name in operator.types} == set(FACT_TYPES)
    assert {fact.type for fact in BUILT_IN_FACTS.values()} <= set(FACT_TYPES)


def test_a_row_decides_and_is_explained(operator: Operator) -> None:
    rule = on({operator.name: operator.example})
    passing = [
        value for value in (*VALUES, "1.5.0", "SM-G991", "Pixel 8", 5, "android") if compile_rule(rule)({"n": value})
    ]
    assert passing, f"no value here passes {rule}: choose an example that one does, or add a value to VALUES"
    compiled = CompiledTable(table([entry(rule=rule)]))
    for value, reason in [(passing[0], "the device is selected"), (None, "the device does not match its rule")]:
        (told,) = explain_each(compiled, {"n": value}, {}, "device-1", ["camera/digits"], now=0)
        assert [one.reason for one in told.considered] == [reason]
        assert can_match(rule, {"n": value}) is (value is not None)


def test_proofs_with_new_words() -> None:
    assert covers({"fact": "n", "since": "2026-05-01"}, {"fact": "n", "since": "2026-05-02"})
    assert not covers({"fact": "n", "since": "2026-05-02"}, {"fact": "n", "since": "2026-05-01"})
    assert covers({"not": {"fact": "n", "multiple_of": 2}}, {"fact": "n", "suffix": "2"})
    assert covers({"fact": "n", "multiple_of": 2}, {"fact": "n", "in": [2, 4.0]})
    assert not covers({"fact": "n", "multiple_of": 2}, {"fact": "n", "range": {"at_least": 2, "at_most": 2.5}})
