"""Virtual environments of a test's own, for what is installed in them as users install it."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIP = (sys.executable, "-m", "pip")


def output_of(*command: str | Path) -> str:
    """What a command prints; fails with all of it unless its exit status is 0."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bare_environment(folder: Path) -> Path:
    """The interpreter of a new environment with nothing in it; pip stays outside."""
    output_of(sys.executable, "-m", "venv", "--without-pip", folder)
    return folder / "bin" / "python"


def environment_with(package: Path | str, folder: Path) -> Path:
    """The interpreter of a new environment with the package and what that needs, from the index."""
    python = bare_environment(folder)
    install(python, package)
    return python


def install(python: Path, package: Path | str) -> None:
    """Install a package and what it needs from the index; what is never imported is not compiled beforehand."""
    output_of(*PIP, "--disable-pip-version-check", "--python", python, "install", "-q", "--no-compile", package)


def lend(python: Path, requirements: Iterable[str]) -> set[str]:
    """Gives an environment what these requirements need, and no more, from the one that runs the tests.

    Without the network, and without a copy: by links. Returns the names of the distributions.
    """
    own = Path(sysconfig.get_path("purelib"))
    other = Path(output_of(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    needed = closure(requirements)
    for found in needed.values():
        tops = {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            (other / top).symlink_to(own / top)
    return set(needed)


def closure(requirements: Iterable[str]) -> dict[str, Distribution]:
    """The installed distributions that fulfil the requirements and all that these require in turn, by name."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(requirement), "") for requirement in requirements]
    while waiting:
        requirement, of_extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": of_extra}):
            continue
        name = canonicalize_name(requirement.name)
        found[name] = distribution(name)
        assert requirement.specifier.contains(found[name].version), requirement
        for extra in {"", *requirement.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [(Requirement(further), extra) for further in found[name].requires or ()]
    return found
