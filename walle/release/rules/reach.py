"""Decide whether a rule can match devices of which only some facts are known, to choose what to simulate."""

from __future__ import annotations

from collections.abc import Mapping

from walle.release.rules.predicates import value_test
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import All, AnyOf, Leaf, Node, Not
from walle.release.rules.value_sets import Scalar


def can_match(rule: object, known: Mapping[str, Scalar]) -> bool:
    """Return False only if no device with these facts can match; raises RuleMalformed."""
    return _can_be(read_rule(rule), True, known)


def _can_be(node: Node, result: bool, known: Mapping[str, Scalar]) -> bool:
    """Return whether a node can have the wanted result; unknown facts may have any value."""
    match node:
        case All(parts) | AnyOf(parts):
            every = isinstance(node, All) == result
            return (all if every else any)(_can_be(part, result, known) for part in parts)
        case Not(part):
            return _can_be(part, not result, known)
        case Leaf(fact, test) if fact in known:
            return value_test(test)(known[fact]) == result
        case _:
            return True
