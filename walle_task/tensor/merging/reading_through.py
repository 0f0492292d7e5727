"""Reading through a raster: regions of what it reads in place of a region of what it wrote (vertical merging).

A raster wrote a tensor in regions, each of which is a box: in a number system whose places are the strides of the
region, an address is a row of digits, and the region wrote the addresses whose digits lie between bounds. A region that
reads the tensor has addresses that are linear in its coordinates. Where no digit carries, each digit is linear too, and
so is the address from which the raster had read the element. Where one does, or where only a part lies in the box, the
region is cut into parts for which it holds, up to a limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.view import Region, View, normalised

MAX_CUTS: Final = 512
"""How many parts are looked at for one region and one region of the raster."""


class _TooMany(Exception):
    """A region would have to be cut into too many parts."""


@dataclass(slots=True)
class Effort:
    """How many parts of regions may be looked at, for all rasters of a graph together."""

    left: int

    def spend(self) -> None:
        """Count one. Raises _TooMany where none is left."""
        if self.left <= 0:
            raise _TooMany
        self.left -= 1


@dataclass(frozen=True, slots=True)
class _Box:
    """The addresses that a region wrote: for each place its unit, the first digit and the number of digits that occur,
    and the stride with which the region read along it. The first place has digits without a bound."""

    units: tuple[int, ...]
    starts: tuple[int, ...]
    lengths: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @classmethod
    def written_by(cls, region: Region) -> _Box | None:
        """Return the box of a normalised region, or None where its strides are no number system."""
        units, lengths, strides = list(region.writes.strides), list(region.size), list(region.reads.strides)
        if not units or units[-1] != 1:
            units, lengths, strides = [*units, 1], [*lengths, 1], [*strides, 0]
        if any(unit % smaller for unit, smaller in itertools.pairwise(units)):
            return None
        starts = _digits(region.writes.offset, units)
        for place in range(1, len(units)):
            if starts[place] + lengths[place] > units[place - 1] // units[place]:
                return None
        return cls(tuple(units), starts, tuple(lengths), tuple(strides), region.reads.offset)


def read_through(region: Region, written: Sequence[Region], effort: Effort) -> tuple[Region, ...] | None:
    """Return regions that read what a raster read, in place of one that reads what it wrote, by its regions.

    All are normalised. None where no such regions are found within the limits.
    """
    pieces: list[Region] = []
    for each in written:
        box = _Box.written_by(each)
        if box is None:
            return None
        try:
            pieces += [normalised(piece.of(each.source)) for piece in _pieces(region, box, effort)]
        except _TooMany:
            return None
    return tuple(pieces) if sum(piece.count for piece in pieces) == region.count else None


def is_box(region: Region) -> bool:
    """Return whether regions that read what a normalised region wrote can read what it reads."""
    return _Box.written_by(region) is not None


def _pieces(region: Region, box: _Box, effort: Effort) -> Iterator[Region]:
    """Yield the part of a region that reads a box, in pieces; their reads are those of the box's region."""
    waiting, seen = [region], 0
    while waiting:
        effort.spend()
        part = _forwards(waiting.pop())
        seen += 1
        if seen > MAX_CUTS:
            raise _TooMany
        starts = _digits(part.reads.offset, box.units)
        steps = [_digits(stride, box.units) for stride in part.reads.strides]
        cuts = _without_carry(part, box, starts, steps)
        if cuts is None:
            cuts = _inside(part, box, starts, steps)
        if cuts is not None:
            waiting += cuts
            continue
        offset = box.offset + _dot(box.strides, [at - first for at, first in zip(starts, box.starts, strict=True)])
        strides = tuple(_dot(box.strides, step) for step in steps)
        yield Region(part.source, View(offset, part.size, strides), part.writes)


def _without_carry(
    part: Region, box: _Box, starts: tuple[int, ...], steps: Sequence[tuple[int, ...]]
) -> list[Region] | None:
    """Return parts in which fewer digits carry, or None where none does."""
    for place in range(len(box.units) - 1, 0, -1):
        radix = box.units[place - 1] // box.units[place]
        reach = [step[place] * (length - 1) for step, length in zip(steps, part.size, strict=True)]
        if starts[place] + sum(reach) < radix:
            continue
        axis = max(range(len(reach)), key=reach.__getitem__)
        length, step = part.size[axis], steps[axis][place]
        until = -(-(radix - starts[place]) // step)
        if until >= length:
            return _cut(part, axis, length // 2)
        if starts[place] or radix % step:
            return _cut(part, axis, until)
        if length % until:
            return _cut(part, axis, length // until * until)
        split = (length // until, until)
        return [Region(part.source, part.reads.split(axis, split), part.writes.split(axis, split))]
    return None


def _inside(part: Region, box: _Box, starts: tuple[int, ...], steps: Sequence[tuple[int, ...]]) -> list[Region] | None:
    """Return parts of which more lies in the box, or None where all does. Digits do not carry."""
    for place, (first, count) in enumerate(zip(box.starts, box.lengths, strict=True)):
        reach = [step[place] * (length - 1) for step, length in zip(steps, part.size, strict=True)]
        low, high, last = starts[place], starts[place] + sum(reach), first + count - 1
        if high < first or low > last:
            return []
        if first <= low and high <= last:
            continue
        axes = [axis for axis, step in enumerate(steps) if reach[axis] and step[place]]
        if len(axes) == 1:
            axis, step = axes[0], steps[axes[0]][place]
            begin = max(0, -(-(first - low) // step))
            end = min(part.size[axis] - 1, (last - low) // step)
            return [_narrowed(part, axis, begin, end - begin + 1)] if begin <= end else []
        axis = min(axes, key=part.size.__getitem__)
        return _cut(part, axis, part.size[axis] // 2)
    return None


def _forwards(part: Region) -> Region:
    """Return the same region with axes along which it reads upwards."""
    for axis, stride in enumerate(part.reads.strides):
        if stride < 0:
            part = Region(part.source, part.reads.flip(axis), part.writes.flip(axis))
    return part


def _cut(part: Region, axis: int, at: int) -> list[Region]:
    return [_narrowed(part, axis, 0, at), _narrowed(part, axis, at, part.size[axis] - at)]


def _narrowed(part: Region, axis: int, start: int, count: int) -> Region:
    return Region(part.source, part.reads.narrow(axis, start, count), part.writes.narrow(axis, start, count))


def _digits(number: int, units: Sequence[int]) -> tuple[int, ...]:
    digits = []
    for unit in units:
        digit, number = divmod(number, unit)
        digits.append(digit)
    return tuple(digits)


def _dot(first: Sequence[int], second: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(first, second, strict=True))
