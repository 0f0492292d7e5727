"""Operators of ONNX that are layers: convolutions, pools, products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from walle.tensor.onnx.node import OnnxNode, Translation
from walle_task.tensor.faults import Unfit


@dataclass(frozen=True, slots=True)
class Window:
    """How windows go over the axes after batch and channels."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def extents(self) -> tuple[int, ...]:
        """The length of a window along each axis, with its dilation."""
        return tuple((size - 1) * by + 1 for size, by in zip(self.kernel, self.dilations, strict=True))

    @property
    def attributes(self) -> dict[str, tuple[int, ...]]:
        names = ("strides", "dilations", "before", "after")
        return {name: getattr(self, name) for name in names}


def window_of(node: OnnxNode, kernel: tuple[int, ...]) -> Window:
    """Return the window that the attributes of a node say. Raises Unfit."""
    spatial = len(kernel)
    strides, dilations = (_per_axis(node, name, spatial) for name in ("strides", "dilations"))
    if min((*kernel, *strides, *dilations), default=0) < 1:
        raise Unfit("kernel_shape", "windows, strides and dilations of at least 1", (kernel, strides, dilations))
    window = Window(kernel, strides, dilations, (0,) * spatial, (0,) * spatial)
    before, after = _margins(node, window)
    return Window(kernel, strides, dilations, before, after)


def _per_axis(node: OnnxNode, name: str, spatial: int) -> tuple[int, ...]:
    found = node.ints_of(name) or (1,) * spatial
    if len(found) != spatial:
        raise Unfit(name, f"{spatial} integers, one for each axis after batch and channels", found)
    return found


