"""Types of tensors: what an element is, and how many there are along each axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

DTYPES: Final = ("float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool")
FLOATS: Final = ("float32", "float64", "float16")
INTEGERS: Final = ("int64", "int32", "int16", "int8", "uint8")
MAX_RANK: Final = 8
"""The most axes of a tensor; a convolution over three axes unfolds its input into eight."""
MAX_ELEMENTS: Final = 1 << 31
"""The most elements of a tensor, so that an address fits into 32 bits on devices that count with these."""


@dataclass(frozen=True, slots=True)
class TensorType:
    """The dtype (one of DTYPES) and the shape of a tensor, whose elements lie in row-major order."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def item_bytes(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def nbytes(self) -> int:
        return self.count * self.item_bytes

    def with_shape(self, shape: Sequence[int]) -> TensorType:
        """Return the type of a tensor of the same dtype."""
        return TensorType(self.dtype, tuple(shape))

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


@dataclass(frozen=True, slots=True)
class InputSpec:
    """What a graph expects of an input: its dtype, and its shape, in which None is an axis of any length.

    A text is an axis of any length too, but of one length wherever inputs of the graph name it.
    """

    dtype: str
    shape: tuple[int | str | None, ...]

    def accepts(self, found: TensorType) -> bool:
        """Return whether a tensor of a type can be this input."""
        return (
            self.dtype == found.dtype
            and len(self.shape) == found.rank
            and all(
                not isinstance(want, int) or want == have for want, have in zip(self.shape, found.shape, strict=True)
            )
        )

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join('?' if axis is None else str(axis) for axis in self.shape)}]"


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of a tensor whose last axis is contiguous."""
    strides: list[int] = []
    step = 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def fits(shape: Sequence[int]) -> bool:
    """Return whether a tensor may have a shape: its rank and its number of elements are within the limits.

    Axes without an element count as if they had one, so that no stride is too large beside them.
    """
    return (
        len(shape) <= MAX_RANK
        and all(length >= 0 for length in shape)
        and math.prod(max(length, 1) for length in shape) <= MAX_ELEMENTS
    )


def holds(dtype: str, value: float) -> bool:
    """Return whether elements of a dtype can be a value; floats can be any, rounded."""
    if dtype in FLOATS:
        return True
    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return bool(low <= value <= high and value == int(value))
