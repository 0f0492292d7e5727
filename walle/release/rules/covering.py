"""Prove that one rule matches every device that another rule matches.

Sound, not complete: yes is proven, no means that no proof was found. Both rules are brought into a form in which
negation stands only before literals, and every bound of a range is one of its own; then conjunctions and
disjunctions are taken apart until literals meet. Of a literal, a proof knows the set of values that it admits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from walle.release.rules import matching
from walle.release.rules.matching import ValueTest
from walle.release.rules.predicates import value_test
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import All, AnyOf, Leaf, ListMember, Node, Not
from walle.release.rules.value_sets import OPPOSITE, Beginning, JsonType, OneOf, Some, ValueOrder, ValueSet, Within

# Rules of a hundred leaves each are settled in fewer; beyond this a proof is given up.
_MAX_STEPS: Final = 20_000


@dataclass(frozen=True)
class _Literal(Leaf):
    """A leaf, or one bound of it, with the set of values that pass."""

    admits: ValueSet

    def holds(self) -> ValueTest:
        match self.admits:
            case OneOf(values):
                return matching.one_of(values)
            case Within(order, bounds):
                return matching.within(order, bounds)
        return value_test(self.test)


def covers(wide: object, narrow: object) -> bool:
    """Return True only if every device that matches `narrow` matches `wide`; raises RuleMalformed."""
    return _Proof().implies(_normal(read_rule(narrow)), _normal(read_rule(wide)))


def _normal(node: Node, holds: bool = True) -> Node:
    """Return the node, or its negation, in negation normal form with literals for leaves."""
    match node:
        case Not(part):
            return _normal(part, not holds)
        case All(parts):
            return (All if holds else AnyOf)(tuple(_normal(part, holds) for part in parts))
        case AnyOf(parts):
            return (AnyOf if holds else All)(tuple(_normal(part, holds) for part in parts))
        case Leaf() if not isinstance(node, _Literal):
            return _normal(_literals(node), holds)
    return node if holds else Not(node)


def _literals(leaf: Leaf) -> Node:
    """Return a leaf as a literal, or its bounds as literals."""
    literal = _Literal(leaf.fact, leaf.test, leaf.path, leaf.test.admits)
    match literal.admits:
        case Within(order, bounds) if bounds and not literal.admits.is_half_line:
            return All(tuple(_half_lines(literal, order, *bound) for bound in bounds))
    return literal


def _half_lines(literal: _Literal, order: ValueOrder, sign: str, end: Any) -> Node:
    """Return one bound as half-lines: equal is neither below nor above, unequal is one of them."""
    signs = {"==": (">=", "<="), "!=": ("<", ">")}.get(sign, (sign,))
    lines = tuple(replace(literal, admits=Within(order, ((each, end),))) for each in signs)
    return AnyOf(lines) if sign == "!=" else All(lines)


class _Proof:
    """The search for a proof, with a count of its steps."""

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
            case _Literal(admits=OneOf(values)), AnyOf() if len(values) > 1:
                return all(self.implies(replace(narrow, admits=OneOf((value,))), wide) for value in values)
        return self._by_part(narrow, wide) or _literal_implies(narrow, wide)

    def _by_part(self, narrow: Node, wide: Node) -> bool:
        """Return whether one part of the narrow conjunction, or of the wide disjunction, is enough."""
        if isinstance(narrow, All) and any(self.implies(part, wide) for part in narrow.parts):
            return True
        return isinstance(wide, AnyOf) and any(self.implies(narrow, part) for part in wide.parts)


def _literal_implies(narrow: Node, wide: Node) -> bool:
    match narrow, wide:
        case Not(left), Not(right):
            return _literal_implies(right, left)
        case _Literal(), _Literal():
            return narrow.fact == wide.fact and _within(narrow, wide)
        case _Literal(), Not(_Literal() as other):
            return narrow.fact == other.fact and _apart(narrow, other)
        case ListMember(name, ids), ListMember(same, others):
            return name == same or (ids is not None and others is not None and ids <= others)
        case ListMember(_, ids), Not(ListMember(_, others)):
            return ids is not None and others is not None and ids.isdisjoint(others)
    return False


def _within(narrow: _Literal, wide: _Literal) -> bool:
    """Return whether every value that passes the narrow one passes the wide one."""
    match narrow.admits, wide.admits:
        case OneOf(values), _:
            return all(map(wide.holds(), values))
        case Beginning(head), Beginning(text, whole=True):
            return head.startswith(text)
        case Within(order), Within(same, ()):
            return order is same
        case Within(order, ((sign, end),)), Within(same, ((other, limit),)):
            return order is same and _half_line_within(sign, end, other, limit)
    return narrow == wide


def _half_line_within(sign: str, end: Any, wide_sign: str, limit: Any) -> bool:
    if sign[0] != wide_sign[0]:
        return False
    if end == limit:
        return sign == wide_sign or wide_sign.endswith("=")
    return bool(end > limit) == (sign[0] == ">")


def _apart(first: _Literal, second: _Literal) -> bool:
    """Return whether no value passes both."""
    match first.admits, second.admits:
        case OneOf(values), _:
            return not any(map(second.holds(), values))
        case _, OneOf(values):
            return not any(map(first.holds(), values))
        case Within(order), Within(same, ((sign, end),)) if order is same:
            return _within(first, replace(second, admits=Within(same, ((OPPOSITE[sign], end),))))
        case Beginning(head), Beginning(same):
            return not (head.startswith(same) or same.startswith(head))
    kinds = {_json(first.admits), _json(second.admits)}
    return len(kinds) == 2 and None not in kinds


def _json(admitted: ValueSet) -> JsonType | None:
    """Return the JSON type of the values; None if they may differ."""
    match admitted:
        case Beginning():
            return "text"
        case Within(order):
            return order.json
        case Some(json):
            return json
    return None
