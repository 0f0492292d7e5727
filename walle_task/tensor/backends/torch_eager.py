"""torch as a backend, operator by operator (eager).

torch is installed apart, as a build for processors: `pip install torch==2.13.0` from its index of such builds. Devices
hardly have it; it is the peer that users know, and a server may have it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from walle_task.tensor.backends.port import (
    BackendUnfit,
    CompiledGraph,
    CompileOptions,
    MemoryUse,
    constant_bytes,
    fitting_inputs,
    installed_version,
    optional_module,
)
from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.lowering import lower
from walle_task.tensor.merging.rules import is_view
from walle_task.tensor.operators.operator import Call, Operator
from walle_task.tensor.raster import addresses
from walle_task.tensor.search.costs import BackendTraits
from walle_task.tensor.search.work import attributes_of
from walle_task.tensor.session import RunFailed

Function = Callable[..., Any]
Maker = Callable[[Any, Call], Function]
"""Returns the function of torch for a call; the first argument is the module torch."""


def _named(name: str) -> Maker:
    return lambda torch, _: getattr(torch, name)


def _functional(name: str, *attributes: str) -> Maker:
    def make(torch: Any, call: Call) -> Function:
        function, given = getattr(torch.nn.functional, name), tuple(call[each] for each in attributes)
        return lambda x: function(x, *given)

    return make


def _spatial(call: Call, field: str, rank: int, default: int) -> tuple[int, ...]:
    return call[field] or (default,) * rank


def _convolution(torch: Any, call: Call) -> Function:
    rank = call.inputs[0].rank - 2
    function = getattr(torch.nn.functional, f"conv{rank}d")
    strides, dilations = _spatial(call, "strides", rank, 1), _spatial(call, "dilations", rank, 1)
    before, groups = _spatial(call, "before", rank, 0), call["groups"]
    return lambda x, weights, bias=None: function(x, weights, bias, strides, before, dilations, groups)


def _pool(kind: str) -> Maker:
    def make(torch: Any, call: Call) -> Function:
        rank = call.inputs[0].rank - 2
        function = getattr(torch.nn.functional, f"{kind}_pool{rank}d")
        strides, before = _spatial(call, "strides", rank, 1), _spatial(call, "before", rank, 0)
        if kind == "max":
            dilations = _spatial(call, "dilations", rank, 1)
            return lambda x: function(x, call["kernel"], strides, before, dilations)
        return lambda x: function(x, call["kernel"], strides, before, False, call["count_padding"])

    return make


def _over_axes(name: str) -> Maker:
    def make(torch: Any, call: Call) -> Function:
        function, axes = getattr(torch, name), tuple(range(2, call.inputs[0].rank))
        return lambda x: function(x, axes, True)

    return make


def _batch_norm(torch: Any, call: Call) -> Function:
    function, epsilon = torch.nn.functional.batch_norm, call["epsilon"]
    return lambda x, scale, bias, mean, variance: function(x, mean, variance, scale, bias, False, 0.0, epsilon)


def _layer_norm(torch: Any, call: Call) -> Function:
    function, epsilon = torch.nn.functional.layer_norm, call["epsilon"]
    shape = call.inputs[0].shape[call.axis() :]
    return lambda x, scale=None, bias=None: function(x, shape, scale, bias, epsilon)


def _attention(torch: Any, call: Call) -> Function:
    function, scale = torch.nn.functional.scaled_dot_product_attention, call["scale"] or None
    return lambda query, key, value, mask=None: function(query, key, value, mask, scale=scale)


def _linear(torch: Any, _: Call) -> Function:
    function: Function = torch.nn.functional.linear
    return function


def _gelu(torch: Any, call: Call) -> Function:
    function = torch.nn.functional.gelu
    return lambda x: function(x, approximate=call["approximate"])


def _reduction(name: str) -> Maker:
    def make(torch: Any, call: Call) -> Function:
        function, axes, keep = getattr(torch, name), call.axes(), call["keep"]
        return (lambda x: function(x, axes, keep)) if axes else (lambda x: x)

    return make


def _clip(torch: Any, call: Call) -> Function:
    return lambda x: torch.clamp(x, call["low"], call["high"])


def _cast(torch: Any, call: Call) -> Function:
    dtype = getattr(torch, call["dtype"])
    return lambda x: x.to(dtype)


def _softmax(name: str) -> Maker:
    def make(torch: Any, call: Call) -> Function:
        function, axis = getattr(torch, name), call.axis()
        return lambda x: function(x, axis)

    return make


def _gather(torch: Any, call: Call) -> Function:
    axis, shape = call.axis(), call.inputs[1].shape
    length = call.inputs[0].shape[axis]

    def gather(source: Any, indices: Any) -> Any:
        flat = indices.reshape(-1).to(torch.int64)
        found = source.index_select(axis, torch.where(flat < 0, flat + length, flat))
        return found.reshape(*source.shape[:axis], *shape, *source.shape[axis + 1 :])

    return gather


def _transpose(torch: Any, call: Call) -> Function:
    axes = call.axes()
    return lambda x: torch.permute(x, axes)


def _concatenate(torch: Any, call: Call) -> Function:
    axis = call.axis()
    return lambda *parts: torch.cat(parts, axis)


def _split(torch: Any, call: Call) -> Function:
    lengths, axis = list(call["lengths"]), call.axis()
    return lambda x: torch.split(x, lengths, axis)


def _expand(_: Any, call: Call) -> Function:
    shape = call["shape"]
    return lambda x: x.expand(shape)


def _channel_shuffle(_: Any, call: Call) -> Function:
    (source,), axis, groups = call.inputs, call.axis(), call["groups"]
    apart = (*source.shape[:axis], groups, source.shape[axis] // groups, *source.shape[axis + 1 :])
    return lambda x: x.reshape(apart).transpose(axis, axis + 1).reshape(source.shape)


_SAME: Final = (
    "sqrt", "rsqrt", "reciprocal", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "sigmoid", "floor", "ceil", "round", "abs", "sign", "square",
    "logical_not", "maximum", "minimum", "divide", "atan2", "floor_divide", "remainder", "logical_and", "logical_or",
    "logical_xor", "where", "matmul", "multiply", "add", "subtract", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "relu", "prelu",
)  # fmt: skip
_OTHER_NAMES: Final = {"negate": "neg", "power": "pow", "is_nan": "isnan", "is_inf": "isinf", "equal": "eq"}
_REDUCTIONS: Final = {"reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "amax", "reduce_min": "amin"}
MAKERS: Final[Mapping[str, Maker]] = {
    **{name: _named(name) for name in _SAME},
    **{name: _named(other) for name, other in _OTHER_NAMES.items()},
    **{name: _reduction(other) for name, other in _REDUCTIONS.items()},
    "clip": _clip,
    "cast": _cast,
    "gather": _gather,
    "transpose": _transpose,
    "concatenate": _concatenate,
    "split": _split,
    "broadcast_to": _expand,
    "channel_shuffle": _channel_shuffle,
    "convolution": _convolution,
    "max_pool": _pool("max"),
    "average_pool": _pool("avg"),
    "global_average_pool": _over_axes("mean"),
    "global_max_pool": _over_axes("amax"),
    "batch_norm": _batch_norm,
    "layer_norm": _layer_norm,
    "attention": _attention,
    "linear": _linear,
    "gelu": _gelu,
    "relu6": _functional("relu6"),
    "leaky_relu": _functional("leaky_relu", "slope"),
    "elu": _functional("elu", "alpha"),
    "softplus": _functional("softplus"),
    "softsign": _functional("softsign"),
    "hard_swish": _functional("hardswish"),
    "swish": _functional("silu"),
    "mish": _functional("mish"),
    "softmax": _softmax("softmax"),
    "log_softmax": _softmax("log_softmax"),
}
_WINDOWED: Final = ("convolution", "max_pool", "average_pool")
_SPATIAL_RANKS: Final = (1, 2, 3)


class TorchEager:
    """torch on the processor, in the precision of the graph."""

    name: Final = "torch"
    exact: Final = True
    traits: Final = BackendTraits()

    def version(self) -> str | None:
        return installed_version("torch", "torch")

    def series(self, typed: TypedGraph) -> TypedGraph:
        return lower(typed, _keeps)

    def reasons_against(self, series: TypedGraph) -> list[str]:
        return [
            f"node {node.name}: no function of torch for {node.operator}"
            for node in series.graph.nodes
            if node.operator not in MAKERS and node.operator != "raster"
        ]

    def compile(self, typed: TypedGraph, options: CompileOptions) -> CompiledGraph:
        series = self.series(typed)
        if reasons := self.reasons_against(series):
            raise BackendUnfit(self.name, reasons)
        return _EagerGraph(series, options)


def _keeps(operator: Operator, call: Call) -> bool:
    """Return whether torch has an operator for a call: its windows have one margin on both sides, its layers floats."""
    if operator.name in _WINDOWED:
        rank = call.inputs[0].rank - 2
        plain = operator.name != "average_pool" or set(call["dilations"]) <= {1}
        margins = _spatial(call, "before", rank, 0)
        small = operator.name == "convolution" or all(
            2 * margin <= length for margin, length in zip(margins, call["kernel"], strict=True)
        )
        return rank in _SPATIAL_RANKS and call["before"] == call["after"] and plain and small
    if operator.name == "prelu":
        return call.inputs[1].count == 1
    return operator.name in MAKERS


class _EagerGraph:
    def __init__(self, series: TypedGraph, options: CompileOptions) -> None:
        self._torch = torch = optional_module("torch")
        torch.set_num_threads(options.threads)
        graph = series.graph
        self._types = {name: series.types[name] for name in graph.inputs}
        self._outputs = {name: series.types[name] for name in graph.outputs}
        # torch has no read-only tensors and warns of arrays that are; nobody writes to constants.
        self._constants = {name: torch.tensor(array) for name, array in graph.constants.items()}
        self._steps = [(self._function(node, series), node.inputs, node.outputs) for node in graph.nodes]
        self._dropped = _last_reads(graph.nodes, {*graph.outputs, *graph.constants})
        self.memory = MemoryUse(constant_bytes(series), None)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        torch = self._torch
        values = {**self._constants}
        values.update((name, torch.tensor(array)) for name, array in fitting_inputs(self._types, inputs).items())
        try:
            with torch.inference_mode():
                for (function, reads, writes), dropped in zip(self._steps, self._dropped, strict=True):
                    found = function(*[values[name] for name in reads])
                    values.update(((writes[0], found),) if len(writes) == 1 else zip(writes, found, strict=True))
                    for name in dropped:
                        del values[name]
        except (RuntimeError, IndexError) as error:
            raise RunFailed(str(error)) from error
        return {name: np.array(values[name].numpy()).reshape(each.shape) for name, each in self._outputs.items()}

    def close(self) -> None:
        self._constants, self._steps = {}, []

    def _function(self, node: Node, series: TypedGraph) -> Function:
        types = tuple(series.types[name] for name in node.inputs)
        if node.operator == "raster":
            return _raster(self._torch, node, series)
        return MAKERS[node.operator](self._torch, Call(types, attributes_of(node)))


def _raster(torch: Any, node: Node, series: TypedGraph) -> Function:
    """Return the gathering of what a raster reads, by indices into its sources, one after the other."""
    target = series.types[node.outputs[0]]
    if is_view(node, series):
        return lambda x: x.reshape(target.shape)
    counts = [series.types[name].count for name in node.inputs]
    starts = dict(zip(node.inputs, itertools.accumulate(counts, initial=0), strict=False))
    indices: Any = np.zeros(target.count, "int64")
    for region in node.attributes["regions"]:
        indices[addresses(region.writes)] = addresses(region.reads) + starts[region.source]
    places = torch.from_numpy(indices)

    def gather(*sources: Any) -> Any:
        flat = [each.reshape(-1) for each in sources]
        return (flat[0] if len(flat) == 1 else torch.cat(flat)).index_select(0, places).reshape(target.shape)

    return gather


def _last_reads(nodes: Sequence[Node], kept: set[str]) -> list[list[str]]:
    """Return for each node the values that no later one reads."""
    last = {name: at for at, node in enumerate(nodes) for name in (*node.outputs, *node.inputs)}
    found: list[list[str]] = [[] for _ in nodes]
    for name, at in last.items():
        if name not in kept:
            found[at].append(name)
    return found
