"""The code of an earlier commit, unpacked, whose processes run with this environment's packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

from walleweb.config import BASE_DIR

MIGRATIONS = ":(glob)*/migrations/*.py"


def before_the_newest_migration() -> str | None:
    """The commit before the schema last changed, or the one before this if other packages are required since.

    None where there is none such: in a clone without history, and where the packages change with the present commit.
    """
    if _git("status", "--porcelain", "--", MIGRATIONS):
        found = ["HEAD", "HEAD^"]
    else:
        # Of a merge, what the branch brought counts as one.
        newest = _git("log", "-1", "--first-parent", "-m", "--format=%H", "--", MIGRATIONS)
        found = [f"{newest.strip()}^", "HEAD^"] if newest else []
    return next((commit for commit in found if _has_these_packages(commit)), None)


def unpack(commit: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(("git", "archive", commit), cwd=BASE_DIR, capture_output=True, check=True).stdout
    subprocess.run(("tar", "-x", "-C", str(folder)), input=archive, check=True)


def _has_these_packages(commit: str) -> bool:
    return _git("show", f"{commit}:requirements.txt") == (BASE_DIR / "requirements.txt").read_text()


def _git(*arguments: str) -> str:
    """What git prints; nothing where it fails."""
    done = subprocess.run(("git", *arguments), cwd=BASE_DIR, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""
