"""Collecting takes each test process seconds of CPU time: what can be spared of it is spared here."""

from __future__ import annotations

import fcntl
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Look for no garbage in the block, nor afterwards among what the block made: modules and tests stay to the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


@contextmanager
def one_goes_ahead(folder: Path) -> Iterator[None]:
    """Of the processes that share a folder, the first one is through the block before the others enter it.

    It leaves the compiled test files and what Hypothesis reads of the sources, which each would make for itself. Where
    it dies, another one goes ahead.
    """
    done = folder / "collected"
    with (folder / "collecting").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            yield
            done.touch()
            return
    yield
