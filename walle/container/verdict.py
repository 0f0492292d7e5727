"""From what came back of a run to its result. The answer is a task's own word: it is checked like any input."""

from __future__ import annotations

import json
import math
import os
import re
import signal
from collections.abc import Mapping
from typing import Any, Final

from walle.container.result import (
    ENTRY_POINT_MISSING,
    IMPORT_MISSING,
    MEMORY_LIMIT,
    OUTPUT_INVALID,
    OUTPUT_TOO_LARGE,
    SANDBOX_ERROR,
    TIMEOUT,
    RunResult,
)
from walle.container.runtime import Runtime
from walle.container.tensors import OutputMemory, check_finite
from walle.container.vm import RunExchange
from walle.container.worker.linux import signal_name
from walle.container.worker.wire import LENGTH
from walle.protocol.reports import is_backend
from walle.protocol.values import check_values

_MESSAGE: Final = 2000
_EXCEPTION: Final = re.compile(r"exception:[A-Za-z_][A-Za-z0-9_]{0,79}")
_TOLD_BY_TASKS: Final = frozenset({MEMORY_LIMIT, OUTPUT_INVALID, OUTPUT_TOO_LARGE, IMPORT_MISSING, ENTRY_POINT_MISSING})


class _Failure(Exception):
    def __init__(self, error_class: str, message: str) -> None:
        super().__init__(message)
        self.error_class = error_class


def result_of(found: RunExchange, runtime: Runtime, outputs: OutputMemory | None = None) -> RunResult:
    """The result of a run, from the supervisor's report first and the task's answer second.

    `outputs` is the memory in which the task may have left output tensors, which are arrays of the result then.
    """
    report = found.report or {}
    metrics: dict[str, float] = {}
    backends: dict[str, str] = {}
    try:
        _check_report(found, runtime)
        answer, output = _parsed(found)
        metrics, backends = _metrics(answer, runtime), _backends(answer, runtime)
        _check_answer(answer)
        values = _checked_output(output, _shared(answer, outputs), runtime)
        verdict: dict[str, Any] = {"outcome": "success", "output": values}
    except _Failure as failed:
        message = _clean(str(failed))[:_MESSAGE]
        verdict = {"outcome": "failure", "error_class": failed.error_class, "message": message}
    return RunResult(
        **verdict,
        metrics=metrics,
        backends=backends,
        logs=_log(found),
        duration_ms=report.get("duration_ms", 0.0),
        cpu_ms=report.get("cpu_ms", 0.0),
        peak_memory_kb=report.get("peak_memory_kb", 0),
        enforced=report.get("enforced", {}),
    )


def _check_report(found: RunExchange, runtime: Runtime) -> None:
    """Raise what the supervisor saw from outside, before anything that the task says."""
    if found.report is None:
        raise _Failure(SANDBOX_ERROR, "the supervisor of the run went away")
    if found.is_too_large:
        raise _Failure(OUTPUT_TOO_LARGE, f"expected at most {runtime.output_kb} KB of output, found more")
    if found.report["timed_out"]:
        raise _Failure(TIMEOUT, f"the task ran longer than {runtime.time_ms} ms")
    if found.report["exceeded"] == "time":
        raise _Failure(TIMEOUT, f"the task used more processor time than its {runtime.time_ms} ms")
    if found.report["exceeded"] == "memory":
        raise _Failure(MEMORY_LIMIT, f"the task held more memory than its {runtime.memory_mb} MB")
    if found.report["exceeded"]:
        raise _Failure(MEMORY_LIMIT, "the task kept more in its scratch folder than that may hold")
    if found.report["failure"]:
        raise _Failure(SANDBOX_ERROR, found.report["failure"])
    # A kept VM that has answered lives on, or is ended for a reason of its own.
    status = found.report["status"] or 0
    if os.WIFSIGNALED(status):
        _raise_signal(os.WTERMSIG(status), runtime)
    if os.WEXITSTATUS(status) != 0 or not found.answer.content:
        raise _Failure(f"crashed:exit-{os.WEXITSTATUS(status)}", "the process of the task ended without an answer")


def _raise_signal(number: int, runtime: Runtime) -> None:
    if number == signal.SIGXCPU:
        raise _Failure(TIMEOUT, f"the task used more processor time than its {runtime.time_ms} ms")
    name = signal_name(number)
    raise _Failure(f"crashed:{name}", f"the process of the task was ended by {name}")


def _parsed(found: RunExchange) -> tuple[dict[str, Any], bytes]:
    if len(found.answer.content) != found.expected:
        raise _Failure(OUTPUT_INVALID, "the task's answer is not as long as it says")
    line, _, output = bytes(found.answer.content[LENGTH.size :]).partition(b"\n")
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _Failure(OUTPUT_INVALID, "the task's answer cannot be read") from error
    if not isinstance(answer, dict):
        raise _Failure(OUTPUT_INVALID, "the task's answer cannot be read")
    return answer, output


def _metrics(answer: Mapping[str, Any], runtime: Runtime) -> dict[str, float]:
    """The declared, finite ones of the metrics."""
    told = answer.get("metrics")
    items = told.items() if isinstance(told, dict) else ()
    return {
        name: value
        for name, value in items
        if name in runtime.metrics and isinstance(value, float) and math.isfinite(value)
    }


def _backends(answer: Mapping[str, Any], runtime: Runtime) -> dict[str, str]:
    """The backends of declared models that are named as backends are."""
    told = answer.get("backends")
    items = told.items() if isinstance(told, dict) else ()
    return {name: value for name, value in items if name in runtime.models and is_backend(value)}


def _check_answer(answer: Mapping[str, Any]) -> None:
    told = answer.get("error_class")
    if told is None:
        return
    known = isinstance(told, str) and (told in _TOLD_BY_TASKS or _EXCEPTION.fullmatch(told))
    raise _Failure(told if known else "exception:Exception", str(answer.get("message", "")))


def _shared(answer: Mapping[str, Any], outputs: OutputMemory | None) -> dict[str, Any]:
    """The output tensors that the task says it has left in shared memory."""
    names = answer.get("tensors")
    if outputs is None or not isinstance(names, list):
        return {}
    return {name: outputs.array(name) for name in names if isinstance(name, str) and name in outputs.names}


def _checked_output(output: bytes, shared: Mapping[str, Any], runtime: Runtime) -> dict[str, Any]:
    if len(output) > runtime.output_kb * 1024:
        raise _Failure(
            OUTPUT_TOO_LARGE, f"expected at most {runtime.output_kb} KB of output, found {len(output)} bytes"
        )
    try:
        values = json.loads(output)
    except (ValueError, RecursionError) as error:
        raise _Failure(OUTPUT_INVALID, f"the output cannot be read: {error}") from error
    declared = {name: declaration for name, declaration in runtime.outputs.items() if name not in shared}
    if mismatches := [*check_values(declared, values), *check_finite(shared)]:
        raise _Failure(OUTPUT_INVALID, "; ".join(map(str, mismatches)))
    return {**values, **shared}


def _clean(text: str) -> str:
    """Without what no database or wire takes: lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _log(found: RunExchange) -> str:
    text = _clean(found.log.content.decode("utf-8", "replace"))
    return f"{text}\n... and {found.log.dropped} bytes more" if found.log.dropped else text
