"""How task.toml declares values ([inputs], [outputs]), and what names and paths are like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from walle.protocol.names import check_bundle_path, is_valid
from walle.protocol.values import DTYPES, VALUE_TYPES
from walle.schema import Fields, Items, Named, Node, Number, OneOfTexts, Problems, Text
from walle.schema.values import shown

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
NAMES = Text("a name of letters, digits and _, not starting with a digit", _NAME.fullmatch)
PATH = Text("a path inside the bundle, such as data/model.npz", lambda text: is_valid(check_bundle_path, text))
DESCRIPTION = Text("text of at most 2000 characters", lambda text: len(text) <= 2000)


@dataclass(frozen=True)
class ValueDeclaration:
    """The declaration of an input or output: its type decides which keys are allowed."""

    expected: str = "a table with a type"

    def check(self, value: object, field: str, problems: Problems) -> None:
        kind = value.get("type") if isinstance(value, dict) else None
        node = _DECLARATIONS.get(kind) if isinstance(kind, str) else None
        (node or _ANY_DECLARATION).check(value, field, problems)
        if node and isinstance(value, dict) and not problems.touches(field):
            low, high = value.get("min"), value.get("max")
            if low is not None and high is not None and low > high:
                problems.add(f"{field}.min", f"at most max, {shown(high)}", low)


_COMMON: Final[dict[str, Node]] = {"type": OneOfTexts(VALUE_TYPES), "description": DESCRIPTION}
_SHAPE = Items(Number(-1, 2**31, integer=True), "the lengths of the axes, such as [8, 8]; -1 is any", 0, 8)
_BOUNDS: Final[dict[str, Node]] = {"min": Number(), "max": Number()}
_INTEGER_BOUNDS: Final[dict[str, Node]] = {"min": Number(integer=True), "max": Number(integer=True)}
_PLAIN = Fields(_COMMON, ("type",))
_ANY_DECLARATION = Fields(_COMMON | _BOUNDS | {"dtype": OneOfTexts(DTYPES), "shape": _SHAPE}, ("type",))
_DECLARATIONS: Final[Mapping[str, Fields]] = {
    "number": Fields(_COMMON | _BOUNDS, ("type",)),
    "integer": Fields(_COMMON | _INTEGER_BOUNDS, ("type",)),
    "boolean": _PLAIN,
    "text": _PLAIN,
    "tensor": Fields(_COMMON | {"dtype": OneOfTexts(DTYPES), "shape": _SHAPE}, ("type", "dtype", "shape")),
    "list": _PLAIN,
    "object": _PLAIN,
}
NAMED_VALUES = Named(NAMES, ValueDeclaration())
