"""Records as columns: the numbers of all records side by side, so that no Python runs for each of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_NUMBERS = "biuf"


@dataclass(frozen=True, eq=False)
class RecordColumns(Sequence[dict[str, Any]]):
    """A batch whose records are the rows of columns. To whom asks for one, it is a mapping from columns to values.

    `names` are those of the columns of `numbers` (records x columns, f64, side by side; NaN is a missing one), `others`
    are the columns of whatever else, texts above all, with a value for each record and None for a missing one.
    """

    names: tuple[str, ...]
    numbers: NDArray[np.float64]
    others: Mapping[str, Sequence[Any]]

    @staticmethod
    def of(columns: Mapping[str, Any]) -> RecordColumns:
        """Return columns as a batch: arrays of numbers or booleans, and sequences of whatever values.

        Raises ValueError unless all are as long as each other, and arrays have one dimension.
        """
        if not columns:
            raise ValueError("expected at least one column")
        numbers = {name: each for name, each in columns.items() if _are_numbers(each)}
        for name, each in numbers.items():
            if each.ndim != 1:
                raise ValueError(f"column {name}: expected one dimension, found {each.ndim}")
        lengths = {len(each) for each in columns.values()}
        if len(lengths) != 1:
            raise ValueError(f"expected columns of one length, found {sorted(lengths)}")
        table = np.empty((lengths.pop(), len(numbers)))
        for place, each in enumerate(numbers.values()):
            table[:, place] = each
        others = {name: list(each) for name, each in columns.items() if name not in numbers}
        return RecordColumns(tuple(numbers), table, others)

    @staticmethod
    def of_matrix(names: Sequence[str], matrix: ArrayLike) -> RecordColumns:
        """Return a matrix (records x columns) as a batch. Raises ValueError unless it has the columns named."""
        numbers = np.ascontiguousarray(matrix, np.float64)
        if numbers.ndim != 2 or numbers.shape[1] != len(names) or len(set(names)) != len(names):
            raise ValueError(f"expected a matrix of {len(names)} columns of different names, found {numbers.shape}")
        return RecordColumns(tuple(names), numbers, {})

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> RecordColumns: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | RecordColumns:
        if isinstance(index, slice):
            others = {name: each[index] for name, each in self.others.items()}
            return RecordColumns(self.names, self.numbers[index], others)
        return self._record(self.numbers[index].tolist(), index)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for index, numbers in enumerate(self.numbers.tolist()):
            yield self._record(numbers, index)

    def _record(self, numbers: Sequence[float], index: int) -> dict[str, Any]:
        record = {name: None if math.isnan(value) else value for name, value in zip(self.names, numbers, strict=True)}
        return record | {name: each[index] for name, each in self.others.items()}

    @cached_property
    def places(self) -> dict[str, int]:
        """The places of the columns of numbers."""
        return {name: place for place, name in enumerate(self.names)}

    def values(self, name: str) -> Sequence[Any] | None:
        """Return the values of a column, None for a missing one; None if there is no such column."""
        if name not in self.places:
            return self.others.get(name)
        column = self.numbers[:, self.places[name]]
        return [None if math.isnan(value) else value for value in column.tolist()]

    def sizes(self) -> NDArray[np.int64]:
        """Return about how many bytes each record takes."""
        found = np.full(len(self), 16 + self.numbers.itemsize * len(self.names), np.int64)
        for column in self.others.values():
            found += [16 + len(value) if isinstance(value, str | bytes) else 16 for value in column]
        return found


def _are_numbers(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in _NUMBERS
