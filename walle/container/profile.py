"""What a task finds in an app, as its makers declare it: the profile of an app version (docs/guides/simulation.md).

    {"sdk": "1.0.0", "python": "3.11", "memory_mb": 512,
     "modules": {"numpy": "2.4"},                    or a list of names, whatever their versions
     "without": ["numpy.einsum", "sqlite3"],         functions, submodules and modules that the build leaves out
     "operators": {"math": ["sqrt", "exp"]},         the only functions that a module has
     "os": {"android": ["13", "14"], "ios": {"17": {"memory_mb": 256}}}}

Every version of a system has a profile of its own: what is declared for it stands in the place of what is declared for
all, and its `without` comes on top.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from walle.container.requirements import RuntimeFacts
from walle.protocol.names import SLUG_PATTERN, InvalidNameError, SemVer
from walle.schema.values import shown

MAX_NAMES: Final = 2000
MAX_SYSTEMS: Final = 20
MAX_SYSTEM_VERSIONS: Final = 50
ANY_VERSION: Final = "*"
"""The version of a module that is not declared."""

_NAME = r"[A-Za-z_]\w{0,63}"
_MODULE: Final = re.compile(_NAME, re.ASCII)
_DOTTED: Final = re.compile(rf"{_NAME}(?:\.{_NAME}){{0,7}}", re.ASCII)
_MODULE_VERSION: Final = re.compile(r"\*|[0-9]{1,6}(?:\.[0-9]{1,6}){0,3}")
_PYTHON: Final = re.compile(r"3\.(?:[7-9]|[1-9][0-9])(?:\.[0-9]{1,3})?")
_SYSTEM_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]{0,31}")
# Nothing runs without these, the import of the task itself included.
_INDISPENSABLE: Final = frozenset({"builtins", "sys", "importlib", "io", "os", "codecs", "encodings", "abc", "types"})


class ProfileMalformed(ValueError):
    """A profile that means nothing; `path` says where in its JSON the fault is."""

    def __init__(self, path: str, expected: str, found: object = None) -> None:
        super().__init__(f"{path}: expected {expected}" + ("" if found is None else f", found {shown(found)}"))
        self.path = path
        self.expected = expected


@dataclass(frozen=True)
class Profile:
    """What a task finds in one app version on one version of a system.

    `modules` are those beside the standard library's, with the beginning of their version or ANY_VERSION; `without`
    is what is left out, as dotted names; `operators` are the only functions of a module; `memory_mb` is what a run may
    take at most, None for no other limit than the task's own.
    """

    sdk: str
    python: str
    modules: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    operators: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    memory_mb: int | None = None

    @property
    def python_minor(self) -> tuple[int, int]:
        """The version of Python without its patch, as `ast.parse` takes it."""
        major, minor, *_ = self.python.split(".")
        return int(major), int(minor)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def has(self, module: str) -> bool:
        """Whether a module of this dotted name can be there."""
        top = module.partition(".")[0]
        known = top in self.modules or top in sys.stdlib_module_names
        return known and not any(f"{module}.".startswith(f"{name}.") for name in self.without)

    def facts(self, cell: Cell, modules: Collection[str]) -> RuntimeFacts:
        """What a device of the cell is, to be held against requirements that name these modules."""
        return RuntimeFacts(
            app=cell.app_version,
            os=cell.os,
            os_version=cell.os_version,
            runtime=self.sdk,
            python=self.python,
            modules=frozenset(name for name in modules if self.has(name)),
        )


@dataclass(frozen=True)
class Cell:
    """One app version on one version of a system."""

    app_version: str
    os: str
    os_version: str

    def __str__(self) -> str:
        return f"app {self.app_version} on {self.os} {self.os_version}"


@dataclass(frozen=True)
class Cells:
    """What is to be simulated: the profile of each cell, and of each app version that cannot be, why not."""

    profiles: Mapping[Cell, Profile]
    problems: Mapping[str, str]


def cells(declared: Mapping[str, object], can_match: Callable[[Mapping[str, str]], bool]) -> Cells:
    """The cells of the app versions and systems that a release can reach.

    `declared` holds the profile of each app version as it is stored. `can_match` says whether some device of these
    facts (`app_version`, and `os` with `os_version`) can be meant.
    """
    profiles: dict[Cell, Profile] = {}
    problems: dict[str, str] = {}
    for version in sorted(declared, key=_by_version):
        if not can_match({"app_version": version}):
            continue
        try:
            systems = read_profile(declared[version])
        except ProfileMalformed as error:
            undeclared = "no profile is declared" if not declared[version] else f"its profile is malformed: {error}"
            problems[version] = f"app {version}: {undeclared}"
            continue
        for (os, os_version), profile in systems.items():
            if can_match({"app_version": version, "os": os, "os_version": os_version}):
                profiles[Cell(version, os, os_version)] = profile
    return Cells(profiles, problems)


def _by_version(version: str) -> tuple[Any, ...]:
    try:
        return (0, SemVer.parse_loose(version).precedence, version)
    except InvalidNameError:
        return (1, (), version)


def read_profile(value: object) -> dict[tuple[str, str], Profile]:
    """The profile of each (system, version) that an app version's profile declares; raises ProfileMalformed."""
    given = _table("profile", value, {"os", *_READERS})
    own = _read("profile", given)
    for name in ("sdk", "python"):
        if name not in own:
            raise ProfileMalformed(f"profile.{name}", _EXPECTED[name])
    systems = given.get("os")
    if not isinstance(systems, dict) or not 1 <= len(systems) <= MAX_SYSTEMS:
        raise ProfileMalformed(
            "profile.os", 'the systems and their versions, such as {"android": ["13", "14"]}', systems
        )
    return {
        (system, version): _profile(path, own, _table(path, changes, set(_READERS)))
        for system, declared in systems.items()
        for version, (path, changes) in _versions(system, declared).items()
    }


