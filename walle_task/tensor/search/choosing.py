"""The decision: which backend runs a graph (Walle, equation 2), by the cost model and by measuring.

`ranked` is pure. `choose` measures the best one and goes on with the next ones as long as their predicted cost is near
the best that was measured, and a budget lasts. It says what it did; `Choice.lines` says it in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walle_task.tensor.backends.port import Backend, BackendUnfit, CompiledGraph, CompileOptions
from walle_task.tensor.graph import TypedGraph
from walle_task.tensor.search.calibrating import random_inputs, seconds_of
from walle_task.tensor.search.costs import BackendCost, BackendRates, backend_cost

CLOSE: Final = 0.35
"""A backend whose predicted cost is at most so much above the best one may be better: the model errs by as much."""
DOUBT: Final = 6.0
"""So many times above the least predicted cost, no backend is better: once in a while a calibration was disturbed, and
the model then erred by a factor of four."""
_LEAST_RUNS: Final = 3

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The backends that can run a graph, with the least predicted cost first, and why others cannot."""

    costs: tuple[BackendCost, ...]
    refused: dict[str, tuple[str, ...]]
    decided_before: bool = False
    runs: float = math.inf
    """How often the graph will run, as far as that decides."""

    @property
    def possible(self) -> tuple[BackendCost, ...]:
        """The backends between which the cost model alone does not decide; the best one is the first."""
        most = self.costs[0].each_of(self.runs) * DOUBT if self.costs else 0.0
        return tuple(each for each in self.costs if each.each_of(self.runs) <= most)


@dataclass(frozen=True, slots=True)
class Choice:
    """The backend that is chosen, what the decision rests on, and the seconds of a run of those that were measured."""

    backend: str
    ranking: Ranking
    measured: Mapping[str, float]
    compilation: float
    """The seconds that compiling for the chosen backend took."""

    def lines(self) -> Iterator[str]:
        """Yield the decision in words: each backend with its cost, and why it was chosen, or could not be."""
        yield f"chosen: {self.backend}, {self._why()}"
        for cost in self.ranking.costs:
            kinds = sorted(cost.kinds.items(), key=lambda each: -each[1])
            parts = ", ".join(f"{kind} {_milliseconds(seconds)}" for kind, seconds in kinds)
            found = self.measured.get(cost.backend)
            measured = f", measured {_milliseconds(found)}" if found is not None else ""
            yield f"{cost.backend}: predicted {_milliseconds(cost.seconds)}{measured} ({parts})"
        for backend, reasons in self.ranking.refused.items():
            yield f"{backend}: cannot run it: {'; '.join(reasons)}"

    def _why(self) -> str:
        if self.ranking.decided_before:
            return "as decided before for this model on this hardware"
        if len(self.ranking.costs) == 1:
            return "the only one that can run it"
        if len(self.measured) > 1:
            return f"the fastest of {len(self.measured)} that were measured"
        if self.measured:
            return "the least predicted cost, which measuring it confirmed"
        if math.isfinite(self.ranking.runs):
            runs = "a run" if self.ranking.runs == 1 else f"{self.ranking.runs:g} runs"
            return f"the least predicted cost of {runs} with loading and compiling"
        return "the least predicted cost"


class NoBackend(ValueError):
    """No backend can run a graph."""


def ranked(
    typed: TypedGraph,
    backends: Iterable[Backend],
    rates: Mapping[str, BackendRates],
    exact: bool = True,
    runs: float = math.inf,
    *,
    installed_only: bool = True,
) -> Ranking:
    """Return the backends by their predicted cost for so many runs.

    Unless `installed_only`, those that this device lacks are among them. With `exact`, none is that computes with fewer
    bits than the graph.
    """
    costs: list[BackendCost] = []
    refused: dict[str, tuple[str, ...]] = {}
    for backend in backends:
        if exact and not backend.exact:
            refused[backend.name] = ("computes with fewer bits, which was not allowed",)
            continue
        if (installed_only and backend.version() is None) or backend.name not in rates:
            refused[backend.name] = ("is not installed",)
            continue
        series = backend.series(typed)
        if reasons := backend.reasons_against(series):
            refused[backend.name] = tuple(reasons)
        else:
            costs.append(backend_cost(backend.name, series, backend.traits, rates[backend.name]))
    return Ranking(tuple(sorted(costs, key=lambda each: each.each_of(runs))), refused, runs=runs)


