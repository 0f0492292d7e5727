"""Reading a rule from JSON: whatever is given, a tree or RuleMalformed with the place of the fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from walle.protocol.names import DEVICE_ID_PATTERN, SLUG_PATTERN, InvalidNameError
from walle.release.rules.malformed import RuleMalformed
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
    Scalar,
    Test,
    Versions,
    inline_name,
)
from walle.release.rules.versions import version_bounds

MAX_DEPTH: Final = 16
MAX_NODES: Final = 1000
MAX_VALUES: Final = 1000
MAX_IDS: Final = 10_000
MAX_TEXT: Final = 256
FORMS: Final = ("all", "any", "not", "list", "devices")
LISTS: Final = "lists"
"""Where a device's facts hold the names of the lists that it is in; no fact is called so."""

_FACT: Final = re.compile(r"(?:user\.)?[a-z*][a-z0-9_*-]{0,63}")
# JSON numbers whose value every reader agrees on (RFC 7493, section 2.2).
_NUMBERS_END: Final = 2**53
_BOUNDS: Final = {"at_least": ">=", "at_most": "<=", "above": ">", "below": "<"}


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
        raise RuleMalformed(path, f'an object with one of {_quoted(FORMS)}, or with "fact"')

    def _parts(self, value: object, path: str, depth: int) -> tuple[Node, ...]:
        rules = _list_of(value, path, MAX_NODES, "rule")
        return tuple(self.node(rule, f"{path}[{position}]", depth + 1) for position, rule in enumerate(rules))

    def _devices(self, value: object, path: str) -> Member:
        values = _list_of(value, path, MAX_IDS, "device id")
        self._ids += len(values)
        if self._ids > MAX_IDS:
            raise RuleMalformed(path, f"at most {MAX_IDS} device ids in the whole rule")
        ids = frozenset(_device(each, f"{path}[{position}]") for position, each in enumerate(values))
        return Member(inline_name(ids), ids, path)


def _leaf(rule: dict[Any, Any], path: str) -> Leaf:
    operator = next((key for key in rule if key != "fact"), "")
    if len(rule) != 2 or operator not in TESTS:
        raise RuleMalformed(path, f'"fact" with exactly one of {_quoted(TESTS)}')
    fact = rule["fact"]
    if not (isinstance(fact, str) and _FACT.fullmatch(fact) and fact != LISTS):
        raise RuleMalformed(f"{path}.fact", "the name of a fact, such as os or user.age_band")
    return Leaf(fact, TESTS[operator](rule[operator], f"{path}.{operator}"), operator, path)


def _one_of(value: object, path: str) -> OneOf:
    values = _list_of(value, path, MAX_VALUES, "value")
    return OneOf(tuple(_scalar(each, f"{path}[{position}]") for position, each in enumerate(values)))


def _equals(value: object, path: str) -> OneOf:
    return OneOf((_scalar(value, path),))


def _versions(value: object, path: str) -> Versions:
    try:
        return Versions(version_bounds(value))
    except InvalidNameError as error:
        raise RuleMalformed(path, "versions to compare with, such as >=1.2.0, <2") from error


def _numbers(value: object, path: str) -> Numbers:
    if not isinstance(value, dict) or not value or not value.keys() <= _BOUNDS.keys():
        raise RuleMalformed(path, f"an object with at least one of {_quoted(_BOUNDS)}")
    return Numbers(tuple((_BOUNDS[name], _number(bound, f"{path}.{name}")) for name, bound in value.items()))


TESTS: Final[dict[Any, Callable[[object, str], Test]]] = {
    "in": _one_of,
    "equals": _equals,
    "version": _versions,
    "prefix": lambda value, path: Prefix(_text(value, path, least=1)),
    "glob": lambda value, path: Glob(_text(value, path, least=1)),
    "range": _numbers,
}


def _list_of(value: object, path: str, most: int, what: str) -> list[object]:
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        raise RuleMalformed(path, f"a list of 1 to {most} {what}s")
    return value


def _scalar(value: object, path: str) -> Scalar:
    if isinstance(value, str):
        return _text(value, path)
    if isinstance(value, bool):
        return value
    return _number(value, path, "text, a number below 2^53 or a boolean")


def _number(value: object, path: str, expected: str = "a number below 2^53") -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _NUMBERS_END:
        return value
    raise RuleMalformed(path, expected)


def _text(value: object, path: str, least: int = 0) -> str:
    if isinstance(value, str) and least <= len(value) <= MAX_TEXT and _storable(value):
        return value
    raise RuleMalformed(path, f"text of {least} to {MAX_TEXT} Unicode characters, none of them NUL")


def _storable(text: str) -> bool:
    """Whether databases and UTF-8 can hold it: JSON can also say NUL and halves of surrogate pairs."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _list_name(value: object, path: str) -> str:
    if isinstance(value, str) and SLUG_PATTERN.fullmatch(value):
        return value
    raise RuleMalformed(path, "the name of a list: a lowercase letter, then up to 39 of a-z, 0-9 and -")


def _device(value: object, path: str) -> str:
    if isinstance(value, str) and DEVICE_ID_PATTERN.fullmatch(value):
        return value
    raise RuleMalformed(path, "a device id: 1 to 64 of A-Z, a-z, 0-9, _ and -")


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
