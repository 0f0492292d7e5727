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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from walle.bundle.bytecode import Bytecode, SourceFile, compiled_path, is_source, traceback_path
from walle.bundle.interpreters import ISOLATED, Interpreters
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
    bounds = (limits.cpu_s, limits.memory, limits.file_bytes, limits.total_bytes)
    command = [python, *ISOLATED, str(_PROCESS), *map(str, bounds)]
    asked = b"".join(_frame(text) for path in sources for text in (traceback_path(path).encode(), sources[path]))
    process = _started(command)
    try:
        said, _ = process.communicate(asked, limits.seconds)
    except BaseException as error:
        # It was not waited for yet, so that its group is still its own.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise CompilerFailed(f"what takes more than {limits.seconds:g} s in all") from None
        raise
    answers = list(_frames(said))
    if len(answers) != len(sources):
        raise CompilerFailed(f"the compiler ended after {len(answers)} of {len(sources)} sources")
    return answers


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process with a group of its own, neither in this folder nor with these variables, which may hold secrets."""
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=nowhere, cwd="/", env={}, start_new_session=True
        )
    except OSError as error:
        raise CompilerFailed(f"{command[0]} does not start: {error.strerror}") from error


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
