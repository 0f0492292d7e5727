"""The check of a task's inputs and outputs against the declarations in its task.toml (docs/task-format.md).

A declaration is a table such as `{"type": "integer", "min": 0, "max": 9}`; values are JSON data. The same check is used
by the validation of a task, before a run for its inputs, and after a run for its outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from walle.schema.values import is_json, is_text, shown

VALUE_TYPES: Final = ("number", "integer", "boolean", "text", "tensor", "list", "object")
FLOAT_DTYPES: Final = ("float16", "float32", "float64")
# The range of integers of each dtype.
INTEGER_DTYPES: Final[Mapping[str, tuple[int, int]]] = {
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}
DTYPES: Final = (*FLOAT_DTYPES, *INTEGER_DTYPES, "bool")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One value that differs from its declaration; `field` is its dotted path."""

    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}, found {self.found}"


def check_values(declared: Mapping[str, Mapping[str, Any]], values: object, field: str = "") -> list[Mismatch]:
    """Return all differences between named values and their declarations: wrong, missing and undeclared ones."""
    if not isinstance(values, dict):
        return [Mismatch(field or "value", "an object of named values", shown(values))]
    prefix = f"{field}." if field else ""
    mismatches = [
        Mismatch(f"{prefix}{name}", "nothing, it is not declared", shown(values[name]))
        for name in values
        if name not in declared
    ]
    for name, declaration in declared.items():
        if name in values:
            mismatches += check_value(declaration, values[name], f"{prefix}{name}")
        else:
            mismatches.append(Mismatch(f"{prefix}{name}", _described(declaration), "nothing"))
    return mismatches


def check_value(declaration: Mapping[str, Any], value: object, field: str) -> list[Mismatch]:
    """Return why `value` does not match `declaration`; empty if it does."""
    expected = _described(declaration)
    if declaration.get("type") == "tensor":
        problem = _tensor_problem(declaration, value)
        return [Mismatch(field, expected, problem)] if problem else []
    fits = _FITS.get(str(declaration.get("type")), _never)
    return [] if fits(declaration, value) else [Mismatch(field, expected, shown(value))]


def check_tensor(declaration: Mapping[str, Any], shape: Sequence[int], dtype: str, field: str) -> list[Mismatch]:
    """Why an array of this shape and dtype is not what `declaration` says; empty when it is."""
    wanted = list(declaration.get("shape", []))
    fits = (
        declaration.get("type") == "tensor"
        and declaration.get("dtype") == dtype
        and len(wanted) == len(shape)
        and all(length in (-1, found) for length, found in zip(wanted, shape, strict=True))
    )
    return [] if fits else [Mismatch(field, _described(declaration), f"an array of {dtype} {list(shape)}")]


def _described(declaration: Mapping[str, Any]) -> str:
    kind = str(declaration.get("type"))
    if kind == "tensor":
        return f"a tensor of {declaration.get('dtype')} {list(declaration.get('shape', []))}"
    words = {"integer": "an integer", "object": "an object", "text": "text"}.get(kind, f"a {kind}")
    bounds = [f"{word} {declaration[key]}" for key, word in _BOUND_WORDS.items() if key in declaration]
    return " ".join([words, " and ".join(bounds)]).strip()


_BOUND_WORDS: Final = {"min": "of at least", "max": "of at most"}


def _never(_declaration: Mapping[str, Any], _value: object) -> bool:
    return False


def _number_fits(declaration: Mapping[str, Any], value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, float) and not math.isfinite(value):
        return False
    low, high = declaration.get("min", -math.inf), declaration.get("max", math.inf)
    return bool(low <= value <= high)


_FITS: Final[Mapping[str, Callable[[Mapping[str, Any], object], bool]]] = {
    "number": _number_fits,
    "integer": lambda declaration, value: isinstance(value, int) and _number_fits(declaration, value),
    "boolean": lambda _declaration, value: isinstance(value, bool),
    "text": lambda _declaration, value: is_text(value),
    "list": lambda _declaration, value: isinstance(value, list) and is_json(value),
    "object": lambda _declaration, value: isinstance(value, dict) and is_json(value),
}


def _tensor_problem(declaration: Mapping[str, Any], value: object) -> str | None:
    """Return what is wrong with a tensor as nested lists, or None."""
    cells: list[object] = [value]
    for axis, length in enumerate(declaration.get("shape", [])):
        if not all(isinstance(cell, list) for cell in cells):
            return f"only {axis} levels of lists" if axis else shown(value)
        lengths = {len(cell) for cell in cells if isinstance(cell, list)}
        if len(lengths) > 1:
            return f"rows of different lengths on axis {axis}"
        if length not in {-1, *lengths} and lengths:
            return f"length {lengths.pop()} on axis {axis}"
        cells = [item for cell in cells if isinstance(cell, list) for item in cell]
    bad = next(_misfits(str(declaration.get("dtype")), cells), None)
    return None if bad is None else f"the element {bad}"


def _misfits(dtype: str, cells: list[object]) -> Iterator[str]:
    if dtype in INTEGER_DTYPES:
        low, high = INTEGER_DTYPES[dtype]
        declaration = {"min": low, "max": high}
        fits = (isinstance(cell, int) and _number_fits(declaration, cell) for cell in cells)
    elif dtype in FLOAT_DTYPES:
        fits = (_number_fits({}, cell) for cell in cells)
    else:
        fits = (isinstance(cell, bool) for cell in cells)
    return (shown(cell) for cell, fit in zip(cells, fits, strict=True) if not fit)
