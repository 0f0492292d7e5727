"""Hypothesis strategies for rules and facts: few names and values that meet often, odd ones among them.

They are made from the vocabulary: a new operator or type is drawn without a change here.
"""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from walle.release.rules import FACT_TYPES, OPERATORS, Operator, operands

NAMES = ("app_version", "model", "n", "user.age", "user.n")
LISTS = ("staff", "testers")
DEVICES = tuple(f"d{number}" for number in range(8))

_number = st.sampled_from(["0", "1", "2", "9", "10", "14", "123", "4" * 10])
_part = st.one_of(_number, st.sampled_from(["rc", "beta", "Beta", "-", "x-1", "0a", "00a"]))
_pre = st.lists(_part, min_size=1, max_size=3).map(".".join)
_build = st.sampled_from(["", "", "+1", "+sha.05"])
versions = st.one_of(
    st.builds("{}.{}.{}{}".format, _number, _number, _number, _build),
    st.builds("{}.{}.{}-{}{}".format, _number, _number, _number, _pre, _build),
).filter(lambda text: len(text) <= 64)
loose_versions = st.one_of(versions, _number, st.builds("{}.{}".format, _number, _number))
_no_versions = st.sampled_from(["", "1.", "01", "1.2.3.4", "1.2-rc", "v1", " 1", "1\n", "\u0661", "1" * 65, "1.0.0-01"])

_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
ODD_TEXTS = ("", "1", "true", "é", "e\u0301", "𝄞", "a%b", "a_b", "a\\b", "ab", "aab", "Ab", "a\nb", "null")
texts = st.one_of(st.sampled_from(ODD_TEXTS), loose_versions, _no_versions, st.text("ab*?%_\\", max_size=4), _text)
ODD_NUMBERS = (
    0,
    1,
    -1,
    2,
    10,
    0.0,
    -0.0,
    1.0,
    0.1,
    0.5,
    1e-7,
    5e-324,
    2**53 - 1,
    1 - 2**53,
    2.0**53 - 1,
    2251799813685247.5,
)
numbers = st.one_of(st.sampled_from(ODD_NUMBERS), st.integers(-3, 3), st.floats(-(2.0**52), 2.0**52))
EXAMPLES = tuple(value for row in FACT_TYPES.values() for value in row.examples)
scalars = st.one_of(texts, numbers, st.booleans(), st.sampled_from(EXAMPLES))
ODD_VERSIONS = (
    "0.0.0-0", "0.0.0", "1.0.0-1", "1.0.0", "1.0.1", "2.0.0-0", "2.0.0-rc.1", "2.0.0", "2", "2.0.1", "10", "14.1",
)  # fmt: skip
ODD_SCALARS = (True, False, *ODD_NUMBERS, *ODD_TEXTS, *ODD_VERSIONS, *EXAMPLES)

GREAT_NUMBERS = (2**53, 2**53 + 1, 10**23, 1e23, 2.0**60, 10**400, -(10**400), 1.7e308)
_no_scalars = st.sampled_from([None, [], [1], ["a"], {}, {"a": 1}])
values = st.one_of(scalars, scalars, st.sampled_from(GREAT_NUMBERS), _no_scalars)
claims = st.dictionaries(st.sampled_from(NAMES[:3]), values, max_size=3)
user_facts = st.dictionaries(st.sampled_from(["age", "n"]), values, max_size=2)
lists = st.frozensets(st.sampled_from(LISTS))


def facts_of(claimed: dict[str, Any], user: dict[str, Any], lists: frozenset[str]) -> dict[str, Any]:
    """A device's facts as rules see them."""
    return {**claimed, **{f"user.{name}": value for name, value in user.items()}, "lists": lists}


facts = st.builds(facts_of, claims, user_facts, lists)

_operator = st.sampled_from([">=", "<=", ">", "<", "==", "=", "!="])
_comparator = st.builds("{} {}".format, _operator, loose_versions)
ranges = st.one_of(st.just("*"), st.lists(_comparator, min_size=1, max_size=3).map(", ".join))
bounds = st.dictionaries(st.sampled_from(["at_least", "at_most", "above", "below"]), numbers, min_size=1)
globs = st.one_of(st.sampled_from(["*", "?", "*?", "a*b", "?a*", "a**", "1.*", "*-*"]), texts).filter(len)
OPERANDS: Final[dict[operands.Operand, st.SearchStrategy[Any]]] = {
    operands.VALUES: st.lists(scalars, min_size=1, max_size=4),
    operands.VALUE: scalars,
    operands.TEXT: st.one_of(texts.filter(len), globs),
    operands.VERSION_RANGE: ranges,
    operands.NUMBER_RANGE: bounds,
}


def tests_of(operator: Operator) -> st.SearchStrategy[dict[str, Any]]:
    """What an operator can ask; of one whose operands nobody draws, its example."""
    example = st.just(operator.example)
    drawn = OPERANDS.get(operator.operand, example)
    return st.builds(lambda operand: {operator.name: operand}, st.one_of(example, drawn, drawn))


tests = st.one_of(*map(tests_of, OPERATORS.values()))
leaves = st.one_of(
    st.builds(lambda name, test: {"fact": name, **test}, st.sampled_from(NAMES), tests),
    st.builds(lambda name, test: {"fact": name, **test}, st.sampled_from(NAMES), tests),
    st.builds(lambda name: {"list": name}, st.sampled_from(LISTS)),
    st.builds(lambda ids: {"devices": ids}, st.lists(st.sampled_from(DEVICES), min_size=1, max_size=3)),
)
rules = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"all": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"any": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: {"not": part}, inner),
    ),
    max_leaves=6,
)
