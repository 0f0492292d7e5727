"""Read a rule from JSON: return a tree, or raise RuleMalformed with all problems and their places."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from walle.protocol.names import DEVICE_ID_PATTERN, SLUG_PATTERN
from walle.release.rules.malformed import RuleMalformed
from walle.release.rules.operands import MAX_TEXT, MAX_VALUES, quoted
from walle.release.rules.tree import All, AnyOf, Leaf, ListMember, Node, Not, Test, inline_name
from walle.release.rules.vocabulary import OPERATORS
from walle.schema import Items, Problems, Text, checked

__all__ = ["FORMS", "LISTS", "MAX_DEPTH", "MAX_IDS", "MAX_NODES", "MAX_TEXT", "MAX_VALUES", "read_rule"]

MAX_DEPTH: Final = 16
MAX_NODES: Final = 1000
MAX_IDS: Final = 10_000
FORMS: Final = ("all", "any", "not", "list", "devices")
LISTS: Final = "lists"
"""The key of a device's facts that holds the names of its lists; no fact has this name."""

_FACT: Final = re.compile(r"(?:user\.)?[a-z*][a-z0-9_*-]{0,63}")
_NAME: Final = Text(
    "the name of a fact, such as os or user.age_band", lambda name: _FACT.fullmatch(name) and name != LISTS
)
_LIST: Final = Text("the name of a list: a lowercase letter, then up to 39 of a-z, 0-9 and -", SLUG_PATTERN.fullmatch)
_DEVICE: Final = Text("a device id: 1 to 64 of A-Z, a-z, 0-9, _ and -", DEVICE_ID_PATTERN.fullmatch)
_DEVICES: Final = Items(_DEVICE, f"a list of 1 to {MAX_IDS} device ids", 1, MAX_IDS)


def read_rule(rule: object) -> Node:
    """Read a rule's JSON as a tree; raises RuleMalformed."""
    return _tree(checked(_Rule(), rule, "rule", RuleMalformed), "rule")


@dataclass
class _Rule:
    """The schema of one rule; counts its nodes and ids."""

    expected: str = f'an object with one of {quoted(FORMS)}, or with "fact"'
    _nodes: int = field(default=0, init=False)
    _ids: int = field(default=0, init=False)

    def check(self, value: object, field: str, problems: Problems) -> None:
        self._check(value, field, problems, 1)

    def _check(self, rule: object, path: str, problems: Problems, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            if self._nodes == MAX_NODES + 1:
                problems.say(path, f"at most {MAX_NODES} rules within each other", "more")
        elif depth > MAX_DEPTH:
            problems.say(path, f"nothing deeper than {MAX_DEPTH} levels", "more levels")
        elif isinstance(rule, dict) and "fact" in rule:
            _check_leaf(rule, path, problems)
        elif isinstance(rule, dict) and len(rule) == 1 and next(iter(rule)) in FORMS:
            ((form, value),) = rule.items()
            self._check_form(form, value, f"{path}.{form}", problems, depth)
        else:
            problems.add(path, self.expected, rule)

    def _check_form(self, form: str, value: object, path: str, problems: Problems, depth: int) -> None:
        match form:
            case "list":
                _LIST.check(value, path, problems)
            case "devices":
                self._check_devices(value, path, problems)
            case "not":
                self._check(value, path, problems, depth + 1)
            case _ if isinstance(value, list) and 1 <= len(value) <= MAX_NODES:
                for position, part in enumerate(value):
                    self._check(part, f"{path}[{position}]", problems, depth + 1)
            case _:
                problems.add(path, f"a list of 1 to {MAX_NODES} rules", value)

    def _check_devices(self, value: object, path: str, problems: Problems) -> None:
        _DEVICES.check(value, path, problems)
        self._ids += len(value) if isinstance(value, list) else 0
        if self._ids > MAX_IDS:
            problems.say(path, f"at most {MAX_IDS} device ids in the whole rule", str(self._ids))


def _check_leaf(rule: dict[Any, Any], path: str, problems: Problems) -> None:
    name = next((key for key in rule if key != "fact"), "")
    if len(rule) != 2 or name not in OPERATORS:
        problems.add(path, f'"fact" with exactly one of {quoted(OPERATORS)}', rule)
        return
    _NAME.check(rule["fact"], f"{path}.fact", problems)
    OPERATORS[name].operand.schema.check(rule[name], f"{path}.{name}", problems)


def _tree(rule: dict[str, Any], path: str) -> Node:
    """Return the tree of a valid rule."""
    if "fact" in rule:
        return _leaf(rule, path)
    ((form, value),) = rule.items()
    below = f"{path}.{form}"
    match form:
        case "not":
            return Not(_tree(value, below))
        case "list":
            return ListMember(value, None, below)
        case "devices":
            ids = frozenset(value)
            return ListMember(inline_name(ids), ids, below)
    parts = tuple(_tree(part, f"{below}[{position}]") for position, part in enumerate(value))
    return All(parts) if form == "all" else AnyOf(parts)


def _leaf(rule: dict[str, Any], path: str) -> Leaf:
    name = next(key for key in rule if key != "fact")
    operator = OPERATORS[name]
    return Leaf(rule["fact"], Test(operator, operator.operand.read(rule[name])), path)
