"""Products of 8-bit integers: constant weights are quantised when the model is written, what they are multiplied with
when it runs (dynamic quantisation).

Weights are symmetric, with a scale for each column; inputs have one scale and zero point for each run. ONNX Runtime
makes one operator of the nodes that are written here, which uses the dot products of 8-bit integers that processors
have (VNNI on x86). Those without add pairs of products in 16 bits, which weights of 8 bits exceed: results were off by
a tenth there. So weights have 7 bits, with which all processors give the same.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from walle_task.tensor.onnx_writing.protobuf import DATA_TYPES
from walle_task.tensor.onnx_writing.writer import Applied, OnnxWriter

LARGEST: Final = 63
LEAST_WEIGHTS: Final = 1 << 12
"""Products with fewer weights are left as they are: quantising their input would take longer than they do."""
_MATRIX: Final = 2


def int8_product(writer: OnnxWriter, operator: str, at: Applied) -> str | None:
    """Write a product with constant float32 weights; return the name of its output, or None for any other operator."""
    weights = _weights(operator, at)
    if weights is None or weights.dtype != np.float32 or weights.size < LEAST_WEIGHTS:
        return None
    quantised, scales = quantise(weights)
    x, scale, zero = writer.emit_all("DynamicQuantizeLinear", at.inputs[0], outputs=3)
    zeros = writer.constant(np.zeros(scales.shape, "int8"))
    counted = writer.emit("MatMulInteger", x, writer.constant(quantised), zero, zeros)
    factor = writer.emit("Mul", scale, writer.constant(scales))
    product = writer.emit("Mul", writer.emit("Cast", counted, to=DATA_TYPES["float32"]), factor)
    return writer.emit("Add", product, at.inputs[2]) if len(at.inputs) > _MATRIX else product


def quantise(weights: Any) -> tuple[Any, Any]:
    """Return a matrix as int8 and the scale of each of its columns."""
    scales = (np.abs(weights).max(axis=0, initial=0) / LARGEST).astype("float32")
    scales[scales == 0] = 1
    return np.rint(weights / scales).astype("int8"), scales


def _weights(operator: str, at: Applied) -> Any | None:
    """Return the constant matrix with which an operator multiplies its first input from the right."""
    constant = at.constants[1] if len(at.constants) > 1 else None
    if constant is None or constant.ndim != _MATRIX:
        return None
    if operator == "linear":
        return np.ascontiguousarray(constant.T)
    if operator == "gemm" and not at["transpose_a"] and at["alpha"] == at["beta"] == 1:
        return np.ascontiguousarray(constant.T) if at["transpose_b"] else constant
    return constant if operator == "matmul" else None
