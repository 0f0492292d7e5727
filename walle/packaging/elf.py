"""What tailoring needs of 64-bit ELF files (System V ABI, "Object Files"; Linux programs and shared libraries): the
libraries that one needs, where it looks for them, and itself without what only debuggers read. Pure, over bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_MAGIC: Final = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_HEADER: Final = struct.Struct("<16xHHIQQQIHHHHHH")
_PROGRAM: Final = struct.Struct("<IIQQQQQQ")
_DYNAMIC: Final = struct.Struct("<qQ")
_SECTIONS_AT, _SECTION_COUNTS_AT = 40, 58
_LOAD, _DYNAMIC_SEGMENT = 1, 2
_NEEDED, _STRINGS, _RPATH, _RUNPATH = 1, 5, 15, 29


class RunPathTooLong(ValueError):
    """The new run path does not fit into the place of the old one."""


@dataclass(frozen=True)
class _Segment:
    kind: int
    offset: int
    address: int
    size: int


def is_elf(data: bytes) -> bool:
    """Whether this is a file of the kind that is read here."""
    return data.startswith(_MAGIC) and len(data) >= _HEADER.size


def needed_libraries(data: bytes) -> list[str]:
    """The names of the shared libraries that a file is linked with."""
    return [_string(data, at).decode() for tag, at in _named(data) if tag == _NEEDED]


def run_path(data: bytes) -> str | None:
    """Where the file has its libraries looked for, before the system's own folders; None if only there."""
    return next((_string(data, at).decode() for tag, at in _named(data) if tag in (_RPATH, _RUNPATH)), None)


def with_run_path(data: bytes, path: str) -> bytes:
    """The file with another run path in the place of the one that it has.

    Raises RunPathTooLong if there is no such place, or too little of it.
    """
    encoded = path.encode()
    for tag, at in _named(data):
        if tag in (_RPATH, _RUNPATH):
            old = _string(data, at)
            if len(encoded) <= len(old):
                return data[:at] + encoded.ljust(len(old), b"\0") + data[at + len(old) :]
    raise RunPathTooLong(f"no place for the run path {path}")


def stripped(data: bytes) -> bytes:
    """The file without what comes after all that is loaded: sections for debuggers and linkers. It runs as before."""
    end = max((one.offset + one.size for one in _segments(data)), default=len(data))
    end = max(end, _program_headers_end(data))
    short = bytearray(data[:end])
    struct.pack_into("<Q", short, _SECTIONS_AT, 0)
    struct.pack_into("<HHH", short, _SECTION_COUNTS_AT, 0, 0, 0)
    return bytes(short)


def _program_headers_end(data: bytes) -> int:
    _, _, _, _, start, _, _, _, size, count, *_ = _HEADER.unpack_from(data)
    return int(start + size * count)


def _segments(data: bytes) -> Iterator[_Segment]:
    _, _, _, _, start, _, _, _, size, count, *_ = _HEADER.unpack_from(data)
    for number in range(count):
        kind, _, offset, address, _, length, _, _ = _PROGRAM.unpack_from(data, start + number * size)
        yield _Segment(kind, offset, address, length)


def _named(data: bytes) -> list[tuple[int, int]]:
    """The entries of the dynamic segment whose value is a text: their tag, and where in the file the text is."""
    segments = list(_segments(data))
    dynamic = next((one for one in segments if one.kind == _DYNAMIC_SEGMENT), None)
    if dynamic is None:
        return []
    entries = list(_DYNAMIC.iter_unpack(data[dynamic.offset : dynamic.offset + dynamic.size]))
    address = next(value for tag, value in entries if tag == _STRINGS)
    strings = next(
        one.offset + address - one.address
        for one in segments
        if one.kind == _LOAD and one.address <= address < one.address + one.size
    )
    return [(tag, strings + value) for tag, value in entries if tag in (_NEEDED, _RPATH, _RUNPATH)]


def _string(data: bytes, at: int) -> bytes:
    return data[at : data.index(b"\0", at)]
