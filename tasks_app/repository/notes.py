"""Notes of git on commits of versions, under the reference `refs/notes/releases`.

`git log --notes=releases` shows them. Each change of a note is a commit that the server signs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from git import Git
from git.exc import GitCommandError

from devices_app.services.keys import GIT_SIGNER
from tasks_app.repository.reading import NO_COMMIT, Repository, RepositoryError
from tasks_app.repository.storage import opened
from walle.protocol.names import check_commit

NOTES: Final = "refs/notes/releases"
# Notes are made here first: whoever is killed between writing and signing leaves nothing behind that counts.
_UNSIGNED: Final = "refs/notes/walle-unsigned"
_NAME: Final = "Walle"

Sign = Callable[[bytes], str]


class RepositoryBusy(RepositoryError):
    """A push is being decided or applied."""


def write_note(repository: Repository, commit: str, text: str, *, now: datetime, sign: Sign) -> bool:
    """Let the note on a commit be this text; return whether that changed it.

    `sign` returns the armoured signature of a commit's content. Raises RepositoryBusy while a push is under way.
    """
    with repository.exclusive_if_free() as free, _git(repository, now) as git:
        if not free:
            raise RepositoryBusy(f"a push to {repository.slug} is under way")
        if _note(git, commit) == text.strip():
            return False
        repository.clear_stale_locks()
        before = _tip(git)
        git.update_ref(_UNSIGNED, before) if before else git.update_ref("-d", _UNSIGNED)
        with _as_file(text.encode()) as file:
            git.notes(f"--ref={_UNSIGNED}", "add", "--force", f"--file={file}", check_commit(commit))
        git.update_ref(NOTES, _signed(git, git.rev_parse(_UNSIGNED), sign), before or NO_COMMIT)
        git.update_ref("-d", _UNSIGNED)
    return True


def _note(git: Git, commit: str) -> str:
    try:
        text: str = git.notes(f"--ref={NOTES}", "show", check_commit(commit))
    except GitCommandError as error:
        if error.status == 1:
            return ""
        raise RepositoryError(f"cannot read the note on {commit}") from error
    return text.strip()


def _tip(git: Git) -> str:
    found: str = git.for_each_ref("--format=%(objectname)", NOTES)
    return found


def _signed(git: Git, commit: str, sign: Sign) -> str:
    """Return the same commit with a signature in its head."""
    content: bytes = git.cat_file("commit", commit, stdout_as_string=False, strip_newline_in_stdout=False)
    head, _, message = content.partition(b"\n\n")
    signature = sign(content).replace("\n", "\n ")
    with _as_file(head + b"\ngpgsig " + signature.encode() + b"\n\n" + message) as file:
        written: str = git.hash_object("-t", "commit", "-w", file)
    return written


@contextmanager
def _git(repository: Repository, now: datetime) -> Iterator[Git]:
    with opened(repository.path) as repo:
        for part in ("AUTHOR", "COMMITTER"):
            who = {f"GIT_{part}_NAME": _NAME, f"GIT_{part}_EMAIL": GIT_SIGNER}
            repo.git.update_environment(**who, **{f"GIT_{part}_DATE": now.isoformat()})
        yield repo.git


@contextmanager
def _as_file(content: bytes) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="walle-note-") as folder:
        path = Path(folder, "content")
        path.write_bytes(content)
        yield str(path)
