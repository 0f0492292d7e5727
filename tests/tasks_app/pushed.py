"""A repository as a push leaves it, without the push, for tests of what comes after; git makes each commit once."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tests.tasks_app.working_copy import WorkingCopy

Content = Mapping[str, str | bytes]


def as_pushed(repository: Path, commits: Iterable[Content], *, task: str, versions: Iterable[str] = ()) -> None:
    """Give a bare repository the commits that add these files one after the other.

    The last one is the task's branch and is tagged as each of the versions.
    """
    objects, commit = _committed(tuple(tuple(files.items()) for files in commits))
    shutil.copytree(objects, repository / "objects", dirs_exist_ok=True)
    for ref in (f"heads/{task}", *(f"tags/{task}/{version}" for version in versions)):
        path = repository / "refs" / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{commit}\n")


@cache
def _committed(commits: tuple[tuple[tuple[str, str | bytes], ...], ...]) -> tuple[Path, str]:
    """The folder of the commits' objects, and the last commit."""
    folder = Path(tempfile.mkdtemp(prefix="walle-pushed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = WorkingCopy(folder, remote=str(folder))
    made = [copy.commit(dict(files)) for files in commits]
    return folder / ".git" / "objects", made[-1]
