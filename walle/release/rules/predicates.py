"""Predicates: what a rule says of a device's facts, as closures that interpret nothing when they are asked."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from walle.release.rules.reading import LISTS
from walle.release.rules.tree import (
    All,
    AnyOf,
    Glob,
    Leaf,
    Member,
    Node,
    Not,
    Numbers,
    OneOf,
    Prefix,
    Test,
    Versions,
)
from walle.release.rules.versions import version_key

Facts = Mapping[str, Any]
"""Scalars by the names of facts, and under "lists" the frozenset of the names of the lists that the device is in."""
Predicate = Callable[[Facts], bool]
ValueTest = Callable[[object], bool]

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


def predicate_of(node: Node) -> Predicate:
    """The predicate that a tree means. It raises nothing, whatever the facts hold."""
    match node:
        case Leaf(fact, test):
            holds = value_test(test)
            return lambda facts: holds(facts.get(fact))
        case Member(name):
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
    """Whether a fact's value, None where there is none, passes a test."""
    match test:
        case OneOf(values):
            return _one_of(values)
        case Versions(bounds):
            return _versions(bounds)
        case Numbers(bounds):
            return _numbers(bounds)
        case Prefix(text):
            return lambda value: isinstance(value, str) and value.startswith(text)
        case Glob(pattern):
            matches = glob_regex(pattern).fullmatch
            return lambda value: isinstance(value, str) and matches(value) is not None


def _one_of(values: tuple[Any, ...]) -> ValueTest:
    # True is 1 to Python, and has its hash.
    truths = frozenset(value for value in values if isinstance(value, bool))
    others = frozenset(value for value in values if not isinstance(value, bool))

    def holds(value: object) -> bool:
        if isinstance(value, bool):
            return value in truths
        return isinstance(value, str | int | float) and value in others

    return holds


def _versions(bounds: tuple[tuple[str, Any], ...]) -> ValueTest:
    within = _within(bounds)

    def holds(value: object) -> bool:
        key = version_key(value)
        return key is not None and within(key)

    return holds


def _numbers(bounds: tuple[tuple[str, Any], ...]) -> ValueTest:
    within = _within(bounds)
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and within(value)


def _within(bounds: tuple[tuple[str, Any], ...]) -> Callable[[Any], bool]:
    comparisons = tuple((_COMPARE[sign], bound) for sign, bound in bounds)

    def holds(value: Any) -> bool:
        for compare, bound in comparisons:  # noqa: SIM110
            if not compare(value, bound):
                return False
        return True

    return holds


def glob_regex(pattern: str) -> re.Pattern[str]:
    """The expression that matches the same whole texts.

    Each piece between two stars is sought once, at its first place, and never again (atomic groups): no text makes
    the matching slower than its length times that of the pattern.
    """
    first, *others = [re.escape(piece).replace(r"\?", ".") for piece in re.split(r"\*+", pattern)]
    if not others:
        return re.compile(first, re.DOTALL)
    *middle, last = others
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle) + ".*" + last, re.DOTALL)
