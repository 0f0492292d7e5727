"""Whether a device meets what a task requires, as a list of reasons why not. Pure: the facts are an argument.

What is required but not known counts as not met, so that a device never installs a task on a guess.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from walle.protocol.interpreters import THIS_INTERPRETER
from walle.protocol.names import RUNTIME_VERSION, InvalidNameError, SemVer, VersionRange


@dataclass(frozen=True, slots=True)
class RuntimeFacts:
    """What a device is: versions as text, `interpreter` the cache tag of the one whose bytecode it loads, `modules` the
    importable ones; None and absent mean not known.
    """

    app: str | None = None
    os: str | None = None
    os_version: str | None = None
    runtime: str = RUNTIME_VERSION
    python: str = ".".join(map(str, sys.version_info[:3]))
    interpreter: str | None = THIS_INTERPRETER
    modules: Collection[str] = frozenset()

    @classmethod
    def of_this_interpreter(
        cls, modules: Collection[str], *, app: str | None, os: str | None, os_version: str | None
    ) -> Self:
        """The facts of the running interpreter; of `modules`, those that can be imported. Imports none of them."""
        installed = frozenset(name for name in modules if is_installed(name))
        return cls(app=app, os=os, os_version=os_version, modules=installed)


@dataclass(frozen=True, slots=True)
class UnmetRequirement:
    """One requirement that does not hold."""

    requirement: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.requirement}: expected {self.expected}, found {self.found}"


def cache_tag(python: tuple[int, int]) -> str:
    """The cache tag of CPython of a minor version, such as (3, 11)."""
    return "cpython-{}{}".format(*python)


def is_installed(module: str) -> bool:
    """Whether a module's top-level package can be found; nothing is imported."""
    try:
        return importlib.util.find_spec(module.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def check_manifest_fits(manifest: Mapping[str, Any], facts: RuntimeFacts) -> list[UnmetRequirement]:
    """Why a device cannot run what a manifest describes: its `requires`, and the interpreter of its `bytecode`.

    Empty when it can. Raises InvalidNameError for a malformed range.
    """
    unmet = check_requirements(manifest["requires"], facts)
    wanted = manifest["bytecode"]["interpreter"] if "bytecode" in manifest else None
    if wanted is not None and wanted != facts.interpreter:
        unmet.append(
            UnmetRequirement("interpreter", f"{wanted}, which the bytecode is for", facts.interpreter or "nothing")
        )
    return unmet


def check_requirements(requires: Mapping[str, Any], facts: RuntimeFacts) -> list[UnmetRequirement]:
    """Why a manifest's `requires` does not hold; empty when it does. Raises InvalidNameError for a malformed range."""
    return [
        *_version("app", requires.get("app"), facts.app),
        *_version("runtime", requires.get("runtime"), facts.runtime),
        *_version("python", requires.get("python"), facts.python),
        *_system(requires.get("os"), facts),
        *(
            UnmetRequirement("modules", name, "no such module")
            for name in requires.get("modules", ())
            if name not in facts.modules
        ),
    ]


def _version(requirement: str, wanted: str | None, found: str | None) -> Iterator[UnmetRequirement]:
    if wanted is None:
        return
    accepted = VersionRange.parse(wanted)
    try:
        version = SemVer.parse_loose(found)
    except InvalidNameError:
        yield UnmetRequirement(requirement, wanted, "nothing" if found is None else repr(found))
    else:
        if not accepted.allows(version):
            yield UnmetRequirement(requirement, wanted, str(found))


def _system(wanted: Mapping[str, str] | None, facts: RuntimeFacts) -> Iterator[UnmetRequirement]:
    if not wanted:
        return
    if facts.os is not None and facts.os in wanted:
        yield from _version(f"os.{facts.os}", wanted[facts.os], facts.os_version)
    else:
        yield UnmetRequirement("os", f"one of {', '.join(sorted(wanted))}", facts.os or "nothing")
