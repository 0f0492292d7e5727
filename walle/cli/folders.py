"""The files of a folder as a push would send them: without files that git ignores."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from walle.bundle.tree import SUBMODULE, FolderTree, TreeEntry
from walle.cli.errors import WrongUsage


class PushedTree(FolderTree):
    """The files of a folder that git would commit, with submodules as git sees them."""

    def __init__(self, root: Path, listed: frozenset[str]) -> None:
        super().__init__(root)
        self._listed = listed
        self._modules = [name for name in listed if (root / name).is_dir() and not (root / name).is_symlink()]

    def entries(self) -> Iterable[TreeEntry]:
        yield from (entry for entry in super().entries() if entry.path in self._listed)
        yield from (TreeEntry(name.rstrip("/"), 0, SUBMODULE) for name in self._modules)


def folder_tree(folder: Path) -> FolderTree:
    """Return the tree of a folder; raises WrongUsage if there is none."""
    if not folder.is_dir():
        raise WrongUsage(f"expected the folder of a task, found no folder {folder}")
    listed = _listed_by_git(folder)
    # A folder that git ignores as a whole is what somebody built: all of it is meant.
    return PushedTree(folder, listed) if listed else FolderTree(folder)


def _listed_by_git(folder: Path) -> frozenset[str]:
    """Return what `git add --all` would add; nothing without a working copy or without git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    try:
        listed = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return frozenset()
    return frozenset(name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name)
