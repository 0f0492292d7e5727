"""Calibration: how fast each backend is on this device, from short measurements of small graphs (`probes`).

The rates are those with which the cost model comes closest to what was measured: least squares of relative errors,
with rates that are not negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from walle_task.tensor.backends.port import Backend, BackendUnfit, CompiledGraph, CompileOptions, constant_bytes
from walle_task.tensor.graph import TypedGraph
from walle_task.tensor.inference import infer_types
from walle_task.tensor.search.algorithms import Algorithm, likely_algorithm
from walle_task.tensor.search.costs import BackendRates, BackendTraits, Rate, transferred_bytes
from walle_task.tensor.search.probes import probes
from walle_task.tensor.search.work import Work, works

LEAST_RUNS: Final = 3
SECONDS: Final = 0.01
"""How long each probe is run, and at least how often."""
_ROUNDS: Final = 2
_LEAST_SECONDS: Final = 1e-6
_SWEEPS: Final = 400
_SEED: Final = 11

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Measured:
    """The seconds of a run of a probe, the algorithms of its operators and the bytes of its inputs and outputs."""

    algorithms: tuple[Algorithm, ...]
    transferred: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Compilation:
    """The seconds that a probe took to compile, with its bytes of constants and its operators."""

    nbytes: int
    operators: int
    seconds: float


def calibrate(backend: Backend, options: CompileOptions, clock: Clock) -> BackendRates:
    """Measure a backend; return its rates. `clock` returns seconds. Raises BackendUnfit if it runs no probe."""
    compiled, compilations = [], []
    for graph in probes():
        typed, begin = infer_types(graph), clock()
        try:
            ready = backend.compile(typed, options)
        except BackendUnfit:
            continue
        taken, series = clock() - begin, backend.series(typed)
        compiled.append((typed, ready, series))
        compilations.append(Compilation(constant_bytes(typed), len(series.graph.nodes), taken))
    if not compiled:
        raise BackendUnfit(backend.name, ["runs none of the graphs of the calibration"])
    found = []
    # Each twice, with all others in between: what else the device does for a moment slows down one of them.
    for seconds, (_, ready, series) in zip(_least_seconds(compiled, clock), compiled, strict=True):
        ready.close()
        found.append(Measured(tuple(likely(series, backend.traits)), transferred_bytes(series), seconds))
    return with_compilation(fitted_rates(found), compilations)


def _least_seconds(compiled: Sequence[tuple[TypedGraph, CompiledGraph, TypedGraph]], clock: Clock) -> list[float]:
    rounds = [
        [seconds_of(ready, random_inputs(typed), clock, SECONDS, LEAST_RUNS) for typed, ready, _ in compiled]
        for _ in range(_ROUNDS)
    ]
    return [min(each) for each in zip(*rounds, strict=True)]


def with_compilation(rates: BackendRates, found: Sequence[Compilation]) -> BackendRates:
    """Add the seconds of a compilation: for a graph, for each operator and each byte of constants; and for the first
    one of a process."""
    first, *later = found
    points = later or [first]
    rows = np.array([[1.0, each.operators, each.nbytes] for each in points])
    seconds = np.array([max(each.seconds, _LEAST_SECONDS) for each in points])
    per_graph, per_operator, per_byte = map(float, _least_squares(rows / seconds[:, None], np.ones(len(points))))
    expected = per_graph + per_operator * first.operators + per_byte * first.nbytes
    return replace(
        rates,
        per_compilation=per_graph,
        per_compiled_operator=per_operator,
        per_constant_byte=per_byte,
        per_process=max(0.0, first.seconds - expected),
    )


def likely(series: TypedGraph, traits: BackendTraits) -> Iterator[Algorithm]:
    """Yield the algorithm of each operator that costs least on an ordinary processor."""
    for work in works(series, traits.fuses):
        yield likely_algorithm(work, traits.winograd)


def seconds_of(compiled: CompiledGraph, inputs: Mapping[str, Any], clock: Clock, seconds: float, least: int) -> float:
    """Return the seconds of the fastest of several runs, after one that does not count: for `seconds` in all, and
    `least` runs or more."""
    compiled.run(inputs)
    best, begin, runs = float("inf"), clock(), 0
    while runs < least or clock() - begin < seconds:
        start = clock()
        compiled.run(inputs)
        best, runs = min(best, clock() - start), runs + 1
    return best


def random_inputs(typed: TypedGraph) -> dict[str, Any]:
    """Return inputs of the types of a graph: normal floats, and zeros of other dtypes, which are valid indices."""
    random = np.random.default_rng(_SEED)
    found = {}
    for name in typed.graph.inputs:
        expected = typed.types[name]
        floats = expected.dtype.startswith("float")
        array = random.standard_normal(expected.shape) if floats else np.zeros(expected.shape)
        found[name] = array.astype(expected.dtype)
    return found


def fitted_rates(measured: Sequence[Measured]) -> BackendRates:
    """Return the rates with which the cost model is nearest to what was measured."""
    kinds = list(Work)
    rows = np.array([row_of(each, kinds) for each in measured])
    found = _least_squares(rows, np.ones(len(measured)))
    rates = {kind: Rate(*map(float, found[2 * at : 2 * at + 2])) for at, kind in enumerate(kinds)}
    slowest = max(rates.values(), key=lambda rate: rate.per_operation)
    known = {kind: rate if rate.per_operation or rate.per_byte else slowest for kind, rate in rates.items()}
    return BackendRates(known, *map(float, found[-3:]))


def row_of(measured: Measured, kinds: Sequence[Work]) -> Any:
    """Return the operations and bytes of each kind, the number of operators, 1, and the bytes of inputs and outputs:
    each for a second of the run."""
    row = np.zeros(2 * len(kinds) + 3)
    for algorithm in measured.algorithms:
        at = 2 * kinds.index(algorithm.kind)
        row[at : at + 2] += algorithm.operations, algorithm.nbytes
    row[-3:] = len(measured.algorithms), 1, measured.transferred
    return row / measured.seconds


def _least_squares(rows: Any, target: Any) -> Any:
    """Return the solution without negative numbers of least squares, by coordinate descent."""
    scale = np.linalg.norm(rows, axis=0)
    scale[scale == 0] = 1
    scaled = rows / scale
    gram, right = scaled.T @ scaled, scaled.T @ target
    found = np.zeros(len(right))
    for _ in range(_SWEEPS):
        for at in np.flatnonzero(np.diag(gram)):
            found[at] = max(0.0, found[at] + (right[at] - gram[at] @ found) / gram[at, at])
    return found / scale
