"""Profiles whose code runs in a sandbox: what is measured there is what is measured here, and lies are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.placement.profiling.test_profiling import SKETCH
from walle.container.result import RunResult, SandboxError, failure
from walle.container.sandbox import Sandbox
from walle.placement.problem.document import problem_of
from walle.placement.processor.code_document import CodeDocument, read_code
from walle.placement.processor.operators import CodeUnusable
from walle.placement.processor.planning import WorkflowCode
from walle.placement.profiling.document import completed, profiled
from walle.placement.profiling.measuring import measured, with_measured
from walle.placement.profiling.sandboxed import CODE_FOLDER, SandboxedMeasuring, lay_out_measuring

GUESSING = """
import os
def cases():
    return [({'numbers': n}, {'guess': n, 'scaled': n}) for n in range(10)]
def guess(model):
    limit = {'low': 2, 'high': 8}[model]
    return lambda records: [n if n < limit else 'x' * 512 for n in records]
def scaled(model):
    return lambda records: [str(each) if model == 'once' else each for each in records]
def right(envelopes, truths):
    return 10 * sum(e.records[0] == truths[e.number] for e in envelopes)
"""
CODE = {
    "format": "walle-workflow-code/1",
    "validation": "guessing:cases",
    "operators": {name: {"entry": f"guessing:{name}", "metric": "guessing:right"} for name in ("guess", "scaled")},
    "slowdown": {"slow": 4},
}


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as made:
        yield made


def laid_out(folder, source=GUESSING):
    """Write a workflow's folder; return what is asked, and how."""
    (folder / CODE_FOLDER).mkdir()
    (folder / CODE_FOLDER / "guessing.py").write_text(source)
    (folder / CODE_FOLDER / "code.json").write_text(json.dumps(CODE))
    manifest = lay_out_measuring(folder, completed(SKETCH), code_file="code.json", modules=(), budget_s=0)
    return folder, manifest, read_code(folder / CODE_FOLDER / "code.json", ("edge",))


@pytest.mark.processes
def test_a_sandbox_measures_what_this_process_does(sandbox, tmp_path):
    steps, runs = [], []
    folder, manifest, code = laid_out(tmp_path)

    def run(*asked):
        runs.append(sandbox.run(*asked))
        return runs[-1]

    measuring = SandboxedMeasuring(run, folder, manifest, code, lambda: steps.append("asked"))
    found = measured(problem_of(completed(SKETCH)).workflow, measuring, {"slow": 4.0})
    sandbox.end(folder)
    here = profiled(SKETCH, code, budget_s=0)
    there = with_measured(completed(SKETCH), found)
    assert there["workflow"] == here["workflow"]
    times = there["profiles"]["p90"]["scaled"]["twice"]
    assert times["quick"] == 1.0
    assert 0 < times["slow"] < 4000
    assert len(steps) == len(runs)
    assert {each.start for each in runs[1:]} == {"warm"}


@pytest.mark.processes
@pytest.mark.parametrize(
    ("source", "said"),
    [
        (GUESSING.replace("10 * sum", "float('nan') * sum"), "accuracy of guess: output-invalid"),
        (GUESSING.replace("return 10", "return envelopes[99] or 10"), "expected the metric of guess to return"),
        ("import os\nos.kill(os.getpid(), 9)\n", "accuracy of guess: crashed:"),
        (GUESSING.replace("import os", "import nothing_that_is_there"), "expected a function guessing:"),
        (GUESSING.replace("def cases", "def some"), "expected a function guessing:cases"),
    ],
    ids=["no number", "a metric that fails", "code that ends its process", "a missing module", "no validation data"],
)
def test_what_code_does_wrong_is_named(sandbox, tmp_path, source, said):
    measuring = SandboxedMeasuring(sandbox.run, *laid_out(tmp_path, source))
    with pytest.raises(CodeUnusable, match=said):
        measured(problem_of(completed(SKETCH)).workflow, measuring, {"slow": 4.0})


def answered(result):
    code = CodeDocument(Path(), WorkflowCode(), "", "", {"guess": "guessing:right"})
    return SandboxedMeasuring(lambda *asked: result, Path(), {}, code)


@pytest.mark.parametrize("numbers", [[], [1, 2, 3, 4], [1, 2, -3], [1, 2, True], [1, 2, "3"], [1, 2, [3]]])
def test_numbers_that_cannot_be_are_refused(numbers):
    measuring = answered(RunResult("success", output={"numbers": numbers}))
    with pytest.raises(CodeUnusable, match=r"size of guess: expected numbers, 3 of them, none below 0"):
        measuring.size("guess", {"guess": "low"})


def test_a_machine_that_cannot_run_code_is_no_fault_of_the_code():
    with pytest.raises(SandboxError, match="no worker"):
        answered(failure("sandbox-error", "no worker")).accuracy("guess", {})
    assert answered(RunResult("success", output={"numbers": [-3]})).accuracy("guess", {}) == -3
