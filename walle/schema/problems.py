"""What is wrong with a document, said so that its author can put it right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from walle.schema.values import shown

MAX_PROBLEMS: Final = 1000
"""Told of one document: what beyond that is wrong with it is only counted."""
_SAID: Final = 10
_PART: Final = re.compile(r"[.\[]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to put right: where it is, what was expected there and what was found.

    `file` is empty where a document is no file; `field` is the dotted path in it, empty for all of it.
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
        said = f"expected {self.expected}, found {self.found}{hint}"
        return ": ".join(part for part in (where, self.field, said) if part)

    def __str__(self) -> str:
        return self.text


class Malformed(ValueError):
    """A document is not what its schema says; `problems` are all that is wrong with it, in the order they were met."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    @property
    def texts(self) -> list[str]:
        """Each problem on one line."""
        return [problem.text for problem in self.problems]

    def __str__(self) -> str:
        more = len(self.problems) - _SAID
        return "; ".join([*self.texts[:_SAID], *([f"and {more} more problems"] if more > 0 else [])])


class Problems:
    """Collects the problems of one document, in the order they are met."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Problem] = []
        self._more = 0
        self._fields: set[str] = set()
        self._holders: set[str] = set()

    def add(self, field: str, expected: str, value: object, hint: str = "") -> None:
        """Record a problem; `value` is what was found, shown as Python writes it."""
        self.say(field, expected, shown(value), hint)

    def say(self, field: str, expected: str, found: str, hint: str = "", line: int | None = None) -> None:
        """Record a problem whose finding is already put in words."""
        if self.full:
            self._more += 1
        else:
            self.found.append(Problem(self.file, field, expected, found, line, hint))
        self._fields.add(field)
        self._holders.update(_holders(field))

    @property
    def full(self) -> bool:
        """Whether there are so many that further ones are only counted."""
        return len(self.found) >= MAX_PROBLEMS

    @property
    def all(self) -> tuple[Problem, ...]:
        """What was found, and how much more there is than is told."""
        more = Problem(self.file, "", f"at most {MAX_PROBLEMS} problems", f"{self._more} more")
        return (*self.found, more) if self._more else tuple(self.found)

    def touches(self, field: str) -> bool:
        """Whether a problem was recorded at `field`, inside it, or in something that holds it."""
        return field in self._holders or not self._fields.isdisjoint(_holders(field))


def _holders(field: str) -> Iterator[str]:
    """A field, and all that hold it up to the whole document."""
    yield ""
    yield from (field[: match.start()] for match in _PART.finditer(field))
    yield field
