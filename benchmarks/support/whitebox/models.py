"""The folder of trained pipelines, which BENCH_MODELS names: training all of them takes longer than measuring them.

What is trained depends on the scale of the run, which the names of parts say, and on the code of the generators, whose
REVISION has a folder of its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import joblib

Part = TypeVar("Part")

VARIABLE: Final = "BENCH_MODELS"
REVISION: Final = 1
"""To be raised with each change of what reviews.py, events.py, sentiment.py or attendance.py makes."""


def models_folder() -> Path:
    """Return the folder of this revision's trained parts, which is made if need be."""
    home = os.environ.get(VARIABLE) or str(Path.home() / ".cache" / "walle-benchmarks")
    folder = Path(home) / str(REVISION)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def kept(name: str, make: Callable[[], Part]) -> Part:
    """Return a trained part: that of the folder, or else one that is made now and kept for later runs."""
    path = models_folder() / f"{name}.joblib"
    if not path.exists():
        keep(path, make())
    part: Part = joblib.load(path)
    return part


def keep(path: Path, part: Any) -> None:
    """Write a part whole or not at all, so that a run that was stopped leaves none by half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder) / path.name
        joblib.dump(part, draft)
        draft.rename(path)
