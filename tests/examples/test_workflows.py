"""The examples of workflows: their choices differ in accuracy and cost, and a plan of them computes what it should."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace

import pytest

from examples.evaluate import HERE
from tests.placement.processor.threads import Threads
from walle.placement.evaluation import evaluate
from walle.placement.planning import optimize
from walle.placement.problem.document import problem_of
from walle.placement.processor.code_document import read_code
from walle.placement.processor.operators import load_function
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.running import PlanRun, RunSettings
from walle.placement.processor.specs import OperatorCode
from walle.placement.profiling.document import completed, profiled
from walle.placement.profiling.models import ValidationRun
from walle.schema import read_json

pytestmark = pytest.mark.slow
CASES = 30


def example(name):
    folder = HERE / "workflows" / name
    document = read_json((folder / "problem.json").read_bytes(), "problem.json", 1 << 20)
    return document, read_code(folder / "code.json", ("edge", "cloud"))


def accuracies(document, operator):
    models = next(each["models"] for each in document["workflow"]["operators"] if each["name"] == operator)
    return [max(row["output"] for row in each["accuracy_rows"]) for each in models]


@pytest.mark.parametrize(("name", "choices"), [("vqa", ["speech"]), ("tracking", ["detect", "reid"])])
def test_choices_of_models_differ_in_accuracy(name, choices):
    document, code = example(name)
    found = profiled(document, code, budget_s=0, most_cases=CASES)
    problem_of(json.loads(json.dumps(found)))
    for operator in choices:
        accuracy = accuracies(found, operator)
        assert accuracy[-1] > 1.05 * accuracy[0]


@pytest.mark.parametrize("name", ["vqa", "tracking"])
def test_a_plan_computes_what_the_operators_do_in_a_loop(name):
    document, code = example(name)
    problem = problem_of(completed(document))
    plan = optimize(with_any_accuracy(problem), random.Random(1))[0].plan
    cases = load_function(OperatorCode(str(code.folder)), code.validation)()[:CASES]
    results = []
    at_full_speed = WorkflowCode(code.code.operators)
    items = iter([item for item, _ in cases])
    run = PlanRun(problem, plan, Threads(), items, results.extend, code=at_full_speed, settings=RunSettings(rate=500))
    report = run.run()
    wanted = ValidationRun(problem.workflow, code.code, cases).output(problem.workflow.sink, plan.models).envelopes
    assert report.acknowledged == CASES
    assert {each.number: each.records for each in results} == {
        each.number: each.records for each in wanted if each.records
    }
    assert evaluate(problem, plan).compute > 0


def with_any_accuracy(problem):
    return replace(problem, target=replace(problem.target, accuracy=-1e6))


@pytest.fixture(autouse=True)
def modules_of_one_example_only():
    """Modules of examples are found by their folders: what one test loads must not stay for the next."""
    before = set(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - before[0]:
        if str(HERE / "workflows") in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    sys.path[:] = before[1]
