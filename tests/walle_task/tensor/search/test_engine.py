"""The engine: it decides for the least cost, measures where that is close, remembers, and says why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from tests.walle_task.tensor.running import graph_of
from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.backends.port import BackendUnfit, CompileOptions, MemoryUse
from walle_task.tensor.engine import Engine
from walle_task.tensor.inference import infer_types
from walle_task.tensor.search.caching import SearchCache, model_digest
from walle_task.tensor.search.choosing import NoBackend, choose, ranked
from walle_task.tensor.search.costs import BackendTraits, assumed_rates
from walle_task.tensor.search.hardware import read_hardware

GRAPH = graph_of("exp", np.ones((4, 4), "float32"))
TYPED = infer_types(GRAPH)


@dataclass
class Timed:
    """A backend whose compiling and runs take seconds of a clock that it moves; everything else is of a session."""

    name: str
    now: list[float]
    run_seconds: float = 1.0
    compile_seconds: float = 0.0
    exact: bool = True
    reasons: tuple[str, ...] = ()
    compiles: bool = True
    loading: Exception | None = None
    closed: bool = False
    lowered: int = 0
    traits: BackendTraits = field(default_factory=BackendTraits)
    memory: MemoryUse = field(default_factory=lambda: MemoryUse(0, 0))

    def version(self):
        return "1"

    def series(self, typed):
        self.lowered += 1
        return OwnKernels(compiled=False).series(typed)

    def reasons_against(self, _series):
        return [*self.reasons]

    def compile(self, _typed, _options):
        self.now[0] += self.compile_seconds
        if self.loading is not None:
            raise self.loading
        if not self.compiles:
            raise BackendUnfit(self.name, ["it does not compile"])
        return self

    def run(self, _inputs):
        self.now[0] += self.run_seconds
        return {}

    def close(self):
        self.closed = True


def rates_of(**frequencies):
    return {name: assumed_rates(frequency, 1) for name, frequency in frequencies.items()}


def decided(backends, rates, *, budget=0.0, exact=True):
    now = backends[0].now
    ranking = ranked(TYPED, backends, rates, exact)
    choice, _ = choose(TYPED, backends, ranking, CompileOptions(), clock=lambda: now[0], budget=budget)
    return choice


def test_the_least_predicted_cost_decides():
    now = [0.0]
    choice = decided([Timed("a", now), Timed("b", now)], rates_of(a=1e6, b=1e9))
    assert (choice.backend, choice.measured) == ("b", {})
    assert next(choice.lines()) == "chosen: b, the least predicted cost"


def test_close_candidates_are_measured_within_the_budget():
    now = [0.0]
    a, b = Timed("a", now, run_seconds=0.01), Timed("b", now, run_seconds=0.02)
    choice = decided([a, b], rates_of(a=1.0e9, b=1.1e9), budget=1.0)
    assert (choice.backend, choice.measured) == ("a", {"a": pytest.approx(0.01), "b": pytest.approx(0.02)})
    assert (a.closed, b.closed) == (False, True)
    assert next(choice.lines()) == "chosen: a, the fastest of 2 that were measured"
    assert now[0] < 1.2


def test_what_runs_far_slower_than_predicted_is_not_chosen():
    now = [0.0]
    a, b, c = Timed("a", now, run_seconds=0.08), Timed("b", now, run_seconds=0.02), Timed("c", now, run_seconds=0.01)
    choice = decided([a, b, c], rates_of(a=4e9, b=1e9, c=0.9e9), budget=1.0)
    assert [*choice.measured] == ["a", "b", "c"]
    assert choice.backend == "c"
    assert (a.closed, b.closed, c.closed) == (True, True, False)


def test_what_runs_as_predicted_is_measured_alone():
    now = [0.0]
    backends, rates = [Timed("a", now), Timed("b", now)], rates_of(a=1e5, b=3e4)
    backends[0].run_seconds = ranked(TYPED, backends, rates).costs[0].seconds
    choice = decided(backends, rates, budget=1.0)
    assert [*choice.measured] == ["a"]
    assert next(choice.lines()) == "chosen: a, the least predicted cost, which measuring it confirmed"


def test_compiling_counts_where_there_are_few_runs():
    now = [0.0]
    rates = {"slow": assumed_rates(1e9, 1), "dear": replace(assumed_rates(2e9, 1), per_compilation=0.05)}
    backends = [Timed("slow", now, run_seconds=0.02), Timed("dear", now, run_seconds=0.01)]
    for runs, best in ((2, "slow"), (1e6, "dear")):
        ranking = ranked(TYPED, backends, rates, runs=runs)
        choice, _ = choose(TYPED, backends, ranking, CompileOptions(), clock=lambda: now[0], budget=1.0)
        assert choice.backend == best


@pytest.mark.parametrize(("frequency", "budget"), [(1e3, 1.0), (1.0e9, 0.0)])
def test_nothing_is_measured_that_is_far_behind_or_without_budget(frequency, budget):
    now = [0.0]
    choice = decided([Timed("a", now), Timed("b", now)], rates_of(a=frequency, b=1.1e9), budget=budget)
    assert (choice.backend, choice.measured) == ("b", {})


def test_backends_that_cannot_are_left_out_with_their_reasons():
    now = [0.0]
    backends = [
        Timed("few bits", now, exact=False),
        Timed("lacks", now, reasons=("node y: no exp",)),
        Timed("fails", now, compiles=False),
        Timed("slow", now),
    ]
    rates = {each.name: assumed_rates(1e6 if each.name == "slow" else 1e9, 1) for each in backends}
    choice = decided(backends, rates)
    assert choice.backend == "slow"
    text = "\n".join(choice.lines())
    assert "chosen: slow, the only one that can run it" in text
    assert "few bits: cannot run it: computes with fewer bits, which was not allowed" in text
    assert "lacks: cannot run it: node y: no exp" in text
    assert "fails: cannot run it: it does not compile" in text
    with pytest.raises(NoBackend, match="lacks: node y: no exp"):
        decided(backends[1:3], rates)


@pytest.mark.parametrize("error", [ImportError("no such module"), MemoryError(), OSError("libmnn.so")])
def test_a_library_that_cannot_be_used_here_is_left_out(error):
    now = [0.0]
    choice = decided([Timed("a", now, loading=error), Timed("b", now)], rates_of(a=1e9, b=1e6))
    assert choice.backend == "b"
    assert "a: cannot run it: its library cannot be used here" in "\n".join(choice.lines())


def test_for_few_runs_what_starts_soon_is_best():
    now = [0.0]
    rates = {
        "quick": replace(assumed_rates(1e9, 1), per_compilation=0.1, per_process=0.4),
        "soon": replace(assumed_rates(1e3, 1), per_compiled_operator=0.001),
    }
    backends = [Timed("quick", now), Timed("soon", now)]
    ranking = ranked(TYPED, backends, rates, runs=1)
    choice, _ = choose(TYPED, backends, ranking, CompileOptions(), clock=lambda: now[0])
    assert next(choice.lines()) == "chosen: soon, the least predicted cost of a run with loading and compiling"
    assert [ranked(TYPED, backends, rates, runs=runs).costs[0].backend for runs in (1, 1e9)] == ["soon", "quick"]


def test_fewer_bits_have_to_be_allowed():
    now = [0.0]
    backends = [Timed("few", now, exact=False), Timed("exact", now)]
    rates = rates_of(few=1e9, exact=1e6)
    assert [decided(backends, rates, exact=exact).backend for exact in (True, False)] == ["exact", "few"]


def engine(folder, *backends, **others):
    return Engine(folder, backends, clock=lambda: backends[0].now[0], calibrates=False, **others)


def test_a_decision_that_was_measured_is_kept_until_something_else_is_there(tmp_path):
    now = [0.0]
    a, b = Timed("a", now, run_seconds=0.02), Timed("b", now, run_seconds=0.01)
    assert engine(tmp_path, a, b).prepare(GRAPH, budget=1.0).choice.backend == "b"
    a.run_seconds, a.lowered = 0.001, 0
    kept = engine(tmp_path, a, b).prepare(GRAPH, budget=1.0).choice
    assert a.lowered == 0, "the others are not looked at again"
    assert (kept.backend, kept.measured) == ("b", {})
    assert "as decided before" in next(kept.lines())
    other = graph_of("exp", np.ones((4, 5), "float32"))
    assert engine(tmp_path, a, b).prepare(other, budget=1.0).choice.backend == "a"
    third = Timed("c", now, run_seconds=0.0001)
    assert engine(tmp_path, a, b, third).prepare(GRAPH, budget=1.0).choice.backend == "c"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"version": 1, "backend": 3}', b"\xff", b"[" * 100_000])
def test_damaged_files_are_as_if_they_were_not_there(tmp_path, content):
    now = [0.0]
    a, b = Timed("a", now, run_seconds=0.02), Timed("b", now, run_seconds=0.01)
    engine(tmp_path, a, b).prepare(GRAPH, budget=1.0)
    (path,) = tmp_path.glob("decision-*")
    path.write_bytes(content)
    assert engine(tmp_path, a, b).prepare(GRAPH, budget=1.0).choice.measured


def test_rates_are_kept_as_they_are_and_only_if_they_are_numbers(tmp_path):
    cache, rates = SearchCache(tmp_path), rates_of(a=1e9)
    assert cache.rates("h") is None
    cache.keep_rates("h", rates)
    assert cache.rates("h") == rates
    assert cache.rates("other") is None
    path = tmp_path / "rates-h.json"
    path.write_text(path.read_text().replace("2e-06", "Infinity"))
    assert cache.rates("h") is None


def test_an_engine_without_a_folder_runs_a_graph():
    prepared = Engine(backends=(OwnKernels(compiled=False),), calibrates=False).prepare(GRAPH)
    (found,) = prepared.compiled.run({"x0": np.ones((4, 4), "float32")}).values()
    np.testing.assert_allclose(found, np.e, rtol=1e-6)
    assert prepared.choice.backend == "walle"


def test_hardware_is_read_on_all_processors():
    x86 = ["processor : 0", "model name : A", "cpu MHz : 2500.0", "flags : fpu avx512_fp16"]
    found = read_hardware(x86, "x86_64", 2, ["b 1", "a 2"])
    assert (found.model, found.frequency, found.fp16, found.libraries) == ("A", 2.5e9, True, ("a 2", "b 1"))
    arm = read_hardware(["Features : fp asimdhp", "cpu MHz : ?"], "aarch64", 4, [])
    assert (arm.fp16, arm.frequency) == (True, 2e9)
    assert read_hardware([], "x", 1, []).fp16 is False
    slower = read_hardware([line.replace("2500", "1200") for line in x86], "x86_64", 2, ["b 1", "a 2"])
    assert slower.digest(1) == found.digest(1) != found.digest(2)
    assert found.digest(1) != read_hardware(x86, "x86_64", 2, ["b 2", "a 2"]).digest(1)


def test_models_of_other_shapes_or_attributes_have_other_digests():
    graphs = [
        graph_of("softmax", np.ones(shape, "float32"), axis=axis)
        for shape, axis in (((2, 3), 0), ((2, 3), 1), ((3, 2), 0))
    ]
    assert len({model_digest(infer_types(each)) for each in graphs}) == 3
