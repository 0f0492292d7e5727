"""The problems of a document, described so that its author can correct them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from walle.schema.values import shown

MAX_PROBLEMS: Final = 1000
"""The most problems that are listed for one document; further ones are only counted."""
_SHOWN: Final = 10
_PART: Final = re.compile(r"[.\[]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: its place, what was expected there and what was found.

    `file` is empty if the document is not a file; `field` is the dotted path in it, empty for the complete document.
    """

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
        hint = f" ({self.hint})" if self.hint else ""
        description = f"expected {self.expected}, found {self.found}{hint}"
        return ": ".join(part for part in (where, self.field, description) if part)

    def __str__(self) -> str:
        return self.text


class Malformed(ValueError):
    """A document does not match its schema; `problems` are all of its problems, in the order they were found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    @property
    def texts(self) -> list[str]:
        """The problems, each on one line."""
        return [problem.text for problem in self.problems]

    def __str__(self) -> str:
        more = len(self.problems) - _SHOWN
        return "; ".join([*self.texts[:_SHOWN], *([f"and {more} more problems"] if more > 0 else [])])


class Problems:
    """Collects the problems of one document, in the order they are found."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Problem] = []
        self._more = 0
        self._fields: set[str] = set()
        self._containing: set[str] = set()

    def add(self, field: str, expected: str, value: object, hint: str = "") -> None:
        """Record a problem; `value` is what was found, shown as Python writes it."""
        self.say(field, expected, shown(value), hint)

    def say(self, field: str, expected: str, found: str, hint: str = "", line: int | None = None) -> None:
        """Record a problem; `found` describes in words what was found."""
        if self.full:
            self._more += 1
        else:
            self.found.append(Problem(self.file, field, expected, found, line, hint))
        self._fields.add(field)
        self._containing.update(_containing(field))

    @property
    def full(self) -> bool:
        """Whether there are so many problems that further ones are only counted."""
        return len(self.found) >= MAX_PROBLEMS

    @property
    def all(self) -> tuple[Problem, ...]:
        """The listed problems, and one with the number of the others."""
        more = Problem(self.file, "", f"at most {MAX_PROBLEMS} problems", f"{self._more} more")
        return (*self.found, more) if self._more else tuple(self.found)

    def touches(self, field: str) -> bool:
        """Return whether a problem was recorded at `field`, inside it, or at something that contains it."""
        return field in self._containing or not self._fields.isdisjoint(_containing(field))


def _containing(field: str) -> Iterator[str]:
    """Yield a field and all that contain it up to the complete document."""
    yield ""
    yield from (field[: match.start()] for match in _PART.finditer(field))
    yield field
