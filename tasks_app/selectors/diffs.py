"""Compare two versions, with the texts of text files as unified diffs, and the commits between them."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tasks_app.models import FileKind, TaskVersion, VersionFile
from tasks_app.repository import CommitFacts, Repository, RepositoryError
from tasks_app.selectors.catalogue import FieldChange, FileChange, diff_versions
from tasks_app.selectors.content import content_of

OMISSIONS: Final = ("binary", "too-large", "exclusive")
MOST_COMMITS: Final = 50
# Maximum bytes and lines of a compared file, and bytes of all diffs: the time grows with the square of the lines.
_FILE: Final = 256 << 10
_LINES: Final = 5_000
_ALL: Final = 1 << 20


@dataclass(frozen=True)
class ShownChange:
    """A changed file; either `diff` is set or `omitted` says why not."""

    path: str
    change: str
    old: VersionFile | None
    new: VersionFile | None
    diff: str | None
    omitted: str | None


@dataclass(frozen=True)
class ShownDiff:
    """The differences from the version `base` to `version`.

    `commits` are the newest that `version` has and `base` does not, and `dropped_commits` those that it lacks; both are
    None if git has lost one of the versions.
    """

    task: str
    base: str
    version: str
    commits: list[CommitFacts] | None
    dropped_commits: list[CommitFacts] | None
    files: list[ShownChange]
    field_changes: tuple[FieldChange, ...]


def diff_with_texts(old: TaskVersion, new: TaskVersion) -> ShownDiff:
    """Return the differences between two versions of a task. Files are read, except those too large."""
    found = diff_versions(old, new)
    made, dropped = _commits(old, new) or (None, None)
    files = list(_shown(found.files))
    return ShownDiff(new.task.name, old.version, new.version, made, dropped, files, found.fields)


def _commits(old: TaskVersion, new: TaskVersion) -> tuple[list[CommitFacts], list[CommitFacts]] | None:
    try:
        with Repository(new.task.scenario.slug) as repository:
            return (
                repository.commits_since(old.commit, new.commit, MOST_COMMITS),
                repository.commits_since(new.commit, old.commit, MOST_COMMITS),
            )
    except RepositoryError:
        return None


def _shown(changes: Iterable[FileChange]) -> Iterator[ShownChange]:
    left = _ALL
    for change in changes:
        diff, omitted = _compared(change, left)
        left -= len(diff or "")
        yield ShownChange(change.path, change.kind, change.old, change.new, diff, omitted)


def _compared(change: FileChange, left: int) -> tuple[str | None, str | None]:
    sides = [side for side in (change.old, change.new) if side is not None]
    if any(side.kind == FileKind.EXCLUSIVE for side in sides):
        return None, "exclusive"
    if any((side.size or 0) > _FILE for side in sides):
        return None, "too-large"
    old, new = _lines(change.old), _lines(change.new)
    if old is None or new is None:
        return None, "binary"
    if max(len(old), len(new)) > _LINES:
        return None, "too-large"
    diff = "".join(_marked(difflib.unified_diff(old, new, change.path, change.path)))
    return (None, "too-large") if len(diff) > left else (diff, None)


def _marked(lines: Iterable[str]) -> Iterator[Any]:
    """Add the missing line end to the last line, and the usual remark about it."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(file: VersionFile | None) -> list[str] | None:
    """Return the lines of a text file, none for a missing one; None if it is no text."""
    if file is None:
        return []
    content = b"".join(content_of(file))
    if b"\0" in content:
        return None
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])
