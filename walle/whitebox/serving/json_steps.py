"""Large JSON decoded in steps, between which an event loop may answer others.

Python's decoder holds the interpreter from the first character to the last, in whatever thread it runs. So the members
of an object, and the items of the lists in it, are decoded one by one; each of them at once. One that is too long for
that is found before it is decoded, and refused.
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
_STRING: Final = r'"(?:[^"\\]++|\\.)*+"'
_flat_value = re.compile(rf'\{{(?:[^"{{}}\[\]]++|{_STRING})*+\}}|{_STRING}', re.DOTALL).match
_token = re.compile(rf'{_STRING}|[\[\]{{}}]|[^"\[\]{{}}]++', re.DOTALL).match
_atom = re.compile(r'[^"\[\]{}\s,:]++').match
_OPENING: Final = frozenset("[{")
_CLOSING: Final = frozenset("]}")


class ValueTooLong(ValueError):
    """A value is longer than may be decoded at once; `index` is its place in a list, None for a member of an object."""

    def __init__(self, index: int | None) -> None:
        super().__init__("a value is too long")
        self.index = index


def decode_in_steps(text: str, decoder: JSONDecoder, longest: int) -> Steps:
    """Return what `decoder.decode` does of a text, and yield now and then.

    Raises ValueTooLong for a value of more than `longest` characters, as soon as its turn comes; other ValueErrors, and
    RecursionError, as the decoder does.
    """
    reader = _SteppedReader(text, decoder, longest)
    found = yield from reader.whole()
    if reader.at != len(text):
        raise JSONDecodeError("Extra data", text, reader.at)
    return found


class _SteppedReader:
    """A place `at` in a text, from which values are read."""

    def __init__(self, text: str, decoder: JSONDecoder, longest: int) -> None:
        self.at = 0
        self._text, self._decode, self._due = text, decoder.raw_decode, STEP
        self._longest = longest
        self._skip()

    def whole(self) -> Steps:
        if self._next() == "{":
            return (yield from self._object())
        if self._next() == "[":
            return (yield from self._list())
        yield from self._check_length(None)
        return self._value()

    def _object(self) -> Steps:
        found: dict[str, Any] = {}
        self._pass()
        if self._ends("}"):
            return found
        while True:
            if self._next() != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", self._text, self.at)
            yield from self._check_length(None)
            name = self._value()
            if self._next() != ":":
                raise JSONDecodeError("Expecting ':' delimiter", self._text, self.at)
            self._pass()
            if self._next() == "[":
                found[name] = yield from self._list()
            else:
                yield from self._check_length(None)
                found[name] = self._value()
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
            if not self._is_surely_short():
                yield from self._check_length(len(found))
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

    def _is_surely_short(self) -> bool:
        """Return whether the value here ends soon enough, where one look tells."""
        end = self.at + self._longest
        return end >= len(self._text) or _flat_value(self._text, self.at, end) is not None

    def _check_length(self, index: int | None) -> Steps:
        """Raise ValueTooLong unless the value here ends soon enough; whether it is one at all, the decoder finds."""
        if self._is_surely_short():
            return
        depth, at, end = 0, self.at, self.at + self._longest
        if self._next() not in _OPENING:
            atom = _atom(self._text, at, end + 1)
            if self._next() == '"' or (atom and atom.end() > end):
                raise ValueTooLong(index)
            return
        while token := _token(self._text, at, end):
            first = self._text[at]
            depth += (first in _OPENING) - (first in _CLOSING)
            if depth == 0:
                return
            at = token.end()
            if at >= self._due:
                self._due = at + STEP
                yield
        raise ValueTooLong(index)

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
