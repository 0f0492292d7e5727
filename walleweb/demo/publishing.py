"""Push a folder as a version of a task, with the real git client over HTTP, as a developer would."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

AUTHOR = {"NAME": "Ada Demo", "EMAIL": "ada@example.org"}


def push_version(server: str, token: str, task: str, version: str, folder: Path) -> str:
    """Commit the folder's content to the task's branch, tag it, push both; return git's output.

    Raises CalledProcessError whose `stderr` says why the server refused.
    """
    scenario, branch = task.split("/")
    with tempfile.TemporaryDirectory(prefix="walle-push-") as place:
        clone = Path(place) / scenario
        _git(Path(place), token, "clone", "-q", f"{server}/git/{scenario}.git", str(clone))
        known = _git(clone, token, "branch", "-r", "--list", f"origin/{branch}")
        _git(clone, token, "checkout", "-q", *(() if known else ("--orphan",)), branch)
        _replace_tree(clone, folder)
        _git(clone, token, "add", "--all")
        _git(clone, token, "commit", "-q", "-m", f"{branch} {version}")
        _git(clone, token, "tag", f"{branch}/{version}")
        return _git(clone, token, "push", "origin", branch, f"refs/tags/{branch}/{version}")


def _replace_tree(clone: Path, folder: Path) -> None:
    for entry in clone.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(folder, clone, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


def _git(place: Path, token: str, *arguments: str) -> str:
    """Return git's environment with the token: neither the command line nor the clone's settings contain it."""
    credentials = base64.b64encode(f"token:{token}".encode()).decode()
    settings = {"http.extraHeader": f"Authorization: Basic {credentials}", "init.defaultBranch": "main"}
    environment = {**os.environ, "GIT_CONFIG_COUNT": str(len(settings)), "GIT_TERMINAL_PROMPT": "0"}
    for index, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_{name}": value for name, value in AUTHOR.items()}
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True, text=True)
    return done.stdout + done.stderr
