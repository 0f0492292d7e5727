"""What rules are made of, after reading: five ways to look at one fact, membership in a list, all, any and not.

This is the one definition of the leaves: predicates, checks, implication and the SQL of devices_app are made from it.
A leaf about a fact that is absent, or of another type than the leaf is about, is false.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

Scalar = str | int | float | bool


@dataclass(frozen=True)
class OneOf:
    """One of some values: 1 is 1.0, but neither "1" nor true."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class Within:
    """Within all bounds: each an operator (>= > <= < == !=) and the end that values are compared with."""

    bounds: tuple[tuple[str, Any], ...]


class Versions(Within):
    """A version; the ends are keys of walle.release.rules.versions."""


class Numbers(Within):
    """A number."""


@dataclass(frozen=True)
class Prefix:
    """Text that begins so."""

    text: str


@dataclass(frozen=True)
class Glob:
    """Text that is so as a whole; * stands for any characters, ? for one."""

    pattern: str


Test = OneOf | Versions | Numbers | Prefix | Glob


@dataclass(frozen=True)
class Leaf:
    """A test of one fact; `operator` and `path` say how and where it was written."""

    fact: str
    test: Test
    operator: str = field(compare=False, repr=False)
    path: str = field(compare=False, repr=False)


@dataclass(frozen=True)
class Member:
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


Node = Leaf | Member | All | AnyOf | Not


def leaves(node: Node) -> Iterator[Leaf | Member]:
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
