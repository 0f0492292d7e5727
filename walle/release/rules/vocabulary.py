"""The vocabulary of rules: types of facts, operators, and the facts that every device has, one row each.

Everything else follows from these rows: reading and checking, predicates and bit vectors, proofs of coverage, the SQL
of devices_app, the answer of REST, and the forms of the dashboard. A new operator is a row of OPERATORS; a new type is
a row of FACT_TYPES, with the operators that take it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from walle.release.rules import conditions, matching, operands
from walle.release.rules.conditions import Condition
from walle.release.rules.matching import ValueTest
from walle.release.rules.operands import Operand
from walle.release.rules.value_sets import NUMBERS, VERSIONS, Beginning, JsonType, OneOf, Scalar, ValueSet, Within


@dataclass(frozen=True, eq=False)
class FactType:
    """A type of facts.

    `json` is what its values are in JSON, `fits` tells them from others, `expected` says them in words; `usual` is the
    operator with which a form begins.
    """

    name: str
    json: JsonType
    fits: Callable[[object], bool]
    expected: str
    usual: str
    examples: tuple[Scalar, ...]

    @property
    def operators(self) -> list[str]:
        """Return the names of the operators for this type, the usual one first."""
        names = [operator.name for operator in OPERATORS.values() if self.name in operator.types]
        return sorted(names, key=lambda name: name != self.usual)


@dataclass(frozen=True, eq=False, repr=False)
class Operator:
    """An operator on a fact: `{"fact": ..., name: operand}`.

    `predicate`, `condition` and `admits` take the operand as it was read: what it means of a value, what it means in
    PostgreSQL, and what is known of the values that pass. All three agree; a fact that is absent, or of another type,
    never passes. `words` stand between fact and operand, `missing` is said where the operand is still empty, None if
    it may be; `example` is an operand in JSON.
    """

    name: str
    types: tuple[str, ...]
    operand: Operand
    predicate: Callable[[Any], ValueTest]
    condition: Callable[[Any], Condition]
    admits: Callable[[Any], ValueSet]
    words: str
    missing: str | None
    example: Any

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class FactDeclaration:
    """The declaration of a fact: the type of its values, all of them if they are few, and who vouches for it."""

    name: str
    type: str
    values: tuple[Scalar, ...] | None = None
    source: Literal["device", "user"] = "device"
    description: str = ""


FACT_TYPES: Final[dict[str, FactType]] = {
    row.name: row
    for row in (
        FactType(
            "text",
            json="text",
            fits=lambda value: isinstance(value, str),
            expected="text",
            usual="in",
            examples=("android", "Pixel 8"),
        ),
        FactType(
            "number",
            json="number",
            fits=lambda value: NUMBERS.key(value) is not None,
            expected="a number",
            usual="range",
            examples=(4, 7.5),
        ),
        FactType(
            "boolean",
            json="boolean",
            fits=lambda value: isinstance(value, bool),
            expected="true or false",
            usual="equals",
            examples=(True, False),
        ),
        # A version is text too, and those of apps need not be semantic ones.
        FactType(
            "version",
            json="text",
            fits=lambda value: VERSIONS.key(value) is not None,
            expected="a version such as 1.2.0",
            usual="version",
            examples=("1.2.0", "14"),
        ),
    )
}

OPERATORS: Final[dict[str, Operator]] = {
    row.name: row
    for row in (
        Operator(
            "in",
            types=("text", "number", "boolean", "version"),
            operand=operands.VALUES,
            predicate=matching.one_of,
            condition=conditions.equals_any,
            admits=OneOf,
            words="is one of",
            missing="Choose at least one value.",
            example=["android", "ios"],
        ),
        Operator(
            "equals",
            types=("text", "number", "boolean", "version"),
            operand=operands.VALUE,
            predicate=matching.one_of,
            condition=conditions.equals_any,
            admits=OneOf,
            words="is",
            missing=None,
            example="android",
        ),
        Operator(
            "version",
            types=("version",),
            operand=operands.VERSION_RANGE,
            predicate=partial(matching.within, VERSIONS),
            condition=partial(conditions.is_within, VERSIONS),
            admits=partial(Within, VERSIONS),
            words="is a version",
            missing="Give versions to compare with, such as >=1.2, <2.",
            example=">=1.2, <2",
        ),
        Operator(
            "prefix",
            types=("text", "version"),
            operand=operands.TEXT,
            predicate=matching.begins_with,
            condition=conditions.starts_with,
            admits=partial(Beginning, whole=True),
            words="begins with",
            missing="Give the text that it begins with.",
            example="Pixel",
        ),
        Operator(
            "glob",
            types=("text", "version"),
            operand=operands.TEXT,
            predicate=matching.is_like,
            condition=conditions.like,
            admits=matching.texts_like,
            words="is like",
            missing="Give a pattern: * is any characters, ? is one.",
            example="SM-G99?*",
        ),
        Operator(
            "range",
            types=("number",),
            operand=operands.NUMBER_RANGE,
            predicate=partial(matching.within, NUMBERS),
            condition=partial(conditions.is_within, NUMBERS),
            admits=partial(Within, NUMBERS),
            words="is between",
            missing="Give at least one bound.",
            example={"at_least": 4, "below": 16},
        ),
    )
}

BUILT_IN_FACTS: Final[dict[str, FactDeclaration]] = {
    row.name: row
    for row in (
        FactDeclaration("app_version", "version", description="the app\u2019s version"),
        FactDeclaration("os", "text", description="the system"),
        FactDeclaration("os_version", "version", description="the system\u2019s version"),
        FactDeclaration("performance", "text", ("low", "mid", "high"), description="how fast it is"),
        FactDeclaration("region", "text", description="where it is"),
    )
}
"""The facts that every device sends in the Walle-App header."""
