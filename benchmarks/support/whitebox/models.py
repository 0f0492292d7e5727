"""The folder of trained pipelines, which BENCH_MODELS names: training all of them takes longer than measuring them.

What is trained depends on the scale of the run and on the code of the generators, so each gets a folder of its own.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import joblib

Part = TypeVar("Part")

VARIABLE: Final = "BENCH_MODELS"
_HERE: Final = Path(__file__).parent
_DETERMINE: Final = ("reviews.py", "events.py", "sentiment.py", "attendance.py")
"""The modules that determine what is trained."""


def models_folder() -> Path:
    """Return the folder of this code's trained parts, which is made if need be."""
    home = os.environ.get(VARIABLE) or str(Path.home() / ".cache" / "walle-benchmarks")
    code = hashlib.sha256(b"".join((_HERE / name).read_bytes() for name in _DETERMINE)).hexdigest()[:12]
    folder = Path(home) / code
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
