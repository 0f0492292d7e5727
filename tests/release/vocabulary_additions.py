"""Words that rules might have one day: what it takes to add an operator, or a type of facts with one, is all here."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import Any, Final

from walle.release.rules import FACT_TYPES, OPERATORS, FactType, Operator, conditions, matching, operands
from walle.release.rules.conditions import FACT_TEXT, Condition
from walle.release.rules.value_sets import Beginning, Some, ValueOrder, Within, number_key
from walle.schema import Number, Text

SUFFIX: Final = Operator(
    "suffix",
    types=("text", "version"),
    operand=operands.TEXT,
    predicate=lambda text: lambda value: isinstance(value, str) and value.endswith(text),
    condition=lambda text: Condition(f"right({FACT_TEXT}, %s) = %s", (len(text), text)),
    admits=lambda text: Beginning("", whole=False),
    words="ends with",
    missing="Give the text that it ends with.",
    example="8",
)


def _is_multiple(divisor: int, value: object) -> bool:
    number = number_key(value)
    if isinstance(number, float):
        # In the database a number is what its digits say.
        return isfinite(number) and Fraction(repr(number)) % divisor == 0
    return number is not None and number % divisor == 0


MULTIPLE: Final = Operator(
    "multiple_of",
    types=("number",),
    operand=operands.Operand("notation", "a whole number", Number(1, 999, integer=True)),
    predicate=lambda divisor: partial(_is_multiple, divisor),
    condition=lambda divisor: Condition("mod(walle_fact_number({fact}), %s) = 0", (divisor,)),
    admits=lambda divisor: Some("number"),
    words="is a multiple of",
    missing="Give a whole number.",
    example=2,
)

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DATES: Final = ValueOrder(
    "dates",
    "text",
    lambda value: value if isinstance(value, str) and _DATE.fullmatch(value) else None,
    f"(CASE WHEN {FACT_TEXT} ~ '^{_DATE.pattern}$' THEN {FACT_TEXT} END) COLLATE \"C\"",
)
DATE: Final = FactType(
    "date",
    json="text",
    fits=lambda value: DATES.key(value) is not None,
    expected="a date such as 2026-05-01",
    usual="since",
    examples=("2026-04-30", "2026-05-01", "2026-05-01\n"),
)


SINCE: Final = Operator(
    "since",
    types=("date",),
    operand=operands.Operand("notation", DATE.expected, Text(DATE.expected, DATE.fits), lambda date: ((">=", date),)),
    predicate=partial(matching.within, DATES),
    condition=partial(conditions.is_within, DATES),
    admits=partial(Within, DATES),
    words="is not before",
    missing="Give a date.",
    example="2026-05-01",
)

NEW: Final = (SUFFIX, MULTIPLE, SINCE)


def add_new_words(monkeypatch: Any) -> None:
    """Has them in the tables until the test ends."""
    for operator in NEW:
        monkeypatch.setitem(OPERATORS, operator.name, operator)
    monkeypatch.setitem(FACT_TYPES, DATE.name, DATE)
    for name in ("in", "equals"):
        monkeypatch.setitem(OPERATORS, name, replace(OPERATORS[name], types=(*OPERATORS[name].types, DATE.name)))
