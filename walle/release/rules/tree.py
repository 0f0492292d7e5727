"""The nodes of a rule after reading: tests of one fact, membership in a list, all, any and not.

A test of a fact that is absent, or of another type than the test is about, is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from walle.release.rules.value_sets import Scalar, ValueSet
from walle.release.rules.vocabulary import OPERATORS, Operator


@dataclass(frozen=True, repr=False)
class Test:
    """A test of a fact's value: an operator of the vocabulary with its operand."""

    operator: Operator
    operand: Any

    def __repr__(self) -> str:
        return f"{self.operator.name}({self.operand!r})"

    @property
    def admits(self) -> ValueSet:
        """Return the set of values that pass, as far as known."""
        return self.operator.admits(self.operand)


@dataclass(frozen=True)
class Leaf:
    """A test of one fact; `path` says where it was written."""

    fact: str
    test: Test
    path: str = field(compare=False, repr=False)


@dataclass(frozen=True)
class ListMember:
    """The device is in an uploaded list or, where `ids` are given, in a list in the rule itself."""

    name: str
    ids: frozenset[str] | None = field(repr=False)
    path: str = field(compare=False, repr=False)


@dataclass(frozen=True)
class All:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class AnyOf:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    part: Node


Node = Leaf | ListMember | All | AnyOf | Not


def leaves(node: Node) -> Iterator[Leaf | ListMember]:
    """Yield the leaves below a node, in the order in which they were written."""
    match node:
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from leaves(part)
        case Not(part):
            yield from leaves(part)
        case _:
            yield node


def inline_name(ids: frozenset[str]) -> str:
    """Return the name of a list inside a rule: the same ids have the same name."""
    return "#" + blake2b("\n".join(sorted(ids)).encode(), digest_size=8).hexdigest()


def one_of(values: Iterable[Scalar]) -> Test:
    """Return the test that accepts these values."""
    return Test(OPERATORS["in"], tuple(values))
