"""Profiles: accuracy by the models before, what operators put out, and latencies by the clock that is given."""

from __future__ import annotations

from itertools import count

import pytest

from tests.placement.processor.problems import HERE, counting
from walle.placement.problem.document import ProblemMalformed, problem_of
from walle.placement.processor.code_document import CodeDocument
from walle.placement.processor.operators import CodeUnusable
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.specs import OperatorCode
from walle.placement.profiling.document import completed, profiled
from walle.placement.profiling.measuring import LocalMeasuring, accuracy_rows
from walle.placement.profiling.models import ValidationRun
from walle.placement.profiling.workers import item_times_ms, percentiles_ms

SKETCH = {
    "format": 1,
    "workflow": {
        "sources": ["numbers"],
        "sink": "scaled",
        "operators": [
            {"name": "guess", "models": [{"name": "low"}, {"name": "high"}]},
            {"name": "scaled", "inputs": ["guess"], "models": [{"name": "once"}, {"name": "twice"}]},
        ],
        "edges": [{"source": "numbers", "target": "guess"}, {"source": "guess", "target": "scaled"}],
    },
    "infrastructure": {
        "tiers": [{"name": "edge"}],
        "workers": [
            {"id": "w1", "type": "slow", "tier": "edge", "cost_per_hour": 1},
            {"id": "w2", "type": "quick", "tier": "edge", "cost_per_hour": 2},
        ],
        "network": {"usd_per_gb": {}},
    },
    "target": {"accuracy": 1, "rates": {"numbers": 1}},
}


@pytest.fixture
def code(tmp_path):
    (tmp_path / "guessing.py").write_text(
        "def cases():\n    return [({'numbers': n}, {'guess': n, 'scaled': n}) for n in range(10)]\n"
        "def guess(model):\n    limit = {'low': 2, 'high': 8}[model]\n"
        "    return lambda records: [n if n < limit else 'x' * 512 for n in records]\n"
        "def scaled(model):\n    return lambda records: [str(each) if model == 'once' else each for each in records]\n"
        "def right(envelopes, truths):\n"
        "    return 10 * sum(e.records[0] == truths[e.number] for e in envelopes)\n"
    )
    operators = {name: OperatorCode(str(tmp_path), f"guessing:{name}") for name in ("guess", "scaled")}
    metrics = dict.fromkeys(("guess", "scaled"), "guessing:right")
    yield CodeDocument(tmp_path, WorkflowCode(operators, {"slow": 4.0}), "", "guessing:cases", metrics)
    import sys

    sys.modules.pop("guessing", None)
    sys.path.remove(str(tmp_path))


def ticking(step):
    ticks = count()
    return lambda: next(ticks) * step


def test_a_sketch_becomes_a_problem_with_all_that_was_measured(code):
    found = profiled(SKETCH, code, budget_s=0, clock=ticking(0.003))
    problem = problem_of(found)
    guess, scaled = (problem.workflow.by_name[name] for name in ("guess", "scaled"))
    assert {each.name: each.accuracy_rows[0].output for each in guess.models} == {"low": 20, "high": 80}
    rows = {each.name: [(row.inputs, row.output) for row in each.accuracy_rows] for each in scaled.models}
    assert rows == {"once": [((20.0,), 0.0), ((80.0,), 0.0)], "twice": [((20.0,), 20.0), ((80.0,), 80.0)]}
    sizes = problem.workflow.edges[1].kb_per_item
    assert sizes["low"] == pytest.approx((2 * 8 + 8 * 512) / 10 / 1024, abs=1e-4)
    assert sizes["high"] < sizes["low"]
    slow, quick = problem.infrastructure.workers
    assert problem.profiles.latency_ms("p75", "guess", "low", slow) == pytest.approx(12.0)
    assert problem.profiles.latency_ms("p75", "guess", "low", quick) == 1.0, "a placeholder: no such machine is here"


def test_what_was_measured_elsewhere_stays(code):
    first = profiled(SKETCH, code, types=["quick"], budget_s=0, clock=ticking(0.001))
    both = profiled(first, code, types=["slow"], budget_s=0, clock=ticking(0.002))
    assert both["profiles"]["p90"]["scaled"]["once"] == {"quick": 1.0, "slow": 8.0}


def test_ratios_of_rates_follow_maps_joins_and_filters():
    problem = counting()
    names = ("split", "square", "parity", "odd")
    entries = {name: OperatorCode(HERE, f"arithmetic:{name}") for name in names}
    entries["sums"] = OperatorCode(HERE, "arithmetic:total", key="arithmetic:key", window=4)
    run = ValidationRun(problem.workflow, WorkflowCode(entries), [({"numbers": n}, {}) for n in range(12)])
    models = dict.fromkeys((*names, "both", "sums"), "default")
    found = {name: run.output(name, models) for name in problem.workflow.order}
    assert (found["split"].taken, found["split"].records) == (12, 16)
    assert (found["both"].taken, found["both"].records) == (16, 32), "a join takes what its busiest input brings"
    assert found["odd"].records == 4
    assert [each.items for each in found["sums"].envelopes] == [4, 4, 4]


def test_an_operator_without_a_metric_passes_accuracy_through(code):
    document = profiled(SKETCH, code, budget_s=0)
    run = ValidationRun(problem_of(document).workflow, code.code, code_cases(code))
    metric = {"guess": lambda envelopes, truths: 7.0}
    assert accuracy_rows(run.workflow, LocalMeasuring(run, metric), "scaled") == {}
    assert run.accuracy("scaled", {"guess": "low", "scaled": "once"}, metric) == 7.0
    with pytest.raises(CodeUnusable, match="expected a metric of guess"):
        run.accuracy("guess", {"guess": "low"}, {})


def code_cases(code):
    from walle.placement.processor.operators import load_function

    return load_function(OperatorCode(str(code.folder)), code.validation)()


def test_faults_of_a_sketch_are_named_as_those_of_a_problem():
    wrong = {**SKETCH, "target": {"accuracy": "much", "rates": {"numbers": -1}}, "workflow": 3}
    with pytest.raises(ProblemMalformed) as raised:
        problem_of(completed(wrong))
    assert {"target.accuracy", "target.rates.numbers", "workflow"} <= {each.field for each in raised.value.problems}


def test_times_are_of_single_items_after_a_warm_up():
    seen, clock = [], ticking(0.5)
    items = [(("a",), 1), ((), 0), (("b", "c"), 2)]
    times = item_times_ms(lambda given: seen.append(given) or given, items, budget_s=2.6, clock=clock)
    assert times == [500.0, 250.0, 500.0, 250.0]
    assert len(seen) == 2 + 4


def test_percentiles_are_durations_that_occurred():
    assert percentiles_ms([*range(1, 101)]) == {"p50": 50, "p75": 75, "p90": 90}
    assert percentiles_ms([3.0]) == {"p50": 3, "p75": 3, "p90": 3}
    with pytest.raises(ValueError, match="at least one"):
        percentiles_ms([])
