"""Look at an archive in a process of its own, with limits on its memory and time: archives come from strangers.

Nothing in an archive is code, but what reads and compiles one is large, and may be led to take more than is there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, Literal

MEMORY_BYTES: Final = 4 << 30
CPU_S: Final = 120
TIME_S: Final = 300.0
MOST_ANSWER: Final = 16 << 20
"""The most bytes that a process may answer."""
_END: Final = 2000

Engine = Literal["request-response", "batch"]
ENGINES: Final[tuple[Engine, ...]] = ("request-response", "batch")


class ExaminationFailed(Exception):
    """An archive cannot be examined; the text says why."""


def explain(folder: Path) -> dict[str, Any]:
    """Return how the archive in a folder is compiled (walle.whitebox.examiner). Raises ExaminationFailed."""
    return _examine("explain", str(folder))


def replay(folder: Path, engine: Engine) -> dict[str, Any]:
    """Return what an engine predicts for the samples of the archive in a folder, and where it differs from theirs.

    Raises ExaminationFailed.
    """
    return _examine("replay", str(folder), engine)


def _examine(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "walle.whitebox.examiner", str(MEMORY_BYTES), str(CPU_S), *arguments]
    with TemporaryFile() as answer, TemporaryFile() as errors:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=answer, stderr=errors, env=_environment(), timeout=TIME_S,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ExaminationFailed(f"it took longer than {TIME_S:g} s") from None
        if done.returncode != 0:
            raise ExaminationFailed(f"its process ended with {done.returncode}: {_last_line(errors)}")
        answer.seek(0)
        content = answer.read(MOST_ANSWER + 1)
    if len(content) > MOST_ANSWER:
        raise ExaminationFailed(f"its answer is larger than {MOST_ANSWER} bytes")
    found: dict[str, Any] = json.loads(content)
    if problem := found.get("problem"):
        raise ExaminationFailed(problem)
    return found


def _environment() -> dict[str, str]:
    """Return the environment of the process: no secrets, and one thread for each library."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "NUMBA_CACHE_DIR") if name in os.environ}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **threads, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _last_line(errors: Any) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace")[-_END:].strip().splitlines()
    return lines[-1] if lines else "it said nothing"
