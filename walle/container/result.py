"""What came of a run, and the small vocabulary of error classes (docs/task-format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from walle.protocol.reports import Start

Outcome = Literal["success", "failure"]

# Classes with a fixed name. Beside them: exception:<TypeName>, crashed:<SIGNAL> and crashed:exit-<status>.
TIMEOUT: Final = "timeout"
MEMORY_LIMIT: Final = "memory-limit"
INPUT_INVALID: Final = "input-invalid"
OUTPUT_INVALID: Final = "output-invalid"
OUTPUT_TOO_LARGE: Final = "output-too-large"
IMPORT_MISSING: Final = "import-missing"
ENTRY_POINT_MISSING: Final = "entry-point-missing"
SANDBOX_ERROR: Final = "sandbox-error"


class SandboxError(Exception):
    """This machine cannot run tasks, or not now; no fault of the task."""


@dataclass(frozen=True)
class RunResult:
    """One run of a task.

    `error_class` and `message` are there for a failure, `output` for a success. `duration_ms` is wall-clock time
    from the loading of the task's code, or in a warm run from the call of its entry point, to its end; `cpu_ms` the
    processor time of the run, of a cold one with its set-up; `peak_memory_kb` the largest resident memory that its
    process ever had, the interpreter included. `enforced` says what enforced each kind of isolation (files, network,
    processes, user, threads, memory, time, calls). `start` is warm for a run in a VM that was kept from an earlier one.
    `vm_end` says, once, why the VM that had been kept before ended; `held_mb` is what a kept VM holds now.
    `backends` say which one of the tensor engine's ran each of the declared models that the run used.
    """

    outcome: Outcome
    error_class: str | None = None
    message: str | None = None
    output: Mapping[str, Any] | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    logs: str = ""
    duration_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_kb: int = 0
    enforced: Mapping[str, str] = field(default_factory=dict)
    start: Start = "cold"
    vm_end: str | None = None
    held_mb: float | None = None
    backends: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.outcome == "success"


def failure(error_class: str, message: str) -> RunResult:
    """The result of a run that did not take place."""
    return RunResult("failure", error_class, message)
