"""Writes a tailored build into a folder, and measures what its parts take."""

from __future__ import annotations

import json
import marshal
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path, PurePosixPath
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from walle.packaging import elf
from walle.packaging.inventory import PROGRAM, Part
from walle.packaging.plan import LIBRARY, ZIP, Form, Plan, PlannedFile

START: Final = PurePosixPath("bin", "walle-device")
MARKER: Final = PurePosixPath("tailored.json")
"""Beside bin and lib; by it a device knows that its build is a tailored one (walle.device.running.tailored)."""

_UNCHECKED_HASH: Final = 0b01
_SCRIPT: Final = """#!/bin/sh
exec "$(dirname "$0")/{python}" -I -m walle.device "$@"
"""


class CannotRelocate(ValueError):
    """The interpreter would look for its library where it was installed."""


@dataclass(frozen=True)
class Size:
    """Bytes of files, and of the same compressed one by one as zip does it."""

    plain: int = 0
    compressed: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.plain + other.plain, self.compressed + other.compressed)


def write(plan: Plan, folder: Path) -> dict[PlannedFile, Size]:
    """Write the files of a build into an empty folder; return what each takes. Raises CannotRelocate."""
    sizes = {}
    folder.joinpath(ZIP).parent.mkdir(parents=True)
    with ZipFile(folder / ZIP, "w") as archive:
        for file in plan.files:
            content = content_of(file)
            sizes[file] = size_of(content)
            if file.zipped:
                # No date, so that the same files make the same archive.
                archive.writestr(ZipInfo(str(file.target)), content, ZIP_DEFLATED)
            else:
                _write(folder / file.target, content, program=file.target.parts[0] == START.parts[0])
    _write(folder / START, _SCRIPT.format(python=PROGRAM).encode(), program=True)
    _write(folder / MARKER, json.dumps({"modules": sorted(plan.modules.needed_by)}).encode(), program=False)
    return sizes


def program_of(folder: Path) -> Path:
    """The interpreter of a build."""
    return folder / START.parent / PROGRAM


def _write(path: Path, content: bytes, *, program: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755 if program else 0o644)


def content_of(file: PlannedFile) -> bytes:
    """What a planned file has in it."""
    data = file.source.read_bytes()
    match file.form:
        case Form.COMPILED:
            return compiled(data, str(file.target.with_suffix(".py")), bare=file.zipped)
        case Form.STRIPPED:
            return elf.stripped(_relocated(data) if file.target.parts[0] == START.parts[0] else data)
        case Form.AS_IT_IS:
            return data


def compiled(source: bytes, path: str, *, bare: bool) -> bytes:
    """The compiled form of a source (PEP 552, never checked against it); `path` is what tracebacks say.

    A `bare` one has no docstrings and assertions, as of `python -OO`, which the standard library is made for.
    """
    code = compile(source, path, "exec", dont_inherit=True, optimize=2 if bare else 0)
    header = MAGIC_NUMBER + _UNCHECKED_HASH.to_bytes(4, "little") + source_hash(source)
    return header + marshal.dumps(code)


def _relocated(program: bytes) -> bytes:
    """The interpreter, which finds its shared library beside it, wherever the build is put."""
    if elf.run_path(program) is None:
        return program
    try:
        return elf.with_run_path(program, f"$ORIGIN/../{LIBRARY}")
    except elf.RunPathTooLong as error:
        raise CannotRelocate(f"the interpreter cannot be moved: {error}") from error


def size_of(content: bytes) -> Size:
    """What a content takes, and takes compressed."""
    return Size(len(content), len(zlib.compress(content)))


@dataclass(frozen=True)
class PartSizes:
    """What a part takes as it is installed, in sources and without what only debuggers read, and in the build."""

    whole: Size
    tailored: Size


def measure(plan: Plan, written: Mapping[PlannedFile, Size]) -> dict[str, PartSizes]:
    """What each part takes, whole and in the build that was written."""
    same = {file.source: size for file, size in written.items() if file.form is not Form.COMPILED}
    return {
        name: PartSizes(
            whole=whole_size(part, same),
            tailored=total(size for file, size in written.items() if file.part == name),
        )
        for name, part in plan.inventory.parts.items()
    }


def whole_size(part: Part, known: Mapping[Path, Size]) -> Size:
    """What a part takes as it is installed; the sizes of some files may be known."""
    return total(known[file] if file in known else _installed_size(file) for file in part.files.values())


@cache
def _installed_size(file: Path) -> Size:
    """What an installed file takes, which does not change while a build is made."""
    data = file.read_bytes()
    return size_of(elf.stripped(data) if elf.is_elf(data) else data)


def total(sizes: Iterable[Size]) -> Size:
    """All of them together."""
    return sum(sizes, start=Size())
