"""What a tree of files may hold at all: paths that every device can have, of regular files, within limits of size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from walle.bundle.tree import SUBMODULE, SYMLINK, FileTree, TreeEntry
from walle.protocol.names import MAX_BUNDLE_PATH, check_bundle_path, is_valid
from walle.schema import Problem
from walle.schema.values import shown


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """The largest size of a bundle: bytes of one file, bytes of all files, and number of files."""

    file_bytes: int = 100 * 1024 * 1024
    total_bytes: int = 500 * 1024 * 1024
    files: int = 5000


def listing(tree: FileTree, limits: TreeLimits) -> tuple[list[TreeEntry], list[Problem], bool]:
    """Return the entries of a tree by path, the problems of their paths, kinds and sizes, and whether these are all.

    No content is read. The listing ends at a limit; further checks could then report wrong problems.
    """
    entries = sorted(_listed(tree, limits), key=lambda entry: entry.path)
    if beyond := list(_beyond(entries, limits)):
        return entries, beyond, False
    return entries, [*_path_problems(entries), *_collisions(entries), *_large_files(entries, limits)], True


def is_readable(entry: TreeEntry, limits: TreeLimits) -> bool:
    return entry.is_file and is_valid(check_bundle_path, entry.path) and entry.size <= limits.file_bytes


def _listed(tree: FileTree, limits: TreeLimits) -> Iterator[TreeEntry]:
    """Yield the entries up to the first beyond a limit, so that listing an endlessly expanding archive ends."""
    total = 0
    for count, entry in enumerate(tree.entries(), 1):
        yield entry
        total += entry.size
        if total > limits.total_bytes or count > limits.files:
            return


def _path_problems(entries: Iterable[TreeEntry]) -> Iterator[Problem]:
    kinds = {SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}
    for entry in entries:
        if not is_valid(check_bundle_path, entry.path):
            expected = f"a relative path of A-Z a-z 0-9 . _ - and /, up to {MAX_BUNDLE_PATH} characters"
            yield Problem(shown(entry.path), "", expected, "this path")
        if not entry.is_file:
            yield Problem(_name(entry), "", "a regular file", kinds.get(entry.mode, "something else"))


def _name(entry: TreeEntry) -> str:
    return entry.path if is_valid(check_bundle_path, entry.path) else shown(entry.path)


def _collisions(entries: Iterable[TreeEntry]) -> Iterator[Problem]:
    """Yield the paths that are equal on a file system that ignores case, or both a file and a folder."""
    spelled: dict[str, str] = {}
    files: set[str] = set()
    for entry in entries:
        if entry.path in files:
            yield Problem(_name(entry), "", "a path that appears once", "it twice")
        files.add(entry.path)
        parts = entry.path.split("/")[:64]
        for path in ("/".join(parts[: depth + 1]) for depth in range(len(parts))):
            spelling = spelled.setdefault(path.casefold(), path)
            if spelling != path:
                yield Problem(_name(entry), "", "paths that differ in more than case", shown(spelling))
            if path != entry.path and path in files:
                yield Problem(_name(entry), "", f"a folder {shown(path)}", "a file of that name")


def _large_files(entries: list[TreeEntry], limits: TreeLimits) -> Iterator[Problem]:
    for entry in entries:
        if entry.size > limits.file_bytes:
            yield Problem(_name(entry), "", f"at most {limits.file_bytes} bytes", f"{entry.size} bytes")


def _beyond(entries: list[TreeEntry], limits: TreeLimits) -> Iterator[Problem]:
    total = sum(entry.size for entry in entries)
    if total > limits.total_bytes:
        yield Problem("", "total size", f"at most {limits.total_bytes} bytes", f"at least {total} bytes")
    if len(entries) > limits.files:
        yield Problem("", "number of files", f"at most {limits.files}", f"at least {len(entries)}")
