"""Compiling kernels ahead of time: once for each version of them and each processor, into a folder that later processes
load from.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from walle.whitebox import ngram_table

Execute = Callable[[int, int, int, int, int], int]
"""Runs a program (`walle.whitebox.kernels.execution.execute`): its address, the words of its first and behind its last
instruction, the address of the frame, and that of a batch or 0. It lets go of the interpreter's lock.
"""


@cache
def load_kernels() -> Execute:
    """Return the kernels, compiled. The first process of a machine compiles for some seconds while others wait for it.

    Later ones load what it compiled, in less than a second.
    """
    import numba

    config: Any = numba.config
    given, folder = config.CACHE_DIR, cache_folder()
    config.CACHE_DIR = str(folder)
    try:
        with (folder / "lock").open("w") as lock:
            flock(lock, LOCK_EX)
            from walle.whitebox.kernels.execution import execute
    finally:
        config.CACHE_DIR = given
    loaded: Execute = execute
    return loaded


def cache_folder() -> Path:
    """Return the folder of this version's compiled kernels, which exists.

    It lies in NUMBA_CACHE_DIR if that is set, else in the user's folder for caches. Where neither can be written, it is
    a new temporary one, and each process compiles for itself.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = (Path(given) if given else caches / "walle") / f"kernels-{sources_digest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="walle-kernels-"))
    return folder if os.access(folder, os.W_OK) else Path(tempfile.mkdtemp(prefix="walle-kernels-"))


def sources_digest() -> str:
    """Return a digest of all that kernels are compiled from: numba itself looks at the file of the outermost one
    only.
    """
    digest = sha256()
    for path in (*sorted(Path(__file__).parent.glob("*.py")), Path(ngram_table.__file__)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
