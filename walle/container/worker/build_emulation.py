"""Makes a run's process the Python of another build: what that build leaves out is gone before the task's code loads.

Modules outside the profile are not found, also by `importlib.util.find_spec`; functions that it leaves out are taken
out of every module of their package, so that whatever needs them there fails too, as it would in that build. This
serves truth, not safety: a task that wants to see through it can. The sandbox around it is that of any run.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any, Final

from walle.container.worker.config import EmulatedBuild

# Modules that came into the standard library in the minor version of Python 3 beside them.
_SINCE: Final[Mapping[str, int]] = {
    "zoneinfo": 9,
    "graphlib": 9,
    "tomllib": 11,
    "annotationlib": 14,
    "compression": 14,
}
# What compiled modules share, and parts of the standard library that its list of names leaves out.
_UNLISTED: Final = ("__main__", "cython_runtime", "_cython_", "_sysconfigdata_")
_VersionInfo = namedtuple("_VersionInfo", ["major", "minor", "micro", "releaselevel", "serial"])


def emulate_build(build: EmulatedBuild, bundle: str) -> None:
    """Takes from this process what the profile does not have; to be called once, before the task's code."""
    minor = int(build.python.split(".")[1])
    newer = tuple(name for name, since in _SINCE.items() if since > minor)
    gate = _ImportGate(build, newer, bundle, sys.meta_path)
    for name in [name for name in sys.modules if not gate.lets_in(name)]:
        _forget(name)
    gate.reduce_loaded()
    sys.meta_path[:] = [gate]
    if minor != sys.version_info[1]:
        _set_python_version(build.python)


class _ImportGate(importlib.abc.MetaPathFinder):
    """The only finder of modules: asks the usual ones for what the profile has, and in the bundle for all else."""

    def __init__(self, build: EmulatedBuild, newer: Sequence[str], bundle: str, finders: Sequence[Any]) -> None:
        self._finders, self._bundle = tuple(finders), bundle
        self._tops = sys.stdlib_module_names | set(build.modules)
        self._without = (*build.without, *newer)
        self._operators = build.operators
        parents = {name.rpartition(".")[0] for name in build.without} - {""}
        self._tailored = parents | self._operators.keys()
        self._packages = {name.partition(".")[0] for name in self._tailored}
        self._whole = self._packages & sys.modules.keys()

    def lets_in(self, name: str) -> bool:
        """Whether a module is one of the profile's."""
        known = name.partition(".")[0] in self._tops or name.startswith(_UNLISTED)
        return known and not any(f"{name}.".startswith(f"{left_out}.") for left_out in self._without)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not self.lets_in(name):
            # Packages of the bundle bring their own path for what is below them, and its code may add folders of it.
            inside = [place for place in (sys.path if path is None else path) if self._is_inside(place)]
            return importlib.machinery.PathFinder.find_spec(name, inside, target) if inside else None
        for finder in self._finders:
            spec: importlib.machinery.ModuleSpec | None = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and name.partition(".")[0] in self._packages:
                    spec.loader = _ReducedLoader(spec.loader, self)
                return spec
        return None

    def _is_inside(self, place: str) -> bool:
        return f"{place}/".startswith(f"{self._bundle}/")

    def loaded(self, name: str) -> None:
        """Called when a module has been executed. A package is tailored when all of it is there, not while its
        modules still import from one another."""
        package, _, below = name.partition(".")
        if not below:
            self._whole.add(package)
        self.reduce_loaded()

    def reduce_loaded(self) -> None:
        for name in self._tailored & sys.modules.keys():
            if name.partition(".")[0] in self._whole:
                self._reduce_module(name)

    def _reduce_module(self, name: str) -> None:
        module = sys.modules[name]
        for left_out in self._without:
            parent, _, function = left_out.rpartition(".")
            if parent == name:
                _leave_out(module, function)
        if name in self._operators:
            _keep_only(module, self._operators[name])


class _ReducedLoader(importlib.abc.Loader):
    """A module's own loader, after which the profile's part is taken out."""

    def __init__(self, loader: Any, gate: _ImportGate) -> None:
        self._loader, self._gate = loader, gate

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        module: types.ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        self._loader.exec_module(module)
        self._gate.loaded(module.__name__)


def _forget(name: str) -> None:
    module = sys.modules.pop(name)
    parent, _, child = name.rpartition(".")
    if parent in sys.modules and vars(sys.modules[parent]).get(child) is module:
        delattr(sys.modules[parent], child)


def _leave_out(module: types.ModuleType, name: str) -> None:
    """Takes a function out of its module, and out of its package wherever it goes by that or another name."""
    found = vars(module).get(name)
    _delete(module, name)
    if not callable(found):
        return
    package = module.__name__.partition(".")[0]
    modules = [other for key, other in sys.modules.items() if key.partition(".")[0] == package]
    for other in [other for other in modules if isinstance(other, types.ModuleType)]:
        for alias in [alias for alias, value in vars(other).items() if value is found]:
            _delete(other, alias)


def _keep_only(module: types.ModuleType, names: Sequence[str]) -> None:
    """Takes from a module its public functions beside these; classes, constants and submodules stay."""
    for name, value in list(vars(module).items()):
        function = callable(value) and not isinstance(value, type)
        if function and not name.startswith("_") and name not in names:
            _delete(module, name)


def _delete(module: types.ModuleType, name: str) -> None:
    vars(module).pop(name, None)
    exported = vars(module).get("__all__")
    if isinstance(exported, list) and name in exported:
        exported.remove(name)


def _set_python_version(version: str) -> None:
    """Set the version that code asks `sys` for; the interpreter itself stays what it is."""
    major, minor, micro, *_ = (*map(int, version.split(".")), 0)
    sys.version_info = _VersionInfo(major, minor, micro, "final", 0)  # type: ignore[assignment]
    sys.hexversion = major << 24 | minor << 16 | micro << 8 | 0xF0
    sys.version = f"{major}.{minor}.{micro} {sys.version.partition(' ')[2]}"
