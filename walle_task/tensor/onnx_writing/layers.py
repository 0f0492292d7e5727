"""Composite operators that ONNX has, as its nodes. All others are lowered to what they are made of."""

from __future__ import annotations

from typing import Any, Final

from walle_task.tensor.onnx_writing.writer import Applied, Converter, OnnxWriter, renamed_to

_MATRIX: Final = 2


def _with(operator: str, **names: str) -> Converter:
    """Return the converter for an operator whose attributes have other names in ONNX."""

    def convert(writer: OnnxWriter, at: Applied) -> str:
        given = {theirs: float(at[ours]) for theirs, ours in names.items()}
        return writer.emit(operator, *at.inputs, **given)

    return convert


def _along(operator: str) -> Converter:
    return lambda writer, at: writer.emit(operator, *at.inputs, axis=at.call.axis())


def _relu6(writer: OnnxWriter, at: Applied) -> str:
    dtype = at.outputs[0].dtype
    return writer.emit("Clip", *at.inputs, writer.scalar(0, dtype), writer.scalar(6, dtype))


def _spatial(at: Applied, rank: int) -> dict[str, Any]:
    """Return strides, dilations and pads, with their defaults for a number of axes after batch and channels."""
    return {
        "strides": at["strides"] or (1,) * rank,
        "dilations": at["dilations"] or (1,) * rank,
        "pads": (*(at["before"] or (0,) * rank), *(at["after"] or (0,) * rank)),
    }


def _convolution(writer: OnnxWriter, at: Applied) -> str:
    kernel = at.call.inputs[1].shape[2:]
    given = _spatial(at, len(kernel))
    return writer.emit("Conv", *at.inputs, kernel_shape=kernel, group=at["groups"], **given)


def _transposed(writer: OnnxWriter, at: Applied) -> str:
    kernel = at.call.inputs[1].shape[2:]
    given = _spatial(at, len(kernel))
    more = at["output_after"] or (0,) * len(kernel)
    return writer.emit(
        "ConvTranspose", *at.inputs, kernel_shape=kernel, group=at["groups"], output_padding=more, **given
    )


def _max_pool(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("MaxPool", *at.inputs, kernel_shape=at["kernel"], **_spatial(at, len(at["kernel"])))


def _average_pool(writer: OnnxWriter, at: Applied) -> str:
    given = _spatial(at, len(at["kernel"]))
    return writer.emit(
        "AveragePool", *at.inputs, kernel_shape=at["kernel"], count_include_pad=int(at["count_padding"]), **given
    )


def _gemm(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit(
        "Gemm",
        *at.inputs,
        alpha=float(at["alpha"]),
        beta=float(at["beta"]),
        transA=int(at["transpose_a"]),
        transB=int(at["transpose_b"]),
    )


def _linear(writer: OnnxWriter, at: Applied) -> str:
    x, weights, *bias = at.inputs
    if at.call.inputs[0].rank == _MATRIX:
        return writer.emit("Gemm", x, weights, *bias, transB=1)
    constant = at.constants[1]
    turned = writer.emit("Transpose", weights, perm=(1, 0)) if constant is None else writer.constant(constant.T.copy())
    product = writer.emit("MatMul", x, turned)
    return writer.emit("Add", product, bias[0]) if bias else product


def _layer_norm(writer: OnnxWriter, at: Applied) -> str:
    source, axis = at.call.inputs[0], at.call.axis()
    x, *given = at.inputs
    if not given:
        ones = writer.emit("Expand", writer.scalar(1, source.dtype), writer.integers(*source.shape[axis:]))
        given = [ones]
    return writer.emit("LayerNormalization", x, *given, axis=axis, epsilon=float(at["epsilon"]))


LAYERS: Final[dict[str, Converter]] = {
    "relu": renamed_to("Relu"),
    "relu6": _relu6,
    "leaky_relu": _with("LeakyRelu", alpha="slope"),
    "prelu": renamed_to("PRelu"),
    "elu": _with("Elu", alpha="alpha"),
    "selu": _with("Selu", alpha="alpha", gamma="gamma"),
    "softplus": renamed_to("Softplus"),
    "softsign": renamed_to("Softsign"),
    "hard_sigmoid": _with("HardSigmoid", alpha="alpha", beta="beta"),
    "hard_swish": renamed_to("HardSwish"),
    "softmax": _along("Softmax"),
    "log_softmax": _along("LogSoftmax"),
    "layer_norm": _layer_norm,
    "batch_norm": _with("BatchNormalization", epsilon="epsilon"),
    "convolution": _convolution,
    "transposed_convolution": _transposed,
    "max_pool": _max_pool,
    "average_pool": _average_pool,
    "global_average_pool": renamed_to("GlobalAveragePool"),
    "global_max_pool": renamed_to("GlobalMaxPool"),
    "gemm": _gemm,
    "linear": _linear,
}
