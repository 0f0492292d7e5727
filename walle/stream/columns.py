"""The columns of a collective table: which SQL they are, and how outputs become rows and rows outputs again. Pure."""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from walle.schema.values import is_text, shown

SqlValue = float | int | str | bytes
Row = tuple[float, *tuple[SqlValue, ...]]
"""The time of a row, then its values in the order of the columns, as SQLite stores them."""

TABLE: Final = "outputs"
MAX_COLUMNS: Final = 1000
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_ENCODER: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_FIXED_BYTES: Final = 9
"""What SQLite takes at most for a number, its type included."""


class RowRefused(ValueError):
    """A row that a table does not take. `reason` is `row-malformed` or `row-too-large`; the text says what differs."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class RowUndecodable(ValueError):
    """What a file holds in the place of a row was not written by this module."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One type of outputs: its SQL type, and the functions to SQL and back. `encode` raises ValueError or TypeError."""

    sql: str
    encode: Callable[[Any], SqlValue]
    decode: Callable[[Any], Any]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return float(value)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 63) <= value < 1 << 63:
        raise ValueError
    return value


def _boolean(value: Any) -> int:
    if not isinstance(value, bool):
        raise ValueError
    return int(value)


def _text(value: Any) -> str:
    if not is_text(value):
        raise ValueError
    return str(value)


def _json(value: Any) -> str:
    """Return compact JSON; what has `tolist`, such as an array of numpy, becomes nested lists."""
    tolist = getattr(value, "tolist", None)
    return _ENCODER.encode(value if tolist is None else tolist())


def _tensor(value: Any) -> str | bytes:
    """Return a flat list of floats as doubles, a tenth of the work that JSON is, and any other tensor as JSON."""
    tolist = getattr(value, "tolist", None)
    numbers = value if tolist is None else tolist()
    if type(numbers) is not list or set(map(type, numbers)) != {float}:
        return _ENCODER.encode(numbers)
    if not all(map(math.isfinite, numbers)):
        raise ValueError
    return struct.pack(f"<{len(numbers)}d", *numbers)


def _tensor_again(value: Any) -> Any:
    if type(value) is not bytes:
        return json.loads(_checked(str)(value))
    if len(value) % 8:
        raise ValueError
    return list(struct.unpack(f"<{len(value) // 8}d", value))


def _checked(kind: type) -> Callable[[Any], Any]:
    def decode(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError
        return value

    return decode


_AS_JSON: Final = _Kind("TEXT", _json, lambda text: json.loads(_checked(str)(text)))
_KINDS: Final[Mapping[str, _Kind]] = {
    "number": _Kind("REAL", _number, _checked(float)),
    "integer": _Kind("INTEGER", _integer, _checked(int)),
    "boolean": _Kind("INTEGER", _boolean, lambda value: bool(_checked(int)(value))),
    "text": _Kind("TEXT", _text, _checked(str)),
    "tensor": _Kind("TEXT", _tensor, _tensor_again),
    "list": _AS_JSON,
    "object": _AS_JSON,
}


class TableColumns:
    """The declared outputs of a task (name -> type) as columns of SQL.

    Names differ in SQL from those of the outputs: SQLite has keywords and does not tell `Item` from `item`. The n-th
    output by name, `select`, is the column `select_n`, which is no keyword, no column of this module, and unique.
    Raises ValueError for names or types that no task.toml declares, and for more than MAX_COLUMNS.
    """

    def __init__(self, types: Mapping[str, str]) -> None:
        if len(types) > MAX_COLUMNS:
            raise ValueError(f"columns: expected at most {MAX_COLUMNS}, found {len(types)}")
        for name, kind in types.items():
            if not _NAME.fullmatch(name) or kind not in _KINDS:
                raise ValueError(f"columns: expected names of outputs with their types, found {shown((name, kind))}")
        self.names: tuple[str, ...] = tuple(sorted(types))
        self._types = dict(types)
        self._kinds = [_KINDS[types[name]] for name in self.names]
        columns = [f"{name}_{place}" for place, name in enumerate(self.names, 1)]
        defined = [f'"{name}" {kind.sql} NOT NULL' for name, kind in zip(columns, self._kinds, strict=True)]
        listed = ", ".join(["at", *(f'"{name}"' for name in columns)])
        self.ddl: tuple[str, ...] = (
            f"CREATE TABLE {TABLE} ({', '.join(['id INTEGER PRIMARY KEY', 'at REAL NOT NULL', *defined])})",
            f"CREATE INDEX {TABLE}_at ON {TABLE} (at)",
        )
        self.insert: str = f"INSERT INTO {TABLE} ({listed}) VALUES ({', '.join('?' * (len(columns) + 1))})"  # noqa: S608
        self.select: str = f"SELECT {listed} FROM {TABLE}"  # noqa: S608

    def encoded(self, outputs: Mapping[str, Any], at: float) -> tuple[Row, int]:
        """Return a row and its size in bytes; later changes of `outputs` do not change it. Raises RowRefused."""
        if len(outputs) != len(self.names) or not all(name in outputs for name in self.names):
            raise RowRefused("row-malformed", f"expected the outputs {shown(self.names)}, found {shown(list(outputs))}")
        row: list[SqlValue] = []
        for name, kind in zip(self.names, self._kinds, strict=True):
            try:
                value = kind.encode(outputs[name])
            except (ValueError, TypeError, OverflowError, RecursionError) as error:
                found = shown(outputs[name])
                raise RowRefused(
                    "row-malformed", f"{name}: expected a value of type {self._types[name]}, found {found}"
                ) from error
            row.append(value)
        if not math.isfinite(at):
            raise RowRefused("row-malformed", f"at: expected Unix seconds, found {shown(at)}")
        complete: Row = (float(at), *row)
        return complete, self.size_of(complete)

    def size_of(self, row: Sequence[Any]) -> int:
        """Return about how many bytes SQLite takes for a row, and no fewer."""
        texts = sum(len(value.encode()) for value in row if isinstance(value, str))
        blobs = sum(len(value) for value in row if isinstance(value, bytes))
        return texts + blobs + _FIXED_BYTES * (len(row) + 1)

    def decoded(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return the outputs of a row, and its time as `at` unless an output has that name. Raises RowUndecodable."""
        try:
            values = zip(self.names, self._kinds, row[1:], strict=True)
            return {"at": _checked(float)(row[0])} | {name: kind.decode(value) for name, kind, value in values}
        except (ValueError, RecursionError) as error:
            raise RowUndecodable("a row has other values than its columns declare") from error
