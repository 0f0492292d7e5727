"""The engine of a device: it makes graphs ready to run on the backend that costs least (step 4 of the session mode).

    engine = Engine(folder)
    prepared = engine.prepare(graph, {"image": (1, 3, 224, 224)}, budget=0.1)
    prepared.compiled.run({"image": image})
    print(*prepared.choice.lines(), sep="\\n")

The first engine on a device measures its backends, for some seconds each; what it finds is kept in the folder.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from walle_task.tensor.backends.all_backends import BACKENDS
from walle_task.tensor.backends.port import Backend, BackendUnfit, CompiledGraph, CompileOptions
from walle_task.tensor.checking import check_graph
from walle_task.tensor.graph import Graph
from walle_task.tensor.resolving import resolve
from walle_task.tensor.search.caching import SearchCache, model_digest
from walle_task.tensor.search.calibrating import Clock, calibrate
from walle_task.tensor.search.choosing import Choice, choose, ranked
from walle_task.tensor.search.costs import BackendRates, assumed_rates
from walle_task.tensor.search.hardware import this_hardware


@dataclass(frozen=True, slots=True)
class Prepared:
    """A graph that is ready to run, why on this backend, and the seconds that the search took beside compiling."""

    choice: Choice
    compiled: CompiledGraph
    search: float


class Engine:
    """Prepares graphs on this device. Without a folder, nothing is kept; without calibration, rates are assumed, unless
    `rates` are known from elsewhere.

    `clock` returns seconds; one of the processor's time in this thread is steadier where one thread computes.
    """

    def __init__(
        self,
        folder: Path | None = None,
        backends: Sequence[Backend] = BACKENDS,
        options: CompileOptions | None = None,
        clock: Clock = time.perf_counter,
        *,
        calibrates: bool = True,
        rates: Mapping[str, BackendRates] | None = None,
    ) -> None:
        self.backends = [backend for backend in backends if backend.version() is not None]
        self.options = options or CompileOptions()
        self._cache = SearchCache(folder) if folder else None
        self._clock, self._calibrates = clock, calibrates
        self._hardware = this_hardware(self.backends)
        self._digest = self._hardware.digest(self.options.threads)
        self._rates: dict[str, BackendRates] | None = dict(rates) if rates is not None else None
        if self._rates is not None:
            self.options = replace(self.options, rates=self._rates)

    def rates(self) -> dict[str, BackendRates]:
        """Return the rates of each backend: those that were kept, or measured now, or assumed."""
        if self._rates is None:
            self._rates = (self._cache.rates(self._digest) if self._cache else None) or self._found_rates()
            self.options = replace(self.options, rates=self._rates)
        return self._rates

    def prepare(
        self,
        graph: Graph,
        shapes: Mapping[str, Sequence[int]] | None = None,
        budget: float = 0.0,
        exact: bool = True,
        runs: float = math.inf,
    ) -> Prepared:
        """Return a graph, ready to run on the backend that costs least for inputs of some shapes.

        Where that is close, it is measured for up to `budget` seconds. Unless `exact`, a backend may compute with fewer
        bits than the graph. For few `runs`, what loads and compiles soon is better than what runs fast. Raises
        GraphMalformed, NoBackend.
        """
        rates, begin = self.rates(), self._clock()
        typed = resolve(check_graph(graph), shapes)
        model, among = model_digest(typed), [each.name for each in self.backends if each.exact or not exact]
        known = self._cache.decision(model, self._digest, among) if self._cache else None
        # What was decided is not ranked again: lowering the graph for every backend is most of the search.
        decided = [each for each in self.backends if each.name == known]
        ranking = replace(ranked(typed, decided, rates, exact, runs), decided_before=True)
        if not ranking.costs:
            ranking = ranked(typed, self.backends, rates, exact, runs)
        budget = 0.0 if ranking.decided_before else budget
        choice, compiled = choose(typed, self.backends, ranking, self.options, clock=self._clock, budget=budget)
        if self._cache and known != choice.backend and (budget > 0 or len(ranking.costs) == 1):
            self._cache.keep_decision(model, self._digest, among, choice.backend)
        return Prepared(choice, compiled, self._clock() - begin - choice.compilation)

    def _found_rates(self) -> dict[str, BackendRates]:
        if not self._calibrates:
            assumed = assumed_rates(self._hardware.frequency, self.options.threads, self._hardware.fp16)
            return {backend.name: assumed for backend in self.backends}
        found = {}
        for backend in self.backends:
            try:
                found[backend.name] = calibrate(backend, self.options, self._clock)
            except BackendUnfit:
                continue
        if self._cache:
            self._cache.keep_rates(self._digest, found)
        return found
