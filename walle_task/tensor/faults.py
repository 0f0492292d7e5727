"""What is wrong with a graph: each fault with its node, its field, what was expected there and what was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.names import harmless

MAX_FAULTS: Final = 200
"""The most faults that are listed for one graph; further ones are only counted."""
_SHOWN: Final = 10
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a graph. `node` is empty where the graph itself is at fault."""

    node: str
    field: str
    expected: str
    found: str

    @property
    def text(self) -> str:
        """The fault on one line, such as `node conv1: strides: expected ..., found ...`."""
        place = f"node {self.node}" if self.node else "graph"
        return harmless(f"{place}: {self.field}: expected {self.expected}, found {self.found}")

    def __str__(self) -> str:
        return self.text


class GraphMalformed(ValueError):
    """A graph breaks its specification; `faults` are all that were found, in the order of its nodes."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        more = len(self.faults) - _SHOWN
        texts = [fault.text for fault in self.faults[:_SHOWN]]
        return "; ".join([*texts, *([f"and {more} more faults"] if more > 0 else [])])


class Unfit(ValueError):
    """An operator cannot be applied to given types and attributes: the field that is wrong, and how."""

    def __init__(self, field: str, expected: str, found: object) -> None:
        self.field, self.expected, self.found = field, expected, shown(found)
        super().__init__(f"{field}: expected {expected}, found {self.found}")

    def at(self, node: str) -> Fault:
        """Return it as the fault of a node."""
        return Fault(node, self.field, self.expected, self.found)


def shown(value: object) -> str:
    """Return a value as text of bounded length."""
    text = repr(value) if isinstance(value, tuple | list | dict) else str(value)
    return harmless(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")
