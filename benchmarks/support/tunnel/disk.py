"""The measured limit of this disk: how often a second a small write can be made durable."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np

_PAGE = bytes(8192)
"""As much as PostgreSQL writes to its log for a small transaction."""


def sync_seconds(folder: Path, seconds: float) -> np.ndarray:
    """Return what each fdatasync after a write of one page took, one after the other for so many seconds."""
    found: list[float] = []
    with tempfile.TemporaryFile(dir=folder) as file:
        # Beforehand as large as it becomes, as the segments of a log are: only its content has to be written.
        file.truncate(16 << 20)
        file.write(bytes(16 << 20))
        os.fsync(file.fileno())
        end = time.perf_counter() + seconds
        while (began := time.perf_counter()) < end or not found:
            os.pwrite(file.fileno(), _PAGE, len(found) % 2048 * len(_PAGE))
            os.fdatasync(file.fileno())
            found.append(time.perf_counter() - began)
    return np.array(found)
