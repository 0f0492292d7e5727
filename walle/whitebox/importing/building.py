"""What importers build with: values on their way through a model, and the graph with its arrays as it grows."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from walle.whitebox.graph import COLUMN, ClassName, Column, Graph, Parameter, Transformation
from walle.whitebox.importing.refusal import NotImportable

Array = npt.NDArray[Any]

TEXT_COLUMN: Final = "text"
"""The column of a pipeline that takes texts, which have no name in scikit-learn."""
MAX_EXAMPLES: Final = 1000


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vector that a transformation makes, of `size` numbers."""

    id: str
    size: int


@dataclass(frozen=True, slots=True)
class RawColumn:
    """One column of a table: a field of the record as it comes, or with a text in the place of missing ones."""

    name: str
    fill: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of the record, whose types whoever takes them decides. `flat` is one column that is not a table."""

    cells: tuple[RawColumn, ...]
    flat: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """The whole record, before anything has taken columns of it."""


Value = Matrix | Table | Record


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The ids of what a model answers, None for what it does not, and the names of its classes."""

    label: str | None = None
    probabilities: str | None = None
    value: str | None = None
    decision: str | None = None
    classes: tuple[ClassName, ...] = ()

    @property
    def outputs(self) -> dict[str, str]:
        found = {name: getattr(self, name) for name in ("label", "probabilities", "value", "decision")}
        return {name: each for name, each in found.items() if each is not None}


@dataclass(frozen=True, slots=True)
class Imported:
    """A graph, and the arrays of its parameters by digest.

    `examples` are known texts by column; `blanks` is what the library took for a missing category by column, None or
    NaN, which are the same to a pipeline; `single` says whether something in the model adds in float32.
    """

    graph: Graph
    arrays: Mapping[str, Array]
    examples: Mapping[str, Sequence[str]]
    blanks: Mapping[str, Any]
    single: bool


class Builder:
    """Collects columns, transformations and arrays. Equal transformations are one."""

    def __init__(self) -> None:
        self._types: dict[str, str] = {}
        self._order: dict[str, int] = {}
        self._steps: dict[str, Transformation] = {}
        self._known: dict[object, str] = {}
        self._counts: Counter[str] = Counter()
        self.arrays: dict[str, Array] = {}
        self.blanks: dict[str, Any] = {}
        self.single = False
        self._examples: dict[str, list[str]] = {}

    def names(self, columns: Iterable[str]) -> None:
        """Say in which order records have their columns, whether they are used or not."""
        for name in columns:
            self._order.setdefault(name, len(self._order))

    def column(self, name: str, kind: str, operator: str, place: str) -> str:
        """Return the id of a column, used as text, number or category. Raises NotImportable if used as two of them."""
        found = self._types.setdefault(name, kind)
        if found != kind:
            raise NotImportable(operator, place, f"takes the column {name!r} as {kind}, which is {found} elsewhere")
        return COLUMN + name

    def add(
        self,
        operator: str,
        inputs: Sequence[str],
        settings: Mapping[str, Any] | None = None,
        **arrays: Array | None,
    ) -> str:
        """Add a transformation, with those of its parameters that are not None; return its id."""
        parameters = {name: self._parameter(each) for name, each in arrays.items() if each is not None}
        key = (operator, tuple(inputs), repr(settings), tuple(parameters.items()))
        if key not in self._known:
            self._counts[operator] += 1
            name = f"{operator}-{self._counts[operator]}"
            self._steps[name] = Transformation(name, operator, tuple(inputs), dict(settings or {}), parameters)
            self._known[key] = name
        return self._known[key]

    def _parameter(self, array: Array) -> Parameter:
        # A copy, as an array that was broadcast lies otherwise.
        little = np.array(array, array.dtype.newbyteorder("<"), order="C")
        digest = hashlib.sha256(little.tobytes()).hexdigest()
        self.arrays.setdefault(digest, little)
        return Parameter(digest, little.dtype.str, little.shape)

    def concat(self, parts: Sequence[Matrix]) -> Matrix:
        """Put vectors one behind the other."""
        if len(parts) == 1:
            return parts[0]
        return Matrix(self.add("concat", [each.id for each in parts]), sum(each.size for each in parts))

    def imported(self, answer: ModelAnswer) -> Imported:
        """Return the graph that gives an answer, with what it needs and no more."""
        steps = self._needed(answer.outputs.values())
        used = {each for step in steps for each in step.inputs}
        names = sorted(self._types, key=lambda name: self._order.get(name, len(self._order)))
        columns = tuple(Column(name, self._types[name]) for name in names if COLUMN + name in used)
        digests = {each.digest for step in steps for each in step.parameters.values()}
        arrays = {digest: array for digest, array in self.arrays.items() if digest in digests}
        return Imported(
            Graph(columns, steps, answer.outputs, answer.classes), arrays, self._examples, self.blanks, self.single
        )

    def suggest(self, column: str, texts: Iterable[str]) -> None:
        """Say which texts a column, by its id, may have."""
        self._examples.setdefault(column.removeprefix(COLUMN), []).extend(islice(texts, MAX_EXAMPLES))

    def _needed(self, outputs: Iterable[str]) -> tuple[Transformation, ...]:
        wanted = set(outputs)
        for step in reversed(self._steps.values()):
            if step.id in wanted:
                wanted.update(step.inputs)
        return tuple(step for step in self._steps.values() if step.id in wanted)


def is_missing(value: Any) -> bool:
    """Return whether a value is None or NaN, which stand for what is not there."""
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def floats(values: Any) -> Array:
    """Return numbers as float64."""
    return np.asarray(values, np.float64)


def integers(values: Any) -> Array:
    """Return whole numbers as int32."""
    return np.asarray(values, np.int32)
