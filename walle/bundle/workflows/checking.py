"""What the tree of a workflow must have, and what its halves make of task.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from walle.bundle.spec import TASK_FILE, TaskSpec
from walle.bundle.tree import FileTree
from walle.bundle.workflows.applying import AppliedTree
from walle.bundle.workflows.documents import PLACEMENT_FILE, WorkflowSources, read_placement, read_sources
from walle.bundle.workflows.half_files import (
    DEVICE_ENTRY,
    code_problems,
    half_files,
    is_of_a_half,
    is_tensor,
    modules_of,
    window_problems,
)
from walle.bundle.workflows.task_keys import CROSSING_OUTPUT, RECORDS_OUTPUT
from walle.placement.halves import CLOUD_HALF, DEVICE_HALF
from walle.protocol.names import WORKFLOW_RUNTIME
from walle.schema import Problem

_REMADE: Final = "what `walle workflow apply` makes of placement.json and the sources: apply the plan again"


def placed_spec(spec: TaskSpec, tree: FileTree) -> TaskSpec:
    """Return the spec of a workflow as its halves have it; without a valid placement.json, no operator runs in either
    half.
    """
    sources, _ = read_sources(tree)
    placement = read_placement(tree, sources.graph)[0] if sources else None
    if sources is None or placement is None:
        return replace(spec, upload={}, cloud=None)
    operators = placement["operators"]
    is_whole = operators[sources.graph.sink]["half"] == DEVICE_HALF
    arrays = {"numpy"} if any(map(is_tensor, spec.inputs.values())) else set()
    modules = {*spec.modules, *arrays, *modules_of(sources, operators, DEVICE_HALF)}
    above = {*arrays, *modules_of(sources, operators, CLOUD_HALF)}
    cloud = spec.cloud and replace(spec.cloud, modules=tuple(sorted(above)))
    return replace(
        spec,
        entry_point=DEVICE_ENTRY,
        outputs=RECORDS_OUTPUT if is_whole else CROSSING_OUTPUT,
        upload={} if is_whole else spec.upload,
        cloud=None if is_whole else cloud,
        requires={"runtime": f">={WORKFLOW_RUNTIME}", **spec.requires, "modules": sorted(modules)},
        placement=placement,
    )


def check_workflow(spec: TaskSpec, tree: FileTree) -> Iterator[Problem]:
    """Yield the problems of a workflow's tree: its documents', code that is missing, and halves that are not theirs."""
    sources, problems = read_sources(tree)
    yield from problems
    if sources is None:
        return
    yield from _input_problems(spec, sources)
    placement, problems = read_placement(tree, sources.graph)
    if problems:
        yield from problems
        return
    operators: Mapping[str, Mapping[str, Any]] = placement["operators"] if placement else {}
    missing = list(code_problems(sources, {name: each["model"] for name, each in operators.items()}))
    missing += window_problems(sources) if placement else ()
    yield from missing
    if placement is None:
        yield from _strays(sources)
    elif not missing:
        applied = AppliedTree(tree, placement, half_files(sources, operators, spec.inputs))
        yield from _unlike(tree, applied)


def _input_problems(spec: TaskSpec, sources: WorkflowSources) -> Iterator[Problem]:
    for name in sources.graph.sources:
        if name not in spec.inputs:
            yield Problem(TASK_FILE, f"inputs.{name}", "an input for each source of problem.json", "nothing")
    for name in spec.inputs:
        if name not in sources.graph.sources:
            expected = f"one of {', '.join(sources.graph.sources)}, the sources of problem.json"
            yield Problem(TASK_FILE, f"inputs.{name}", expected, "another")


def _strays(sources: WorkflowSources) -> Iterator[Problem]:
    for path in sorted(filter(is_of_a_half, sources.paths)):
        yield Problem(path, "", f"no file in a half without {PLACEMENT_FILE}: apply a plan", "one")


def _unlike(tree: FileTree, applied: AppliedTree) -> Iterator[Problem]:
    """Yield the files of the halves that are missing, too many, or not as applying the placement would make them."""
    present = {entry.path: entry for entry in tree.entries() if is_of_a_half(entry.path)}
    wanted = {entry.path: entry for entry in applied.entries() if is_of_a_half(entry.path)}
    for path in sorted(present.keys() | wanted.keys()):
        if path not in present:
            yield Problem(path, "", _REMADE, "nothing")
        elif path not in wanted:
            yield Problem(path, "", _REMADE, "a file that this half does not need")
        elif present[path].size != wanted[path].size or tree.read(path) != applied.read(path):
            yield Problem(path, "", _REMADE, "other content")
