"""Compiling the sources of a valid tree, in a process of the interpreter that its bytecode is for.

The code is a stranger's: nothing here compiles it, and the process that does has bounds
(walle.bundle.compiler_process).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from walle.bundle.bytecode import Bytecode, SourceFile, compiled_path, is_source, traceback_path
from walle.bundle.interpreters import ISOLATED, Interpreters
from walle.bundle.sources import SourceFault
from walle.bundle.spec import TASK_FILE
from walle.bundle.tree import FileTree
from walle.bundle.validation import BundleValidation
from walle.protocol.interpreters import THIS_INTERPRETER
from walle.schema import Problem

_PROCESS: Final = Path(__file__).with_name("compiler_process.py")
_LENGTH: Final = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class CompilerLimits:
    """What compiling may take: seconds of processor time, bytes of memory and of bytecode for a source; seconds of the
    clock and bytes of bytecode for all."""

    cpu_s: int = 10
    memory: int = 1 << 30
    file_bytes: int = 16 << 20
    total_bytes: int = 64 << 20
    seconds: float = 120.0


class CompilerFailed(Exception):
    """The process that compiles did not come to its end."""


class BoundedCompiler:
    """Compiles sources of strangers one by one, in a process with bounds (`sources.Compiler`).

    The process starts with the first source, and ends with this context.
    """

    def __init__(self, limits: CompilerLimits | None = None) -> None:
        self._limits = limits or CompilerLimits()
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._timer is not None:
            self._timer.cancel()
            _end(self._process)
            self._process.communicate()

    def __call__(self, path: str, source: bytes) -> SourceFault | None:
        """Return what is wrong with a source; raises CompilerFailed where no process can be started."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(_frame(traceback_path(path).encode()) + _frame(source))
            process.stdin.flush()
        header = process.stdout.read(_LENGTH.size)
        answer = process.stdout.read(_LENGTH.unpack(header)[0]) if len(header) == _LENGTH.size else b""
        if answer[:1] == b"c":
            return None
        if not answer:
            return SourceFault(f"more than compiles in {self._limits.seconds:g} s, with all sources")
        fault = json.loads(answer[1:])
        return SourceFault(fault["message"], fault["line"])

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = _started(_command(sys.executable, self._limits))
            self._timer = threading.Timer(self._limits.seconds, _end, [self._process])
            self._timer.start()
        return self._process


def with_bytecode(
    tree: FileTree, validation: BundleValidation, interpreters: Interpreters, limits: CompilerLimits | None = None
) -> BundleValidation:
    """The same validation with its bytecode, or with what stands against compiling; as it is where source travels.

    Where the task names no interpreter, it is the one that runs this.
    """
    spec = validation.spec
    if spec is None or spec.source:
        return validation
    interpreter = spec.interpreter or THIS_INTERPRETER or ""
    python = interpreters.find(interpreter)
    if python is None:
        expected = f"an interpreter that is present here, one of {', '.join(interpreters.present()) or 'none'}"
        return _refused(validation, Problem(TASK_FILE, "files.interpreter", expected, repr(interpreter)))
    sources = {one.path: tree.read(one.path) for one in validation.files if is_source(one.path)}
    try:
        answers = dict(zip(sources, _answers(python, sources, limits or CompilerLimits()), strict=True))
    except CompilerFailed as error:
        return _refused(
            validation, Problem(TASK_FILE, "files.source", f"sources that {interpreter} compiles", str(error))
        )
    problems = [_problem(path, interpreter, answer) for path, answer in answers.items() if answer[:1] != b"c"]
    if problems:
        return _refused(validation, *problems)
    compiled = {compiled_path(path): answer[1:] for path, answer in answers.items()}
    registered = tuple(SourceFile.of(path, content) for path, content in sources.items())
    return replace(validation, bytecode=Bytecode(interpreter, registered, compiled))


def _refused(validation: BundleValidation, *problems: Problem) -> BundleValidation:
    return replace(validation, problems=problems, spec=None)


def _problem(path: str, interpreter: str, answer: bytes) -> Problem:
    said = json.loads(answer[1:])
    return Problem(path, "", f"Python that {interpreter} compiles", said["message"], line=said["line"])


def _answers(python: str, sources: Mapping[str, bytes], limits: CompilerLimits) -> list[bytes]:
    """What the process says of each source. Raises CompilerFailed."""
    asked = b"".join(_frame(text) for path in sources for text in (traceback_path(path).encode(), sources[path]))
    process = _started(_command(python, limits))
    try:
        said, _ = process.communicate(asked, limits.seconds)
    except BaseException as error:
        _end(process)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise CompilerFailed(f"what takes more than {limits.seconds:g} s in all") from None
        raise
    answers = list(_frames(said))
    if len(answers) != len(sources):
        raise CompilerFailed(f"the compiler ended after {len(answers)} of {len(sources)} sources")
    return answers


def _command(python: str, limits: CompilerLimits) -> list[str]:
    bounds = (limits.cpu_s, limits.memory, limits.file_bytes, limits.total_bytes)
    return [python, *ISOLATED, str(_PROCESS), *map(str, bounds)]


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process with a group of its own, neither in this folder nor with these variables, which may hold secrets."""
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=nowhere, cwd="/", env={}, start_new_session=True
        )
    except OSError as error:
        raise CompilerFailed(f"{command[0]} does not start: {error.strerror}") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and what it has forked; it was not waited for yet, so that its group is still its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _frame(content: bytes) -> bytes:
    return _LENGTH.pack(len(content)) + content


def _frames(said: bytes) -> Iterator[bytes]:
    """The whole frames of what was said."""
    at = 0
    while at + _LENGTH.size <= len(said):
        begins = at + _LENGTH.size
        at = begins + _LENGTH.unpack_from(said, at)[0]
        if at <= len(said):
            yield said[begins:at]
