"""The conditions of operators in PostgreSQL: text with places for the fact and for what it is compared with.

Functions whose names begin with `walle_` come with a migration of devices_app; they answer NULL of a fact of another
type.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from walle.release.rules.matching import Bounds
from walle.release.rules.value_sets import Scalar, ValueOrder

_SIGNS: Final = {">=": ">=", "<=": "<=", ">": ">", "<": "<", "==": "=", "!=": "<>"}
_LIKE: Final = str.maketrans({"*": "%", "?": "_", "%": r"\%", "_": r"\_", "\\": r"\\"})
FACT_TEXT: Final = "walle_fact_text({fact})"


@dataclass(frozen=True)
class Condition:
    """`text` names the fact's JSON `{fact}` and each of the parameters, in order, `%s`; tuples are arrays.

    It may be NULL, which counts as false.
    """

    text: str
    parameters: tuple[Any, ...] = ()


def equals_any(values: tuple[Scalar, ...]) -> Condition:
    return Condition("{fact} = ANY(%s::jsonb[])", (tuple(map(json.dumps, values)),))


def is_within(order: ValueOrder, bounds: Bounds) -> Condition:
    comparisons = [f"{order.sql} {_SIGNS[sign]} %s" for sign, _ in bounds]
    text = " AND ".join(comparisons) or f"{order.sql} IS NOT NULL"
    return Condition(text, tuple(_exact(end) for _, end in bounds))


def starts_with(text: str) -> Condition:
    return Condition(f"starts_with({FACT_TEXT}, %s)", (text,))


def like(pattern: str) -> Condition:
    return Condition(f"{FACT_TEXT} LIKE %s", (pattern.translate(_LIKE),))


def _exact(end: Any) -> Any:
    """Return a key as a parameter: PostgreSQL compares numbers as decimals."""
    return Decimal(repr(end)) if isinstance(end, int | float) else end
