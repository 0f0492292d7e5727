"""Look at an archive in a process of its own, with limits on its memory and time: archives come from strangers.

Nothing in an archive is code, but what reads and compiles one is large, and may be led to take more than is there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, Literal

from walle.container.child_process import clean_environment, last_line

MEMORY_BYTES: Final = 4 << 30
CPU_S: Final = 120
TIME_S: Final = 300.0
MOST_ANSWER: Final = 16 << 20
"""The most bytes that a process may answer."""

Engine = Literal["request-response", "batch"]
ENGINES: Final[tuple[Engine, ...]] = ("request-response", "batch")


class ExaminationFailed(Exception):
    """An archive cannot be examined; the text says why."""


class ArchiveRefused(ExaminationFailed):
    """An archive is none that can be compiled, whoever examines it, and however often."""


def explain(folder: Path) -> dict[str, Any]:
    """Return how the archive in a folder is compiled (walle.whitebox.examiner).

    Raises ArchiveRefused if it cannot be, and ExaminationFailed if nobody knows, as its process ended otherwise.
    """
    return _examine("explain", str(folder))


def replay(folder: Path, engine: Engine) -> dict[str, Any]:
    """Return what an engine predicts for the samples of the archive in a folder, and where it differs from theirs.

    Raises ExaminationFailed.
    """
    return _examine("replay", str(folder), engine)


def _examine(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "walle.whitebox.examiner", str(MEMORY_BYTES), str(CPU_S), *arguments]
    environment = clean_environment("NUMBA_CACHE_DIR")
    with TemporaryFile() as answer, TemporaryFile() as errors:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=answer, stderr=errors, env=environment, timeout=TIME_S,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ExaminationFailed(f"it took longer than {TIME_S:g} s") from None
        if done.returncode != 0:
            raise ExaminationFailed(f"its process ended with {done.returncode}: {last_line(errors)}")
        answer.seek(0)
        content = answer.read(MOST_ANSWER + 1)
    if len(content) > MOST_ANSWER:
        raise ExaminationFailed(f"its answer is larger than {MOST_ANSWER} bytes")
    found: dict[str, Any] = json.loads(content)
    if problem := found.get("problem"):
        raise ArchiveRefused(problem)
    return found
