"""A small vocabulary for describing tables: what a field may be, checked in full instead of up to the first error.

Nodes are data. Each checks any value at all and never raises, except RecursionError for values nested deeper
than Python can follow, which `walle.bundle.taskfile` turns into a problem.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from walle.bundle.problems import Problems
from walle.protocol.values import MAX_DEPTH, is_json, shown

NOTHING = "nothing"


class Node(Protocol):
    """Says of any value whether it may stand at a field."""

    def check(self, value: object, field: str, problems: Problems) -> None: ...


@dataclass(frozen=True)
class Text:
    """Text for which `valid` holds; `expected` says it in words."""

    expected: str
    valid: Callable[[str], object] = bool

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, str) or not self.valid(value):
            problems.add(field, self.expected, value)


@dataclass(frozen=True)
class Choice:
    options: tuple[str, ...]

    def check(self, value: object, field: str, problems: Problems) -> None:
        if value not in self.options:
            problems.add(field, f"one of {', '.join(self.options)}", value, did_you_mean(value, self.options))


@dataclass(frozen=True)
class Number:
    """A finite number within bounds, both included."""

    low: float = -math.inf
    high: float = math.inf
    integer: bool = False

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not self._fits(value):
            problems.add(field, self._expected(), value)

    def _fits(self, value: object) -> bool:
        kinds = int if self.integer else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds):
            return False
        return self.low <= value <= self.high and value not in (math.inf, -math.inf)

    def _expected(self) -> str:
        kind = "an integer" if self.integer else "a number"
        low = f" of at least {self.low:g}" if self.low > -math.inf else ""
        high = f" of at most {self.high:.16g}" if self.high < math.inf else ""
        return kind + low + (" and" if low and high else "") + high


@dataclass(frozen=True)
class Json:
    """Any JSON data: what TOML can say, without dates, infinities and NaN."""

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not is_json(value):
            problems.add(field, f"JSON data (no dates, no infinity, no NaN), nested {MAX_DEPTH} deep at most", value)


@dataclass(frozen=True)
class Items:
    """A list of alike items, without duplicates where `unique`."""

    item: Node
    expected: str
    at_least: int = 0
    at_most: int = 1000
    unique: bool = False

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, list) or not self.at_least <= len(value) <= self.at_most:
            problems.add(field, self.expected, value)
            return
        for index, item in enumerate(value):
            self.item.check(item, f"{field}[{index}]", problems)
            if self.unique and item in value[:index]:
                problems.add(f"{field}[{index}]", "no duplicate", item)


@dataclass(frozen=True)
class Fields:
    """A table with known keys; an unknown one is a problem, with the key that was probably meant."""

    fields: Mapping[str, Node]
    required: Iterable[str] = ()

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, dict):
            problems.add(field, f"a table with {', '.join(self.fields)}", value)
            return
        for key, item in value.items():
            if key in self.fields:
                self.fields[key].check(item, joined(field, key), problems)
            else:
                known = f"one of the keys {', '.join(self.fields)}"
                problems.say(joined(field, key), known, "an unknown key", did_you_mean(key, self.fields))
        for key in self.required:
            if key not in value:
                problems.say(joined(field, key), _missing(self.fields[key]), NOTHING)


@dataclass(frozen=True)
class Named:
    """A table whose keys are the author's own names, at most 100 of them."""

    valid_name: Callable[[str], object]
    name_expected: str
    item: Node

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, dict) or len(value) > 100:
            problems.add(field, "a table of at most 100 names", value)
            return
        for key, item in value.items():
            if isinstance(key, str) and self.valid_name(key):
                self.item.check(item, joined(field, key), problems)
            else:
                problems.add(joined(field, key), self.name_expected, key)


def joined(field: str, key: object) -> str:
    """The dotted path of a key in a field; odd keys are quoted so that the path stays readable."""
    plain = isinstance(key, str) and key.replace("_", "").replace("-", "").isalnum()
    name = str(key) if plain and len(str(key)) <= 64 else shown(key, 64)
    return f"{field}.{name}" if field else name


def did_you_mean(value: object, known: Iterable[str]) -> str:
    """`did you mean "x"?` for the known word closest to what was written, or nothing."""
    if not isinstance(value, str) or len(value) > 64:
        return ""
    close = difflib.get_close_matches(value.lower(), list(known), 1, 0.6)
    return f'did you mean "{close[0]}"?' if close else ""


def _missing(node: Node) -> str:
    match node:
        case Text() | Items():
            return node.expected
        case Choice():
            return f"one of {', '.join(node.options)}"
        case Fields():
            return f"a table with {', '.join(node.fields)}"
        case _:
            return "a value"
