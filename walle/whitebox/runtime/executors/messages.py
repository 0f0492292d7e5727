"""What an executor and its owner say to each other: a header by a socket, the rest in memory that both have mapped.

There is one request at a time, so that both directions use the same memory, and no socket's buffer can fill.
"""

from __future__ import annotations

import json
import mmap
import pickle
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

ARENA_BYTES: Final = 16 << 20
MOST_SEALED: Final = 250
"""How many descriptors can come with one message."""
HEADER: Final = struct.Struct("<BII")
"""What it is, and the bytes of its description and of its data."""

_WORD: Final = 8


class Kind(IntEnum):
    """What a message is."""

    RUN = 1
    ANSWERED = 2
    RAISED = 3


class TooLongForArena(Exception):
    """A message does not fit into the shared memory."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request: answers, or which failure. `data` are the numbers of the answers, one after the other."""

    kind: Kind
    about: dict[str, Any]
    data: bytes


def write(arena: mmap.mmap, kind: Kind, description: bytes, data: bytes | memoryview = b"") -> bytes:
    """Put a message into the arena and return its header. `data` are bytes. Raises TooLongForArena."""
    end = len(description) + len(data)
    if end > len(arena):
        raise TooLongForArena(f"a message of {end} bytes; {len(arena)} at most are expected")
    arena[: len(description)] = description
    arena[len(description) : end] = data
    return HEADER.pack(kind, len(description), len(data))


def write_request(arena: mmap.mmap, request: object) -> bytes:
    """Put a request into the arena and return its header. Raises TooLongForArena.

    Of its arrays, the first one is copied from where it lies; it begins at a whole word.
    """
    arrays: list[pickle.PickleBuffer] = []

    def stays(array: pickle.PickleBuffer) -> bool:
        arrays.append(array)
        return len(arrays) > 1

    description = pickle.dumps(request, 5, buffer_callback=stays)
    data = arrays[0].raw() if arrays else b""
    return write(arena, Kind.RUN, description + bytes(-len(description) % _WORD), data)


def read_request(arena: mmap.mmap, header: bytes) -> Any:
    """Return the request that a header announces; its first array lies in the arena."""
    _, described, size = HEADER.unpack(header)
    data = memoryview(arena)[described : described + size]
    return pickle.loads(arena[:described], buffers=[data])  # noqa: S301 - written by the owner, which started this process


def read_reply(arena: mmap.mmap, header: bytes) -> Reply:
    """Return the reply that a header announces. Raises ValueError for what no executor writes."""
    try:
        number, described, size = HEADER.unpack(header)
        kind = Kind(number)
        about = json.loads(arena[:described])
    except (struct.error, ValueError) as error:
        raise ValueError(f"an executor answered what it should not: {error}") from error
    return Reply(kind, about, arena[described : described + size])
