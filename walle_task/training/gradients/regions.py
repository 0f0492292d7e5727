"""The gradient of raster: regions with what they read and write exchanged, added where an element was read often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walle_task.tensor.graph import Node
from walle_task.tensor.lowering import Lowering
from walle_task.tensor.types import TensorType
from walle_task.tensor.view import Region, is_injective, normalised


def raster_gradients(lowering: Lowering, node: Node, gradient: str) -> Iterator[tuple[str, str]]:
    """Yield each value that a raster reads, with the gradient of the loss by it."""
    for source in node.inputs:
        target = lowering.type_of(source)
        regions = tuple(
            normalised(Region(gradient, region.writes, region.reads))
            for region in node.attributes["regions"]
            if region.source == source
        )
        operator = "raster" if _covers(regions, target) else "raster_add"
        yield source, lowering.move(operator, regions, target, gradient)


def _covers(regions: Sequence[Region], target: TensorType) -> bool:
    """Return whether one region writes each element of the target once."""
    return (
        len(regions) == 1
        and regions[0].count == target.count
        and 0 not in regions[0].writes.strides
        and is_injective(regions[0].writes.strides, regions[0].size)
    )
