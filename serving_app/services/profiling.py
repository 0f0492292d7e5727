"""Measure the models of a workflow's version on its own validation data, in a sandbox."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ValidationError

from tasks_app.models import TaskVersion
from tasks_app.repository import Repository
from tasks_app.services.bundles import lay_out_sources
from tasks_app.services.content import StoredTree
from walle.bundle.workflows.applying import differences
from walle.bundle.workflows.documents import CODE_FILE, read_sources
from walle.container.result import SandboxError
from walle.container.sandbox import Sandbox
from walle.container.simulator import Simulator
from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementProblem, WorkflowGraph
from walle.placement.processor.code_document import read_code
from walle.placement.processor.operators import CodeUnusable
from walle.placement.profiling.document import completed, measured_types
from walle.placement.profiling.measuring import Unmeasured, measured, with_measured
from walle.placement.profiling.models import upstream
from walle.placement.profiling.sandboxed import CODE_FOLDER, SandboxedMeasuring, lay_out_measuring
from walle.protocol.kinds import WORKFLOW

MOST_SELECTIONS: Final = 500
"""The most selections of models under which one operator is run on the validation data."""


@dataclass(frozen=True)
class Profiling:
    """What to measure: a version of a task of the kind workflow; `seconds` for which each model is timed.

    Latencies are of the given `types` of workers, or else of those that its code.json says how much slower they are.
    """

    version: TaskVersion
    seconds: float = 1.0
    types: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as a placement keeps it."""
        about = {"task": self.version.task.slug, "version": self.version.version}
        return {**about, "seconds": self.seconds, "types": list(self.types)}


def check_profiling(profiling: Profiling, problem: PlacementProblem) -> None:
    """Raise ValidationError with all that stands against measuring a version for a problem."""
    version = profiling.version
    if version.kind != WORKFLOW:
        raise ValidationError({"profile": f"Expected a version of a task of the kind workflow, found {version}."})
    with Repository(version.task.scenario.slug) as repository:
        sources, problems = read_sources(StoredTree(repository, version.commit))
    if sources is not None:
        problems += differences(sources.graph, problem.workflow)
    texts = [f"{each}, in {version}" for each in map(str, problems)] + _misfits(profiling, problem)
    if texts:
        raise ValidationError({"profile": texts})


def _misfits(profiling: Profiling, problem: PlacementProblem) -> list[str]:
    texts = []
    known = {each.type for each in problem.infrastructure.workers}
    if unknown := sorted(set(profiling.types) - known):
        texts.append(f"types: expected types of the workflow's workers, found {', '.join(unknown)}")
    most = max(_selections(problem.workflow, name) for name in problem.workflow.order)
    if most > MOST_SELECTIONS:
        texts.append(f"expected at most {MOST_SELECTIONS} selections of models before an operator, found {most}")
    return texts


def _selections(workflow: WorkflowGraph, operator: str) -> int:
    return prod(len(workflow.by_name[each].models) for each in upstream(workflow)[operator])


def _lay_out(version: TaskVersion, folder: Path) -> set[str]:
    """Write the sources of a version to a new folder; return the modules from outside that they need."""
    with Repository(version.task.scenario.slug) as repository:
        tree = StoredTree(repository, version.commit)
        sources, problems = read_sources(tree)
        if sources is None:
            raise CodeUnusable(str(problems[0]))
        lay_out_sources(tree, folder)
    return {module for code in sources.code.values() for module in code.get("modules", ())}


@cache
def sandbox() -> Sandbox:
    """Return the sandbox of this process."""
    return Sandbox()


@cache
def isolation_check() -> Simulator:
    """Return the simulator that checks whether this machine can isolate code."""
    return Simulator(sandbox())


def measure(
    version: TaskVersion,
    document: Mapping[str, Any],
    folder: Path,
    *,
    seconds: float,
    types: tuple[str, ...],
    progress: Callable[[str], object],
    before_each: Callable[[], object],
) -> dict[str, Any]:
    """Return what is measured of a version for a problem's document, which may lack all that is.

    What would still be missing is named before anything is run. `folder` is a new one to work in. `before_each` is
    called before each question to the sandbox, and ends this by raising. Raises ProblemMalformed, CodeUnusable,
    SandboxError where this machine cannot run the code in isolation, and RepositoryError.
    """
    if missing := isolation_check().missing_isolation():
        raise SandboxError(missing)
    problem = problem_of(completed(document))
    modules = _lay_out(version, folder / CODE_FOLDER)
    code = read_code(folder / CODE_FOLDER / CODE_FILE, problem.infrastructure.tiers)
    if not code.validation:
        raise CodeUnusable(f"expected `validation` in {CODE_FILE}, a function that returns validation data, found none")
    chosen = types or tuple(measured_types(problem, code.code))
    if not chosen:
        raise CodeUnusable(f"expected `slowdown` in {CODE_FILE} for a type of the workers, or types, found none")
    slowdown = {each: code.code.slowdown.get(each, 1.0) for each in chosen}
    problem_of(with_measured(document, measured(problem.workflow, Unmeasured(code.metrics), slowdown)))
    manifest = lay_out_measuring(folder, completed(document), code_file=CODE_FILE, modules=modules, budget_s=seconds)
    measuring = SandboxedMeasuring(sandbox().run, folder, manifest, code, before_each)
    try:
        return measured(problem.workflow, measuring, slowdown, progress)
    finally:
        sandbox().end(folder)
