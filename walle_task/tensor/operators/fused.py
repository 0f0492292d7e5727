"""The convolution that compiled sessions execute: with what follows it, by an algorithm, in a workspace.

It is made of convolutions over two axes by `walle_task.tensor.fusing`; models do not have it. Its second output is the
workspace, so that it lies in planned memory, and is free again when the convolution is done.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.operators.operator import (
    Call,
    Operator,
    OperatorGroup,
    choice,
    integer,
    integers,
    number,
)
from walle_task.tensor.types import TensorType

ALGORITHMS: Final = ("product", "columns", "depthwise", "winograd")
CACHE_ELEMENTS: Final = 1 << 17
"""How many float32 a block of columns may have: half of a common second-level cache of 1 MiB."""


def workspace_elements(call: Call) -> int:
    """Return the elements of the workspace that an algorithm needs.

    `product` multiplies the input as it is. `columns` copies the windows of `block` rows of places. `depthwise` copies
    a channel with its margins. `winograd` holds tiles of block + 2 elements squared, of all channels and filters.
    """
    _, channels, height, width = call.inputs[0].shape
    filters, each, *kernel = call.inputs[1].shape
    rows, columns = places(call)
    if call["algorithm"] == "columns":
        return each * math.prod(kernel) * int(call["block"]) * columns
    if call["algorithm"] == "depthwise":
        return (height + sum(_margins(call, 0))) * (width + sum(_margins(call, 1)))
    if call["algorithm"] == "winograd":
        return Tiling.of(rows, columns, call["block"]).elements(channels, filters)
    return 0


@dataclass(frozen=True, slots=True)
class Tiling:
    """The tiles of Winograd's algorithm: `block` x `block` places each, of inputs with a margin of 1 on each side.

    A row has one tile more than it needs, so that the first elements of all tiles are `block` apart throughout.
    """

    block: int
    rows: int
    row_tiles: int

    @classmethod
    def of(cls, rows: int, columns: int, block: int) -> Tiling:
        """Return the tiles for an output of some rows and columns."""
        return cls(block, -(-rows // block), -(-columns // block) + 1)

    @property
    def side(self) -> int:
        """The length of a tile of the input."""
        return self.block + 2

    @property
    def tiles(self) -> int:
        return self.rows * self.row_tiles

    @property
    def pitch(self) -> int:
        """The elements of a row of the padded input."""
        return self.block * self.row_tiles

    @property
    def plane(self) -> int:
        """The elements of a channel of the padded input."""
        return (self.block * self.rows + 2) * self.pitch

    @property
    def scratch(self) -> int:
        """The elements that the transforms of one channel or filter need."""
        forth = self.plane + self.side * self.rows * self.pitch + 2 * self.side * self.tiles
        back = (self.block * self.side + self.block * self.block + self.block) * self.tiles
        return max(forth, back)

    def elements(self, channels: int, filters: int) -> int:
        """Return the elements of the workspace."""
        return self.side * self.side * self.tiles * (channels + filters) + self.scratch


def places(call: Call) -> tuple[int, int]:
    """Return the rows and columns of the output."""
    found = []
    for axis in (0, 1):
        length = call.inputs[0].shape[2 + axis] + sum(_margins(call, axis))
        extent = (call.inputs[1].shape[2 + axis] - 1) * call["dilations"][axis] + 1
        found.append((length - extent) // call["strides"][axis] + 1)
    return found[0], found[1]


def _margins(call: Call, axis: int) -> tuple[int, int]:
    return call["before"][axis], call["after"][axis]


def _types(call: Call) -> tuple[TensorType, ...]:
    batch, filters = call.inputs[0].shape[0], call.inputs[1].shape[0]
    return TensorType("float32", (batch, filters, *places(call))), TensorType("float32", (workspace_elements(call),))


FUSED_CONVOLUTION: Final = Operator(
    "fused_convolution", OperatorGroup.COMPOSITE, (3, 4),
    {
        "strides": integers(low=1), "dilations": integers(low=1), "before": integers(low=0), "after": integers(low=0),
        "groups": integer(low=1), "low": number(-math.inf), "high": number(math.inf),
        "algorithm": choice(*ALGORITHMS), "block": integer(low=0),
    },
    _types,
)  # fmt: skip
"""Of x, weights, a bias for each filter, and what is added to the result before it is bounded by `low` and `high`."""
