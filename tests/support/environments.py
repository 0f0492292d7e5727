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


def lend(python: Path, requirements: Iterable[str], extra: str = "") -> set[str]:
    """Gives an environment what these requirements need, and no more, from the one that runs the tests.

    Without the network, and without a copy: by links. Those of an extra count where it is named. Returns the names of
    the distributions.
    """
    own = Path(sysconfig.get_path("purelib"))
    other = Path(output_of(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    needed = closure(requirements, extra)
    for found in needed.values():
        tops = {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            if not (other / top).is_symlink():
                (other / top).symlink_to(own / top)
    return set(needed)


def closure(requirements: Iterable[str], extra: str = "") -> dict[str, Distribution]:
    """The installed distributions that fulfil the requirements and all that these require in turn, by name."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(requirement), extra) for requirement in requirements]
    while waiting:
        requirement, of_extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": of_extra}):
            continue
        name = canonicalize_name(requirement.name)
        found[name] = distribution(name)
        assert requirement.specifier.contains(found[name].version), requirement
        for wanted in {"", *requirement.extras}:
            if (name, wanted) not in seen:
                seen.add((name, wanted))
                waiting += [(Requirement(further), wanted) for further in found[name].requires or ()]
    return found
