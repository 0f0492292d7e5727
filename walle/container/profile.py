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

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from walle.container.requirements import RuntimeFacts, cache_tag
from walle.container.worker.config import STANDARD_APIS, TASK_LIBRARY
from walle.protocol.names import (
    SLUG_PATTERN,
    STANDARD_APIS_RUNTIME,
    STREAM_RUNTIME,
    InvalidNameError,
    SemVer,
    is_valid,
)
from walle.schema import (
    AllOf,
    ByType,
    Fields,
    Items,
    Malformed,
    Named,
    Node,
    Nullable,
    Number,
    Problems,
    Text,
    checked,
    joined,
)

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


class ProfileMalformed(Malformed):
    """A profile that means nothing."""


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

    @property
    def importable(self) -> tuple[str, ...]:
        """The top-level modules beside the standard library's: those of the app, and Walle's own for tasks."""
        return (*self.modules, TASK_LIBRARY) if self._is_from(STREAM_RUNTIME) else tuple(self.modules)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The parts that modules which are there lack: those of `without`, and newer parts of Walle's library."""
        return self.without if self._is_from(STANDARD_APIS_RUNTIME) else (*self.without, *STANDARD_APIS)

    def _is_from(self, runtime: str) -> bool:
        return SemVer.parse_loose(self.sdk).precedence >= SemVer.parse(runtime).precedence

    def has(self, module: str) -> bool:
        """Whether a module of this dotted name can be there."""
        return not _missing(_by_holder([module]), self.importable, self.left_out)

    def facts(self, cell: Cell, modules: Collection[str]) -> RuntimeFacts:
        """What a device of the cell is, to be held against requirements that name these modules."""
        return RuntimeFacts(
            app=cell.app_version,
            os=cell.os,
            os_version=cell.os_version,
            runtime=self.sdk,
            python=self.python,
            interpreter=cache_tag(self.python_minor),
            modules=frozenset(name for name in modules if self.has(name)),
        )


@dataclass(frozen=True)
class Cell:
    """One app version on one version of a system; or, without an app version, an engine of serving hosts."""

    app_version: str
    os: str
    os_version: str

    def __str__(self) -> str:
        system = f"{self.os} {self.os_version}"
        return f"app {self.app_version} on {system}" if self.app_version else system


@dataclass(frozen=True)
class Cells:
    """What is to be simulated: the profile of each cell, and of each app version that cannot be, why not.

    There is no profile where no app is concerned.
    """

    profiles: Mapping[Cell, Profile | None]
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
    given = checked(PROFILE, value, "profile", ProfileMalformed)
    own = _read(given)
    return {
        (system, version): Profile(**_combined(own, _read(changes)))
        for system, declared in given["os"].items()
        for version, changes in _versions(declared)
    }


def _versions(declared: object) -> Iterator[tuple[Any, Any]]:
    """The versions of a system, each with what it declares of its own."""
    if isinstance(declared, dict):
        yield from declared.items()
    elif isinstance(declared, list):
        yield from ((version, {}) for version in declared)


def _combined(own: Mapping[str, Any], special: Mapping[str, Any]) -> dict[str, Any]:
    """What is declared for all, and in its place what a version of a system has of its own."""
    without = dict.fromkeys([*own.get("without", ()), *special.get("without", ())])
    return {**own, **special, "without": tuple(without)}


