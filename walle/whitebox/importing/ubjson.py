"""Universal Binary JSON as XGBoost writes it, read within bounds: nothing is allocated that the bytes do not have."""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np

MAX_DEPTH: Final = 64
_NUMBERS: Final = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
_CONSTANTS: Final = {"Z": None, "T": True, "F": False}


class UbjsonMalformed(ValueError):
    """Bytes that are no UBJSON, or nested too deeply."""


def read_ubjson(content: bytes) -> Any:
    """Return what a document contains; lists of numbers of one type are arrays. Raises UbjsonMalformed."""
    reader = _Reader(content)
    try:
        found = reader.value(reader.marker(), 0)
    except (struct.error, UnicodeDecodeError, IndexError) as error:
        raise UbjsonMalformed("it ends too early, or is damaged") from error
    if reader.place != len(content):
        raise UbjsonMalformed("something follows behind its end")
    return found


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content, self.place = content, 0

    def marker(self) -> str:
        self.place += 1
        return chr(self._content[self.place - 1])

    def value(self, marker: str, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise UbjsonMalformed(f"it is nested more than {MAX_DEPTH} deep")
        if marker in _NUMBERS:
            return self._numbers(marker, 1)[0].item()
        if marker in _CONSTANTS:
            return _CONSTANTS[marker]
        match marker:
            case "S":
                return self._text()
            case "C":
                return self._bytes(1).decode()
            case "[":
                return self._list(depth)
            case "{":
                return self._table(depth)
        raise UbjsonMalformed(f"it has the unknown marker {marker!r}")

    def _bytes(self, count: int) -> bytes:
        found = self._content[self.place : self.place + count]
        if count < 0 or len(found) != count:
            raise UbjsonMalformed("it ends too early")
        self.place += count
        return found

    def _numbers(self, marker: str, count: int) -> Any:
        dtype = np.dtype(_NUMBERS[marker])
        return np.frombuffer(self._bytes(count * dtype.itemsize), dtype)

    def _length(self) -> int:
        marker = self.marker()
        if marker not in "iUIlL":
            raise UbjsonMalformed("it has a length that is no integer")
        return int(self._numbers(marker, 1)[0])

    def _text(self) -> str:
        return self._bytes(self._length()).decode()

    def _header(self) -> tuple[str | None, int | None]:
        """Return the type and the number of what follows in a list or table, each None if it is not said."""
        kind = None
        if self._content[self.place : self.place + 1] == b"$":
            self.place += 1
            kind = self.marker()
        if self._content[self.place : self.place + 1] == b"#":
            self.place += 1
            return kind, self._length()
        if kind is not None:
            raise UbjsonMalformed("it has a type without a number of items")
        return None, None

    def _list(self, depth: int) -> Any:
        kind, count = self._header()
        if kind is not None and kind in _NUMBERS and count is not None:
            return self._numbers(kind, count)
        found: list[Any] = []
        while count is None or len(found) < count:
            marker = kind or self.marker()
            if marker == "]" and count is None:
                break
            if marker in _CONSTANTS and kind is not None:
                raise UbjsonMalformed("it has a list of constants")
            found.append(self.value(marker, depth + 1))
        return found

    def _table(self, depth: int) -> dict[str, Any]:
        kind, count = self._header()
        found: dict[str, Any] = {}
        items = 0
        while count is None or items < count:
            if count is None and self._content[self.place : self.place + 1] == b"}":
                self.place += 1
                break
            name = self._text()
            found[name] = self.value(kind or self.marker(), depth + 1)
            items += 1
        return found
