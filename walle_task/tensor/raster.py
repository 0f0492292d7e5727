"""The raster operator as strided copies that are made ready once (Walle, section 4.1).

Which addresses a region reads and writes is checked when the copies are made: nothing is copied afterwards that was not
found to be within its tensors. Copies move as many bytes at once as both views have beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from walle_task.tensor.faults import Fault, GraphMalformed
from walle_task.tensor.types import TensorType
from walle_task.tensor.view import Region, View

MAX_REGION_RANK: Final = 32
"""The most axes of a region, half of what NumPy has."""
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


def raster_copies(
    node: str, regions: Sequence[Region], target: Any, sources: Mapping[str, Any]
) -> list[tuple[Any, Any]]:
    """Return the pairs of views (destination, source) that copy what the regions move between contiguous arrays.

    Raises GraphMalformed where a region reads or writes outside of its array, or an element is not written once.
    """
    types = {name: TensorType(str(array.dtype), array.shape) for name, array in sources.items()}
    check_regions(node, regions, TensorType(str(target.dtype), target.shape), types)
    return [_copy(region, target.reshape(-1), sources[region.source].reshape(-1)) for region in regions]


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
