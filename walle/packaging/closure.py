"""Which modules are needed, and by what: everything that can be reached from the first ones. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Closure:
    """`needed_by` says of each needed module what named it first; `absent`, the same of names that nothing has."""

    needed_by: Mapping[str, str]
    absent: Mapping[str, str]


def closure(
    roots: Mapping[str, Iterable[str]], known: Collection[str], imports_of: Callable[[str], Iterable[str]]
) -> Closure:
    """Follow imports from the names of each root to all that they reach, with the packages that these are in.

    `roots` are the names that something needs, by what needs them. Of `a.b.c` the longest part counts that is a module:
    `c` may be a function of `a.b`. A name whose top level is not known is absent.
    """
    needed: dict[str, str] = {}
    absent: dict[str, str] = {}
    waiting = [(name, reason) for reason, names in roots.items() for name in sorted(names)]
    while waiting:
        name, reason = waiting.pop(0)
        found = _packages_and_self(name, known)
        if not found:
            absent.setdefault(name.partition(".")[0], reason)
        for module in found:
            if module not in needed:
                needed[module] = reason
                waiting += [(imported, module) for imported in sorted(imports_of(module))]
    return Closure(needed, absent)


def _packages_and_self(name: str, known: Collection[str]) -> list[str]:
    parts = name.split(".")
    return [module for length in range(1, len(parts) + 1) if (module := ".".join(parts[:length])) in known]
