"""The raster operator as copies that are made ready once (Walle, section 4.1): strided ones of NumPy, or compiled ones.

Which addresses a region reads and writes is checked when the copies are made: nothing is copied afterwards that was not
found to be within its tensors. Copies move as many bytes at once as both views have beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from walle_task.tensor.faults import Fault, GraphMalformed
from walle_task.tensor.graph import Node
from walle_task.tensor.types import TensorType
from walle_task.tensor.view import Region, View, turns_of

MAX_REGION_RANK: Final = 32
"""The most axes of a region, half of what NumPy has."""
MOST_TURNS: Final = 1 << 16
"""The most turns in which a region is added."""
_WIDER: Final = (
    (16, np.dtype("complex128")),
    (8, np.dtype("uint64")),
    (4, np.dtype("uint32")),
    (2, np.dtype("uint16")),
)


def check_regions(node: str, regions: Sequence[Region], target: TensorType, sources: Mapping[str, TensorType]) -> None:
    """Raise GraphMalformed unless regions stay within their tensors and write each element of the target once."""
    faults = [
        fault for index, each in enumerate(regions) for fault in _region_faults(node, index, each, target, sources)
    ]
    if not faults and not _covers(regions, target.count):
        faults.append(Fault(node, "regions", f"each of {target.count} elements written once", "others"))
    if faults:
        raise GraphMalformed(faults)


def _region_faults(
    node: str, index: int, region: Region, target: TensorType, sources: Mapping[str, TensorType]
) -> list[Fault]:
    field = f"regions[{index}]"
    ranks = {len(each) for view in (region.reads, region.writes) for each in (view.size, view.strides)}
    if region.reads.size != region.writes.size or len(ranks) != 1 or max(ranks) > MAX_REGION_RANK:
        return [Fault(node, field, f"two views of one size and at most {MAX_REGION_RANK} axes", str(region))]
    if min(region.size, default=1) < 1:
        return [Fault(node, field, "a size from 1 on along each axis", str(region))]
    source = sources.get(region.source)
    if source is None or source.dtype != target.dtype:
        return [Fault(node, f"{field}.source", f"a value of {target.dtype}", f"{region.source} of {source}")]
    bounds = (("reads", region.reads, source), ("writes", region.writes, target))
    return [
        Fault(
            node, f"{field}.{name}", f"addresses from 0 to {within.count - 1}", f"{view.bounds[0]} to {view.bounds[1]}"
        )
        for name, view, within in bounds
        if view.bounds[0] < 0 or view.bounds[1] >= within.count
    ]


def _covers(regions: Sequence[Region], count: int) -> bool:
    """Return whether regions within a tensor write each of its elements once."""
    if sum(each.count for each in regions) != count:
        return False
    written = np.zeros(count, dtype="bool")
    for each in regions:
        _strided(written, each.writes)[...] = True
    return bool(written.all())


def regions_step(node: Node, target: Any, sources: Mapping[str, Any]) -> Callable[[], None]:
    """Return the function that executes a `raster` or `raster_add` between contiguous arrays. Raises GraphMalformed."""
    regions = node.attributes["regions"]
    if node.operator == "raster_add":
        return raster_add_step(node.name, regions, target, sources)
    return raster_step(raster_copies(node.name, regions, target, sources))


def addresses(view: View) -> Any:
    """Return the address of each coordinate of a view, as an array of integers of its size."""
    found = np.full(view.size, view.offset, "int64")
    for axis, (length, stride) in enumerate(zip(view.size, view.strides, strict=True)):
        found += (np.arange(length) * stride).reshape([-1 if at == axis else 1 for at in range(len(view.size))])
    return found


def raster_copies(
    node: str, regions: Sequence[Region], target: Any, sources: Mapping[str, Any]
) -> list[tuple[Any, Any]]:
    """Return the pairs of views (destination, source) that copy what the regions move between contiguous arrays.

    Raises GraphMalformed where a region reads or writes outside of its array, or an element is not written once.
    """
    _check_arrays(node, regions, target, sources)
    return [_copy(region, target.reshape(-1), sources[region.source].reshape(-1)) for region in regions]


def raster_program(node: str, regions: Sequence[Region], target: Any, sources: Mapping[str, Any]) -> Any | None:
    """Return the program of `walle_task.tensor.kernels.moving` that moves the regions between contiguous arrays, which
    have to outlive it; None where a region has more axes than a program. Raises GraphMalformed as `raster_copies`."""
    from walle_task.tensor.move_programs import move_row

    _check_arrays(node, regions, target, sources)
    rows = [move_row(region, target.reshape(-1), sources[region.source].reshape(-1)) for region in regions]
    found = [row for row in rows if row is not None]
    return np.stack(found) if found and len(found) == len(rows) else None


def _check_arrays(node: str, regions: Sequence[Region], target: Any, sources: Mapping[str, Any]) -> None:
    types = {name: TensorType(str(array.dtype), array.shape) for name, array in sources.items()}
    check_regions(node, regions, TensorType(str(target.dtype), target.shape), types)


def raster_step(copies: Sequence[tuple[Any, Any]]) -> Callable[[], None]:
    """Return the function that makes copies; it allocates nothing."""
    copy = np.copyto
    if len(copies) == 1:
        ((target, source),) = copies
        return lambda: copy(target, source)

    def run() -> None:
        for target, source in copies:
            copy(target, source)

    return run


def raster_add_step(
    node: str, regions: Sequence[Region], target: Any, sources: Mapping[str, Any]
) -> Callable[[], None]:
    """Return the function that adds what regions move to zeros, between contiguous arrays.

    What one region writes to the same address more than once is added in turns, in each of which no address comes
    twice. Raises GraphMalformed where a region reads or writes outside of its array.
    """
    types = {name: TensorType(str(array.dtype), array.shape) for name, array in sources.items()}
    found = TensorType(str(target.dtype), target.shape)
    faults = [fault for index, each in enumerate(regions) for fault in _region_faults(node, index, each, found, types)]
    if faults:
        raise GraphMalformed(faults)
    flat = target.reshape(-1)
    turns = [
        _turn(flat, sources[region.source].reshape(-1), each) for region in regions for each in _turns(node, region)
    ]

    def run() -> None:
        flat.fill(0)
        for writes, reads, repeated in turns:
            np.add(writes, reads.sum(axis=repeated) if repeated else reads, out=writes)

    return run


def _turns(node: str, region: Region) -> Sequence[Region]:
    turns = turns_of(region, MOST_TURNS)
    if len(turns) > MOST_TURNS:
        raise GraphMalformed([Fault(node, "regions", f"sums that take at most {MOST_TURNS} turns", str(region))])
    return turns


def _turn(target: Any, source: Any, region: Region) -> tuple[Any, Any, tuple[int, ...]]:
    """Return what is written, what is read, and the axes of the latter that are summed."""
    repeated = tuple(axis for axis, stride in enumerate(region.writes.strides) if stride == 0)
    writes = region.writes
    for axis in reversed(repeated):
        writes = writes.select(axis, 0)
    return _strided(target, writes), _strided(source, region.reads), repeated


def _copy(region: Region, target: Any, source: Any) -> tuple[Any, Any]:
    reads, writes, dtype = _widened(region, target.dtype)
    if dtype != target.dtype:
        target, source = _as(target, dtype), _as(source, dtype)
    return _strided(target, writes), _strided(source, reads)


def _as(array: Any, dtype: Any) -> Any:
    whole = array.nbytes // dtype.itemsize * dtype.itemsize // array.itemsize
    return array[:whole].view(dtype)


def _widened(region: Region, dtype: Any) -> tuple[View, View, Any]:
    """Return the views over items as large as both have contiguous, and what these are; bits are copied as they are."""
    reads, writes = region.reads, region.writes
    if reads.size and reads.strides[-1] == writes.strides[-1] == 1:
        for size, wider in _WIDER:
            by = size // dtype.itemsize
            if by > 1 and size % dtype.itemsize == 0 and _in_items(reads, by) and _in_items(writes, by):
                return _items(reads, by), _items(writes, by), wider
    return reads, writes, dtype


def _in_items(view: View, by: int) -> bool:
    return not any(number % by for number in (view.offset, view.size[-1], *view.strides[:-1]))


def _items(view: View, by: int) -> View:
    size = (*view.size[:-1], view.size[-1] // by)
    return View(view.offset // by, size, (*(stride // by for stride in view.strides[:-1]), 1))


def _strided(array: Any, view: View) -> Any:
    """Return the elements of a one-dimensional array at the addresses of a view, which are within it."""
    strides = tuple(stride * array.itemsize for stride in view.strides)
    return as_strided(array[view.offset :], view.size, strides)