def _margins(node: OnnxNode, window: Window) -> tuple[tuple[int, ...], tuple[int, ...]]:
    spatial = len(window.kernel)
    mode, pads = node.text_of("auto_pad", "NOTSET"), node.ints_of("pads") or (0,) * (2 * spatial)
    node.only("auto_pad", mode, "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    if mode == "VALID":
        return (0,) * spatial, (0,) * spatial
    if mode == "NOTSET":
        if len(pads) != 2 * spatial or min(pads, default=0) < 0:
            raise Unfit("pads", f"{2 * spatial} integers of at least 0, two for each axis", pads)
        return pads[:spatial], pads[spatial:]
    lengths = node.spatial(node.input(), spatial)
    total = [
        max((-(-length // stride) - 1) * stride + extent - length, 0)
        for length, stride, extent in zip(lengths, window.strides, window.extents, strict=True)
    ]
    small, large = tuple(each // 2 for each in total), tuple(each - each // 2 for each in total)
    return (small, large) if mode == "SAME_UPPER" else (large, small)


def _kernel(node: OnnxNode) -> tuple[int, ...]:
    """Return the lengths of the windows of a convolution, which are those of its weights. Raises Unfit."""
    shape = node.type_of(node.input(1)).shape
    if shape is None or len(shape) < 3 or None in shape[2:]:
        raise Unfit("inputs[1]", "weights of a known shape", str(node.type_of(node.input(1))))
    kernel = tuple(each for each in shape[2:] if each is not None)
    if node.has("kernel_shape"):
        node.only("kernel_shape", node.ints_of("kernel_shape"), kernel)
    return kernel


def _convolution(node: OnnxNode) -> str:
    window = window_of(node, _kernel(node))
    return node.emit(
        "convolution",
        node.input(0),
        node.input(1),
        *_bias(node, 2),
        groups=node.int_of("group", 1),
        **window.attributes,
    )


def _bias(node: OnnxNode, index: int) -> tuple[str, ...]:
    value = node.optional(index)
    return () if value is None else (value,)


def _transposed(node: OnnxNode) -> str:
    kernel = _kernel(node)
    window = window_of(node, kernel) if node.text_of("auto_pad", "NOTSET") in ("NOTSET", "VALID") else None
    more = node.ints_of("output_padding") or (0,) * len(kernel)
    node.only("output_padding", len(more), len(kernel))
    if window is None or node.has("output_shape"):
        window = _for_output(node, kernel, more)
    return node.emit(
        "transposed_convolution", node.input(0), node.input(1), *_bias(node, 2), groups=node.int_of("group", 1),
        output_after=more, **window.attributes,
    )  # fmt: skip


def _for_output(node: OnnxNode, kernel: tuple[int, ...], more: Sequence[int]) -> Window:
    """Return the window whose margins make a transposed convolution's output as long as it is asked to be."""
    strides, dilations = (_per_axis(node, name, len(kernel)) for name in ("strides", "dilations"))
    lengths = node.spatial(node.input(), len(kernel))
    asked = node.ints_of("output_shape") or tuple(a * b for a, b in zip(lengths, strides, strict=True))
    if not len(kernel) <= len(asked) <= len(kernel) + 2:
        raise Unfit("output_shape", f"{len(kernel)} integers, one for each axis after batch and channels", asked)
    asked = asked[-len(kernel) :]
    window = Window(kernel, strides, dilations, (), ())
    total = [
        max(stride * (length - 1) + extra + extent - want, 0)
        for stride, length, extra, extent, want in zip(strides, lengths, more, window.extents, asked, strict=True)
    ]
    small, large = tuple(each // 2 for each in total), tuple(each - each // 2 for each in total)
    upper = node.text_of("auto_pad", "NOTSET") == "SAME_UPPER"
    node.ignore("pads")
    return Window(kernel, strides, dilations, *((small, large) if upper else (large, small)))


def _max_pool(node: OnnxNode) -> str:
    node.only("storage_order", node.int_of("storage_order", 0), 0)
    window = _whole_windows(node, window_of(node, node.ints_of("kernel_shape")))
    return node.emit("max_pool", node.input(), kernel=window.kernel, **window.attributes)


def _average_pool(node: OnnxNode) -> str:
    """Margins are counted if the node says so; what is added for whole windows never is."""
    x, window = node.input(), window_of(node, node.ints_of("kernel_shape"))
    whole, counts = _whole_windows(node, window), bool(node.int_of("count_include_pad", 0))
    if counts and whole != window:
        x = node.emit("pad", x, before=(0, 0, *window.before), after=(0, 0, *window.after))
        nothing = (0,) * len(window.kernel)
        rest = tuple(a - b for a, b in zip(whole.after, window.after, strict=True))
        whole, counts = Window(window.kernel, window.strides, window.dilations, nothing, rest), False
    return node.emit("average_pool", x, kernel=whole.kernel, count_padding=counts, **whole.attributes)


def _whole_windows(node: OnnxNode, window: Window) -> Window:
    """With `ceil_mode`, return the window with a margin behind that completes the last one that begins before it."""
    if not node.int_of("ceil_mode", 0):
        return window
    after = []
    for axis, length in enumerate(node.spatial(node.input(), len(window.kernel))):
        stride, extent = window.strides[axis], window.extents[axis]
        padded = length + window.before[axis] + window.after[axis]
        count = -(-(padded - extent) // stride) + 1
        if (count - 1) * stride >= length + window.before[axis]:
            count -= 1
        after.append(window.after[axis] + max((count - 1) * stride + extent - padded, 0))
    return Window(window.kernel, window.strides, window.dilations, window.before, tuple(after))


def _gemm(node: OnnxNode) -> str:
    return node.emit(
        "gemm", node.input(0), node.input(1), *_bias(node, 2), alpha=node.float_of("alpha", 1.0),
        beta=node.float_of("beta", 1.0), transpose_a=bool(node.int_of("transA", 0)),
        transpose_b=bool(node.int_of("transB", 0)),
    )  # fmt: skip


def _matmul(node: OnnxNode) -> str:
    return product(node, node.input(0), node.input(1))


def product(node: OnnxNode, one: str, other: str) -> str:
    """Emit the product of two values as NumPy's matmul, in which a value of one axis is a row or a column."""
    ranks = node.rank(one), node.rank(other, "inputs[1]")
    if ranks[0] == 1:
        one = node.emit("unsqueeze", one, axes=(0,))
    if ranks[1] == 1:
        other = node.emit("unsqueeze", other, axes=(1,))
    found = node.emit("matmul", one, other)
    axes = tuple(axis for axis, rank in ((-2, ranks[0]), (-1, ranks[1])) if rank == 1)
    return node.emit("squeeze", found, axes=axes) if axes else found


def _pooled(operator: str) -> Translation:
    return lambda node: node.emit(operator, node.input())


def _local_response(node: OnnxNode) -> str:
    """Divide by a power of the sum of squares of channels beside each."""
    x, size = node.input(), node.int_of("size")
    alpha, beta, bias = node.float_of("alpha", 1e-4), node.float_of("beta", 0.75), node.float_of("bias", 1.0)
    rank = node.rank(x)
    if size < 1 or rank < 2:
        raise Unfit("size", "at least 1, and an input with channels", size)
    margins = ((size - 1) // 2, size // 2)
    before, after = (tuple(each if axis == 1 else 0 for axis in range(rank)) for each in margins)
    padded = node.emit("pad", node.emit("square", x), before=before, after=after)
    total = node.emit("reduce_sum", node.emit("unfold", padded, axis=1, length=size), axes=(-1,))
    scaled = node.emit("add", node.emit("multiply", total, node.like(alpha / size, x)), node.like(bias, x))
    return node.emit("divide", x, node.emit("power", scaled, node.like(beta, x)))


TRANSLATIONS: Final[Mapping[str, Translation]] = {
    "Conv": _convolution,
    "ConvTranspose": _transposed,
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "GlobalAveragePool": _pooled("global_average_pool"),
    "GlobalMaxPool": _pooled("global_max_pool"),
    "Gemm": _gemm,
    "MatMul": _matmul,
    "LRN": _local_response,
}
