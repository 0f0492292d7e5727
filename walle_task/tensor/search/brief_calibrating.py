"""The calibration of a device in a fraction of a second: few small graphs say how the rates of a reference device are
to be changed.

What was measured decides, and where it says nothing, such as of a kind of work that no graph has, the rates stay those
of the reference device, slowed down as much as the rest. Bounded: `SECONDS` of the clock that is given, shared by the
backends, and a graph more for each of them, which is what was begun before its share was used up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from walle_task.tensor.backends.port import Backend, BackendUnfit, CompileOptions, constant_bytes
from walle_task.tensor.inference import infer_types
from walle_task.tensor.search.calibrating import (
    Clock,
    Compilation,
    Measured,
    likely,
    random_inputs,
    row_of,
    seconds_of,
    with_compilation,
)
from walle_task.tensor.search.costs import BackendRates, Rate, backend_cost, transferred_bytes
from walle_task.tensor.search.probes import brief_probes
from walle_task.tensor.search.work import Work

SECONDS: Final = 0.5
"""How long all backends together are measured. Loading their libraries comes on top, once for each."""
MOST_LOADING: Final = 0.5
"""A backend whose library a reference device loads for longer is not measured, but slowed down as much as others."""
_RUNS: Final = 3
_TRUST: Final = 0.3
"""How much a rate that is assumed counts beside a measurement, in each of so many steps."""
_STEPS: Final = 3
_MOST_STEP: Final = 4.0


def briefly_calibrated(
    backends: Sequence[Backend], reference: Mapping[str, BackendRates], options: CompileOptions, clock: Clock
) -> dict[str, BackendRates]:
    """Return the rates of those backends that are installed, and have some on the reference device.

    `clock` returns seconds; one of the processor's time in this thread is steadier on a busy device.
    """
    present = [each for each in backends if each.name in reference and each.version() is not None]
    measured = [each for each in present if reference[each.name].per_process <= MOST_LOADING]
    found: dict[str, BackendRates] = {}
    loading: dict[type[Backend], float] = {}
    slower: list[float] = []
    for backend in measured:
        rates, times = _measured_rates(backend, reference[backend.name], options, clock, SECONDS / len(measured))
        slower += [times] if times else []
        # Backends of a class have the same library, which only the first of them loads.
        per_process = loading.setdefault(type(backend), rates.per_process)
        found[backend.name] = replace(rates, per_process=per_process)
    usual = _mean(slower)
    others = [each.name for each in present if each.name not in found]
    return found | {name: reference[name].slowed(usual) for name in others}


def _measured_rates(
    backend: Backend, reference: BackendRates, options: CompileOptions, clock: Clock, seconds: float
) -> tuple[BackendRates, float]:
    """Return the rates of a backend, and how many times as long as a reference device this one takes; 0 where the
    backend runs none of the graphs."""
    found, compilations, ratios = [], [], []
    for measured, compilation, predicted in _measurements(backend, reference, options, clock, seconds):
        found.append(measured)
        compilations.append(compilation)
        ratios.append(measured.seconds / predicted)
    if not found:
        return reference, 0.0
    times = _mean(ratios)
    rates = adjusted_rates(found, reference.slowed(times))
    return with_compilation(rates, compilations), times


def _measurements(
    backend: Backend, reference: BackendRates, options: CompileOptions, clock: Clock, seconds: float
) -> Iterator[tuple[Measured, Compilation, float]]:
    """Yield of each graph what was measured, what compiling it took, and the seconds of a run on a reference device:
    until `seconds` are over, without those that loading the library took."""
    begin = None
    for graph in brief_probes():
        typed, start = infer_types(graph), clock()
        series = backend.series(typed)
        try:
            ready = backend.compile(typed, options)
        except (BackendUnfit, ImportError, MemoryError, OSError):
            continue
        compilation = Compilation(constant_bytes(typed), len(series.graph.nodes), clock() - start)
        begin = clock() if begin is None else begin
        taken = seconds_of(ready, random_inputs(typed), clock, 0.0, _RUNS)
        ready.close()
        predicted = backend_cost(backend.name, series, backend.traits, reference).seconds
        yield Measured(tuple(likely(series, backend.traits)), transferred_bytes(series), taken), compilation, predicted
        if clock() - begin >= seconds:
            return


def adjusted_rates(measured: Sequence[Measured], prior: BackendRates) -> BackendRates:
    """Return the rates with which the cost model is nearest to what was measured, and which are near to others as far
    as that leaves them open. Rates that are zero stay zero."""
    kinds = list(Work)
    assumed = np.array([
        *(each for kind in kinds for each in (prior.kinds[kind].per_operation, prior.kinds[kind].per_byte)),
        prior.per_operator, prior.per_run, prior.per_transferred_byte,
    ])  # fmt: skip
    rows = np.array([row_of(each, kinds) for each in measured])
    for _ in range(_STEPS):
        assumed = _nearer(rows, assumed)
    rates = {kind: Rate(*map(float, assumed[2 * at : 2 * at + 2])) for at, kind in enumerate(kinds)}
    per_operator, per_run, per_byte = map(float, assumed[-3:])
    return replace(prior, kinds=rates, per_operator=per_operator, per_run=per_run, per_transferred_byte=per_byte)


def _nearer(rows: Any, assumed: Any) -> Any:
    """Return rates that are nearer to what was measured than those that are assumed, from which no rate goes far."""
    known = assumed > 0
    kept = np.diag(_TRUST / assumed[known])
    target = np.concatenate([np.ones(len(rows)), np.full(len(kept), _TRUST)])
    found = np.zeros_like(assumed)
    found[known] = np.linalg.lstsq(np.vstack([rows[:, known], kept]) * assumed[known], target)[0] * assumed[known]
    return np.maximum(found, assumed / _MOST_STEP)


def _mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of ratios; 1 of none."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0
