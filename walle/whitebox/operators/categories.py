"""Operators over categories: texts of a dictionary, or numbers of a sorted list, one column at a time."""

from __future__ import annotations

from typing import Final

from walle.schema import Nullable, Number, Text
from walle.whitebox.operators.operator import Bound, Call, Flow, Operator, ParameterSpec
from walle.whitebox.operators.text import BOOLEAN, SIZE, TABLE
from walle.whitebox.types import CATEGORY, MAX_SIZE, NUMBER, CategoryType, ValueType, VectorType

_INDEX: Final = Nullable(Number(0, MAX_SIZE - 1, integer=True))
_LOOKUP: Final = {
    "table": ParameterSpec(TABLE.dtype, TABLE.rank, "a dictionary of the categories that are texts", False),
    "values": ParameterSpec("<f8", 1, "the categories that are numbers, ascending", False),
}


def _filled(call: Call) -> ValueType | None:
    return CATEGORY if call.takes(CategoryType) else None


def _is_lookup(call: Call) -> bool:
    """Return whether the input is a category with a `table`, or a number with `values`; report it if not."""
    if not call.takes(CategoryType, VectorType):
        return False
    (given,) = call.inputs
    if isinstance(given, VectorType) and given.size != 1:
        call.refuse("inputs[0]", "category, or vector of 1", str(given))
        return False
    wanted, other = ("table", "values") if isinstance(given, CategoryType) else ("values", "table")
    if wanted not in call.shapes or other in call.shapes:
        call.refuse("parameters", f"{wanted} and not {other} for a {given}", " and ".join(call.shapes) or "none")
        return False
    return True


def _one_hot(call: Call) -> ValueType | None:
    if not _is_lookup(call):
        return None
    size = call.settings["size"]
    column = call.settings["unknown_column"]
    if column is not None and column >= size:
        call.refuse("settings.unknown_column", f"less than the size, {size}", str(column))
        return None
    return VectorType(size, sparse=True)


def _ordinal(call: Call) -> ValueType | None:
    return NUMBER if _is_lookup(call) else None


CATEGORY_OPERATORS: Final = (
    Operator(
        "fill",
        "a text in the place of a missing category",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _filled,
        settings={"value": Text("a text", lambda text: len(text) <= 1000)},
    ),
    Operator(
        "one_hot",
        "a one at the place of the category",
        Flow.ONE_TO_MANY,
        Bound.MEMORY,
        _one_hot,
        settings={"size": SIZE, "missing": _INDEX, "unknown_column": _INDEX, "refuse_unknown": BOOLEAN},
        parameters={
            **_LOOKUP,
            "columns": ParameterSpec("<i4", 1, "the column of each category, -1 for none", False),
        },
    ),
    Operator(
        "ordinal",
        "a number for the category",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _ordinal,
        settings={"missing": _INDEX, "unknown_value": Nullable(Number()), "refuse_unknown": BOOLEAN},
        parameters={
            **_LOOKUP,
            "codes": ParameterSpec("<f8", 1, "the number of each category", False),
        },
    ),
)