def choose(
    typed: TypedGraph,
    backends: Sequence[Backend],
    ranking: Ranking,
    options: CompileOptions,
    *,
    clock: Clock,
    budget: float = 0.0,
) -> tuple[Choice, CompiledGraph]:
    """Return the decision and the compiled graph. `clock` returns seconds.

    Up to `budget` of them may be spent on measuring and on compiling other candidates than the best. A backend that
    turns out not to compile the graph is left out. Raises NoBackend with the reasons of all.
    """
    trial = _Trial(typed, {each.name: each for each in backends}, options, clock)
    best = next((cost for cost in ranking.costs if trial.compile(cost.backend)), None)
    if best is None:
        reasons = "; ".join(f"{name}: {', '.join(why)}" for name, why in (ranking.refused | trial.refused).items())
        raise NoBackend(f"no backend can run the graph: {reasons}")
    possible = [cost for cost in ranking.possible if cost.backend not in trial.refused]
    if budget > 0 and len(possible) > 1:
        trial.measure(possible, budget, ranking.runs)
    chosen = min(trial.found, key=lambda name: trial.found[name], default=best.backend)
    for name in trial.compiled.keys() - {chosen}:
        trial.compiled[name].close()
    left = replace(
        ranking,
        costs=tuple(each for each in ranking.costs if each.backend not in trial.refused),
        refused=ranking.refused | trial.refused,
    )
    return Choice(chosen, left, trial.measured, trial.compilations[chosen]), trial.compiled[chosen]


class _Trial:
    """Backends that are compiled for a graph and measured, one after the other."""

    def __init__(
        self, typed: TypedGraph, backends: Mapping[str, Backend], options: CompileOptions, clock: Clock
    ) -> None:
        self._typed, self._backends, self._options, self._clock = typed, backends, options, clock
        self.compiled: dict[str, CompiledGraph] = {}
        self.compilations: dict[str, float] = {}
        self.refused: dict[str, tuple[str, ...]] = {}
        self.measured: dict[str, float] = {}
        self.found: dict[str, float] = {}
        """The seconds of each run with its share of loading and compiling."""

    def compile(self, name: str) -> bool:
        """Compile for a backend; return whether that was possible."""
        begin = self._clock()
        try:
            self.compiled[name] = self._backends[name].compile(self._typed, self._options)
            self.compilations[name] = self._clock() - begin
        except BackendUnfit as error:
            self.refused[name] = tuple(error.reasons)
        except (ImportError, MemoryError, OSError) as error:
            self.refused[name] = (f"its library cannot be used here: {error or type(error).__name__}",)
        return name in self.compiled

    def measure(self, costs: Sequence[BackendCost], budget: float, runs: float) -> None:
        """Measure in this order, until the next one is predicted to be slower than the fastest by more than the cost
        model errs. What would not end within the budget is left out."""
        inputs, ends, share = random_inputs(self._typed), self._clock() + budget, budget / len(costs)
        for cost in costs:
            if self.found and cost.each_of(runs) > min(self.found.values()) * (1 + CLOSE):
                continue
            compilation = 0.0 if cost.backend in self.compiled else cost.compilation
            if self._clock() + compilation + (_LEAST_RUNS + 1) * cost.seconds > ends:
                continue
            if cost.backend in self.compiled or self.compile(cost.backend):
                seconds = seconds_of(self.compiled[cost.backend], inputs, self._clock, share, _LEAST_RUNS)
                self.measured[cost.backend] = seconds
                self.found[cost.backend] = seconds + cost.each_of(runs) - cost.seconds


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"
