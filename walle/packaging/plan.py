"""What a tailored build carries: which modules, and which files of the parts go where, and how.

Of walle, of what it requires and of the modules of the standard library that tasks name, all imports are followed. Of
everything else those that happen when the module is loaded; what its functions import is there if it was seen to be
loaded in the rehearsal. So numpy comes without its tests and its compilers.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Final

from walle.container.worker.config import TASK_LIBRARY
from walle.packaging import elf
from walle.packaging.closure import Closure, closure
from walle.packaging.imports import attributes_in, imports_in
from walle.packaging.inventory import INTERPRETER, STANDARD_LIBRARY, WALLE, Inventory, Module, Part

_VERSION: Final = f"{sys.version_info[0]}.{sys.version_info[1]}"
LIBRARY: Final = PurePosixPath(sys.platlibdir)
ZIP: Final = LIBRARY / f"python{_VERSION.replace('.', '')}.zip"
"""Pure modules of the standard library; by this name the interpreter finds where it is."""
EXTENSIONS: Final = LIBRARY / f"python{_VERSION}" / "lib-dynload"
# Debian's Python leaves site-packages to virtual environments, and looks here without one.
_PACKAGES: Final = "dist-packages" if "deb_system" in sysconfig.get_scheme_names() else "site-packages"
PACKAGES: Final = LIBRARY / f"python{_VERSION}" / _PACKAGES

DEVICE: Final = ("walle.device.__main__", "walle.device.embedding", "walle.container.worker.__main__", TASK_LIBRARY)
OF_TASK: Final = "the task "
# What the interpreter loads by name, and codecs that are looked for by name: of text, host names, file names in zips.
START: Final = (
    *("site", "runpy", "zipimport", "zlib", "encodings.aliases"),
    *(f"encodings.{codec}" for codec in ("ascii", "cp437", "idna", "latin_1", "utf_8", "utf_8_sig")),
)
_STARTED_BY_PATH: Final = PurePosixPath("walle/container/worker/__main__.py")
# Files of packages that only developers read.
_FOR_DEVELOPERS: Final = frozenset(
    {".a", ".build", ".c", ".cpp", ".h", ".hpp", ".lib", ".md", ".pxd", ".pyi", ".pyx", ".rst", ".toml", ".typed"}
)


class Form(Enum):
    """How a file gets into the build."""

    COMPILED = "compiled"
    STRIPPED = "stripped"
    AS_IT_IS = "as it is"


@dataclass(frozen=True)
class PlannedFile:
    """A file of the build; `zipped` ones are members of ZIP, with their path in it."""

    part: str
    source: Path
    target: PurePosixPath
    form: Form
    zipped: bool = False


@dataclass(frozen=True)
class Plan:
    """`system_libraries` are shared libraries that the build needs and does not carry."""

    inventory: Inventory
    modules: Closure
    files: tuple[PlannedFile, ...]
    system_libraries: tuple[str, ...]

    def carried(self, part: str) -> int:
        """How many modules of a part the build has."""
        return len(self.inventory.parts[part].modules.keys() & self.modules.needed_by.keys())

    def left_out(self, part: str) -> list[str]:
        """The modules of a part that the build lacks, without those inside packages that it lacks."""
        missing = self.inventory.parts[part].modules.keys() - self.modules.needed_by.keys()
        return sorted(name for name in missing if name.rpartition(".")[0] not in missing)

    def left_out_whole(self) -> list[str]:
        """The distributions of which the build has no module."""
        return [name for name, part in self.inventory.parts.items() if part.modules and not self.carried(name)]

    def absent_of_tasks(self) -> dict[str, str]:
        """The top-level modules that tasks name and that nothing here has, by the task.

        Those that are compiled into the interpreter are in every build.
        """
        absent = self.modules.absent
        return {
            name: absent[name]
            for name in sorted(absent.keys() - set(sys.builtin_module_names))
            if absent[name].startswith(OF_TASK)
        }


@dataclass(frozen=True)
class TaskSources:
    """The sources of a task by path in its bundle, and the modules that it requires."""

    name: str
    sources: Mapping[str, bytes]
    requires: tuple[str, ...]

    def names(self) -> set[str]:
        """The dotted names that the task uses and does not bring itself."""
        own = {path.partition("/")[0].removesuffix(".py") for path in self.sources}
        named = set(self.requires)
        for path, source in self.sources.items():
            parts = path.removesuffix(".py").split("/")
            is_package = parts[-1] == "__init__"
            module = ".".join(parts[:-1] if is_package else parts)
            named |= imports_in(source, module, is_package=is_package, whole=True) | attributes_in(source)
        return {name for name in named if name.partition(".")[0] not in own}


def make_plan(
    inventory: Inventory,
    tasks: Iterable[TaskSources],
    *,
    loaded: Collection[str],
    asked: Collection[str],
    deep: Collection[str],
    read: Callable[[Path], bytes],
) -> Plan:
    """Decide on the modules and files of a build for these tasks.

    `loaded` was seen in a rehearsal, `asked` are modules to be added, `deep` are the distributions of which all imports
    are followed. `read` gives the content of a file.
    """
    by_task = {f"{OF_TASK}{task.name}": task.names() for task in tasks}
    roots: dict[str, Iterable[str]] = {"the interpreter": START, "the device": DEVICE, "--with": asked, **by_task}
    roots["the rehearsal"] = inventory.modules.keys() & loaded
    named = {name for names in (*by_task.values(), asked) for name in names}

    def imports_of(name: str) -> set[str]:
        module = inventory.modules[name]
        if module.is_extension:
            return _named_inside(read(module.file), inventory.parts[module.part])
        whole = name in named if module.part == STANDARD_LIBRARY else module.part in {WALLE, *deep}
        return imports_in(read(module.file), name, is_package=module.is_package, whole=whole)

    modules = closure(roots, inventory.modules.keys(), imports_of)
    files = list(_files(inventory, modules.needed_by.keys()))
    libraries = _Libraries(inventory, read)
    files += libraries.carried(files)
    return Plan(inventory, modules, tuple(files), tuple(sorted(libraries.missing)))


def _named_inside(data: bytes, part: Part) -> set[str]:
    """The modules of a compiled module's own distribution whose dotted names are among its texts."""
    if part.name == STANDARD_LIBRARY:
        return set()
    return {name for name in part.modules if "." in name and name.encode() in data}


