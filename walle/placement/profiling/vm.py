"""In a sandbox: one measurement of a workflow's operators at a time, on its validation data.

`walle.placement.profiling.sandboxed` lays out a folder for a VM with a copy of this module and those that it needs, the
workflow's files, and JOB_FILE; and asks. What has been computed is kept between two runs. In a new VM, where nothing
is, it is computed again: no answer depends on what was asked before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from walle.placement.problem.document import problem_of
from walle.placement.processor.code_document import read_code
from walle.placement.profiling.document import metrics_of, validation_cases
from walle.placement.profiling.measuring import LocalMeasuring
from walle.placement.profiling.models import ValidationRun

JOB_FILE: Final = "profile.json"
"""What is measured: a problem's `document`, `code` as the path of its code.json below the folder, and `budget_s`."""


def run(inputs: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer a question, the entry point: `numbers` of `what` about an operator, or a source, under a selection."""
    measuring, name, selection = _measuring(str(context.path(JOB_FILE))), inputs["name"], inputs["selection"]
    if inputs["what"] == "accuracy":
        return {"numbers": [measuring.accuracy(name, selection)]}
    if inputs["what"] == "size":
        return {"numbers": list(measuring.size(name, selection))}
    return {"numbers": list(measuring.percentiles_ms(name, selection).values())}


@cache
def _measuring(job: str) -> LocalMeasuring:
    """Load the workflow and its validation data, in the first run of a VM."""
    given = json.loads(Path(job).read_text("utf-8"))
    problem = problem_of(given["document"])
    code = read_code(Path(job).parent / given["code"], problem.infrastructure.tiers)
    validation = ValidationRun(problem.workflow, code.code, validation_cases(code))
    return LocalMeasuring(validation, metrics_of(code), given["budget_s"])
