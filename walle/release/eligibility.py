"""Find the rules that a device's facts satisfy, without evaluating each rule: one bit vector per value of a fact.

A bit stands for a term of a rule (walle.release.rules.terms). The value of one fact rules some terms out, whatever the
other facts are; what no fact rules out is satisfied. So a device costs one intersection of bit vectors for each fact
that any rule looks at, however many rules there are. Packet filters are matched this way (Lakshman and Stiliadis,
SIGCOMM 1998).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import inf
from typing import Final

from walle.release.rules.predicates import Facts, Predicate, predicate_of
from walle.release.rules.terms import Term, terms_of
from walle.release.rules.tree import Leaf, Node, leaves
from walle.release.rules.value_sets import NUMBERS, OneOf, Some, ValueSet, Within

Bits = int
"""A set of terms: those whose bit is one."""

_MAX_VALUES: Final = 10_000
"""Values of a fact that are remembered: facts are claims, a hostile device may invent a new one each time."""


class Eligibility:
    """An index of rules that finds those which hold for a device.

    The terms of a rule have adjacent bits, `bits_of_rules`, in the order of the rules.
    """

    def __init__(self, rules: Iterable[Node]) -> None:
        terms: list[Term] = []
        self.bits_of_rules: list[Bits] = []
        self._undivided: list[tuple[Bits, Predicate]] = []
        for rule in rules:
            found = terms_of(rule)
            bits = (1 << len(found or [rule])) - 1 << len(terms)
            self.bits_of_rules.append(bits)
            if found is None:
                # It would come apart in too many terms: one that asks nothing stands for it, and it is asked itself.
                self._undivided.append((bits, predicate_of(rule)))
            terms += found or [{}]
        self._facts = [_Fact(name, terms) for name in sorted({name for term in terms for name in term})]
        self.every = (1 << len(terms)) - 1

    def bits(self, facts: Facts) -> Bits:
        """Return the terms that hold for a device with these facts."""
        found = self.every
        for fact in self._facts:
            found &= fact.allows(facts.get(fact.name))
        for bit, holds in self._undivided:
            if found & bit and not holds(facts):
                found ^= bit
        return found


class _Fact:
    """The terms that each value of one fact allows."""

    def __init__(self, name: str, terms: Sequence[Term]) -> None:
        self.name = name
        self._free = 0
        nodes: dict[str, tuple[Node, Bits]] = {}
        for place, term in enumerate(terms):
            if node := term.get(name):
                known, bits = nodes.get(text := repr(node), (node, 0))
                nodes[text] = known, bits | 1 << place
            else:
                self._free |= 1 << place
        self._nodes = [(predicate_of(node), bits) for node, bits in nodes.values()]
        tests = [leaf.test for node, _ in nodes.values() for leaf in leaves(node) if isinstance(leaf, Leaf)]
        self._ends = _ends([test.admits for test in tests])
        self._known: dict[object, Bits] = {}

    def allows(self, value: object) -> Bits:
        """Return the terms that a value allows; the value of an absent fact is None."""
        kind = value if value.__class__ is str else self._kind(value)
        found = self._known.get(kind)
        if found is None:
            if len(self._known) >= _MAX_VALUES:
                self._known.clear()
            found = self._known[kind] = self._found(value)
        return found

    def _kind(self, value: object) -> object:
        """Return the class of a value: no rule distinguishes the values of one class.

        Numbers are told apart by the intervals between the ends that rules name, and by these themselves, unless an
        operator tells more of them apart. NaN, which is not below anything, comes after infinity.
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value if isinstance(value, str | bool | frozenset) else None
        if not self._ends:
            return "number", value
        place = bisect_right(self._ends, value)
        return place, self._ends[place - 1] == value

    def _found(self, value: object) -> Bits:
        found, facts = self._free, {self.name: value}
        for holds, bits in self._nodes:
            if holds(facts):
                found |= bits
        return found


def _ends(admitted: Iterable[ValueSet]) -> list[float]:
    """Return the numbers with which tests compare, and infinity; none if a test may distinguish others."""
    ends: set[float] = {inf}
    for values in admitted:
        match values:
            case OneOf(named):
                ends.update(value for value in named if isinstance(value, int | float))
            case Within(order, bounds) if order is NUMBERS:
                ends.update(end for _, end in bounds)
            case Within(order) if order.json == "number":
                return []
            case Some(json) if json in ("number", None):
                return []
    return sorted(ends)
