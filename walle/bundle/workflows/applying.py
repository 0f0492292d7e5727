"""Applying a plan: the tree of a workflow's sources becomes that of a version, with what each half needs in its folder.

Pure: the new tree is a view of the old one. What an author wrote stays as it is, so that another plan can be applied to
any version.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from walle.bundle.spec import TASK_FILE, TaskSpec
from walle.bundle.taskfile import parse_task
from walle.bundle.tree import FileTree, TreeEntry
from walle.bundle.workflows.documents import PLACEMENT_FILE, PROBLEM_FILE, WorkflowSources, read_sources
from walle.bundle.workflows.half_files import code_problems, half_files, is_of_a_half, window_problems
from walle.placement.halves import HalfChoices, PlanUnapplicable, halves_document
from walle.placement.problem.model import PlacementPlan, PlacementProblem, WorkflowGraph
from walle.protocol.kinds import WORKFLOW
from walle.schema import Problem
from walle.schema.values import shown

_TASK_BYTES: Final = 256 * 1024


class AppliedTree:
    """The files of a version that a plan was applied to: those of the sources, and the halves made of them.

    `placement` is the document that says what runs where; `files` are the paths of all that applying put there.
    """

    def __init__(self, sources: FileTree, placement: Mapping[str, Any], halves: Mapping[str, str | bytes]) -> None:
        self._sources = sources
        self._made: Mapping[str, str | bytes] = {**halves, PLACEMENT_FILE: _written(placement)}
        self.placement = placement

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files that applying put there, sorted."""
        return tuple(sorted(self._made))

    @property
    def outdated(self) -> tuple[str, ...]:
        """The paths of the files that an earlier plan put among the sources, and that this one does not have."""
        return tuple(sorted(path for path in self._put_before() if path not in self._made))

    def entries(self) -> Iterator[TreeEntry]:
        """Yield the entries of the sources, and those of the halves in the place of any that were there."""
        known = {entry.path: entry for entry in self._sources.entries()}
        yield from (entry for path, entry in known.items() if not _is_made(path))
        for path, made in self._made.items():
            if isinstance(made, str):
                yield TreeEntry(path, known[made].size, known[made].mode)
            else:
                yield TreeEntry(path, len(made))

    def read(self, path: str) -> bytes:
        """Return the content of a file."""
        made = self._made.get(path, path)
        return made if isinstance(made, bytes) else self._sources.read(made)

    @property
    def is_applied(self) -> bool:
        """Whether the sources are a version with this plan and these halves already, whichever placement it is of."""
        present = self._put_before()
        if present.keys() != self._made.keys():
            return False
        before = self._sources.read(PLACEMENT_FILE)
        others = (entry for entry in self.entries() if entry.path in present and entry.path != PLACEMENT_FILE)
        return _unnumbered(before) == _unnumbered(self.read(PLACEMENT_FILE)) and all(
            present[entry.path].size == entry.size and self._sources.read(entry.path) == self.read(entry.path)
            for entry in others
        )

    def _put_before(self) -> dict[str, TreeEntry]:
        return {entry.path: entry for entry in self._sources.entries() if _is_made(entry.path)}


def apply_plan(
    tree: FileTree,
    problem: PlacementProblem,
    plan: PlacementPlan,
    choices: HalfChoices = HalfChoices(),  # noqa: B008  frozen
) -> AppliedTree:
    """Return the tree of the version that a plan of its problem makes of a workflow's tree.

    Raises PlanUnapplicable with all that stands against it.
    """
    spec, problems = _task(tree)
    sources, found = read_sources(tree)
    problems += found
    document: dict[str, Any] = {}
    try:
        document = halves_document(problem, plan, choices)
    except PlanUnapplicable as error:
        problems += error.problems
    if sources is not None:
        problems += [*differences(sources.graph, problem.workflow), *code_problems(sources, plan.models)]
        problems += [*window_problems(sources), *_in_the_way(sources)]
    if problems or sources is None:
        raise PlanUnapplicable(problems)
    return AppliedTree(tree, document, half_files(sources, document["operators"], spec.inputs))


def _task(tree: FileTree) -> tuple[TaskSpec, list[Problem]]:
    entry = next((each for each in tree.entries() if each.path == TASK_FILE), None)
    if entry is None or not entry.is_file or entry.size > _TASK_BYTES:
        return TaskSpec(), [Problem(TASK_FILE, "", "this file at the top of the tree", "nothing that can be read")]
    task = parse_task(tree.read(TASK_FILE))
    problems = list(task.problems)
    if task.sound.kind != WORKFLOW:
        problems.append(Problem(TASK_FILE, "task.kind", WORKFLOW, shown(task.sound.kind)))
    return task.sound, problems


def _in_the_way(sources: WorkflowSources) -> Iterator[Problem]:
    """Yield the files of sources, to which no plan was applied yet, that lie where halves will."""
    if PLACEMENT_FILE not in sources.paths:
        for path in filter(is_of_a_half, sources.paths):
            yield Problem(path, "", "nothing where the halves will be", "a file")


def differences(tree: WorkflowGraph, problem: WorkflowGraph) -> Iterator[Problem]:
    """Yield what of a problem's workflow is not as in the tree: its graph and names, not what was measured of it."""
    if set(tree.sources) != set(problem.sources):
        yield Problem(PROBLEM_FILE, "workflow.sources", _names(problem.sources), _names(tree.sources))
    if tree.sink != problem.sink:
        yield Problem(PROBLEM_FILE, "workflow.sink", problem.sink, tree.sink)
    for name in {**tree.by_name, **problem.by_name}:
        place = f"workflow.operators.{name}"
        if name not in tree.by_name or name not in problem.by_name:
            where = "the tree" if name in tree.by_name else "the problem"
            yield Problem(PROBLEM_FILE, place, "the operators of the problem", f"this one in {where} alone")
            continue
        for what, wanted, found in _facets(name, problem, tree):
            if wanted != found:
                yield Problem(PROBLEM_FILE, f"{place}.{what}", f"{wanted}, as in the problem", found)


def _facets(name: str, *graphs: WorkflowGraph) -> Iterator[tuple[str, str, str]]:
    """Yield what is the same of an operator in two graphs of one workflow, each as text."""
    one, other = (graph.by_name[name] for graph in graphs)
    before, brought = (_names([edge.source for edge in graph.into[name]]) for graph in graphs)
    yield "kind", one.kind, other.kind
    yield "inputs", before, brought
    there, wanted = (_names(sorted(model.name for model in each.models)) for each in (one, other))
    yield "models", there, wanted


def _names(names: Collection[str]) -> str:
    return ", ".join(names) or "none"


def _is_made(path: str) -> bool:
    return path == PLACEMENT_FILE or is_of_a_half(path)


def _written(placement: Mapping[str, Any]) -> bytes:
    return (json.dumps(placement, indent=1, ensure_ascii=False) + "\n").encode()


def _unnumbered(content: bytes) -> Any:
    """Return what a placement.json says, without which placement it is of; None if it is none."""
    try:
        document = json.loads(content)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    return {key: each for key, each in document.items() if key not in ("placement", "workflow")}
