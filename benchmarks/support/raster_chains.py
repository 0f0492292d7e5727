"""Chains of transform operators for the benchmark `raster`, each written four times: once for every contestant.

`build` is the chain for our graphs, `eager` as one writes it in PyTorch and `plain` as one writes it in NumPy, operator
after operator. `by_hand` is the best that was found in PyTorch: what is read is narrowed before anything is moved, each
output is written once, into memory that is there already. Only functions with torch arguments need torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from walle_task.tensor.building import GraphBuilder

Tensors = Sequence[Any]
Shapes = Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Chain:
    """A chain of transform operators: its inputs of float32 by their shapes, small and large, and its four ways."""

    name: str
    shapes: Mapping[str, Shapes]
    build: Callable[[GraphBuilder, Sequence[str]], Sequence[str]]
    eager: Callable[[Any, Tensors], Tensors]
    by_hand: Callable[[Tensors, Tensors], None]
    plain: Callable[[Tensors], Tensors]

    def arrays(self, size: str) -> list[np.ndarray]:
        """Return inputs whose elements are drawn at random."""
        rng = np.random.default_rng(19)
        return [rng.standard_normal(shape, "float32") for shape in self.shapes[size]]


CROP: Final = 2
HEADS: Final = 4
SCALE: Final = 2


def _permuted_build(graph: GraphBuilder, inputs: Sequence[str]) -> Sequence[str]:
    last = graph.add("transpose", inputs[0], axes=(0, 2, 3, 1))
    twice = graph.add("concatenate", last, last, axis=3)
    cut = graph.add("slice", twice, axes=(1, 2), starts=(CROP, CROP), ends=(-CROP, -CROP))
    return [graph.add("channel_shuffle", graph.add("transpose", cut, axes=(0, 3, 1, 2)), groups=2)]


def _permuted_eager(torch: Any, inputs: Tensors) -> Tensors:
    last = inputs[0].permute(0, 2, 3, 1).contiguous()
    cut = torch.cat([last, last], 3)[:, CROP:-CROP, CROP:-CROP]
    return [torch.nn.functional.channel_shuffle(cut.permute(0, 3, 1, 2).contiguous(), 2)]


def _permuted_by_hand(inputs: Tensors, outputs: Tensors) -> None:
    cut = inputs[0][:, :, None, CROP:-CROP, CROP:-CROP]
    batch, channels, _, height, width = cut.shape
    outputs[0].view(batch, channels, 2, height, width).copy_(cut.expand(-1, -1, 2, -1, -1))


def _permuted_plain(inputs: Tensors) -> Tensors:
    last = np.ascontiguousarray(inputs[0].transpose(0, 2, 3, 1))
    cut = np.concatenate([last, last], 3)[:, CROP:-CROP, CROP:-CROP]
    turned = np.ascontiguousarray(cut.transpose(0, 3, 1, 2))
    batch, channels, height, width = turned.shape
    shuffled = turned.reshape(batch, 2, channels // 2, height, width).swapaxes(1, 2)
    return [np.ascontiguousarray(shuffled).reshape(turned.shape)]


def _pixels_build(graph: GraphBuilder, inputs: Sequence[str]) -> Sequence[str]:
    larger = graph.add("depth_to_space", inputs[0], block=SCALE, mode="column first")
    return [graph.add("slice", larger, axes=(2, 3), starts=(CROP, CROP), ends=(-CROP, -CROP))]


def _pixels_eager(torch: Any, inputs: Tensors) -> Tensors:
    return [torch.nn.functional.pixel_shuffle(inputs[0], SCALE)[:, :, CROP:-CROP, CROP:-CROP].contiguous()]


def _pixels_by_hand(inputs: Tensors, outputs: Tensors) -> None:
    inner = CROP // SCALE
    cut = inputs[0][:, :, inner:-inner, inner:-inner]
    batch, channels, height, width = cut.shape
    blocks = cut.unflatten(1, (channels // SCALE**2, SCALE, SCALE)).permute(0, 1, 4, 2, 5, 3)
    outputs[0].view(batch, channels // SCALE**2, height, SCALE, width, SCALE).copy_(blocks)


def _pixels_plain(inputs: Tensors) -> Tensors:
    batch, channels, height, width = inputs[0].shape
    blocks = inputs[0].reshape(batch, channels // SCALE**2, SCALE, SCALE, height, width).transpose(0, 1, 4, 2, 5, 3)
    larger = np.ascontiguousarray(blocks).reshape(batch, channels // SCALE**2, height * SCALE, width * SCALE)
    return [np.ascontiguousarray(larger[:, :, CROP:-CROP, CROP:-CROP])]


def _heads_build(graph: GraphBuilder, inputs: Sequence[str]) -> Sequence[str]:
    parts = graph.add("reshape", inputs[0], shape=(0, 0, 3, HEADS, -1))
    turned = graph.add("transpose", parts, axes=(2, 0, 3, 1, 4))
    query, key, value = graph.add_all("unstack", turned, outputs=3, axis=0)
    merged = graph.add("transpose", inputs[1], axes=(0, 2, 1, 3))
    return [query, graph.add("swap_axes", key, first=2, second=3), value, graph.add("flatten", merged, axis=2)]


def _heads_eager(_: Any, inputs: Tensors) -> Tensors:
    batch, length, width = inputs[0].shape
    query, key, value = inputs[0].reshape(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4).contiguous().unbind(0)
    merged = inputs[1].transpose(1, 2).contiguous().reshape(batch * length, width // 3)
    return [query.contiguous(), key.transpose(2, 3).contiguous(), value.contiguous(), merged]


def _heads_by_hand(inputs: Tensors, outputs: Tensors) -> None:
    parts = inputs[0].unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
    outputs[0].copy_(parts[0])
    outputs[1].copy_(parts[1].transpose(2, 3))
    outputs[2].copy_(parts[2])
    batch, heads, length, width = inputs[1].shape
    outputs[3].view(batch, length, heads, width).copy_(inputs[1].transpose(1, 2))


def _heads_plain(inputs: Tensors) -> Tensors:
    batch, length, width = inputs[0].shape
    parts = np.ascontiguousarray(inputs[0].reshape(batch, length, 3, HEADS, -1).transpose(2, 0, 3, 1, 4))
    merged = np.ascontiguousarray(inputs[1].swapaxes(1, 2)).reshape(batch * length, width // 3)
    return [parts[0].copy(), np.ascontiguousarray(parts[1].swapaxes(2, 3)), parts[2].copy(), merged]


def _shuffled_build(graph: GraphBuilder, inputs: Sequence[str]) -> Sequence[str]:
    both = graph.add("channel_shuffle", graph.add("concatenate", *inputs, axis=1), groups=2)
    return [
        graph.add("slice", both, axes=(1,), starts=(start,), ends=(end,)) for start, end in ((0, _HALF), (_HALF, _ALL))
    ]


_HALF: Final = 58
_ALL: Final = 116


def _shuffled_eager(torch: Any, inputs: Tensors) -> Tensors:
    both = torch.nn.functional.channel_shuffle(torch.cat(list(inputs), 1), 2)
    return [each.contiguous() for each in both.chunk(2, 1)]


def _shuffled_by_hand(inputs: Tensors, outputs: Tensors) -> None:
    for at, output in enumerate(outputs):
        batch, channels, height, width = output.shape
        pairs, half = output.view(batch, channels // 2, 2, height, width), channels // 2
        for index, source in enumerate(inputs):
            pairs[:, :, index].copy_(source[:, at * half : (at + 1) * half])


def _shuffled_plain(inputs: Tensors) -> Tensors:
    both = np.concatenate(inputs, 1)
    batch, channels, height, width = both.shape
    turned = both.reshape(batch, 2, channels // 2, height, width).swapaxes(1, 2)
    shuffled = np.ascontiguousarray(turned).reshape(both.shape)
    return [shuffled[:, :_HALF].copy(), shuffled[:, _HALF:].copy()]


def _focused_build(graph: GraphBuilder, inputs: Sequence[str]) -> Sequence[str]:
    padded = graph.add("pad", inputs[0], before=(0, 0, 2, 2), after=(0, 0, 2, 2))
    return [graph.add("space_to_depth", padded, block=SCALE)]


def _focused_eager(torch: Any, inputs: Tensors) -> Tensors:
    padded = torch.nn.functional.pad(inputs[0], (2, 2, 2, 2))
    batch, channels, height, width = padded.shape
    blocks = padded.view(batch, channels, height // SCALE, SCALE, width // SCALE, SCALE).permute(0, 3, 5, 1, 2, 4)
    return [blocks.contiguous().view(batch, channels * SCALE**2, height // SCALE, width // SCALE)]


def _focused_by_hand(inputs: Tensors, outputs: Tensors) -> None:
    batch, channels, height, width = inputs[0].shape
    blocks = inputs[0].view(batch, channels, height // SCALE, SCALE, width // SCALE, SCALE).permute(0, 3, 5, 1, 2, 4)
    outputs[0].zero_()
    outputs[0].unflatten(1, (SCALE, SCALE, channels))[..., 1:-1, 1:-1].copy_(blocks)


def _focused_plain(inputs: Tensors) -> Tensors:
    padded = np.pad(inputs[0], ((0, 0), (0, 0), (2, 2), (2, 2)))
    batch, channels, height, width = padded.shape
    blocks = padded.reshape(batch, channels, height // SCALE, SCALE, width // SCALE, SCALE).transpose(0, 3, 5, 1, 2, 4)
    return [np.ascontiguousarray(blocks).reshape(batch, -1, height // SCALE, width // SCALE)]


def _windows_build(graph: GraphBuilder, inputs: Sequence[str]) -> Sequence[str]:
    padded = graph.add("pad", inputs[0], before=(0, 0, 1, 1), after=(0, 0, 1, 1))
    rows = [
        graph.add("slice", padded, axes=(2, 3), starts=(row, column), ends=(row - 2 or 99999, column - 2 or 99999))
        for row in range(3)
        for column in range(3)
    ]
    return [graph.add("flatten", graph.add("stack", *rows, axis=2), axis=3)]


def _windows_eager(torch: Any, inputs: Tensors) -> Tensors:
    height, width = inputs[0].shape[2:]
    padded = torch.nn.functional.pad(inputs[0], (1, 1, 1, 1))
    rows = [padded[:, :, row : row + height, column : column + width] for row in range(3) for column in range(3)]
    return [torch.stack(rows, 2).reshape(-1, height * width)]


def _windows_by_hand(inputs: Tensors, outputs: Tensors) -> None:
    height, width = inputs[0].shape[2:]
    outputs[0].zero_()
    rows = outputs[0].view(*inputs[0].shape[:2], 9, height, width)
    for row in range(3):
        for column in range(3):
            (top, end), (left, right) = _within(row - 1, height), _within(column - 1, width)
            target = rows[:, :, 3 * row + column, top - row + 1 : end - row + 1, left - column + 1 : right - column + 1]
            target.copy_(inputs[0][:, :, top:end, left:right])


def _within(shift: int, length: int) -> tuple[int, int]:
    return max(shift, 0), length + min(shift, 0)


def _windows_plain(inputs: Tensors) -> Tensors:
    height, width = inputs[0].shape[2:]
    padded = np.pad(inputs[0], ((0, 0), (0, 0), (1, 1), (1, 1)))
    rows = [padded[:, :, row : row + height, column : column + width] for row in range(3) for column in range(3)]
    return [np.stack(rows, 2).reshape(-1, height * width)]


CHAINS: Final = (
    Chain(
        "permute_concat_crop_shuffle", {"small": [(1, 8, 16, 16)], "large": [(1, 64, 112, 112)]},
        _permuted_build, _permuted_eager, _permuted_by_hand, _permuted_plain,
    ),
    Chain(
        "pixel_shuffle_crop", {"small": [(1, 12, 8, 8)], "large": [(1, 12, 256, 256)]},
        _pixels_build, _pixels_eager, _pixels_by_hand, _pixels_plain,
    ),
    Chain(
        "attention_heads", {"small": [(1, 8, 96), (1, 4, 8, 8)], "large": [(1, 512, 1152), (1, 4, 512, 96)]},
        _heads_build, _heads_eager, _heads_by_hand, _heads_plain,
    ),
    Chain(
        "concat_shuffle_split", {"small": [(1, 58, 4, 4)] * 2, "large": [(1, 58, 112, 112)] * 2},
        _shuffled_build, _shuffled_eager, _shuffled_by_hand, _shuffled_plain,
    ),
    Chain(
        "pad_space_to_depth", {"small": [(1, 3, 16, 16)], "large": [(1, 3, 640, 640)]},
        _focused_build, _focused_eager, _focused_by_hand, _focused_plain,
    ),
    Chain(
        "pad_slice_stack", {"small": [(1, 3, 8, 8)], "large": [(1, 16, 112, 112)]},
        _windows_build, _windows_eager, _windows_by_hand, _windows_plain,
    ),
)  # fmt: skip
