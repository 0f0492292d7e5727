"""The folders that a run needs on the host: a bundle it can read but not write, and a scratch folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any


def grant_reading(bundle: Path) -> None:
    """Let every user read the files of a bundle that belongs to us; links are left alone."""
    for folder, _, files in os.walk(bundle):
        _grant(folder, 0o555)
        for name in files:
            _grant(os.path.join(folder, name), 0o444)


def _grant(path: str, wanted: int) -> None:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode) or mode & wanted == wanted:
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        os.fchmod(handle, stat.S_IMODE(mode) | wanted)
    finally:
        os.close(handle)


@contextmanager
def staged(bundle: Path, uid: int | None) -> Iterator[tuple[Path, Path]]:
    """A bundle and a scratch folder for a run without a root of its own; removed afterwards.

    For another user the bundle is copied, because that user may not be able to reach it where it is.
    """
    folder, owner = Path(tempfile.mkdtemp(prefix="walle-run-")), os.getpid()
    try:
        scratch = folder / "scratch"
        scratch.mkdir(mode=0o700)
        if uid is not None:
            folder.chmod(0o755)
            os.chown(scratch, uid, uid)
            # Links stay links: followed here, they would be followed with our rights.
            shutil.copytree(bundle, folder / "bundle", symlinks=True)
            grant_reading(folder / "bundle")
            bundle = folder / "bundle"
        yield bundle, scratch
    finally:
        # A fork of our own process that ends must not take it away from the parent.
        if os.getpid() == owner:
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder of runs with all that is in it, if it is still there."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder, onerror=partial(_make_removable, str(folder)))


def _make_removable(folder: str, remove: Callable[..., Any], path: str, _error: Any) -> None:
    """A task may have taken the permissions of its folders away from us; what is around `folder` is left alone."""
    for target in (os.path.dirname(path), path):
        if os.path.isdir(target) and not os.path.islink(target) and f"{target}/".startswith(f"{folder}/"):
            os.chmod(target, 0o700)
    if remove is os.open or remove is os.scandir or remove is os.lstat:
        shutil.rmtree(path)
    else:
        remove(path)
