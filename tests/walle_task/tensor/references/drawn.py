"""Cases that are drawn: arrays of any shape, and what an operator makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")


@dataclass
class Case:
    """Inputs of an operator, its attributes, and the outputs that it must have."""

    arrays: list[np.ndarray]
    expected: list[np.ndarray]
    attributes: dict[str, Any] = field(default_factory=dict)


class Drawing:
    """Draws what cases are made of. Elements come from a drawn seed: their shapes are what is looked for."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self._random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))

    def number(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))

    def numbers(self, count: int, low: int, high: int) -> tuple[int, ...]:
        return tuple(self.number(low, high) for _ in range(count))

    def one_of(self, *options: Any) -> Any:
        return self._data.draw(st.sampled_from(options))

    def flag(self) -> bool:
        return self._data.draw(st.booleans())

    def order(self, rank: int) -> tuple[int, ...]:
        return tuple(self._data.draw(st.permutations(range(rank))))

    def shape(self, low: int = 0, high: int = 4, side: int = 5) -> tuple[int, ...]:
        return self.numbers(self.number(low, high), 1, side)

    def axis(self, rank: int) -> int:
        return self.number(-rank, rank - 1)

    def axes(self, rank: int) -> tuple[int, ...]:
        """Different axes, counted from either end."""
        chosen = self.order(rank)[: self.number(0, rank)]
        return tuple(axis - rank if self.flag() else axis for axis in chosen)

    def broadcasting(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to another one."""
        return tuple(1 if self.flag() else length for length in shape)[self.number(0, len(shape)) :]

    def array(self, shape: tuple[int, ...], dtype: str = "float32", low: float = -3, high: float = 3) -> np.ndarray:
        if dtype == "bool":
            return self._random.random(shape) < 0.5
        if dtype in INTEGERS:
            low = max(low, 0) if dtype == "uint8" else low
            return self._random.integers(int(low), int(high), shape, endpoint=True).astype(dtype)
        return np.asarray(self._random.uniform(low, high, shape)).astype(dtype)

    def distinct(self, shape: tuple[int, ...], dtype: str = "int32") -> np.ndarray:
        """An array whose elements are all different, in any order."""
        return self._random.permutation(int(np.prod(shape))).reshape(shape).astype(dtype)


Reference = Callable[[Drawing], Case]


def each(function: Callable[..., Any], *arrays: np.ndarray, dtype: str = "float64") -> np.ndarray:
    """What a function of Python makes of each element of arrays that broadcast; integers are Python's."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    lists = (np.broadcast_to(array, shape).reshape(-1).tolist() for array in arrays)
    return np.array([function(*items) for items in zip(*lists, strict=True)], dtype=dtype).reshape(shape)
