"""Runs a program where there is nothing but a few folders, the C library, and shared libraries that are named.

python tests/support/alone.py ROOT '{"folders": {"/build": "/host/folder"}, "libraries": ["libz.so.1"]}' PROGRAM ...

ROOT is an empty folder that becomes the root of the program's file system. Processes and loopback network are shared
with the host, whose files are out of reach. Exits with the program's status.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from walle.container.worker import linux

FOLDERS_OF_THE_SYSTEM = [
    *(f"{root}/{linux.MACHINE}-linux-gnu" for root in ("/lib", "/usr/lib")),
    *("/lib64", "/usr/lib64", "/lib", "/usr/lib"),
]
DEVICES = ("null", "zero", "random", "urandom")


def run_alone(
    root: Path, folders: Mapping[str, Path], libraries: Iterable[str], *command: str, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a program of one of the folders, which are named by where they are inside; `given` is its standard input."""
    root.mkdir()
    place = json.dumps({"folders": {inside: str(path) for inside, path in folders.items()}, "libraries": [*libraries]})
    words = [sys.executable, "-m", "tests.support.alone", str(root), place, *command]
    repository = Path(__file__).parents[2]
    return subprocess.run(words, input=given, cwd=repository, capture_output=True, text=True, timeout=300, check=False)


def main(root: str, place: str, *command: str) -> None:
    wanted = json.loads(place)
    owner = 0 if os.geteuid() == 0 else linux.CLONE_NEWUSER
    linux.unshare(linux.CLONE_NEWNS | owner)
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", root, "tmpfs")
    for library in wanted["libraries"]:
        _copy(root, library)
    for inside, path in {**wanted["folders"], "/proc": "/proc"}.items():
        os.makedirs(root + inside)
        linux.mount(path, root + inside, flags=linux.MS_BIND | linux.MS_REC)
    for folder in ("/tmp", "/dev"):
        os.makedirs(root + folder)
    for name in DEVICES:
        Path(f"{root}/dev/{name}").touch()
        linux.mount(f"/dev/{name}", f"{root}/dev/{name}", flags=linux.MS_BIND)
    os.chdir(root)
    linux.pivot_root(".", ".")
    linux.unmount(".", linux.MNT_DETACH)
    os.chdir("/")
    os.execve(command[0], command, {})


def _copy(root: str, library: str) -> None:
    """A shared library of the host, at each place where programs look for it."""
    for found in (Path(folder, library) for folder in FOLDERS_OF_THE_SYSTEM):
        if found.exists():
            target = Path(root + str(found))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(found.read_bytes())
            target.chmod(0o755)


if __name__ == "__main__":
    main(*sys.argv[1:])
