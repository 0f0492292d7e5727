"""The file of a model: a graph as JSON and its constants as they lie in memory (docs/tensor-format.md).

Files come from strangers. What a file says is compared with its bytes before anything is allocated; its constants are
mapped into memory, read only, and are read from the disk when they are used.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from walle_task.tensor.checking import check_graph
from walle_task.tensor.faults import shown
from walle_task.tensor.graph import Graph
from walle_task.tensor.graph_document import ConstantPlace, document_of, graph_of
from walle_task.tensor.memory import ALIGNMENT, aligned

MAGIC: Final = b"WALLEGRF"
VERSION: Final = 1
MOST_HEADER: Final = 32 << 20
"""The most bytes of the JSON document."""
MOST_FILE: Final = 2 << 30
"""The most bytes of a file."""
_PREAMBLE: Final = struct.Struct("<8sIIQQ32s")


class ModelFileMalformed(ValueError):
    """A file is none of a model; the text says what was expected and what was found."""


def save(graph: Graph, path: Path | str) -> str:
    """Write a graph into a file; return the digest that the file has in it (SHA-256, in hexadecimal).

    Raises GraphMalformed for a graph with faults, and ModelFileMalformed for one that a file cannot hold.
    """
    check_graph(graph)
    placed: list[Any] = []
    end = 0

    def place(array: Any) -> int:
        nonlocal end
        offset, end = end, aligned(end + array.nbytes)
        placed.append(array)
        return offset

    header = json.dumps(document_of(graph, place), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    if len(header) > MOST_HEADER or _data_start(len(header)) + end > MOST_FILE:
        raise ModelFileMalformed(f"expected at most {MOST_HEADER} bytes of JSON and {MOST_FILE} in all")
    with Path(path).open("wb") as file:
        file.write(bytes(_PREAMBLE.size))
        digest = hashlib.sha256()
        for chunk in (_padded(header), *(_padded(_bytes_of(array)) for array in placed)):
            digest.update(chunk)
            file.write(chunk)
        file.seek(0)
        file.write(_PREAMBLE.pack(MAGIC, VERSION, 0, len(header), end, digest.digest()))
    return digest.hexdigest()


def load(path: Path | str) -> Graph:
    """Return the checked graph of a file, whose constants are mapped into memory, read only.

    The file must not change as long as the graph is used. Raises OSError, ModelFileMalformed for a file that is none of
    a model, and GraphMalformed with all faults of its graph.
    """
    with Path(path).open("rb") as file:
        header_bytes, digest = _preamble(file)
        # Private: shared mappings are denied in the sandbox.
        content = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
    body = memoryview(content)[_PREAMBLE.size :]
    if hashlib.sha256(body).digest() != digest:
        raise ModelFileMalformed("digest: expected that of the file's content, found another one")
    data = memoryview(content)[_data_start(header_bytes) :]
    places: list[tuple[int, int, str]] = []

    def constant(place: ConstantPlace) -> Any:
        return _constant(place, data, places)

    graph = graph_of(_parsed(bytes(body[:header_bytes])), constant, ModelFileMalformed)
    _refuse_overlaps(places)
    return check_graph(graph)


def _preamble(file: BinaryIO) -> tuple[int, bytes]:
    """Return how long a file's header is, and its digest. Raises ModelFileMalformed."""
    size = os.fstat(file.fileno()).st_size
    begin = file.read(_PREAMBLE.size)
    if len(begin) < _PREAMBLE.size or not begin.startswith(MAGIC):
        raise ModelFileMalformed(f"expected a file of a model, which begins with {MAGIC!r}, found {begin[:8]!r}")
    _, version, flags, header_bytes, data_bytes, digest = _PREAMBLE.unpack(begin)
    if (version, flags) != (VERSION, 0):
        raise ModelFileMalformed(f"version: expected {VERSION}, found {version} with flags {flags}")
    if header_bytes > MOST_HEADER:
        raise ModelFileMalformed(f"header: expected at most {MOST_HEADER} bytes, found {header_bytes}")
    expected = _data_start(header_bytes) + data_bytes
    if size != expected or size > MOST_FILE:
        raise ModelFileMalformed(f"size: expected {min(expected, MOST_FILE)} bytes, found {size}")
    return header_bytes, digest


def _parsed(header: bytes) -> Any:
    try:
        return json.loads(header, parse_constant=_refuse_number)
    except (ValueError, RecursionError) as error:
        raise ModelFileMalformed(f"header: expected JSON, found {shown(error)}") from None


def _refuse_number(text: str) -> Any:
    raise ValueError(f"the number {text}")


def _constant(place: ConstantPlace, data: memoryview, places: list[tuple[int, int, str]]) -> Any:
    """Return the array at a place of the data, which is noted. Raises ModelFileMalformed."""
    found, offset = place.type, place.offset
    if offset % ALIGNMENT or not 0 <= offset <= len(data) - found.nbytes:
        expected = f"a multiple of {ALIGNMENT} with {found.nbytes} bytes before the end, {len(data)}"
        raise ModelFileMalformed(f"constant {shown(place.name)}: offset: expected {expected}, found {offset}")
    if found.nbytes:
        places.append((offset, offset + found.nbytes, place.name))
    part = data[offset : offset + found.nbytes]
    if found.dtype == "bool" and np.frombuffer(part, "uint8").max(initial=0) > 1:
        raise ModelFileMalformed(f"constant {shown(place.name)}: expected bytes 0 and 1, found others")
    return np.frombuffer(part, found.dtype).reshape(found.shape)


def _refuse_overlaps(places: list[tuple[int, int, str]]) -> None:
    for (_, end, _), (start, _, name) in pairwise(sorted(places)):
        if start < end:
            raise ModelFileMalformed(f"constant {shown(name)}: offset: expected one from {end} on, found {start}")


def _data_start(header_bytes: int) -> int:
    return _PREAMBLE.size + aligned(header_bytes)


def _padded(content: Any) -> bytes:
    return bytes(content) + bytes(aligned(len(content)) - len(content))


def _bytes_of(array: Any) -> memoryview:
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return memoryview(little.reshape(-1).view("uint8"))
