"""What rules are made of, after reading: tests of one fact, membership in a list, all, any and not.

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
    """What is asked of a fact's value: an operator of the vocabulary, with its operand as it was read."""

    operator: Operator
    operand: Any

    def __repr__(self) -> str:
        return f"{self.operator.name}({self.operand!r})"

    @property
    def admits(self) -> ValueSet:
        """What is known of the values that pass."""
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
    """The leaves below a node, in the order in which they were written."""
    match node:
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from leaves(part)
        case Not(part):
            yield from leaves(part)
        case _:
            yield node


def inline_name(ids: frozenset[str]) -> str:
    """The name of a list in a rule itself: the same ids have the same name."""
    return "#" + blake2b("\n".join(sorted(ids)).encode(), digest_size=8).hexdigest()


def one_of(values: Iterable[Scalar]) -> Test:
    """The test that takes these values."""
    return Test(OPERATORS["in"], tuple(values))