def _read(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a Profile that sound keys say."""
    return {name: _READERS[name](value) for name, value in given.items() if name in _READERS}


def _read_modules(value: list[str] | dict[str, str]) -> dict[str, str]:
    versions = value if isinstance(value, dict) else dict.fromkeys(value, ANY_VERSION)
    return dict(sorted(versions.items()))


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "memory_mb": lambda value: value,
    "modules": _read_modules,
    "operators": lambda value: {module: tuple(dict.fromkeys(names)) for module, names in value.items()},
    "python": str,
    "sdk": lambda value: str(SemVer.parse_loose(value)),
    "without": lambda value: tuple(dict.fromkeys(value)),
}


def _by_holder(modules: Iterable[str]) -> dict[str, list[str]]:
    """Modules of dotted names by each package that they are in, and by their own name."""
    found: dict[str, list[str]] = {}
    for module in modules:
        parts = module.split(".")
        for length in range(1, len(parts) + 1):
            found.setdefault(".".join(parts[:length]), []).append(module)
    return found


def _missing(by_holder: Mapping[str, list[str]], present: Collection[str], without: Iterable[str]) -> set[str]:
    """Which modules cannot be there: of a package that is not present, or in something that is left out."""
    unknown = {name for name in by_holder.keys() - present - sys.stdlib_module_names if "." not in name}
    return {module for holder in unknown | (by_holder.keys() & without) for module in by_holder[holder]}


# -- the schema --------------------------------------------------------------------------------------------


def _names(pattern: re.Pattern[str], expected: str, *further: Node) -> Items:
    name = AllOf((Text(expected, pattern.fullmatch), *further))
    return Items(name, f"a list of at most {MAX_NAMES} {expected}", at_most=MAX_NAMES)


def _is_dispensable(name: str) -> bool:
    return name.partition(".")[0] != "builtins" and name not in _INDISPENSABLE


_MODULES_EXPECTED: Final = 'modules with their versions, such as {"numpy": "2.4"}, or a list'
_OWN: Final[Mapping[str, Node]] = {
    "memory_mb": Nullable(
        Number(1, 65_536, integer=True, words="an integer of at least 1 and at most 65536, or null"),
    ),
    "modules": ByType(
        {
            list: _names(_MODULE, "names of modules without dots"),
            dict: Named(
                Text("the name of a module without dots", _MODULE.fullmatch),
                Text('the beginning of its version, such as "2.4", or "*"', _MODULE_VERSION.fullmatch),
                _MODULES_EXPECTED,
                at_most=MAX_NAMES,
            ),
        },
        _MODULES_EXPECTED,
    ),
    "operators": Named(
        AllOf(
            (
                Text("the name of a module, such as numpy.linalg", _DOTTED.fullmatch),
                Text("no module that every Python needs", lambda name: name.partition(".")[0] not in _INDISPENSABLE),
            )
        ),
        _names(_MODULE, "names of its functions"),
        'functions by module, such as {"math": ["sqrt"]}',
        at_most=MAX_NAMES,
    ),
    "python": Text('the version of Python in the app, such as "3.11"', _PYTHON.fullmatch),
    "sdk": Text(
        'the version of the Walle runtime in the app, such as "1.0.0"',
        lambda text: is_valid(SemVer.parse_loose, text),
    ),
    "without": _names(
        _DOTTED,
        "names of modules and functions, such as numpy.einsum",
        Text("nothing that every Python needs, such as sys", _is_dispensable),
    ),
}
_VERSION: Final = Text('versions as text, such as "14" or "17.4"', _SYSTEM_VERSION.fullmatch)
_VERSIONS_EXPECTED: Final = 'its versions, such as ["13", "14"] or {"17": {"memory_mb": 256}}'
_VERSIONS: Final = ByType(
    {
        list: Items(_VERSION, _VERSIONS_EXPECTED, 1, MAX_SYSTEM_VERSIONS, unique=True),
        dict: Named(
            _VERSION,
            Fields(_OWN, words=f"an object with {', '.join(_OWN)}"),
            _VERSIONS_EXPECTED,
            1,
            MAX_SYSTEM_VERSIONS,
        ),
    },
    _VERSIONS_EXPECTED,
)
_SYSTEMS: Final = Named(
    Text("a system's name such as android or ios", SLUG_PATTERN.fullmatch),
    _VERSIONS,
    'the systems and their versions, such as {"android": ["13", "14"]}',
    1,
    MAX_SYSTEMS,
)
_KEYS: Final = dict(sorted({**_OWN, "os": _SYSTEMS}.items()))
_FIELDS: Final = Fields(_KEYS, ("sdk", "python", "os"), f"an object with {', '.join(_KEYS)}")


@dataclass(frozen=True)
class _ProfileNode:
    """The form of a profile: its keys, and operators only of modules that it has."""

    expected: str = _FIELDS.expected

    def check(self, value: object, field: str, problems: Problems) -> None:
        _FIELDS.check(value, field, problems)
        names = ("modules", "operators", "without")
        if not isinstance(value, dict) or any(problems.touches(f"{field}.{name}") for name in names):
            return
        own = _read({name: value[name] for name in names if name in value})
        of_all = _by_holder(own.get("operators", ()))
        told: set[str] = set()
        for place, version, changes in _sound_versions(value.get("os"), f"{field}.os", problems):
            special = _read(changes)
            profile = {"modules": {}, **_combined(own, special)}
            if "operators" in special:
                missing = _missing(_by_holder(special["operators"]), profile["modules"], profile["without"])
                _tell(missing, f"{place}.operators", version, problems)
            else:
                missing = _missing(of_all, profile["modules"], profile["without"]) - told
                _tell(missing, f"{field}.operators", version, problems)
                told |= missing


def _sound_versions(systems: object, field: str, problems: Problems) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The place of each version of a system in which nothing is wrong, its name, and what it has of its own."""
    for system, declared in systems.items() if isinstance(systems, dict) else ():
        for at, (version, changes) in enumerate(_versions(declared)):
            holder = joined(field, system)
            place = joined(holder, version) if isinstance(declared, dict) else f"{holder}[{at}]"
            if not problems.touches(place):
                yield place, f"{system} {version}", changes


def _tell(missing: Iterable[str], field: str, version: str, problems: Problems) -> None:
    for module in sorted(missing):
        problems.say(joined(field, module), "a module that the profile has", f"none on {version}")


PROFILE: Final = _ProfileNode()
