"""Whether one rule takes every device that another takes.

Sound, not complete: yes is proven, no means that no proof was found. Both rules are brought into a form in which
negation stands only before leaves and every bound of a range is a leaf of its own; then conjunctions and
disjunctions are taken apart until leaves meet leaves.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from walle.release.rules.predicates import value_test
from walle.release.rules.reading import read_rule
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
    Within,
)

# Rules of a hundred leaves each are settled in fewer; beyond this a proof is given up.
_MAX_STEPS: Final = 20_000
_OPPOSITE: Final = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}


def covers(wide: object, narrow: object) -> bool:
    """True only if every device that matches `narrow` matches `wide`; raises RuleMalformed."""
    return _Proof().implies(_normal(read_rule(narrow)), _normal(read_rule(wide)))


def _normal(node: Node, holds: bool = True) -> Node:
    """The node, or its negation, with negation only before leaves."""
    match node:
        case Not(part):
            return _normal(part, not holds)
        case All(parts):
            return (All if holds else AnyOf)(tuple(_normal(part, holds) for part in parts))
        case AnyOf(parts):
            return (AnyOf if holds else All)(tuple(_normal(part, holds) for part in parts))
        case Leaf(_, (Versions(bounds) | Numbers(bounds)) as test) if bounds and not _is_half_line(bounds):
            return _normal(All(tuple(_half_lines(node, type(test), *bound) for bound in bounds)), holds)
        case Leaf(_, Glob(pattern)):
            node = replace(node, test=_plainest(pattern))
    return node if holds else Not(node)


def _is_half_line(bounds: tuple[tuple[str, Any], ...]) -> bool:
    return len(bounds) == 1 and bounds[0][0] in _OPPOSITE


def _half_lines(leaf: Leaf, kind: type[Versions | Numbers], sign: str, end: Any) -> Node:
    """One bound in half-lines: equal is neither below nor above, unequal is one of them."""
    signs = {"==": (">=", "<="), "!=": ("<", ">")}.get(sign, (sign,))
    lines = tuple(replace(leaf, test=kind(((each, end),))) for each in signs)
    return AnyOf(lines) if sign == "!=" else All(lines)


def _plainest(pattern: str) -> Test:
    """A glob that is only a text or only a prefix, as such."""
    if not re.search(r"[*?]", pattern):
        return OneOf((pattern,))
    return Prefix(pattern[:-1]) if re.fullmatch(r"[^*?]*\*", pattern) else Glob(pattern)


class _Proof:
    """Looks for a proof and counts the steps."""

    def __init__(self) -> None:
        self._steps = 0

    def implies(self, narrow: Node, wide: Node) -> bool:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return False
        match narrow, wide:
            case AnyOf(parts), _:
                return all(self.implies(part, wide) for part in parts)
            case _, All(parts):
                return all(self.implies(narrow, part) for part in parts)
            case Leaf(_, OneOf(values)), AnyOf() if len(values) > 1:
                return all(self.implies(replace(narrow, test=OneOf((value,))), wide) for value in values)
        return self._by_part(narrow, wide) or _literal_implies(narrow, wide)

    def _by_part(self, narrow: Node, wide: Node) -> bool:
        """Enough: a part of the narrow conjunction, or of the wide disjunction, does alone."""
        if isinstance(narrow, All) and any(self.implies(part, wide) for part in narrow.parts):
            return True
        return isinstance(wide, AnyOf) and any(self.implies(narrow, part) for part in wide.parts)


def _literal_implies(narrow: Node, wide: Node) -> bool:
    match narrow, wide:
        case Not(left), Not(right):
            return _literal_implies(right, left)
        case Leaf(fact, test), Leaf(same, other):
            return fact == same and _within(test, other)
        case Leaf(fact, test), Not(Leaf(same, other)):
            return fact == same and _apart(test, other)
        case Member(name, ids), Member(same, others):
            return name == same or (ids is not None and others is not None and ids <= others)
        case Member(_, ids), Not(Member(_, others)):
            return ids is not None and others is not None and ids.isdisjoint(others)
    return False


def _within(narrow: Test, wide: Test) -> bool:
    """Whether every value that passes the narrow test passes the wide one."""
    match narrow, wide:
        case OneOf(values), _:
            return all(map(value_test(wide), values))
        case Prefix() | Glob(), Prefix(text):
            return _head(narrow).startswith(text)
        case Glob(pattern), Glob(same):
            return pattern == same
        case Versions(), Versions(()):
            return True
        case Within(((sign, end),)), Within(((other, limit),)) if type(narrow) is type(wide):
            return _half_line_within(sign, end, other, limit)
    return False


def _half_line_within(sign: str, end: Any, wide_sign: str, limit: Any) -> bool:
    if sign[0] != wide_sign[0]:
        return False
    if end == limit:
        return sign == wide_sign or wide_sign.endswith("=")
    return bool(end > limit) == (sign[0] == ">")


def _apart(one: Test, other: Test) -> bool:
    """Whether no value passes both tests."""
    match one, other:
        case (OneOf(values), test) | (test, OneOf(values)):
            return not any(map(value_test(test), values))
        case Within(), Within(((sign, end),)) if type(one) is type(other):
            return _within(one, type(other)(((_OPPOSITE[sign], end),)))
        case Prefix() | Glob(), Prefix() | Glob():
            head, same = _head(one), _head(other)
            return not (head.startswith(same) or same.startswith(head))
    # Numbers are no text, and whatever is neither one of some values nor a number is text.
    return isinstance(one, Numbers) != isinstance(other, Numbers)


def _head(test: Prefix | Glob) -> str:
    """How every text that passes begins."""
    return test.text if isinstance(test, Prefix) else re.split(r"[*?]", test.pattern, maxsplit=1)[0]
