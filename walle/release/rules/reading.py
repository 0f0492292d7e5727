"""Reading a rule from JSON: whatever is given, a tree or RuleMalformed with the place of the fault."""

from __future__ import annotations

import re
from typing import Any, Final

from walle.protocol.names import DEVICE_ID_PATTERN, SLUG_PATTERN
from walle.release.rules.malformed import RuleMalformed
from walle.release.rules.operands import MAX_TEXT, MAX_VALUES, list_of, quoted
from walle.release.rules.tree import All, AnyOf, Leaf, Member, Node, Not, Test, inline_name
from walle.release.rules.vocabulary import OPERATORS

__all__ = ["FORMS", "LISTS", "MAX_DEPTH", "MAX_IDS", "MAX_NODES", "MAX_TEXT", "MAX_VALUES", "read_rule"]

MAX_DEPTH: Final = 16
MAX_NODES: Final = 1000
MAX_IDS: Final = 10_000
FORMS: Final = ("all", "any", "not", "list", "devices")
LISTS: Final = "lists"
"""Where a device's facts hold the names of the lists that it is in; no fact is called so."""

_FACT: Final = re.compile(r"(?:user\.)?[a-z*][a-z0-9_*-]{0,63}")


def read_rule(rule: object) -> Node:
    """The tree that a rule's JSON means; raises RuleMalformed."""
    return _Reader().node(rule, "rule", 1)


class _Reader:
    """Reads one rule and counts what it is made of."""

    def __init__(self) -> None:
        self._nodes = 0
        self._ids = 0

    def node(self, rule: object, path: str, depth: int) -> Node:
        self._nodes += 1
        if depth > MAX_DEPTH:
            raise RuleMalformed(path, f"nothing deeper than {MAX_DEPTH} levels")
        if self._nodes > MAX_NODES:
            raise RuleMalformed(path, f"at most {MAX_NODES} rules within each other")
        if isinstance(rule, dict) and "fact" in rule:
            return _leaf(rule, path)
        form, value = next(iter(rule.items())) if isinstance(rule, dict) and len(rule) == 1 else (None, None)
        below = f"{path}.{form}"
        match form:
            case "all":
                return All(self._parts(value, below, depth))
            case "any":
                return AnyOf(self._parts(value, below, depth))
            case "not":
                return Not(self.node(value, below, depth + 1))
            case "list":
                return Member(_list_name(value, below), None, below)
            case "devices":
                return self._devices(value, below)
        raise RuleMalformed(path, f'an object with one of {quoted(FORMS)}, or with "fact"')

    def _parts(self, value: object, path: str, depth: int) -> tuple[Node, ...]:
        rules = list_of(value, path, MAX_NODES, "rule")
        return tuple(self.node(rule, f"{path}[{position}]", depth + 1) for position, rule in enumerate(rules))

    def _devices(self, value: object, path: str) -> Member:
        values = list_of(value, path, MAX_IDS, "device id")
        self._ids += len(values)
        if self._ids > MAX_IDS:
            raise RuleMalformed(path, f"at most {MAX_IDS} device ids in the whole rule")
        ids = frozenset(_device(each, f"{path}[{position}]") for position, each in enumerate(values))
        return Member(inline_name(ids), ids, path)


def _leaf(rule: dict[Any, Any], path: str) -> Leaf:
    name = next((key for key in rule if key != "fact"), "")
    if len(rule) != 2 or name not in OPERATORS:
        raise RuleMalformed(path, f'"fact" with exactly one of {quoted(OPERATORS)}')
    fact = rule["fact"]
    if not (isinstance(fact, str) and _FACT.fullmatch(fact) and fact != LISTS):
        raise RuleMalformed(f"{path}.fact", "the name of a fact, such as os or user.age_band")
    operator = OPERATORS[name]
    return Leaf(fact, Test(operator, operator.operand.read(rule[name], f"{path}.{name}")), path)


def _list_name(value: object, path: str) -> str:
    if isinstance(value, str) and SLUG_PATTERN.fullmatch(value):
        return value
    raise RuleMalformed(path, "the name of a list: a lowercase letter, then up to 39 of a-z, 0-9 and -")


def _device(value: object, path: str) -> str:
    if isinstance(value, str) and DEVICE_ID_PATTERN.fullmatch(value):
        return value
    raise RuleMalformed(path, "a device id: 1 to 64 of A-Z, a-z, 0-9, _ and -")
