"""The messages of ONNX files, encoded by hand: the wire format of protobuf, as far as models need it.

Numbers of fields and of types are those of onnx.proto (https://github.com/onnx/onnx, IR version 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from walle_task.tensor.types import TensorType

IR_VERSION: Final = 8
MAX_BYTES: Final = (1 << 31) - 1
"""The most bytes of a message, by the specification of protobuf."""
_VARINT, _BYTES, _FLOAT = 0, 2, 5
_FLOAT_ATTRIBUTE, _INT, _STRING, _TENSOR, _INTS = 1, 2, 3, 4, 7
DATA_TYPES: Final = {
    "float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
}  # fmt: skip


class TooLarge(ValueError):
    """A model has more bytes than its file format allows."""


def model_bytes(graph: bytes, opset: int) -> bytes:
    """Return a ModelProto."""
    found = b"".join((_integer(1, IR_VERSION), _text(2, "walle"), _field(7, graph), _field(8, _integer(2, opset))))
    if len(found) > MAX_BYTES:
        raise TooLarge(f"expected a model of at most {MAX_BYTES} bytes, found {len(found)}")
    return found


def graph_bytes(
    name: str,
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
) -> bytes:
    """Return a GraphProto of encoded parts."""
    parts = [_field(1, node) for node in nodes]
    parts.append(_text(2, name))
    for number, each in ((5, constants), (11, inputs), (12, outputs)):
        parts += [_field(number, part) for part in each]
    return b"".join(parts)


def node_bytes(operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: dict[str, Any]) -> bytes:
    """Return a NodeProto. Attributes are integers, floats, texts, arrays and sequences of integers."""
    parts = [_text(1, name) for name in inputs]
    parts += [_text(2, name) for name in outputs]
    parts += [_text(3, outputs[0]), _text(4, operator)]
    parts += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts)


def tensor_bytes(name: str, array: Any) -> bytes:
    """Return a TensorProto."""
    dims = b"".join(_integer(1, length) for length in array.shape)
    raw = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return b"".join((dims, _integer(2, DATA_TYPES[str(array.dtype)]), _text(8, name), _field(9, raw)))


def value_bytes(name: str, found: TensorType) -> bytes:
    """Return a ValueInfoProto."""
    shape = b"".join(_field(1, _integer(1, length)) for length in found.shape)
    tensor = _integer(1, DATA_TYPES[found.dtype]) + _field(2, shape)
    return _text(1, name) + _field(2, _field(1, tensor))


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        with np.errstate(over="ignore"):
            single = np.array(value, "<f4").tobytes()
        return _text(1, name) + _key(2, _FLOAT) + single + _integer(20, _FLOAT_ATTRIBUTE)
    if isinstance(value, int):
        return _text(1, name) + _integer(3, value) + _integer(20, _INT)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _integer(20, _STRING)
    if isinstance(value, np.ndarray):
        return _text(1, name) + _field(5, tensor_bytes("", value)) + _integer(20, _TENSOR)
    return _text(1, name) + b"".join(_integer(8, each) for each in value) + _integer(20, _INTS)


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _integer(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + _varint(value)


def _text(number: int, value: str) -> bytes:
    return _field(number, value.encode())


def _field(number: int, value: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    """Return an integer in groups of seven bits, the lowest first; negative ones as 64 bits of two's complement."""
    value &= (1 << 64) - 1
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)
