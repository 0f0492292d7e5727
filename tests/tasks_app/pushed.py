"""A repository as a push leaves it, without the push, for tests of what comes after; git makes each commit once."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tests.tasks_app.working_copy import WorkingCopy

Files = tuple[tuple[str, str | bytes], ...]


def as_pushed(repository: Path, files: Mapping[str, str | bytes], *, task: str, versions: Iterable[str] = ()) -> None:
    """Give a bare repository a commit of these files, which is the task's branch and is tagged as each version."""
    objects, commit = _committed(tuple(files.items()))
    shutil.copytree(objects, repository / "objects", dirs_exist_ok=True)
    for ref in (f"heads/{task}", *(f"tags/{task}/{version}" for version in versions)):
        path = repository / "refs" / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{commit}\n")


@cache
def _committed(files: Files) -> tuple[Path, str]:
    """The folder of a commit's objects, and the commit."""
    folder = Path(tempfile.mkdtemp(prefix="walle-pushed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = WorkingCopy(folder, remote=str(folder))
    commit = copy.commit(dict(files))
    return folder / ".git" / "objects", commit
