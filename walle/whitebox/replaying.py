"""Replay the samples of an archive: what its plan predicts for them, beside what the library that trained it does."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Sequence
from math import isclose, isnan
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from walle.whitebox.archive import SAMPLES, ArchiveFiles, Sample, parameter_path, read_archive, read_samples
from walle.whitebox.compiling import ExecutablePlan, Prediction, RecordRefused, compile_plan
from walle.whitebox.oven import plan_archive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from walle.whitebox.graph import Parameter

NEAR: Final = 1e-6
"""How far a number may be from the one that is expected, relative to it and absolutely."""
_SHOWN: Final = 20

Outcome = Prediction | RecordRefused


def replay(files: ArchiveFiles, engine: str) -> dict[str, Any]:
    """Return the samples with where an engine differs from them, and what they took; `problem` if it cannot run.

    Raises walle.schema.Malformed.
    """
    archive = read_archive(files)
    if not any(entry.path == SAMPLES for entry in files.entries()):
        return {"problem": f"the archive has no {SAMPLES} to compare with"}
    samples = read_samples(files.read(SAMPLES), archive.graph)

    def read(parameter: Parameter) -> NDArray[Any]:
        whole = np.frombuffer(files.read(parameter_path(parameter.digest)), parameter.dtype).reshape(parameter.shape)
        return whole[..., parameter.start : parameter.stop] if parameter.shape else whole

    try:
        plan = compile_plan(plan_archive(archive), archive.statistics).bind(read)
    except ValueError as error:
        return {"problem": str(error)}
    predict = _in_a_batch if engine == "batch" else _one_by_one
    predict(plan, samples[:1])  # loads the kernels
    results = [_result(number, *each) for number, each in enumerate(zip(samples, predict(plan, samples), strict=True))]
    return {"samples": results, "peak_memory_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def _one_by_one(plan: ExecutablePlan, samples: Sequence[Sample]) -> list[tuple[Outcome, float, float]]:
    """Return for each sample what is predicted, with its milliseconds, on the clock and of the processor.

    Those of the process stand still between two ticks while the kernel watches its limit.
    """
    vectors, found = plan.vectors(1), []
    for sample in samples:
        began, used = perf_counter(), thread_time()
        try:
            outcome: Outcome = plan.predict(dict(sample.record), vectors)
        except RecordRefused as refusal:
            outcome = refusal
        found.append((outcome, 1000 * (perf_counter() - began), 1000 * (thread_time() - used)))
    return found


def _in_a_batch(plan: ExecutablePlan, samples: Sequence[Sample]) -> list[tuple[Outcome, float, float]]:
    """Return the same for all samples as one batch; the milliseconds of each are its part of those of all."""
    began, used = perf_counter(), thread_time()
    batch = plan.parse([dict(sample.record) for sample in samples])
    plan.run_batch(batch, plan.vectors(len(samples)))
    outcomes = plan.predictions(batch)
    clock, processor = (1000 * took / len(samples) for took in (perf_counter() - began, thread_time() - used))
    return [(outcome, clock, processor) for outcome in outcomes]


def _result(number: int, sample: Sample, predicted: tuple[Outcome, float, float]) -> dict[str, Any]:
    outcome, milliseconds, processor_ms = predicted
    refused = isinstance(outcome, RecordRefused)
    return {
        "name": f"sample {number + 1}",
        "error_class": type(outcome).__name__ if refused else None,
        "message": str(outcome) if refused else None,
        "mismatches": [] if isinstance(outcome, RecordRefused) else list(_mismatches(sample, outcome))[:_SHOWN],
        "duration_ms": milliseconds,
        "cpu_ms": processor_ms,
    }


def _mismatches(sample: Sample, predicted: Prediction) -> Iterator[str]:
    """Yield where a prediction differs from the outputs of a sample."""
    for name, expected in sample.outputs.items():
        found = getattr(predicted, name)
        if isinstance(expected, tuple):
            numbers = found if isinstance(found, tuple) else () if found is None else (found,)
            if len(numbers) != len(expected):
                yield f"{name}: expected {len(expected)} numbers, found {len(numbers)}"
                continue
            for place, (wanted, got) in enumerate(zip(expected, numbers, strict=True)):
                if not _is_near(wanted, got):
                    yield f"{name}[{place}]: expected {wanted!r}, found {got!r}"
        elif found != expected:
            yield f"{name}: expected {expected!r}, found {found!r}"


def _is_near(wanted: float, got: float) -> bool:
    return isclose(wanted, got, rel_tol=NEAR, abs_tol=NEAR) or (isnan(wanted) and isnan(got))
