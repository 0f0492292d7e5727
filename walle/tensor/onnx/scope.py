"""Values of a model by their names, in graphs that may be inside one another."""

from __future__ import annotations

from typing import Final

from walle.tensor.emitting import GraphEmitter

MOST_COPIED: Final = 1 << 16
"""The most bytes of a constant that an inner graph has of its own; a larger one is given to it."""


class Scope:
    """The values of one graph: a name stands for a value of the graph, or for None where its translation failed.

    What a graph inside another reads of that becomes an input of it; `captured` are those inputs with the values of the
    outer graph that they stand for.
    """

    def __init__(self, emitter: GraphEmitter, outer: Scope | None = None) -> None:
        self.emitter = emitter
        self.captured: dict[str, str] = {}
        self._outer = outer
        self._values: dict[str, str | None] = {}
        self._mine: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._values or (self._outer is not None and name in self._outer)

    def define(self, name: str, value: str | None) -> None:
        self._values[name] = value

    def is_own(self, name: str) -> bool:
        """Return whether a name is defined in this graph and not around it."""
        return name in self._values

    def value(self, name: str) -> str | None:
        """Return what a name stands for, None where that failed. There must be such a name."""
        if name not in self._values and self._outer is not None:
            self._values[name] = self.capture(name)
        return self._values[name]

    def capture(self, name: str) -> str | None:
        """Make a value of the outer graph one of this graph; return it."""
        if self._outer is None or (outer := self._outer.value(name)) is None:
            return None
        array = self._outer.emitter.constant_of(outer)
        if array is not None and array.nbytes <= MOST_COPIED:
            return self.emitter.constant(array)
        if outer not in self._mine:
            self._mine[outer] = self.emitter.capture(name, self._outer.emitter.type_of(outer))
            self.captured[name] = outer
        return self._mine[outer]
