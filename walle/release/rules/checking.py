"""Check a rule when it is written, against the declared facts and the lists of an app."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from walle.release.rules.malformed import RuleMalformed
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import Leaf, ListMember, leaves
from walle.release.rules.value_sets import Scalar, json_of
from walle.release.rules.vocabulary import FACT_TYPES, FactDeclaration
from walle.schema import Problem, Problems

_SHOWN: Final = 20


def check_rule(rule: object, facts: Mapping[str, FactDeclaration], lists: Collection[str]) -> None:
    """Raise RuleMalformed unless the rule is valid and uses only declared facts and existing lists."""
    if faults := faults_of(rule, facts, lists):
        raise RuleMalformed(faults)


def faults_of(rule: object, facts: Mapping[str, FactDeclaration], lists: Collection[str]) -> tuple[Problem, ...]:
    """Return all problems of a rule in the order in which it is written, or why it cannot be read."""
    try:
        tree = read_rule(rule)
    except RuleMalformed as malformed:
        return malformed.problems
    problems = Problems()
    for leaf in leaves(tree):
        _check_leaf(leaf, facts, lists, problems)
    return problems.all


def _check_leaf(
    leaf: Leaf | ListMember, facts: Mapping[str, FactDeclaration], lists: Collection[str], problems: Problems
) -> None:
    if isinstance(leaf, ListMember):
        if leaf.ids is None and leaf.name not in lists:
            problems.add(leaf.path, f"an uploaded list: {_listed(sorted(lists))}", leaf.name)
    elif (declared := facts.get(leaf.fact)) is None:
        problems.add(f"{leaf.path}.fact", f"a declared fact: {_listed(facts)}", leaf.fact)
    else:
        _check_test(leaf, declared, problems)


def _check_test(leaf: Leaf, declared: FactDeclaration, problems: Problems) -> None:
    operator = leaf.test.operator
    path = f"{leaf.path}.{operator.name}"
    if declared.type not in operator.types:
        *others, last = FACT_TYPES[declared.type].operators
        known = f"{', '.join(others)} or {last}" if others else last
        problems.say(path, f"{known}, as {declared.name} is a {declared.type}", operator.name)
        return
    for place, value in operator.operand.values(leaf.test.operand):
        _check_value(value, declared, f"{path}{place}", problems)


def _check_value(value: Scalar, declared: FactDeclaration, path: str, problems: Problems) -> None:
    expected = FACT_TYPES[declared.type].json
    if json_of(value) != expected:
        problems.add(path, f"a {expected}, as {declared.name} is a {declared.type}", value)
    elif declared.values is not None and value not in declared.values:
        problems.add(path, f"a value of {declared.name}: {_listed(declared.values)}", value)


def _listed(names: Collection[object]) -> str:
    shown = ", ".join(map(str, list(names)[:_SHOWN]))
    return (shown + ", ..." if len(names) > _SHOWN else shown) or "there is none yet"
