"""Pipelines in folders: checked as a push does, and executed here as serving hosts do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from walle.bundle.tree import FolderTree
from walle.bundle.validation import validate_tree
from walle.cli.errors import CommandFailed
from walle.cli.folders import folder_tree
from walle.schema import Problem
from walle.whitebox.archive import (
    DOCUMENT,
    SAMPLES,
    Archive,
    ArchiveMalformed,
    Statistics,
    parameter_path,
    read_archive,
    read_samples,
)
from walle.whitebox.archive.cascade import cascade_document_of, told_cascade
from walle.whitebox.compiling import (
    OperatorUnsupported,
    PhysicalPlan,
    Prediction,
    RecordRefused,
    compile_plan,
    executed_by,
    explain_physical,
)
from walle.whitebox.graph import OUTPUTS, Parameter
from walle.whitebox.importing.libraries import TOLERANCE, Outputs, Record, differences
from walle.whitebox.oven import LogicalPlan, plan_archive
from walle.whitebox.oven.explain import explain_json, explain_svg, explain_text

Array = npt.NDArray[Any]

SHOWN: Final = 20
"""The most differences that are told."""


class LocalPipeline:
    """A pipeline that predicts in this process, as serving hosts execute it. `arrays` returns those of a digest."""

    def __init__(self, archive: Archive, arrays: Callable[[str], Array]) -> None:
        plan = plan_archive(archive)
        try:
            self._plan = _compiled(plan, archive.statistics).bind(lambda each: _part(arrays(each.digest), each))
        except ImportError as error:
            hint = "install what executes pipelines: pip install 'walle[whitebox]'"
            raise CommandFailed(f"cannot execute the pipeline: {error}", hint) from error
        self._vectors = self._plan.vectors()

    def predict(self, record: Record) -> Outputs:
        """Return the outputs for a record. Raises RecordRefused."""
        return outputs_of(self.prediction(record))

    def prediction(self, record: Record) -> Prediction:
        """Return the prediction for a record, as a serving host makes it. Raises RecordRefused."""
        return self._plan.predict(dict(record), self._vectors)


def _compiled(plan: LogicalPlan, statistics: Statistics) -> PhysicalPlan:
    try:
        return compile_plan(plan, statistics)
    except OperatorUnsupported as error:
        raise CommandFailed(f"the pipeline cannot be executed: {error}") from error


def outputs_of(prediction: Prediction) -> Outputs:
    """Return a prediction as samples have it: outputs by name, all but the label as tuples."""
    found: Mapping[str, Any] = prediction._asdict()
    return {
        name: value if name == "label" or isinstance(value, tuple) else (value,)
        for name, value in found.items()
        if name in OUTPUTS and value is not None
    }


def _part(array: Array, parameter: Parameter) -> Array:
    return array.reshape(parameter.shape)[..., parameter.start : parameter.stop]


def open_pipeline(folder: Path) -> tuple[Archive, LocalPipeline]:
    """Read and check the archive of a folder, and make it ready to predict. Raises CommandFailed."""
    archive = read_folder(folder)
    return archive, LocalPipeline(archive, _arrays(folder, archive))


def read_folder(folder: Path) -> Archive:
    """Read and check the archive of a folder. Raises CommandFailed."""
    try:
        return read_archive(folder_tree(folder))
    except ArchiveMalformed as error:
        more = f" (and {len(error.problems) - 1} more: walle pipeline check)" if len(error.problems) > 1 else ""
        raise CommandFailed(f"{folder} is no pipeline: {error.problems[0].text}{more}") from error


def plan_problems(folder: Path) -> list[Problem]:
    """Return why serving hosts could not compile the valid pipeline in a folder."""
    archive = read_archive(folder_tree(folder))
    try:
        compile_plan(plan_archive(archive), archive.statistics)
    except OperatorUnsupported as error:
        return [Problem(DOCUMENT, "", "operators that serving hosts have kernels for", str(error))]
    return []


def _arrays(folder: Path, archive: Archive) -> Callable[[str], Array]:
    dtypes = {each.digest: each.dtype for step in archive.graph.transformations for each in step.parameters.values()}
    return lambda digest: np.fromfile(folder / parameter_path(digest), dtypes[digest])


def checked(folder: Path) -> dict[str, Any]:
    """Check a folder as a push does, and predict its samples; return what was found, with problems in words."""
    found = validate_tree(folder_tree(folder))
    problems = [problem.text for problem in found.problems]
    document: dict[str, Any] = {"ok": False, "problems": problems, "samples": 0, "parameter_bytes": 0}
    if found.spec is None:
        return document
    archive, pipeline = open_pipeline(folder)
    samples = read_samples(FolderTree(folder).read(SAMPLES), archive.graph) if (folder / SAMPLES).exists() else ()
    for number, sample in enumerate(samples, 1):
        told = differences(pipeline.predict(sample.record), dict(sample.outputs), TOLERANCE)
        problems += [f"{SAMPLES}: sample {number}: {each}" for each in told]
    size = sum(archive.array_sizes.values())
    return {"ok": not problems, "problems": problems, "samples": len(samples), "parameter_bytes": size}


@dataclass(frozen=True)
class Explained:
    """A plan as text, as JSON data and as a drawing."""

    text: str
    document: dict[str, Any]
    svg: str


def explained(archive: Archive) -> Explained:
    """Return the plan of a pipeline, with the kernels that execute each stage."""
    plan = plan_archive(archive)
    physical = _compiled(plan, archive.statistics)
    kernels = executed_by(physical)
    document = {**explain_json(plan, kernels), "physical": explain_physical(physical)}
    text = explain_text(plan, kernels)
    if archive.cascade is not None:
        document["cascade"] = cascade_document_of(archive.cascade)
        text = f"cascade: {told_cascade(document['cascade'])}\n\n{text}"
    return Explained(text, document, explain_svg(plan, kernels))


def predicted(pipeline: LocalPipeline, record: Record) -> dict[str, Any]:
    """Return the outputs for a record, or the error of one that is refused."""
    try:
        found = pipeline.prediction(record)
    except RecordRefused as error:
        return {"error": f"{error.field}: expected {error.expected}"}
    said = {} if found.cascade is None else {"cascade": found.cascade}
    return {**outputs_of(found), **said}
