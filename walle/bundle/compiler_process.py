"""Compiles sources of Python to bytecode, in a process of the interpreter that is to load it. Imports and runs none.

`walle.bundle.compiling` runs this file by its path with whatever interpreter is asked for, so it has the standard
library only. Frames come on standard input, for each source its path and its content; to each comes one on standard
output: `c` and the content of the .pyc file, or `p` and what is wrong as JSON. A frame is a length of four bytes, the
highest first, and so many bytes.

Each source has a process of its own, forked from this one, which never compiles: it can exhaust nothing but that, and
what becomes of it does not depend on what was compiled before.
"""

from __future__ import annotations

import importlib.util
import json
import marshal
import os
import resource
import signal
import struct
import sys
import warnings
from typing import BinaryIO

_LENGTH = struct.Struct(">I")
# PEP 552: by the hash of the source, which nobody is to check: it is not there.
_UNCHECKED_HASH = (1).to_bytes(4, "little")


def main() -> None:
    cpu_s, memory, file_bytes, total_bytes = map(int, sys.argv[1:])
    while (path := _receive(sys.stdin.buffer)) is not None:
        source = _receive(sys.stdin.buffer) or b""
        answer = _answer(path.decode(), source, cpu_s, memory, min(file_bytes, total_bytes))
        total_bytes -= len(answer)
        sys.stdout.buffer.write(_LENGTH.pack(len(answer)) + answer)
        sys.stdout.buffer.flush()


def _receive(stream: BinaryIO) -> bytes | None:
    header = stream.read(_LENGTH.size)
    return stream.read(_LENGTH.unpack(header)[0]) if header else None


def _answer(path: str, source: bytes, cpu_s: int, memory: int, most: int) -> bytes:
    """What a process of its own makes of a source, in at most `cpu_s` seconds and `memory` and `most` bytes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _limit(cpu_s, memory)
        _compile(path, source, writing)
    os.close(writing)
    with open(reading, "rb") as pipe:
        answer = pipe.read(max(most, 0) + 1)
    if len(answer) > most:
        os.kill(child, signal.SIGKILL)
        answer = _problem("more of it than the limit", None)
    _, status = os.waitpid(child, 0)
    if not answer or (answer[:1] == b"c" and status != 0):
        answer = _problem(_why(status, cpu_s), None)
    return answer


def _limit(cpu_s: int, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _compile(path: str, source: bytes, handle: int) -> None:
    """Write the answer and end this process."""
    try:
        answer = _compiled(path, source)
    except SyntaxError as error:
        answer = _problem(error.msg, error.lineno)
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        answer = _problem(str(error) or "too deep nesting or too much data", None)
    with open(handle, "wb") as pipe:
        pipe.write(answer)
    os._exit(0)


def _compiled(path: str, source: bytes) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(source, path, "exec", dont_inherit=True, optimize=0)
    magic, digest = importlib.util.MAGIC_NUMBER, importlib.util.source_hash(source)
    return b"".join((b"c", magic, _UNCHECKED_HASH, digest, marshal.dumps(code)))


def _problem(message: str, line: int | None) -> bytes:
    return b"p" + json.dumps({"message": message, "line": line}).encode()


def _why(status: int, cpu_s: int) -> str:
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return (
            f"what the compiler takes more than {cpu_s} s for" if name == "SIGXCPU" else f"the compiler ended by {name}"
        )
    return "the compiler ended without an answer"


if __name__ == "__main__":
    main()
