"""Frames between a sandbox and its worker: four bytes of length, then the content."""

from __future__ import annotations

import socket
import struct
from typing import Final

# Changes with what a sandbox and its worker say to each other. They differ when the files of walle are replaced while a
# program runs, which loaded the former ones.
VERSION: Final = 4

# What a sandbox asks a launcher for: a fork, or one that first loads the modules that many tasks need.
RUN: Final = b"r"
RUN_PRELOADED: Final = b"p"

# What a sandbox tells a supervisor of a kept VM: that the answer to a run is complete, and that the next run begins.
ANSWERED: Final = b"a"
BEGIN: Final = b"b"

LENGTH: Final = struct.Struct(">I")
# A task has 64 handles, and a mapping holds one.
MAX_SHARED_TENSORS: Final = 32
MAX_FRAME: Final = 256 * 1024 * 1024


def send_frame(control: socket.socket, content: bytes) -> None:
    """Raises OSError when the other side is gone."""
    control.sendall(LENGTH.pack(len(content)) + content)


def receive_frame(control: socket.socket) -> bytes:
    """The next frame; raises EOFError when the other side closes before its end."""
    (length,) = LENGTH.unpack(_receive(control, LENGTH.size))
    if length > MAX_FRAME:
        raise EOFError(f"a frame of {length} bytes")
    return _receive(control, length)


def _receive(control: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        chunk = control.recv(min(length - len(content), 1 << 20))
        if not chunk:
            raise EOFError("the other side closed the connection")
        content += chunk
    return bytes(content)
