"""Runs a command where every user can read the interpreter, optionally as another user.

An interpreter below a private home (root's, for one) is out of reach for other users. In a mount namespace of
its own, this program puts an open folder in the place of each closed one above the interpreter, with nothing in
it but the way there. Usage, as root: `python reachable.py <uid> <command> ...`; uid 0 stays root.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from walle.container.worker import linux


def open_the_way(target: Path) -> None:
    """Let every user pass to a folder, in this process and those it starts."""
    closed = next((parent for parent in reversed(target.parents) if not parent.stat().st_mode & 0o001), None)
    if closed is None:
        return
    aside = tempfile.mkdtemp()
    linux.mount(str(target), aside, flags=linux.MS_BIND)
    linux.mount("tmpfs", str(closed), "tmpfs", data="mode=0755")
    target.mkdir(parents=True)
    linux.mount(aside, str(target), flags=linux.MS_BIND)
    linux.unmount(aside, linux.MNT_DETACH)
    os.rmdir(aside)


def main() -> None:
    uid = int(sys.argv[1])
    linux.unshare(linux.CLONE_NEWNS)
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    open_the_way(Path(sys.base_prefix).resolve())
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
