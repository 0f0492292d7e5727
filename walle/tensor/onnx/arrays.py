"""Tensors of ONNX as arrays: what a tensor says of itself is compared with its bytes before anything is allocated."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from onnx import TensorProto

from walle_task.tensor.faults import Unfit
from walle_task.tensor.types import fits

DTYPES: Final[Mapping[int, str]] = {
    TensorProto.FLOAT: "float32",
    TensorProto.DOUBLE: "float64",
    TensorProto.FLOAT16: "float16",
    TensorProto.INT64: "int64",
    TensorProto.INT32: "int32",
    TensorProto.INT16: "int16",
    TensorProto.INT8: "int8",
    TensorProto.UINT8: "uint8",
    TensorProto.BOOL: "bool",
}
"""The types of elements that graphs have."""
_FIELDS: Final = {"float32": "float_data", "float64": "double_data", "int64": "int64_data"}
MOST_BYTES: Final = 1 << 30
"""The most bytes of one tensor."""


def dtype_of(number: int) -> str:
    """Return the dtype of a number of ONNX's types. Raises Unfit."""
    if number not in DTYPES:
        known = TensorProto.DataType.Name(number) if number in TensorProto.DataType.values() else number
        raise Unfit("data_type", f"one of {', '.join(DTYPES.values())}", known)
    return DTYPES[number]


def array_of(tensor: TensorProto, folder: Path | None = None) -> Any:
    """Return the array of a tensor; what lies in another file must lie in the model's folder. Raises Unfit."""
    dtype, shape = np.dtype(dtype_of(tensor.data_type)), tuple(tensor.dims)
    if not fits(shape) or math.prod(shape) * dtype.itemsize > MOST_BYTES:
        raise Unfit("dims", f"at most 8 axes and {MOST_BYTES} bytes", list(shape))
    nbytes = math.prod(shape) * dtype.itemsize
    if tensor.HasField("segment"):
        raise Unfit("segment", "a tensor that is whole", "a segment")
    if tensor.data_location == TensorProto.EXTERNAL:
        content = _external(tensor, nbytes, folder)
    elif tensor.HasField("raw_data"):
        content = tensor.raw_data
    else:
        return _of_numbers(tensor, dtype, shape)
    if len(content) != nbytes:
        raise Unfit("raw_data", f"{nbytes} bytes for {dtype}{list(shape)}", len(content))
    if dtype == np.bool_:
        return (np.frombuffer(content, "uint8") != 0).reshape(shape)
    return np.frombuffer(content, dtype.newbyteorder("<")).astype(dtype, copy=False).reshape(shape)


def _of_numbers(tensor: TensorProto, dtype: np.dtype[Any], shape: Sequence[int]) -> Any:
    field = _FIELDS.get(dtype.name, "int32_data")
    numbers = getattr(tensor, field)
    if len(numbers) != math.prod(shape):
        raise Unfit(field, f"{math.prod(shape)} numbers for {dtype}{list(shape)}", len(numbers))
    if dtype == np.float16:
        return np.array(numbers, "uint16").view("float16").reshape(shape)
    return np.array(numbers).astype(dtype).reshape(shape)


def _external(tensor: TensorProto, nbytes: int, folder: Path | None) -> bytes:
    """Return the bytes of a tensor that lie in a file beside the model. Raises Unfit."""
    given = {entry.key: entry.value for entry in tensor.external_data}
    name = given.get("location", "")
    if folder is None or not name or name in (".", "..") or Path(name).name != name or "\\" in name or "\0" in name:
        raise Unfit("external_data", "the name of a file in the model's own folder", name or "nothing")
    try:
        offset, length = int(given.get("offset", "0")), int(given.get("length", str(nbytes)))
    except ValueError:
        raise Unfit("external_data", "integers as offset and length", str(given)) from None
    if length != nbytes or offset < 0:
        raise Unfit("external_data", f"a length of {nbytes} from an offset of at least 0", f"{length} from {offset}")
    try:
        handle = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Unfit("external_data", "a file in the model's own folder, and no link", f"{name}: {error}") from None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        size = found.st_size if stat.S_ISREG(found.st_mode) else 0
        if offset + length > size:
            raise Unfit("external_data", f"at most the {size} bytes of {name}", offset + length)
        file.seek(offset)
        return file.read(length)
