"""What an executor and its owner say to each other: a header by a socket, the rest in memory that both have mapped.

There is one request at a time, so that both directions use the same memory, and no socket's buffer can fill.
"""

from __future__ import annotations

import json
import mmap
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

ARENA_BYTES: Final = 16 << 20
MOST_SEALED: Final = 250
"""How many descriptors can come with one message."""
HEADER: Final = struct.Struct("<BII")
"""What it is, and the bytes of its description and of its data."""


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
    """Put a message into the arena and return its header. Raises TooLongForArena."""
    end = len(description) + len(data)
    if end > len(arena):
        raise TooLongForArena(f"a message of {end} bytes; {len(arena)} at most are expected")
    arena[: len(description)] = description
    arena[len(description) : end] = data
    return HEADER.pack(kind, len(description), len(data))


def read_reply(arena: mmap.mmap, header: bytes) -> Reply:
    """Return the reply that a header announces. Raises ValueError for what no executor writes."""
    try:
        number, described, size = HEADER.unpack(header)
        kind = Kind(number)
        about = json.loads(arena[:described])
    except (struct.error, ValueError) as error:
        raise ValueError(f"an executor answered what it should not: {error}") from error
    return Reply(kind, about, arena[described : described + size])
