"""Algorithms of operators and their parameters: what each computes and moves (Q of equation 3; equation 4).

The parameters of an algorithm are the best ones by a count of its operations and bytes, within the limits of the
hardware: so a search over backends has few algorithms of each operator to compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.search.work import NodeWork, Window, Work

WINOGRAD_BLOCKS: Final = (2, 4)
"""The lengths of the blocks of outputs that F(n x n, 3 x 3) computes at once; larger ones lose too many digits."""
_WINOGRAD_KERNEL: Final = (3, 3)
_OPERATIONS_PER_SECOND: Final = 50e9
_BYTES_PER_SECOND: Final = 10e9
_FLOAT_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A way to compute an operator: its name, its parameter (the block of Winograd, otherwise 0), the kind of work that
    it is, its elementary operations and the bytes that it moves."""

    name: str
    block: int
    kind: Work
    operations: int
    nbytes: int


def algorithms(work: NodeWork, winograd: bool) -> Iterator[Algorithm]:
    """Yield the algorithms for an operator, for a backend that has Winograd's or not."""
    yield Algorithm("direct", 0, work.kind, work.operations, work.nbytes)
    window = work.window
    if winograd and work.kind is Work.CONVOLUTION and window is not None and has_winograd(window):
        yield from (_winograd(work, window, block) for block in WINOGRAD_BLOCKS)


def likely_algorithm(work: NodeWork, winograd: bool = True) -> Algorithm:
    """Return the algorithm that costs least on an ordinary processor."""
    return min(
        algorithms(work, winograd),
        key=lambda each: each.operations / _OPERATIONS_PER_SECOND + each.nbytes / _BYTES_PER_SECOND,
    )


def has_winograd(window: Window) -> bool:
    """Return whether a convolution can be computed by Winograd's algorithm."""
    return window.kernel == _WINOGRAD_KERNEL and set(window.strides) == set(window.dilations) == {1}


def _winograd(work: NodeWork, window: Window, block: int) -> Algorithm:
    """Count F(n x n, 3 x 3): for each tile, the transforms of the input (to (n+2)^2 values) and of the output, and one
    product of channels with filters for each of these values."""
    side = block + 2
    tiles = math.prod(-(-length // block) for length in window.places)
    products = 2 * side * side * window.channels * window.filters * tiles
    forth = 4 * side * side * side * window.channels * tiles
    back = 2 * (side * side * block + side * block * block) * window.filters * tiles
    weights = window.channels * window.filters
    moved = weights * (side * side - 9) + 2 * side * side * tiles * (window.channels + window.filters)
    return Algorithm("winograd", block, Work.WINOGRAD, products + forth + back, work.nbytes + moved * _FLOAT_BYTES)


def tile_sizes(rows: int, depth: int, columns: int, room: int) -> tuple[int, int]:
    """Return the tile of a product of rows x depth and depth x columns that moves the fewest elements (equation 4).

    The tile has (along depth) x (along columns) elements; it and a line of each side fit into `room` elements, which
    are registers in the paper. Raises ValueError for room for less than one of each.
    """
    if room < 3:
        raise ValueError(f"expected room for at least 3 elements, found {room}")
    best, found = math.inf, (1, 1)
    for along_depth in _lengths(depth):
        along_columns = min(columns, (room - along_depth) // (along_depth + 1))
        if along_columns < 1:
            break
        moved = rows * along_depth + rows * along_columns + along_depth * along_columns
        total = -(-depth // along_depth) * -(-columns // along_columns) * moved
        if total < best:
            best, found = total, (along_depth, along_columns)
    return found


def _lengths(most: int) -> Iterator[int]:
    """Yield the lengths that divide an axis into the same number of parts, the shortest of each number: no other one
    can be better."""
    parts, last = most, 0
    while parts >= 1:
        length = -(-most // parts)
        if length != last:
            yield length
            last = length
        parts = min(parts - 1, -(-most // (length + 1)))