# -- files


def _files(inventory: Inventory, needed: Collection[str]) -> Iterator[PlannedFile]:
    interpreter = inventory.parts[INTERPRETER]
    for path, file in interpreter.files.items():
        yield PlannedFile(interpreter.name, file, path, Form.AS_IT_IS if path.suffix == ".txt" else Form.STRIPPED)
    for part in inventory.parts.values():
        modules = [module for name, module in part.modules.items() if name in needed]
        yield from map(_file_of, modules)
        if modules and part.name != STANDARD_LIBRARY:
            yield from _data(part, modules)


def _file_of(module: Module) -> PlannedFile:
    standard = module.part == STANDARD_LIBRARY
    if module.is_extension:
        folder = EXTENSIONS if standard else PACKAGES
        return PlannedFile(module.part, module.file, folder / module.path, Form.STRIPPED)
    if module.path == _STARTED_BY_PATH:
        return PlannedFile(module.part, module.file, PACKAGES / module.path, Form.AS_IT_IS)
    target = module.path.with_suffix(".pyc")
    return PlannedFile(module.part, module.file, target if standard else PACKAGES / target, Form.COMPILED, standard)


def _data(part: Part, modules: Iterable[Module]) -> Iterator[PlannedFile]:
    """What lies beside the modules of carried packages, the distribution's metadata and its licences."""
    folders = {module.path.parent for module in modules if module.is_package}
    code = {module.path for module in part.modules.values()}
    for path, file in part.files.items():
        beside = path.parent in folders and path not in code and path.suffix not in _FOR_DEVELOPERS
        if beside or _is_legal(path):
            yield PlannedFile(part.name, file, PACKAGES / path, Form.AS_IT_IS)


def _is_legal(path: PurePosixPath) -> bool:
    if not path.parts[0].endswith(".dist-info"):
        return False
    return path.name == "METADATA" or "licenses" in path.parts or path.name.upper().startswith(("LICEN", "NOTICE"))


class _Libraries:
    """Shared libraries that distributions bring along, and those that nobody here brings."""

    def __init__(self, inventory: Inventory, read: Callable[[Path], bytes]) -> None:
        self._read = read
        self._by_name = {
            path.name: (part.name, path, file)
            for part in inventory.parts.values()
            for path, file in part.files.items()
            if ".so" in path.name
        }
        self.missing: set[str] = set()

    def carried(self, files: Iterable[PlannedFile]) -> Iterator[PlannedFile]:
        """The libraries that these files need, and what those need in turn; `missing` has the others' names."""
        binaries = [file for file in files if file.form is Form.STRIPPED]
        seen = {file.source for file in binaries}
        waiting = [file.source for file in binaries]
        while waiting:
            for name in elf.needed_libraries(self._read(waiting.pop())):
                if name not in self._by_name:
                    self.missing.add(name)
                    continue
                part, path, file = self._by_name[name]
                if file not in seen:
                    seen.add(file)
                    waiting.append(file)
                    yield PlannedFile(part, file, PACKAGES / path, Form.STRIPPED)
