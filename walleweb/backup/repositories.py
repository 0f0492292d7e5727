"""Write repositories of scenarios as git bundles: one file each, consistent while people push."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from django.conf import settings

from tasks_app.repository import create_repository, repository_path
from tasks_app.repository.storage import HERMETIC
from walleweb.backup import BackupError

# In the folder of repositories, until a restoration is complete. An old mark is ignored: the repositories beside it may
# have been pushed to since.
MARK: Final = "restoring"
MARK_LIVES_S: Final = 24 * 3600


def references(slug: str) -> str:
    """Return a digest of all references of a scenario's repository; empty if it has none."""
    listed = _git(repository_path(slug), "for-each-ref", "--format=%(objectname) %(refname)")
    return hashlib.sha256(listed.encode()).hexdigest() if listed else ""


def write_bundle(slug: str, target: Path) -> None:
    """Write everything that references of a repository lead to."""
    _git(repository_path(slug), "bundle", "create", "--quiet", str(target), "--all")


def check_repositories_absent(now: float) -> None:
    """Raise BackupError if there are repositories, other than those that a killed restoration left today."""
    folder = Path(settings.WALLE_GIT_DIR)
    mark = folder / MARK
    is_left = mark.exists() and now - mark.stat().st_mtime < MARK_LIVES_S
    if folder.is_dir() and any(folder.iterdir()) and not is_left:
        raise BackupError(f"{folder} is not empty: a backup is restored only into an empty place.")


def unpack(bundles: dict[str, Path | None]) -> None:
    """Create the repositories of these scenarios, from bundles or empty; they stay marked until `keep`."""
    folder = Path(settings.WALLE_GIT_DIR)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    (folder / MARK).touch()
    for slug, bundle in bundles.items():
        create_repository(slug)
        if bundle is not None:
            _git(repository_path(slug), "fetch", "--quiet", str(bundle), "+refs/*:refs/*")


def keep() -> None:
    """Remove the mark, because the restoration is complete."""
    (Path(settings.WALLE_GIT_DIR) / MARK).unlink()


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-c", f"safe.directory={repository}", *arguments]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", **HERMETIC}
    done = subprocess.run(
        command, cwd=repository, capture_output=True, text=True, check=False, env=environment, errors="replace"
    )
    if done.returncode != 0:
        raise BackupError(f"git {arguments[0]} failed in {repository}: {done.stderr.strip()}")
    return done.stdout
