"""Views and regions: the linear maps from coordinates to memory addresses (Walle, section 4.1).

A view maps a coordinate (i, j, ...) with 0 <= i < size[0] and so on to the address offset + i * strides[0] + ..., in
elements of its tensor. A region is a source tensor and two views of one size: element by element, what the one reads of
the source, the other writes to the destination.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from walle_task.tensor.types import row_major


@dataclass(frozen=True, slots=True)
class View:
    """A range of coordinates and the address of each. Strides may be zero or negative."""

    offset: int
    size: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def whole(cls, shape: Sequence[int]) -> View:
        """Return the view of all elements of a tensor, in their order."""
        return cls(0, tuple(shape), row_major(shape))

    @classmethod
    def scalar(cls, size: Sequence[int]) -> View:
        """Return the view that finds a tensor's first element at every coordinate."""
        return cls(0, tuple(size), (0,) * len(size))

    @property
    def count(self) -> int:
        return math.prod(self.size)

    @property
    def bounds(self) -> tuple[int, int]:
        """The lowest and the highest address; there must be a coordinate."""
        spans = [(length - 1) * stride for length, stride in zip(self.size, self.strides, strict=True)]
        return self.offset + sum(min(span, 0) for span in spans), self.offset + sum(max(span, 0) for span in spans)

    def permute(self, axes: Sequence[int]) -> View:
        """Return the view whose axis k is this one's axes[k]."""
        return View(self.offset, tuple(self.size[axis] for axis in axes), tuple(self.strides[axis] for axis in axes))

    def narrow(self, axis: int, start: int, count: int, step: int = 1) -> View:
        """Return the view of `count` coordinates of an axis, from `start` on, `step` apart; a step may be negative."""
        stride = self.strides[axis]
        return View(
            self.offset + start * stride, _with(self.size, axis, count), _with(self.strides, axis, stride * step)
        )

    def flip(self, axis: int) -> View:
        """Return the view that goes through an axis from its end."""
        return self.narrow(axis, self.size[axis] - 1, self.size[axis], -1)

    def select(self, axis: int, index: int) -> View:
        """Return the view at one coordinate of an axis, which is left out."""
        found = self.narrow(axis, index, 1)
        return View(found.offset, found.size[:axis] + found.size[axis + 1 :], _without(found.strides, axis))

    def split(self, axis: int, lengths: Sequence[int]) -> View:
        """Return the view in which an axis is replaced by several, the product of whose lengths is its length."""
        inner = tuple(stride * self.strides[axis] for stride in row_major(lengths))
        return View(
            self.offset,
            self.size[:axis] + tuple(lengths) + self.size[axis + 1 :],
            self.strides[:axis] + inner + self.strides[axis + 1 :],
        )

    def insert(self, axis: int, count: int = 1, stride: int = 0) -> View:
        """Return the view with a new axis; with stride 0 it repeats what is there."""
        return View(
            self.offset,
            (*self.size[:axis], count, *self.size[axis:]),
            (*self.strides[:axis], stride, *self.strides[axis:]),
        )


@dataclass(frozen=True, slots=True)
class Region:
    """What a raster moves at once: `reads` are addresses in the value `source`, `writes` in the raster's output."""

    source: str
    reads: View
    writes: View

    @property
    def size(self) -> tuple[int, ...]:
        return self.writes.size

    @property
    def count(self) -> int:
        return self.writes.count

    def of(self, source: str) -> Region:
        """Return the same region of another source."""
        return replace(self, source=source)

    def __str__(self) -> str:
        reads, writes = self.reads, self.writes
        size = "x".join(map(str, self.size)) or "1"
        return (
            f"{self.source}[{reads.offset} + {list(reads.strides)}] -> "
            f"[{writes.offset} + {list(writes.strides)}] over {size}"
        )


def normalised(region: Region) -> Region:
    """Return the one form of all regions that move the same elements to the same addresses along other axes.

    Axes go from the largest stride of the destination to the smallest one, which are positive; axes of length 1 are
    left out, and two axes are one where they are contiguous in both views.
    """
    axes = [
        (write, read, length)
        for length, read, write in zip(region.size, region.reads.strides, region.writes.strides, strict=True)
        if length != 1
    ]
    read_offset, write_offset = region.reads.offset, region.writes.offset
    for index, (write, read, length) in enumerate(axes):
        if write < 0:
            read_offset, write_offset = read_offset + (length - 1) * read, write_offset + (length - 1) * write
            axes[index] = (-write, -read, length)
    joined: list[tuple[int, int, int]] = []
    for write, read, length in sorted(axes, reverse=True):
        if joined and joined[-1][0] == write * length and joined[-1][1] == read * length:
            joined.append((write, read, length * joined.pop()[2]))
        else:
            joined.append((write, read, length))
    size = tuple(length for _, _, length in joined)
    return Region(
        region.source,
        View(read_offset, size, tuple(read for _, read, _ in joined)),
        View(write_offset, size, tuple(write for write, _, _ in joined)),
    )


def is_injective(strides: Sequence[int], size: Sequence[int]) -> bool:
    """Return whether axes, but for those of stride 0, surely lead to different addresses: each stride is larger than
    what all before it can add up to."""
    reach = 0
    for stride, length in sorted((abs(stride), length) for stride, length in zip(strides, size, strict=True)):
        if length > 1 and 0 < stride <= reach:
            return False
        reach += stride * (length - 1)
    return True


def turns_of(region: Region, most: int) -> list[Region]:
    """Return parts of a region, none of which writes to an address twice but along axes of stride 0.

    The largest axes that do not meet stay together, and there is a part for each coordinate of the others. Where these
    are more than `most` parts, one more than `most` is returned.
    """
    kept = [axis for axis, stride in enumerate(region.writes.strides) if stride == 0]
    for axis in sorted(set(range(len(region.size))).difference(kept), key=lambda axis: (-region.size[axis], axis)):
        tried = [*kept, axis]
        if is_injective([region.writes.strides[each] for each in tried], [region.size[each] for each in tried]):
            kept = tried
    apart = [axis for axis in range(len(region.size)) if axis not in kept]
    order = (*apart, *sorted(kept))
    reads, writes = region.reads.permute(order), region.writes.permute(order)
    return [
        Region(region.source, _at(reads, coordinates), _at(writes, coordinates))
        for coordinates in islice(product(*(range(region.size[axis]) for axis in apart)), most + 1)
    ]


def _at(view: View, coordinates: Sequence[int]) -> View:
    """Return the view at some coordinates of its first axes."""
    for coordinate in coordinates:
        view = view.select(0, coordinate)
    return view


def is_identity(region: Region, count: int) -> bool:
    """Return whether a normalised region copies the first `count` elements in their order."""
    return region.count == count and region.reads == region.writes == View.whole(region.size) and len(region.size) <= 1


def _with(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _without(values: tuple[int, ...], index: int) -> tuple[int, ...]:
    return values[:index] + values[index + 1 :]
