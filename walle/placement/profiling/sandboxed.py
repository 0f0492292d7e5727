"""Measures a workflow's operators in a sandbox: their code is a stranger's, and so is what it says of itself.

Nothing of it is loaded in this process. What comes back are a few numbers for each question, which are checked here.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

from walle.container.result import SANDBOX_ERROR, SandboxError
from walle.container.samples import SampleRun
from walle.placement.processor.code_document import CodeDocument
from walle.placement.processor.operators import CodeUnusable
from walle.placement.profiling.measuring import OutputSize
from walle.placement.profiling.models import Selection
from walle.placement.profiling.vm import JOB_FILE
from walle.placement.profiling.workers import PERCENTILES

CODE_FOLDER: Final = "code"
"""Where the workflow's files lie below a VM's folder."""
MEMORY_MB: Final = 2048
QUESTION_MS: Final = 120_000
"""What one question may take: an operator on all validation data under one selection of models, and those before it."""
IDLE_S: Final = 60.0
_LIBRARY: Final = Path(__file__).resolve().parents[2]
_PARTS: Final = ("placement", "protocol", "schema")
"""The packages of walle that `walle.placement.profiling.vm` needs."""
_OUTPUT_KB: Final = 4


def lay_out_measuring(
    folder: Path, document: Mapping[str, Any], *, code_file: str, modules: Collection[str], budget_s: float
) -> dict[str, Any]:
    """Write what measures into a folder that has a workflow's files below CODE_FOLDER; return the sandbox's manifest.

    `document` is a problem's, `code_file` the path of its code among those files, `modules` what that imports from
    outside, `budget_s` what each model is timed for.
    """
    shutil.copytree(_LIBRARY, folder / _LIBRARY.name, ignore=_all_but_parts)
    job = {"document": dict(document), "code": f"{CODE_FOLDER}/{code_file}", "budget_s": budget_s}
    (folder / JOB_FILE).write_text(json.dumps(job), "utf-8")
    return {
        "entry_point": "walle.placement.profiling.vm:run",
        "inputs": {"what": {"type": "text"}, "name": {"type": "text"}, "selection": {"type": "object"}},
        "outputs": {"numbers": {"type": "list"}},
        "limits": {"time_ms": QUESTION_MS, "memory_mb": MEMORY_MB, "output_kb": _OUTPUT_KB},
        "requires": {"modules": sorted(modules)},
        "files": [],
        "vm": {"keep": True, "idle_s": IDLE_S, "held_mb": MEMORY_MB},
    }


def _all_but_parts(folder: str, names: list[str]) -> set[str]:
    """Return what is not copied of a folder of walle: all but Python sources and the packages that are needed."""
    if Path(folder) == _LIBRARY:
        return {name for name in names if name not in (*_PARTS, "__init__.py")}
    return {name for name in names if not name.endswith(".py") and not Path(folder, name).is_dir()} | {"__pycache__"}


class SandboxedMeasuring:
    """Asks VMs of a sandbox, one question at a time. `before_each` is called before each question, and may raise.

    Raises CodeUnusable where the code fails or answers what cannot be, SandboxError where this machine does.
    """

    def __init__(
        self,
        run: SampleRun,
        folder: Path,
        manifest: Mapping[str, Any],
        code: CodeDocument,
        before_each: Callable[[], object] = lambda: None,
    ) -> None:
        self._run, self._folder, self._manifest, self._before_each = run, folder, manifest, before_each
        self.metrics: Collection[str] = code.metrics.keys()

    def accuracy(self, operator: str, selection: Selection) -> float:
        return self._asked("accuracy", operator, selection, 1, least=-math.inf)[0]

    def size(self, name: str, selection: Selection) -> OutputSize:
        return OutputSize(*self._asked("size", name, selection, len(OutputSize._fields)))

    def percentiles_ms(self, operator: str, selection: Selection) -> Mapping[str, float]:
        found = self._asked("latency", operator, selection, len(PERCENTILES))
        return {f"p{each}": value for each, value in zip(PERCENTILES, found, strict=True)}

    def _asked(self, what: str, name: str, selection: Selection, count: int, least: float = 0.0) -> list[float]:
        """Return the answer to a question: so many finite numbers of at least `least`."""
        self._before_each()
        result = self._run(self._folder, self._manifest, {"what": what, "name": name, "selection": dict(selection)})
        if result.error_class == SANDBOX_ERROR:
            raise SandboxError(result.message or "the sandbox failed")
        if not result.ok or result.output is None:
            raise CodeUnusable(f"{what} of {name}: {result.error_class}: {result.message}")
        found = result.output["numbers"]
        if len(found) != count or not all(_is_number(each) and each >= least for each in found):
            bound = "" if least == -math.inf else f", none below {least:g}"
            raise CodeUnusable(f"{what} of {name}: expected numbers, {count} of them{bound}")
        return [float(each) for each in found]


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)
