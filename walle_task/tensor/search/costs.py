"""The cost model of semi-auto search: what a graph costs on a backend (Walle, equations 1 to 3). It decides nothing.

An operator costs Q / P + S: its operations by how many of them the backend does in a second, and what it costs to
schedule it. P differs by kind of work, and S is what the bytes that are moved cost, and a constant for each operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.graph import TypedGraph
from walle_task.tensor.search.algorithms import Algorithm, algorithms
from walle_task.tensor.search.work import NodeWork, Work, works

PER_CYCLE: Final = 8
"""Operations that a processor does in a cycle, by the paper; 16 where it computes with 16 bits."""
PER_CYCLE_FP16: Final = 16
_BYTES_PER_SECOND: Final = 10e9
_PER_OPERATOR: Final = 2e-6
_PER_RUN: Final = 20e-6


@dataclass(frozen=True, slots=True)
class Rate:
    """Seconds for each operation of a kind of work (1 / P), and for each byte that it moves."""

    per_operation: float
    per_byte: float


@dataclass(frozen=True, slots=True)
class BackendRates:
    """How fast a backend is on a device: by kind of work, and the seconds that it takes beside that for each operator,
    for each run of a graph, and for each byte of the graph's inputs and outputs, which it may have in another order.
    Compiling takes so many seconds for a graph, for each of its operators and each byte of its constants, and
    `per_process` more for the first graph of a process, which loads the library."""

    kinds: Mapping[Work, Rate]
    per_operator: float
    per_run: float
    per_transferred_byte: float
    per_compilation: float = 0.0
    per_constant_byte: float = 0.0
    per_process: float = 0.0
    per_compiled_operator: float = 0.0

    def slowed(self, times: float) -> BackendRates:
        """Return the rates of a device that takes so many times as long for everything."""
        kinds = {kind: Rate(each.per_operation * times, each.per_byte * times) for kind, each in self.kinds.items()}
        return BackendRates(
            kinds,
            self.per_operator * times,
            self.per_run * times,
            self.per_transferred_byte * times,
            self.per_compilation * times,
            self.per_constant_byte * times,
            self.per_process * times,
            self.per_compiled_operator * times,
        )


@dataclass(frozen=True, slots=True)
class BackendTraits:
    """What is known of how a backend computes: whether it computes an activation together with the product before it,
    and whether it has Winograd's algorithm."""

    fuses: bool = False
    winograd: bool = False


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """The cost of an operator in seconds, by the algorithm that costs least."""

    work: NodeWork
    algorithm: Algorithm
    seconds: float


@dataclass(frozen=True, slots=True)
class BackendCost:
    """The predicted seconds of a run on a backend and of compiling for it, with the costs of its operators; `loading`
    are those that the first graph of a process waits for the library."""

    backend: str
    seconds: float
    compilation: float
    operators: tuple[OperatorCost, ...]
    loading: float = 0.0

    def each_of(self, runs: float) -> float:
        """Return the seconds of each of so many runs, with its share of loading and compiling."""
        return self.seconds + (self.loading + self.compilation) / runs

    @property
    def kinds(self) -> dict[Work, float]:
        """The seconds of each kind of work."""
        found: dict[Work, float] = {}
        for each in self.operators:
            kind = each.algorithm.kind
            found[kind] = found.get(kind, 0.0) + each.seconds
        return found


def assumed_rates(frequency: float, threads: int, fp16: bool = False) -> BackendRates:
    """Return the rates that the paper assumes of a processor with a frequency in Hz, where nothing was measured."""
    operations = (PER_CYCLE_FP16 if fp16 else PER_CYCLE) * frequency * threads
    rate = Rate(1 / operations, 1 / _BYTES_PER_SECOND)
    return BackendRates(dict.fromkeys(Work, rate), _PER_OPERATOR, _PER_RUN, 1 / _BYTES_PER_SECOND)


def backend_cost(backend: str, series: TypedGraph, traits: BackendTraits, rates: BackendRates) -> BackendCost:
    """Return what a series of operators costs on a backend (equation 1)."""
    operators = tuple(operator_cost(work, traits, rates) for work in works(series, traits.fuses))
    beside = rates.per_run + rates.per_transferred_byte * transferred_bytes(series)
    constants = sum(array.nbytes for array in series.graph.constants.values())
    compilation = rates.per_compilation + rates.per_constant_byte * constants
    compilation += rates.per_compiled_operator * len(series.graph.nodes)
    seconds = beside + sum(each.seconds for each in operators)
    return BackendCost(backend, seconds, compilation, operators, rates.per_process)


def transferred_bytes(series: TypedGraph) -> int:
    """Return the bytes of a graph's inputs and outputs."""
    return sum(series.types[name].nbytes for name in (*series.graph.inputs, *series.graph.outputs))


def operator_cost(work: NodeWork, traits: BackendTraits, rates: BackendRates) -> OperatorCost:
    """Return what an operator costs by the algorithm that costs least (equation 3)."""
    costs = [OperatorCost(work, each, seconds_of_algorithm(each, rates)) for each in algorithms(work, traits.winograd)]
    return min(costs, key=lambda each: each.seconds)


def seconds_of_algorithm(algorithm: Algorithm, rates: BackendRates) -> float:
    """Return Q / P + S of an algorithm."""
    rate = rates.kinds[algorithm.kind]
    return algorithm.operations * rate.per_operation + algorithm.nbytes * rate.per_byte + rates.per_operator
