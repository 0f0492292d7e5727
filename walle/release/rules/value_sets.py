"""Sets of values that a test admits, as far as proofs and indexes need to know them (walle.release.rules.covering).

`OneOf` and `Within` say exactly which values; `Beginning` does so if it is `whole`; of `Some`, a part is meant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from walle.release.rules.versions import version_key

Scalar = str | int | float | bool
JsonType = Literal["text", "number", "boolean"]
"""The JSON type of a value."""
JSON_KINDS: Final = get_args(JsonType)

OPPOSITE: Final = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}


@dataclass(frozen=True, eq=False, repr=False)
class ValueOrder:
    """An order of values: that of their keys.

    `key` answers None for a value that is not in the order. `sql` is the same of a fact in PostgreSQL, `{fact}`, which
    compares keys by their bytes if they are text; NULL stands for None there.
    """

    name: str
    json: JsonType
    key: Callable[[object], Any]
    sql: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OneOf:
    """Some values: 1 equals 1.0, but neither "1" nor true."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class Within:
    """The values of an order within all bounds: each a sign (>= > <= < == !=) and a key."""

    order: ValueOrder
    bounds: tuple[tuple[str, Any], ...]

    @property
    def is_half_line(self) -> bool:
        return len(self.bounds) == 1 and self.bounds[0][0] in OPPOSITE


@dataclass(frozen=True)
class Beginning:
    """Texts with a prefix: all of them if `whole`, otherwise a part."""

    head: str
    whole: bool


@dataclass(frozen=True)
class Some:
    """A part of the values that are this in JSON; None: of all values."""

    json: JsonType | None = None


ValueSet = OneOf | Within | Beginning | Some


def json_of(value: Scalar) -> JsonType:
    """Return the JSON type of a value."""
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number"


def number_key(value: object) -> int | float | None:
    """Return the number itself; None for anything else, including booleans."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


NUMBERS: Final = ValueOrder("numbers", "number", number_key, "walle_fact_number({fact})")
VERSIONS: Final = ValueOrder("versions", "text", version_key, 'walle_version_key({fact}) COLLATE "C"')
