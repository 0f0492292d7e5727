"""The answers to a batch as arrays, from which single predictions are made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class BatchAnswers(Sequence[Any]):
    """What is answered to the records of a batch, in their order: predictions, and refusals in between.

    `numbers` (records x words, f64) are what kernels wrote for each record, NaN for one that was refused; `parts` say
    which of them are the label's index, probabilities, value and decision. `refused` are refusals by record, and `read`
    makes predictions of numbers.
    """

    numbers: NDArray[np.float64]
    parts: Mapping[str, slice]
    refused: Mapping[int, Any]
    read: Callable[[NDArray[np.float64]], list[Any]]

    @staticmethod
    def of(
        answered: NDArray[np.float64],
        refused: Mapping[int, Any],
        parts: Mapping[str, slice],
        read: Callable[[NDArray[np.float64]], list[Any]],
    ) -> BatchAnswers:
        """Return the answers to a batch by the numbers of those records that were not refused."""
        numbers = answered
        if refused:
            numbers = np.full((len(answered) + len(refused), answered.shape[1]), np.nan)
            numbers[np.setdiff1d(np.arange(len(numbers)), list(refused), assume_unique=True)] = answered
        return BatchAnswers(numbers, parts, refused, read)

    def part(self, name: str) -> NDArray[np.float64] | None:
        """Return the numbers of an output (records x its numbers); None if the plan does not have it."""
        return self.numbers[:, self.parts[name]] if name in self.parts else None

    @property
    def is_answered(self) -> NDArray[np.bool_]:
        """Whether each record was not refused."""
        found = np.ones(len(self), np.bool_)
        found[list(self.refused)] = False
        return found

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __iter__(self) -> Any:
        return iter(self._all())

    def _all(self) -> list[Any]:
        found = self.read(self.numbers[self.is_answered])
        for index in sorted(self.refused):
            found.insert(index, self.refused[index])
        return found
