"""Programs of compiled copies: the rows that `walle_task.tensor.kernels.moving` executes for regions.

For each region two innermost axes are chosen, by which the compiled code moves many items at once; the others become
loops around them. Regions are checked before (`walle_task.tensor.raster`), so that their addresses are within arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from walle_task.tensor.kernels.moving import OUTER_AXES, WIDTH, Column, Form
from walle_task.tensor.view import Region, normalised

_ITEMS: Final = (1, 2, 4, 8)
_FEW: Final = 4
"""Axes that are shorter are not worth a block in vector registers."""
_LONG: Final = 16
"""Axes that are longer are no better as the innermost one than the one that is nearest together in the target."""


@dataclass(frozen=True, slots=True)
class _Axis:
    """An axis of a region; strides are bytes."""

    count: int
    read: int
    write: int


_NONE: Final = _Axis(1, 0, 0)


def move_row(region: Region, target: Any, source: Any) -> np.ndarray | None:
    """Return the row that moves a region between contiguous arrays, or None where it has too many axes."""
    region, item = normalised(region), target.itemsize
    axes = [
        _Axis(count, read * item, write * item)
        for count, read, write in zip(region.size, region.reads.strides, region.writes.strides, strict=True)
    ]
    item = _widened(axes, item)
    form, first, second = _innermost(axes, item)
    outer = [axis for axis in axes if axis not in (first, second)]
    if len(outer) > OUTER_AXES:
        return None
    row = np.zeros(WIDTH, "int64")
    row[Column.FORM], row[Column.ITEM] = form, item
    row[Column.TARGET] = target.ctypes.data + region.writes.offset * target.itemsize
    row[Column.SOURCE] = source.ctypes.data + region.reads.offset * source.itemsize
    padded = [_NONE] * (OUTER_AXES - len(outer)) + outer
    for begin, name in ((Column.COUNTS, "count"), (Column.READS, "read"), (Column.WRITES, "write")):
        row[begin : begin + OUTER_AXES] = [getattr(axis, name) for axis in padded]
    row[Column.COUNT_N], row[Column.COUNT_M] = first.count * (item if form is Form.COPY else 1), second.count
    row[Column.READ_N], row[Column.READ_M] = first.read, second.read
    row[Column.WRITE_N], row[Column.WRITE_M] = first.write, second.write
    return row


def _widened(axes: list[_Axis], item: int) -> int:
    """Take the last axis away where all of it is one item of a larger size, which is returned."""
    if axes and axes[-1].read == axes[-1].write == item and axes[-1].count * item in _ITEMS:
        return item * axes.pop().count
    return item


def _innermost(axes: Sequence[_Axis], item: int) -> tuple[Form, _Axis, _Axis]:
    """Return the form of a row and its two innermost axes; axes go from the largest stride of the target down."""
    if not axes:
        return Form.COPY, _Axis(1, item, item), _NONE
    last, rest = axes[-1], axes[:-1]
    if last.write == last.read == item:
        return Form.COPY, last, _NONE
    if last.write == item:
        for other in rest:
            if other.read != item:
                continue
            if last.count == 2 and other.write == 2 * item:
                return Form.WEAVE, other, last
            if other.count == 2 and last.read == 2 * item:
                return Form.UNWEAVE, last, other
            if min(last.count, other.count) >= _FEW:
                return Form.TURN, last, other
    return Form.STRIDED, max(reversed(axes), key=lambda axis: min(axis.count, _LONG)), _NONE
