"""The nodes of a schema: the rules of each field, which are all checked instead of up to the first error.

Nodes are data. Each checks any value and never raises, as long as the functions passed to it never do.
"""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from walle.schema.problems import Malformed, Problems
from walle.schema.values import MAX_DEPTH, is_json, shown

NOTHING = "nothing"


class Node(Protocol):
    """Checks any value at a field; `expected` describes the valid ones in words."""

    @property
    def expected(self) -> str: ...

    def check(self, value: object, field: str, problems: Problems) -> None: ...


def checked(node: Node, value: object, field: str, malformed: type[Malformed]) -> Any:
    """Return the value if the node accepts it. Raises `malformed` with all problems otherwise."""
    problems = Problems()
    node.check(value, field, problems)
    if problems.found:
        raise malformed(problems.all)
    return value


@dataclass(frozen=True)
class Value:
    """Accepts any value for which `valid` holds."""

    expected: str
    valid: Callable[[Any], object]

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not self.valid(value):
            problems.add(field, self.expected, value)


@dataclass(frozen=True)
class Text:
    """Accepts text for which `valid` holds."""

    expected: str
    valid: Callable[[str], object] = bool

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, str) or not self.valid(value):
            problems.add(field, self.expected, value)


@dataclass(frozen=True)
class OneOfTexts:
    """Accepts some fixed texts."""

    options: tuple[str, ...]
    words: str = ""

    @property
    def expected(self) -> str:
        return self.words or f"one of {', '.join(self.options)}"

    def check(self, value: object, field: str, problems: Problems) -> None:
        if value not in self.options:
            problems.add(field, self.expected, value, did_you_mean(value, self.options))


@dataclass(frozen=True)
class Number:
    """Accepts a finite number within bounds, both included."""

    low: float = -math.inf
    high: float = math.inf
    integer: bool = False
    words: str = ""

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not self._fits(value):
            problems.add(field, self.expected, value)

    def _fits(self, value: object) -> bool:
        kinds = int if self.integer else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds):
            return False
        return self.low <= value <= self.high and abs(value) <= sys.float_info.max

    @property
    def expected(self) -> str:
        kind = "an integer" if self.integer else "a number"
        low = f" of at least {self.low:g}" if self.low > -math.inf else ""
        high = f" of at most {self.high:.16g}" if self.high < math.inf else ""
        return self.words or kind + low + (" and" if low and high else "") + high


@dataclass(frozen=True)
class AnyJson:
    """Accepts any JSON data: all of TOML except dates, infinities and NaN."""

    expected: str = f"JSON data (no dates, no infinity, no NaN), nested {MAX_DEPTH} deep at most"

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not is_json(value):
            problems.add(field, self.expected, value)


@dataclass(frozen=True)
class Nullable:
    """Accepts null, and what another node accepts."""

    node: Node

    @property
    def expected(self) -> str:
        return self.node.expected

    def check(self, value: object, field: str, problems: Problems) -> None:
        if value is not None:
            self.node.check(value, field, problems)


@dataclass(frozen=True)
class ByType:
    """Checks a value with the node for its Python type."""

    nodes: Mapping[type, Node]
    expected: str

    def check(self, value: object, field: str, problems: Problems) -> None:
        node = next((node for kind, node in self.nodes.items() if isinstance(value, kind)), None)
        if node:
            node.check(value, field, problems)
        else:
            problems.add(field, self.expected, value)


@dataclass(frozen=True)
class AllOf:
    """Accepts what all of some nodes accept; they are applied in order up to the first that finds a problem."""

    nodes: tuple[Node, ...]

    @property
    def expected(self) -> str:
        return self.nodes[0].expected

    def check(self, value: object, field: str, problems: Problems) -> None:
        for node in self.nodes:
            node.check(value, field, problems)
            if problems.touches(field):
                return


@dataclass(frozen=True)
class Items:
    """Accepts a list whose items one node accepts; where they are `unique`, no text may occur twice."""

    item: Node
    expected: str
    at_least: int = 0
    at_most: int = 1000
    unique: bool = False

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, list) or not self.at_least <= len(value) <= self.at_most:
            problems.add(field, self.expected, value)
            return
        seen: set[str] = set()
        for index, item in enumerate(value):
            self.item.check(item, f"{field}[{index}]", problems)
            if self.unique and isinstance(item, str):
                if item in seen:
                    problems.add(f"{field}[{index}]", "no duplicate", item)
                seen.add(item)


@dataclass(frozen=True)
class Fields:
    """Accepts a table with known keys; for an unknown one, the problem suggests the most similar known key."""

    fields: Mapping[str, Node]
    required: Iterable[str] = ()
    words: str = ""

    @property
    def expected(self) -> str:
        return self.words or f"a table with {', '.join(self.fields)}"

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, dict):
            problems.add(field, self.expected, value)
            return
        for key, item in value.items():
            if key in self.fields:
                self.fields[key].check(item, joined(field, key), problems)
            else:
                known = f"one of the keys {', '.join(self.fields)}"
                hint = "" if problems.full else did_you_mean(key, self.fields)
                problems.say(joined(field, key), known, "an unknown key", hint)
        for key in self.required:
            if key not in value:
                problems.say(joined(field, key), self.fields[key].expected, NOTHING)


@dataclass(frozen=True)
class Named:
    """Accepts a table with keys of the author's choosing; the values of invalid keys are not checked."""

    name: Node
    item: Node
    expected: str = "a table of at most 100 names"
    at_least: int = 0
    at_most: int = 100

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, dict) or not self.at_least <= len(value) <= self.at_most:
            problems.add(field, self.expected, value)
            return
        for key, item in value.items():
            place = joined(field, key)
            self.name.check(key, place, problems)
            if not problems.touches(place):
                self.item.check(item, place, problems)


def joined(field: str, key: object) -> str:
    """Return the dotted path of a key in a field; unusual keys are quoted so that the path stays readable."""
    plain = isinstance(key, str) and len(key) <= 64 and key.replace("_", "").replace("-", "").isalnum()
    name = str(key) if plain else shown(key, 64)
    return f"{field}.{name}" if field else name


def did_you_mean(value: object, known: Iterable[str]) -> str:
    """Return `did you mean "x"?` with the known word most similar to the value, or empty text."""
    if not isinstance(value, str) or len(value) > 64:
        return ""
    close = difflib.get_close_matches(value.lower(), list(known), 1, 0.6)
    return f'did you mean "{close[0]}"?' if close else ""
