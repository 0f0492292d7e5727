"""Compile rules to predicates: closures over a device's facts without interpretation at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from walle.release.rules.matching import ValueTest
from walle.release.rules.reading import LISTS
from walle.release.rules.tree import All, AnyOf, Leaf, ListMember, Node, Not, Test

Facts = Mapping[str, Any]
"""Scalars by the names of facts, and under "lists" the frozenset of the names of the lists that the device is in."""
Predicate = Callable[[Facts], bool]


def predicate_of(node: Node) -> Predicate:
    """Return the predicate of a tree. It never raises, whatever the facts are."""
    match node:
        case Leaf(fact, test):
            holds = value_test(test)
            return lambda facts: holds(facts.get(fact))
        case ListMember(name):
            return _in_list(name)
        case Not(part):
            negated = predicate_of(part)
            return lambda facts: not negated(facts)
        case All(parts):
            return _all(tuple(map(predicate_of, parts)))
        case AnyOf(parts):
            return _any(tuple(map(predicate_of, parts)))


def _all(predicates: tuple[Predicate, ...]) -> Predicate:
    def holds(facts: Facts) -> bool:
        for predicate in predicates:  # noqa: SIM110 - twice as quick as all()
            if not predicate(facts):
                return False
        return True

    return holds


def _any(predicates: tuple[Predicate, ...]) -> Predicate:
    def holds(facts: Facts) -> bool:
        for predicate in predicates:  # noqa: SIM110
            if predicate(facts):
                return True
        return False

    return holds


def _in_list(name: str) -> Predicate:
    def holds(facts: Facts) -> bool:
        # A claim of a device that is called so is no frozenset.
        lists = facts.get(LISTS)
        return isinstance(lists, frozenset) and name in lists

    return holds


def value_test(test: Test) -> ValueTest:
    """Return the test of a fact's value, which is None if the fact is absent."""
    return test.operator.predicate(test.operand)
