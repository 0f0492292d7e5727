"""Large JSON decoded in steps, between which an event loop may answer others.

Python's decoder holds the interpreter from the first character to the last, in whatever thread it runs. So the members
of an object, and the items of the lists in it, are decoded one by one; each of them at once, as they are short.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

STEP: Final = 64 << 10
"""About so many characters are decoded at a time."""

Steps = Generator[None, None, Any]

_spaces = re.compile(r"[ \t\n\r]*").match


def decode_in_steps(text: str, decoder: JSONDecoder) -> Steps:
    """Return what `decoder.decode` does of a text, and yield now and then. Raises ValueError and RecursionError."""
    reader = _SteppedReader(text, decoder)
    found = yield from reader.whole()
    if reader.at != len(text):
        raise JSONDecodeError("Extra data", text, reader.at)
    return found


class _SteppedReader:
    """A place `at` in a text, from which values are read."""

    def __init__(self, text: str, decoder: JSONDecoder) -> None:
        self.at = 0
        self._text, self._decode, self._due = text, decoder.raw_decode, STEP
        self._skip()

    def whole(self) -> Steps:
        if self._next() == "{":
            return (yield from self._object())
        if self._next() == "[":
            return (yield from self._list())
        return self._value()

    def _object(self) -> Steps:
        found: dict[str, Any] = {}
        self._pass()
        if self._ends("}"):
            return found
        while True:
            if self._next() != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", self._text, self.at)
            name = self._value()
            if self._next() != ":":
                raise JSONDecodeError("Expecting ':' delimiter", self._text, self.at)
            self._pass()
            found[name] = (yield from self._list()) if self._next() == "[" else self._value()
            if self._ends("}"):
                return found
            self._pass_comma()
            if self._is_due():
                yield

    def _list(self) -> Steps:
        found: list[Any] = []
        self._pass()
        if self._ends("]"):
            return found
        while True:
            found.append(self._value())
            if self._ends("]"):
                return found
            self._pass_comma()
            if self._is_due():
                yield

    def _value(self) -> Any:
        found, self.at = self._decode(self._text, self.at)
        self._skip()
        return found

    def _next(self) -> str:
        return self._text[self.at : self.at + 1]

    def _skip(self) -> None:
        found = _spaces(self._text, self.at)
        self.at = found.end() if found else self.at

    def _pass(self) -> None:
        self.at += 1
        self._skip()

    def _pass_comma(self) -> None:
        if self._next() != ",":
            raise JSONDecodeError("Expecting ',' delimiter", self._text, self.at)
        self._pass()

    def _ends(self, bracket: str) -> bool:
        if self._next() != bracket:
            return False
        self._pass()
        return True

    def _is_due(self) -> bool:
        if self.at < self._due:
            return False
        self._due = self.at + STEP
        return True
