"""What there is to choose from: the running interpreter, its standard library, walle, and installed distributions.

A part is what sizes are told of. Its files are those that it takes on a device without tailoring: compiled caches,
tests of the standard library and scripts for people do not count.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path, PurePosixPath
from typing import Final

import walle
from walle.container.worker.config import TASK_LIBRARY
from walle.packaging import elf

INTERPRETER: Final = "interpreter"
STANDARD_LIBRARY: Final = "standard library"
WALLE: Final = "walle-device"
PROGRAM: Final = f"python{sys.version_info[0]}.{sys.version_info[1]}"
DEVICE_PACKAGES: Final = ("schema", "protocol", "container", "stream", "device")
"""The parts of walle that devices install (deploy/device/pyproject.toml)."""

_NOT_FOR_DEVICES: Final = ("walle.device.emulator",)
_NO_LIBRARY: Final = frozenset({"__pycache__", "site-packages", "test", "tests", "idle_test"})
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)


class NotInstalled(ValueError):
    """A package that is needed is not installed here."""


@dataclass(frozen=True)
class Module:
    """A module and the part that it is of; `path` is relative to the folder that modules are looked for in."""

    name: str
    part: str
    file: Path
    path: PurePosixPath

    @property
    def is_package(self) -> bool:
        return self.file.stem == "__init__"

    @property
    def is_extension(self) -> bool:
        return self.file.suffix == ".so"


@dataclass(frozen=True)
class Part:
    """Files by their path relative to the folder that modules are looked for in (the interpreter's: to its prefix)."""

    name: str
    files: Mapping[PurePosixPath, Path] = field(repr=False)

    @cached_property
    def modules(self) -> Mapping[str, Module]:
        found = {}
        for path, file in self.files.items():
            if name := _module_name(path):
                found[name] = Module(name, self.name, file, path)
        return found


@dataclass(frozen=True)
class Inventory:
    """The parts in the order in which they are told; the interpreter has no modules."""

    parts: Mapping[str, Part]

    @cached_property
    def modules(self) -> Mapping[str, Module]:
        return {name: module for part in reversed([*self.parts.values()]) for name, module in part.modules.items()}


def take_inventory(packages: Iterable[str]) -> Inventory:
    """Find the interpreter, its standard library, walle, what that needs, and these top-level modules' distributions.

    Raises NotInstalled for a module that is neither in the standard library nor installed.
    """
    parts = [_interpreter(), _standard_library(), _walle()]
    parts += installed_parts({*_of_walle(), *_distributions_of(packages)})
    return Inventory({part.name: part for part in parts})


def installed_parts(distributions: Iterable[str]) -> list[Part]:
    """Find the distributions of these names and of all that they require; raises NotInstalled."""
    return [Part(name, _files_of(one)) for name, one in sorted(_required(distributions).items())]


def device_requirements() -> frozenset[str]:
    """The names of the distributions that walle-device needs, whatever its tasks are."""
    return frozenset(_required(_of_walle()))


def _module_name(path: PurePosixPath) -> str | None:
    """The dotted name of a module by its path; None for other files."""
    suffix = next((one for one in (".py", *EXTENSION_SUFFIXES) if path.name.endswith(one)), None)
    if suffix is None:
        return None
    parts = (*path.parts[:-1], path.name.removesuffix(suffix))
    names = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(names) if names and not any("." in name for name in names) else None


# -- the interpreter


def _interpreter() -> Part:
    """The program, and the shared library that it is linked with where there is one."""
    program = Path(sys.executable).resolve()
    files = {PurePosixPath("bin", PROGRAM): program}
    library = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
    # Debian's has the library, too, but its program is not linked with it.
    if library.name in elf.needed_libraries(program.read_bytes()):
        files[PurePosixPath(sys.platlibdir, library.name)] = library
    licence = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    if licence.is_file():
        files[PurePosixPath(sys.platlibdir, "LICENSE.txt")] = licence
    return Part(INTERPRETER, files)


def _standard_library() -> Part:
    root = Path(sysconfig.get_path("stdlib"))
    extensions = root / "lib-dynload"
    files = {path: file for path, file in _below(root, without=_NO_LIBRARY) if path.suffix == ".py"}
    files |= {path: file for path, file in _below(extensions) if path.suffix == ".so"}
    return Part(STANDARD_LIBRARY, files)


def _below(root: Path, *, without: Collection[str] = ()) -> Iterator[tuple[PurePosixPath, Path]]:
    """Each file below a folder, with its path from there; not those in folders of the names `without`."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in without)
        place = PurePosixPath(Path(folder).relative_to(root))
        for name in sorted(files):
            if (file := Path(folder, name)).is_file():
                yield place / name, file


# -- walle and installed distributions


def _walle() -> Part:
    root = Path(walle.__file__).parents[1]
    folders = [*(root / "walle" / name for name in DEVICE_PACKAGES), root / TASK_LIBRARY]
    files = {PurePosixPath("walle", "__init__.py"): root / "walle" / "__init__.py"}
    for folder in folders:
        files |= {PurePosixPath(file.relative_to(root)): file for _, file in _below(folder) if file.suffix == ".py"}
    left_out = tuple(name.replace(".", "/") for name in _NOT_FOR_DEVICES)
    return Part(WALLE, {path: file for path, file in files.items() if not str(path).startswith(left_out)})


def _of_walle() -> set[str]:
    """What the wheel that is installed here requires: walle, or walle-device, which requires the same."""
    for name in ("walle", "walle-device"):
        try:
            return {required for required, _ in _requirements(distribution(name))}
        except PackageNotFoundError:
            continue
    raise NotInstalled("expected walle to be installed, found no metadata of it")


def _distributions_of(packages: Iterable[str]) -> Iterator[str]:
    by_module = packages_distributions()
    for package in packages:
        top = package.partition(".")[0]
        if top in sys.stdlib_module_names:
            continue
        if top not in by_module:
            raise NotInstalled(f"expected {top} to be installed here, as a device is to have it")
        yield from by_module[top]


def _required(names: Iterable[str]) -> dict[str, Distribution]:
    """The distributions of these names and of all that they require without extras, by name.

    What is required under a marker counts if it is installed: whoever installed it has judged the marker here.
    """
    found: dict[str, Distribution] = {}
    waiting = [(name, True) for name in sorted(names)]
    while waiting:
        name, needed = waiting.pop()
        try:
            one = distribution(name)
        except PackageNotFoundError as error:
            if needed:
                raise NotInstalled(f"expected {name} to be installed here, as a device is to have it") from error
            continue
        if one.name not in found:
            found[one.name] = one
            waiting += _requirements(one)
    return found


def _requirements(one: Distribution) -> Iterator[tuple[str, bool]]:
    """The names that a distribution requires without extras, and whether that is without a marker."""
    for line in one.requires or ():
        requirement, _, marker = line.partition(";")
        match = _NAME.match(requirement.strip())
        if match is not None and "extra ==" not in marker:
            yield match[0], not marker


def _files_of(one: Distribution) -> dict[PurePosixPath, Path]:
    files = {}
    for path in one.files or ():
        file = Path(str(one.locate_file(path)))
        if ".." not in path.parts and "__pycache__" not in path.parts and file.is_file():
            files[PurePosixPath(path)] = file
    return files
