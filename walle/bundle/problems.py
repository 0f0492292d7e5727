"""What is wrong with a bundle, said so that its author can put it right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from walle.protocol.values import shown

_PART: Final = re.compile(r"[.\[]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to put right: where it is, what was expected there and what was found."""

    file: str
    field: str
    expected: str
    found: str
    line: int | None = None
    hint: str = ""

    @property
    def place(self) -> str:
        """The file and the field in it, such as `task.toml: limits.time_ms`."""
        return ": ".join(part for part in (self.file, self.field) if part)

    @property
    def text(self) -> str:
        """The problem on one line, such as `task.toml: limits.time_ms: expected ..., found ...`."""
        where = f"{self.file}:{self.line}" if self.line else self.file
        parts = [part for part in (where, self.field) if part]
        hint = f" ({self.hint})" if self.hint else ""
        return f"{': '.join(parts)}: expected {self.expected}, found {self.found}{hint}"

    def __str__(self) -> str:
        return self.text


class Problems:
    """Collects the problems of one file, in the order they are met."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Problem] = []
        self._fields: set[str] = set()
        self._holders: set[str] = set()

    def add(self, field: str, expected: str, value: object, hint: str = "") -> None:
        """Record a problem; `value` is what was found, shown as Python writes it."""
        self.say(field, expected, shown(value), hint)

    def say(self, field: str, expected: str, found: str, hint: str = "", line: int | None = None) -> None:
        """Record a problem whose finding is already put in words."""
        self.found.append(Problem(self.file, field, expected, found, line, hint))
        self._fields.add(field)
        self._holders.update(_holders(field))

    def touches(self, field: str) -> bool:
        """Whether a problem was recorded at `field`, inside it, or in something that holds it."""
        return field in self._holders or not self._fields.isdisjoint(_holders(field))


def _holders(field: str) -> Iterator[str]:
    """A field, and all that hold it up to the whole file."""
    yield ""
    yield from (field[: match.start()] for match in _PART.finditer(field))
    yield field
