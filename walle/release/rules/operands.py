"""The operands of operators: their schemas, and their meaning once validated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from walle.protocol.names import InvalidNameError
from walle.release.rules.value_sets import Scalar
from walle.release.rules.versions import version_bounds
from walle.schema import ByType, Items, Problems, Text, Value
from walle.schema.fields import Node
from walle.schema.values import is_text

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
    """A form of operands: `form` says which input a form has for it, `expected` its JSON in words.

    `schema` says what its JSON may be; `read` makes of sound JSON what can be hashed. `values` are those of the fact
    itself that an operand names, each with its place below the operand.
    """

    form: Form
    expected: str
    schema: Node
    read: Callable[[Any], Any] = lambda value: value
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


def _fits(text: str, least: int = 1) -> bool:
    """Return whether a text has the allowed length and only characters that databases can store."""
    return least <= len(text) <= MAX_TEXT and "\0" not in text and is_text(text)


def quoted(names: Iterable[str]) -> str:
    """Return names in quotes, separated by commas."""
    return ", ".join(f'"{name}"' for name in names)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _NUMBERS_END


def _is_version_range(text: str) -> bool:
    try:
        version_bounds(text)
    except InvalidNameError:
        return False
    return True


_NUMBER: Final = Value("a number below 2^53", _is_number)
_TEXT: Final = f"text of {{}} to {MAX_TEXT} Unicode characters, none of them NUL"
_SCALAR: Final = ByType(
    {
        str: Text(_TEXT.format(0), lambda text: _fits(text, 0)),
        bool: Value("a boolean", lambda _: True),
        object: Value("text, a number below 2^53 or a boolean", _is_number),
    },
    "text, a number below 2^53 or a boolean",
)


@dataclass(frozen=True)
class _Bounds:
    """The schema of bounds: a number for each of some bounds."""

    expected: str = f"an object with at least one of {quoted(_BOUND_NAMES)}"

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not isinstance(value, dict) or not value or not value.keys() <= _SIGNS.keys():
            problems.add(field, self.expected, value)
            return
        for name, bound in value.items():
            _NUMBER.check(bound, f"{field}.{name}", problems)


VALUES: Final = Operand(
    "values",
    "a list of values",
    Items(_SCALAR, f"a list of 1 to {MAX_VALUES} values", 1, MAX_VALUES),
    tuple,
    values=lambda values: ((f"[{position}]", value) for position, value in enumerate(values)),
)
VALUE: Final = Operand(
    "value",
    "one value",
    _SCALAR,
    lambda value: (value,),
    values=lambda values: (("", value) for value in values),
)
TEXT: Final = Operand("text", "text", Text(_TEXT.format(1), _fits))
VERSION_RANGE: Final = Operand(
    "notation",
    "text such as >=1.2, <2",
    Text("versions to compare with, such as >=1.2.0, <2", _is_version_range),
    version_bounds,
)
NUMBER_RANGE: Final = Operand(
    "bounds",
    f"an object with some of {', '.join(bound.name for bound in BOUNDS)}",
    _Bounds(),
    lambda bounds: tuple((_SIGNS[name], bound) for name, bound in bounds.items()),
    bounds=BOUNDS,
)
