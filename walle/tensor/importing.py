"""Import and plan a model in a process of its own, with limits on its memory and time: models come from strangers.

No model is code and nothing is unpickled, but what parses, translates and plans one is large. What that process writes
is the file of a graph, which is read as one of a stranger too.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, Final

from walle.container.child_process import clean_environment, last_line
from walle_task.tensor import load
from walle_task.tensor.faults import Fault, GraphMalformed
from walle_task.tensor.graph import Graph
from walle_task.tensor.model_file import ModelFileMalformed

__all__ = ["GraphMalformed", "ImportFailed", "ModelFileMalformed", "ModelRefused", "import_onnx", "plan_file"]

MEMORY_BYTES: Final = 4 << 30
CPU_S: Final = 120
TIME_S: Final = 300.0
MOST_MODEL: Final = 512 << 20
"""The most bytes of the file of a model."""
MOST_OUTPUT: Final = 1 << 30
"""The most bytes of the file of its graph."""
MOST_ANSWER: Final = 1 << 20
"""The most bytes that the process may answer."""


class ImportFailed(Exception):
    """Nobody knows whether a model can be imported, as its process ended otherwise; the text says how."""


class ModelRefused(ValueError):
    """A file is no model that can be imported; the text says why."""


def import_onnx(model: Path, output: Path, seconds: float = TIME_S) -> Graph:
    """Write the graph of an ONNX model into a file, and return it as that file has it.

    Files beside the model are read where it refers to them. Raises OSError, ModelRefused, GraphMalformed with all
    faults, and ImportFailed, also after so many `seconds`.
    """
    size = model.stat().st_size
    if size > MOST_MODEL:
        raise ModelRefused(f"expected a model of at most {MOST_MODEL} bytes, found {size}")
    with TemporaryDirectory(dir=output.parent, prefix=".import-") as folder:
        made = Path(folder, "graph")
        _refuse(_answer("walle.tensor.onnx.process", seconds, str(model.absolute()), str(made)))
        load(made)
        made.replace(output)
    return load(output)


def plan_file(
    model: Path, shapes: Mapping[str, Sequence[int]], *, exact: bool, keeps: bool, seconds: float = TIME_S
) -> dict[str, Any]:
    """Return how an imported model will run on devices (`walle.tensor.model_plans`).

    Raises OSError, ModelRefused for a file that is none of a model, GraphMalformed with all faults, and ImportFailed.
    """
    asked = json.dumps(
        {"shapes": {name: list(shape) for name, shape in shapes.items()}, "exact": exact, "keeps": keeps}
    )
    answer = _answer("walle.tensor.planning_process", seconds, str(model.absolute()), asked)
    _refuse(answer)
    plan: dict[str, Any] = answer["plan"]
    return plan


def _refuse(answer: dict[str, Any]) -> None:
    if faults := answer.get("faults"):
        raise GraphMalformed(Fault(**fault) for fault in faults)
    if problem := answer.get("problem"):
        raise ModelRefused(problem)


def _answer(module: str, seconds: float, *asked: str) -> dict[str, Any]:
    limits = (MEMORY_BYTES, CPU_S, MOST_OUTPUT)
    command = [sys.executable, "-m", module, *map(str, limits), *asked]
    with TemporaryFile() as answer, TemporaryFile() as errors:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=answer,
                stderr=errors,
                env=clean_environment(),
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ImportFailed(f"it took longer than {seconds:.3g} s") from None
        if done.returncode == -signal.SIGXCPU:
            raise ImportFailed(f"it took longer than {CPU_S} s of processor time")
        if done.returncode != 0:
            raise ImportFailed(f"its process ended with {done.returncode}: {last_line(errors)}")
        answer.seek(0)
        content = answer.read(MOST_ANSWER + 1)
    if len(content) > MOST_ANSWER:
        raise ImportFailed(f"its answer is larger than {MOST_ANSWER} bytes")
    found: dict[str, Any] = json.loads(content)
    return found
