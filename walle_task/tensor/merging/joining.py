"""Joining of regions: those that go on where others end become one."""

from __future__ import annotations

from collections.abc import Iterable

from walle_task.tensor.merging.reading_through import is_box
from walle_task.tensor.view import Region, View, normalised


def joined(regions: Iterable[Region]) -> tuple[Region, ...]:
    """Return as few normalised regions as neighbours can be joined to, in the order of what they write.

    Two are joined where one is longer along one axis than the other and begins at its end, and several alike where they
    are equally distant: these get an axis more. Neighbours are those that begin one after the other in the target, and
    of those that are alike, too.
    """
    found = sorted(regions, key=_begin)
    while True:
        fewer = sorted(_runs(sorted(_runs(_continued(found)), key=_likeness)), key=_begin)
        if len(fewer) == len(found):
            return tuple(fewer)
        found = fewer


def _begin(region: Region) -> tuple[int, str]:
    return region.writes.offset, region.source


def _likeness(region: Region) -> tuple[object, ...]:
    return region.source, region.size, *_strides(region), region.writes.offset


def _continued(regions: Iterable[Region]) -> list[Region]:
    """Join each region to the one before it that it continues along an axis."""
    found: list[Region] = []
    for region in regions:
        longer = _lengthened(found[-1], region) if found else None
        if longer is None:
            found.append(region)
        else:
            found[-1] = longer
    return found


def _lengthened(first: Region, second: Region) -> Region | None:
    """Return the region of both, where the second one continues the first one along one of its axes."""
    first, second = _with_axis_of(first, second), _with_axis_of(second, first)
    if first.source != second.source or _strides(first) != _strides(second):
        return None
    different = [axis for axis, pair in enumerate(zip(first.size, second.size, strict=True)) if pair[0] != pair[1]]
    if len(different) > 1:
        return None
    for axis in different or range(len(first.size)):
        steps = tuple(first.size[axis] * stride for stride in (first.reads.strides[axis], first.writes.strides[axis]))
        if _distance(first, second) == steps:
            size = (*first.size[:axis], first.size[axis] + second.size[axis], *first.size[axis + 1 :])
            reads, writes = (View(view.offset, size, view.strides) for view in (first.reads, first.writes))
            return normalised(Region(first.source, reads, writes))
    return None


def _with_axis_of(region: Region, other: Region) -> Region:
    """Return a region with the one axis of length 1 that it lacks to have the axes of another one; else as it is."""
    if len(other.size) != len(region.size) + 1:
        return region
    for axis in range(len(other.size)):
        reads = region.reads.insert(axis, 1, other.reads.strides[axis])
        writes = region.writes.insert(axis, 1, other.writes.strides[axis])
        found = Region(region.source, reads, writes)
        rest = [pair for at, pair in enumerate(zip(found.size, other.size, strict=True)) if at != axis]
        if _strides(found) == _strides(other) and all(ours == theirs for ours, theirs in rest):
            return found
    return region


def _strides(region: Region) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return region.reads.strides, region.writes.strides


def _runs(regions: list[Region]) -> list[Region]:
    """Give alike, equally distant regions one axis for all of them."""
    found: list[Region] = []
    at = 0
    while at < len(regions):
        count = _run_length(regions, at)
        run = _of_run(regions[at : at + count])
        found += regions[at : at + count] if run is None else [run]
        at += count
    return found


def _of_run(regions: list[Region]) -> Region | None:
    """Return the region of alike, equally distant ones, or None where no raster could read through it."""
    first, count = regions[0], len(regions)
    if count == 1:
        return first
    reads, writes = _distance(first, regions[1])
    found = normalised(Region(first.source, first.reads.insert(0, count, reads), first.writes.insert(0, count, writes)))
    return found if is_box(found) else None


def _run_length(regions: list[Region], at: int) -> int:
    """Return how many regions from one on are alike and equally distant."""
    count = 1
    while at + count < len(regions) and _alike(regions[at], regions[at + count]):
        if _distance(regions[at + count - 1], regions[at + count]) != _distance(regions[at], regions[at + 1]):
            break
        count += 1
    return count


def _alike(first: Region, second: Region) -> bool:
    return first.source == second.source and first.size == second.size and _strides(first) == _strides(second)


def _distance(first: Region, second: Region) -> tuple[int, int]:
    return second.reads.offset - first.reads.offset, second.writes.offset - first.writes.offset