def _versions(system: str, declared: object) -> dict[str, tuple[str, object]]:
    """The versions of a system: the path of each and what it declares of its own."""
    path = _joined("profile.os", system)
    _checked(path, system, SLUG_PATTERN, "a system's name such as android or ios")
    if not isinstance(declared, list | dict) or not 1 <= len(declared) <= MAX_SYSTEM_VERSIONS:
        raise ProfileMalformed(path, 'its versions, such as ["13", "14"] or {"17": {"memory_mb": 256}}', declared)
    pairs = declared.items() if isinstance(declared, dict) else ((version, {}) for version in declared)
    found: dict[str, tuple[str, object]] = {}
    for version, changes in pairs:
        text = _checked(path, version, _SYSTEM_VERSION, 'versions as text, such as "14" or "17.4"')
        if text in found:
            raise ProfileMalformed(path, "each version once", text)
        found[text] = (f"{path}.{text}", changes)
    return found


def _profile(path: str, own: Mapping[str, Any], changes: Mapping[str, object]) -> Profile:
    special = _read(path, changes)
    without = tuple(dict.fromkeys([*own.get("without", ()), *special.get("without", ())]))
    profile = Profile(**{**own, **special, "without": without})
    for module in profile.operators:
        if not profile.has(module):
            raise ProfileMalformed(f"{path}.operators.{module}", "a module that the profile has")
    return profile


def _read(path: str, given: Mapping[str, object]) -> dict[str, Any]:
    return {name: _READERS[name](f"{path}.{name}", value) for name, value in given.items() if name in _READERS}


def _sdk(path: str, value: object) -> str:
    try:
        return str(SemVer.parse_loose(value))
    except InvalidNameError as error:
        raise ProfileMalformed(path, _EXPECTED["sdk"], value) from error


def _python(path: str, value: object) -> str:
    return _checked(path, value, _PYTHON, _EXPECTED["python"])


def _memory(path: str, value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 65_536:
        raise ProfileMalformed(path, "an integer of at least 1 and at most 65536, or null", value)
    return value


def _modules(path: str, value: object) -> dict[str, str]:
    if isinstance(value, list):
        value = dict.fromkeys(_names(path, value, _MODULE, "names of modules without dots"), ANY_VERSION)
    if not isinstance(value, dict) or len(value) > MAX_NAMES:
        raise ProfileMalformed(path, 'modules with their versions, such as {"numpy": "2.4"}, or a list', value)
    for name, version in value.items():
        _checked(_joined(path, name), name, _MODULE, "the name of a module without dots")
        _checked(_joined(path, name), version, _MODULE_VERSION, 'the beginning of its version, such as "2.4", or "*"')
    return dict(sorted(value.items()))


def _without(path: str, value: object) -> tuple[str, ...]:
    names = _names(path, value, _DOTTED, "names of modules and functions, such as numpy.einsum")
    for name in names:
        if name.partition(".")[0] == "builtins" or name in _INDISPENSABLE:
            raise ProfileMalformed(path, f"nothing that every Python needs, such as {name}", name)
    return names


def _operators(path: str, value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or len(value) > MAX_NAMES:
        raise ProfileMalformed(path, 'functions by module, such as {"math": ["sqrt"]}', value)
    read = {}
    for module, names in value.items():
        place = _joined(path, module)
        _checked(place, module, _DOTTED, "the name of a module, such as numpy.linalg")
        if module.partition(".")[0] in _INDISPENSABLE:
            raise ProfileMalformed(place, "no module that every Python needs", module)
        read[module] = _names(place, names, _MODULE, "names of its functions")
    return read


_READERS: Final[Mapping[str, Callable[[str, object], Any]]] = {
    "sdk": _sdk,
    "python": _python,
    "memory_mb": _memory,
    "modules": _modules,
    "without": _without,
    "operators": _operators,
}
_EXPECTED: Final = {
    "sdk": 'the version of the Walle runtime in the app, such as "1.0.0"',
    "python": 'the version of Python in the app, such as "3.11"',
}


def _names(path: str, value: object, pattern: re.Pattern[str], expected: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_NAMES:
        raise ProfileMalformed(path, f"a list of at most {MAX_NAMES} {expected}", value)
    return tuple(dict.fromkeys(_checked(f"{path}[{at}]", name, pattern, expected) for at, name in enumerate(value)))


def _checked(path: str, value: object, pattern: re.Pattern[str], expected: str) -> str:
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    raise ProfileMalformed(path, expected, value)


def _table(path: str, value: object, known: Collection[str]) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ProfileMalformed(path, f"an object with {_listed(known)}", value)
    for key in value:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, 1)
            hint = f' (did you mean "{close[0]}"?)' if close else ""
            raise ProfileMalformed(_joined(path, key), f"one of the keys {_listed(known)}{hint}")
    return value


def _joined(path: str, key: object) -> str:
    plain = isinstance(key, str) and (_DOTTED.fullmatch(key) or _SYSTEM_VERSION.fullmatch(key))
    return f"{path}.{key if plain else shown(key, 40)}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
