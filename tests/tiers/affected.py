"""Which test files a change can affect: those that import what changed, directly or through other modules."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import grimp
from grimp.exceptions import SourceSyntaxError

from walleweb.config import BASE_DIR

PACKAGES: Final = tuple(sorted(path.parent.name for path in BASE_DIR.glob("*/__init__.py")))


def changed_files(root: Path = BASE_DIR) -> set[str]:
    """Return the paths that differ from the upstream branch, or from the commit before where nothing does."""
    changed = {line[3:] for line in _git(root, "status", "--porcelain", "--no-renames", "--untracked-files=all")}
    base = _git(root, "merge-base", "HEAD", "origin/HEAD")
    if not base or base == _git(root, "rev-parse", "HEAD"):
        base = ["HEAD~1"]
    return changed.union(_git(root, "diff", "--name-only", "--no-renames", *base, "HEAD"))


def _git(root: Path, *arguments: str) -> list[str]:
    """Return the lines that git prints; none where it fails, as without a history."""
    ran = subprocess.run(("git", *arguments), cwd=root, capture_output=True, text=True, check=False)
    return ran.stdout.splitlines() if ran.returncode == 0 else []


def affected_files(changed: Iterable[str]) -> set[str]:
    """Return the paths of changed tests, and of those that import a changed module, at whatever distance.

    Fixtures come by name and not by import, so that a `conftest.py` stands for all tests in its folder.
    """
    try:
        graph = grimp.build_graph(*PACKAGES, cache_dir=str(BASE_DIR / ".import_linter_cache"))
    except SourceSyntaxError:
        return set()  # the tests will tell
    modules = {_module(path) for path in changed if path.endswith(".py")} & graph.modules
    affected = modules.union(*(graph.find_downstream_modules(module) for module in modules))
    paths = {Path(*module.split(".")).with_suffix(".py") for module in affected if module.startswith("tests.")}
    folders = [path.parent for path in paths if path.name == "conftest.py"]
    paths.update(path.relative_to(BASE_DIR) for folder in folders for path in (BASE_DIR / folder).rglob("test_*.py"))
    return {path.as_posix() for path in paths}


def _module(path: str) -> str:
    return ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
