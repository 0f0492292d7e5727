"""Checking a rule when it is written: against the facts that an app's devices have, and its lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from walle.release.rules.malformed import RuleMalformed
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import Leaf, Member, leaves
from walle.release.rules.value_sets import Scalar, json_of
from walle.release.rules.vocabulary import FACT_TYPES, FactDeclaration

_SHOWN: Final = 20


def check_rule(rule: object, facts: Mapping[str, FactDeclaration], lists: Collection[str]) -> None:
    """Raises RuleMalformed unless the rule is sound and speaks of these facts, as they are declared, and lists."""
    for fault in faults_of(rule, facts, lists):
        raise fault


def faults_of(rule: object, facts: Mapping[str, FactDeclaration], lists: Collection[str]) -> Iterator[RuleMalformed]:
    """All that is wrong with a rule in the order in which it was written; of one that cannot be read, only that."""
    try:
        tree = read_rule(rule)
    except RuleMalformed as fault:
        yield fault
        return
    for leaf in leaves(tree):
        try:
            _check_leaf(leaf, facts, lists)
        except RuleMalformed as fault:
            yield fault


def _check_leaf(leaf: Leaf | Member, facts: Mapping[str, FactDeclaration], lists: Collection[str]) -> None:
    if isinstance(leaf, Member):
        _check_list(leaf, lists)
    elif (declared := facts.get(leaf.fact)) is None:
        raise RuleMalformed(f"{leaf.path}.fact", f"a declared fact: {_listed(facts)}")
    else:
        _check_test(leaf, declared)


def _check_list(leaf: Member, lists: Collection[str]) -> None:
    if leaf.ids is None and leaf.name not in lists:
        raise RuleMalformed(leaf.path, f"an uploaded list: {_listed(sorted(lists))}")


def _check_test(leaf: Leaf, declared: FactDeclaration) -> None:
    operator = leaf.test.operator
    path = f"{leaf.path}.{operator.name}"
    if declared.type not in operator.types:
        *others, last = FACT_TYPES[declared.type].operators
        known = f"{', '.join(others)} or {last}" if others else last
        raise RuleMalformed(path, f"{known}, as {declared.name} is a {declared.type}")
    for place, value in operator.operand.values(leaf.test.operand):
        _check_value(value, declared, f"{path}{place}")


def _check_value(value: Scalar, declared: FactDeclaration, path: str) -> None:
    expected = FACT_TYPES[declared.type].json
    if json_of(value) != expected:
        raise RuleMalformed(path, f"a {expected}, as {declared.name} is a {declared.type}")
    if declared.values is not None and value not in declared.values:
        raise RuleMalformed(path, f"a value of {declared.name}: {_listed(declared.values)}")


def _listed(names: Collection[object]) -> str:
    shown = ", ".join(map(str, list(names)[:_SHOWN]))
    return (shown + ", ..." if len(names) > _SHOWN else shown) or "there is none yet"
