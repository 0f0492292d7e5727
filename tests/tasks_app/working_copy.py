"""A developer's clone, driven through the real git client."""

import os
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-05-01T10:00:00+02:00",
    "GIT_COMMITTER_DATE": "2026-05-01T10:00:00+02:00",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
}

TASK = """\
[task]
description = "Doubles a number"
entry_point = "main:run"

[inputs.number]
type = "number"

[outputs.double]
type = "number"

[trigger]
every_s = 5

[[samples]]
name = "one"
input = { number = 1 }
[samples.expect]
double = { equals = 2 }
"""
MAIN = "def run(inputs, context):\n    return {'double': 2 * inputs['number']}\n"
# The same with a file whose content depends on the device, and files that do not travel.
EXCLUSIVE = (
    TASK
    + """
[files]
exclude = ["README.md", "train/**"]
[[files.exclusive]]
path = "prefs.json"
template = "{age_band}"
default = "defaults/prefs.json"
"""
)
GOOD = {"task.toml": TASK, "main.py": MAIN, "model.bin": b"\x00\x01" * 600}


class GitFailed(Exception):
    """git ended with an error; `output` is all it said."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


class WorkingCopy:
    """A repository with a work tree in `folder` and one remote."""

    def __init__(self, folder: Path, *, remote: str, clone: bool = False) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        if clone:
            self.git("clone", "--quiet", remote, ".")
        else:
            self.git("init", "--quiet", "--initial-branch=digits")
            self.git("remote", "add", "origin", remote)

    def git(self, *arguments: str, **environment: str) -> str:
        """Run git; returns stdout and stderr together, raises GitFailed with them."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**os.environ, **IDENTITY, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            raise GitFailed(output)
        return output

    def write(self, files: dict[str, str | bytes]) -> None:
        for path, content in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: dict[str, str | bytes], message: str = "Work") -> str:
        """Commit these files on the present branch; returns the commit."""
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def branch(self, name: str) -> None:
        self.git("checkout", "--quiet", "-B", name)

    def orphan(self, name: str) -> None:
        """A new branch without history or files."""
        self.git("checkout", "--quiet", "--orphan", name)
        self.git("rm", "-rfq", "--ignore-unmatch", ".")

    def tag(self, name: str, message: str | None = None) -> None:
        options = ["-a", "-m", message] if message else []
        self.git("tag", *options, name)

    def push(self, *refs: str, **environment: str) -> str:
        return self.git("push", "origin", *refs, **environment)
