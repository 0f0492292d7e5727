"""Checking a rule when it is written: against the facts that an app's devices have, and its lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from walle.release.rules.malformed import RuleMalformed
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import Glob, Leaf, Member, Numbers, OneOf, Prefix, Scalar, Versions, leaves

FactType = Literal["text", "number", "boolean", "version"]


@dataclass(frozen=True)
class FactDeclaration:
    """What is known of a fact: the type of its values, all of them if they are few, and who vouches for it."""

    name: str
    type: FactType
    values: tuple[Scalar, ...] | None = None
    source: Literal["device", "user"] = "device"


BUILT_IN_FACTS: Final[Mapping[str, FactDeclaration]] = {
    fact.name: fact
    for fact in (
        FactDeclaration("app_version", "version"),
        FactDeclaration("os", "text"),
        FactDeclaration("os_version", "version"),
        FactDeclaration("performance", "text", ("low", "mid", "high")),
        FactDeclaration("region", "text"),
    )
}
"""What every device says of itself in Walle-App."""

# A version is text too, and those of apps need not be semantic ones.
_TESTS: Final[Mapping[FactType, tuple[type, ...]]] = {
    "text": (OneOf, Prefix, Glob),
    "version": (OneOf, Versions, Prefix, Glob),
    "number": (OneOf, Numbers),
    "boolean": (OneOf,),
}
_OPERATORS: Final[Mapping[FactType, str]] = {
    "text": "in, equals, prefix or glob",
    "version": "version, in, equals, prefix or glob",
    "number": "range, in or equals",
    "boolean": "equals or in",
}
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
    if not isinstance(leaf.test, _TESTS[declared.type]):
        expected = f"{_OPERATORS[declared.type]}, as {declared.name} is a {declared.type}"
        raise RuleMalformed(f"{leaf.path}.{leaf.operator}", expected)
    if isinstance(leaf.test, OneOf):
        for position, value in enumerate(leaf.test.values):
            place = f"[{position}]" if leaf.operator == "in" else ""
            _check_value(value, declared, f"{leaf.path}.{leaf.operator}{place}")


def _check_value(value: Scalar, declared: FactDeclaration, path: str) -> None:
    expected = "text" if declared.type == "version" else declared.type
    if _type_of(value) != expected:
        raise RuleMalformed(path, f"a {expected}, as {declared.name} is a {declared.type}")
    if declared.values is not None and value not in declared.values:
        raise RuleMalformed(path, f"a value of {declared.name}: {_listed(declared.values)}")


def _type_of(value: Scalar) -> FactType:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number"


def _listed(names: Collection[object]) -> str:
    shown = ", ".join(map(str, list(names)[:_SHOWN]))
    return (shown + ", ..." if len(names) > _SHOWN else shown) or "there is none yet"
