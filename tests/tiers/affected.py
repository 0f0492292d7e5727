"""Which test files a change can affect: those that import what changed, directly or through other modules.

    python -m tests.tiers.affected -m "pure and not slow"

runs pytest with these, and with those directly in `tests/`, which are about the whole tree.
"""

from __future__ import annotations

import os
import subprocess
import sys
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

    Fixtures come by name and not by import, so that a `conftest.py` stands for all tests in its folder. Whatever is no
    module is read: modules that have its name in them are taken to have changed with it.
    """
    try:
        graph = grimp.build_graph(*PACKAGES, cache_dir=str(BASE_DIR / ".import_linter_cache"))
    except SourceSyntaxError:
        return set()  # the tests will tell
    modules = {_module(path) for path in _with_readers(changed)} & graph.modules
    affected = modules.union(*(graph.find_downstream_modules(module) for module in modules))
    paths = {Path(*module.split(".")).with_suffix(".py") for module in affected if module.startswith("tests.")}
    folders = [path.parent for path in paths if path.name == "conftest.py"]
    paths.update(path.relative_to(BASE_DIR) for folder in folders for path in (BASE_DIR / folder).rglob("test_*.py"))
    return {path.as_posix() for path in paths}


def _with_readers(changed: Iterable[str]) -> set[str]:
    sources = {path for path in changed if path.endswith(".py")}
    names = {Path(path).name for path in {*changed} - sources}
    patterns = [option for name in sorted(names) for option in ("-e", name)]
    # Without a pattern, git takes the next argument for one.
    readers = _git(BASE_DIR, "grep", "--name-only", "--fixed-strings", *patterns, "--", "*.py") if patterns else ()
    return sources.union(readers)


def _module(path: str) -> str:
    return ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")


def main(options: list[str]) -> None:
    """Become pytest, with these options and the files."""
    changed = changed_files()
    files = affected_files(changed) | {
        path.relative_to(BASE_DIR).as_posix() for path in BASE_DIR.glob("tests/test_*.py")
    }
    tests = sorted(path for path in files if Path(path).name.startswith("test_") and (BASE_DIR / path).exists())
    print(f"{len(changed)} files differ: {len(tests)} test files are about them or about the whole tree.", flush=True)
    os.execv(sys.executable, (sys.executable, "-m", "pytest", *options, *tests))


if __name__ == "__main__":
    main(sys.argv[1:])
