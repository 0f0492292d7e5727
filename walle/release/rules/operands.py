"""What operators compare with, as it is written in JSON: read with its limits, or RuleMalformed with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from walle.protocol.names import InvalidNameError
from walle.release.rules.malformed import RuleMalformed
from walle.release.rules.value_sets import Scalar
from walle.release.rules.versions import version_bounds

MAX_VALUES: Final = 1000
MAX_TEXT: Final = 256
# JSON numbers whose value every reader agrees on (RFC 7493, section 2.2).
_NUMBERS_END: Final = 2**53


class Bound(NamedTuple):
    """One end of a range: its name in JSON, its sign, and its words."""

    name: str
    sign: str
    words: str


Form = Literal["values", "value", "text", "notation", "bounds"]
FORMS: Final = get_args(Form)


@dataclass(frozen=True, eq=False)
class Operand:
    """A way to write an operand: `form` says which input a form has for it, `expected` its JSON in words.

    `read` takes the JSON and its place in the rule; it answers what can be hashed, or raises RuleMalformed. `values`
    are those of the fact itself that an operand names, each with its place below the operand.
    """

    form: Form
    expected: str
    read: Callable[[object, str], Any]
    values: Callable[[Any], Iterable[tuple[str, Scalar]]] = lambda operand: ()
    bounds: tuple[Bound, ...] = ()


BOUNDS: Final = (
    Bound("at_least", ">=", "at least"),
    Bound("above", ">", "above"),
    Bound("below", "<", "below"),
    Bound("at_most", "<=", "at most"),
)
_SIGNS: Final = {bound.name: bound.sign for bound in BOUNDS}
_BOUND_NAMES: Final = sorted(_SIGNS, key=lambda name: "=" not in _SIGNS[name])


def read_text(value: object, path: str, least: int = 1) -> str:
    """Text of so many characters or more that databases can hold."""
    if isinstance(value, str) and least <= len(value) <= MAX_TEXT and _is_storable(value):
        return value
    raise RuleMalformed(path, f"text of {least} to {MAX_TEXT} Unicode characters, none of them NUL")


def list_of(value: object, path: str, most: int, what: str) -> list[object]:
    """A list that is neither empty nor longer than `most`."""
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        raise RuleMalformed(path, f"a list of 1 to {most} {what}s")
    return value


def quoted(names: Iterable[str]) -> str:
    """Names in quotes, with commas between them."""
    return ", ".join(f'"{name}"' for name in names)


def _values(value: object, path: str) -> tuple[Scalar, ...]:
    values = list_of(value, path, MAX_VALUES, "value")
    return tuple(_scalar(each, f"{path}[{position}]") for position, each in enumerate(values))


def _scalar(value: object, path: str) -> Scalar:
    if isinstance(value, str):
        return read_text(value, path, least=0)
    if isinstance(value, bool):
        return value
    return _number(value, path, "text, a number below 2^53 or a boolean")


def _number(value: object, path: str, expected: str = "a number below 2^53") -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _NUMBERS_END:
        return value
    raise RuleMalformed(path, expected)


def _versions(value: object, path: str) -> tuple[tuple[str, str], ...]:
    try:
        return version_bounds(value)
    except InvalidNameError as error:
        raise RuleMalformed(path, "versions to compare with, such as >=1.2.0, <2") from error


def _numbers(value: object, path: str) -> tuple[tuple[str, int | float], ...]:
    if not isinstance(value, dict) or not value or not value.keys() <= _SIGNS.keys():
        raise RuleMalformed(path, f"an object with at least one of {quoted(_BOUND_NAMES)}")
    return tuple((_SIGNS[name], _number(bound, f"{path}.{name}")) for name, bound in value.items())


def _is_storable(text: str) -> bool:
    """Whether databases and UTF-8 can hold it: JSON can also say NUL and halves of surrogate pairs."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


VALUES: Final = Operand(
    "values",
    "a list of values",
    _values,
    values=lambda values: ((f"[{position}]", value) for position, value in enumerate(values)),
)
VALUE: Final = Operand(
    "value",
    "one value",
    lambda value, path: (_scalar(value, path),),
    values=lambda values: (("", value) for value in values),
)
TEXT: Final = Operand("text", "text", read_text)
VERSION_RANGE: Final = Operand("notation", "text such as >=1.2, <2", _versions)
NUMBER_RANGE: Final = Operand(
    "bounds",
    f"an object with some of {', '.join(bound.name for bound in BOUNDS)}",
    _numbers,
    bounds=BOUNDS,
)
