"""What the requirements files and pyproject.toml declare."""

from __future__ import annotations

import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from walleweb.config import BASE_DIR


def requirements_of(file: str) -> list[str]:
    """The requirements of a requirements file and of those that it includes."""
    found: list[str] = []
    for line in (BASE_DIR / file).read_text().splitlines():
        if line.startswith("-r "):
            found += requirements_of(line.removeprefix("-r ").strip())
        elif line.strip() and not line.startswith("#"):
            found.append(line)
    return found


def library_requirements() -> list[str]:
    """What pyproject.toml declares for the library: its dependencies and those of all extras."""
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]
    return project["dependencies"] + [line for extra in project["optional-dependencies"].values() for line in extra]


def names(requirements: list[str]) -> set[str]:
    """The distributions that requirements name, with what their extras add under the same name, as psycopg[pool]."""
    parsed = [Requirement(line) for line in requirements]
    return {
        canonicalize_name(name)
        for requirement in parsed
        for name in (requirement.name, *(f"{requirement.name}-{extra}" for extra in requirement.extras))
    }
