"""The documents in the tree of a workflow: its graph, the code of its operators, and what of it runs where."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from walle.bundle.tree import FileTree, TreeEntry
from walle.placement.halves import check_halves
from walle.placement.problem.document import MAX_BYTES, ProblemMalformed, problem_of
from walle.placement.problem.model import WorkflowGraph
from walle.placement.processor.code_document import MAX_BYTES as MAX_CODE_BYTES
from walle.placement.processor.code_document import checked_code
from walle.placement.profiling.document import completed
from walle.schema import Malformed, Problem, Problems, read_json

PROBLEM_FILE: Final = "problem.json"
CODE_FILE: Final = "code.json"
PLACEMENT_FILE: Final = "placement.json"
MAX_PLACEMENT_BYTES: Final = 256 * 1024
_NO_WORKFLOW: Final = "this file, which every workflow has"
_ALONE: Final[Mapping[str, Any]] = {
    "tiers": [{"name": "any"}],
    "workers": [{"id": "any", "type": "any", "tier": "any", "cost_per_hour": 1}],
    "network": {"usd_per_gb": {}},
}
"""The infrastructure with which a workflow alone is read as a problem."""


@dataclass(frozen=True)
class WorkflowSources:
    """What an author wrote: the graph, what `code.json` says of each operator, and the paths of all files."""

    graph: WorkflowGraph
    code: Mapping[str, Mapping[str, Any]]
    paths: Collection[str]

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders that the files are in."""
        parts = (path.split("/") for path in self.paths)
        return frozenset("/".join(each[:end]) for each in parts for end in range(1, len(each)))


def read_sources(tree: FileTree) -> tuple[WorkflowSources | None, list[Problem]]:
    """Return the sources of a workflow, and all that is wrong with their documents; without problems there are some."""
    entries = {entry.path: entry for entry in tree.entries()}
    document, problems = _document(tree, entries, PROBLEM_FILE, MAX_BYTES)
    graph: WorkflowGraph | None = None
    if not problems:
        graph, problems = _graph(document)
    code, found = _document(tree, entries, CODE_FILE, MAX_CODE_BYTES)
    problems += found or checked_code(code, CODE_FILE).all
    if problems or graph is None:
        return None, problems
    return WorkflowSources(graph, code["operators"], entries.keys()), []


def read_placement(tree: FileTree, graph: WorkflowGraph) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Return what of a workflow runs where, None for one that no plan was applied to; and all that is wrong with it."""
    entries = {entry.path: entry for entry in tree.entries()}
    if PLACEMENT_FILE not in entries:
        return None, []
    document, problems = _document(tree, entries, PLACEMENT_FILE, MAX_PLACEMENT_BYTES)
    if not problems:
        found = Problems(PLACEMENT_FILE)
        check_halves(document, graph, found)
        problems += found.all
    return (None if problems else document), problems


def _document(tree: FileTree, entries: Mapping[str, TreeEntry], file: str, at_most: int) -> tuple[Any, list[Problem]]:
    entry = entries.get(file)
    if entry is None or not entry.is_file:
        return None, [Problem(file, "", _NO_WORKFLOW, "nothing")]
    if entry.size > at_most:
        return None, [Problem(file, "", f"at most {at_most} bytes", f"{entry.size} bytes")]
    try:
        return read_json(tree.read(file), file, at_most), []
    except Malformed as error:
        return None, list(error.problems)


def _graph(document: Any) -> tuple[WorkflowGraph | None, list[Problem]]:
    """Read the part `workflow` of a placement problem; what profiling measures may be missing, and other parts too."""
    workflow = document.get("workflow") if isinstance(document, dict) else None
    sources = workflow.get("sources") if isinstance(workflow, dict) else None
    rates = {each: 1 for each in sources if isinstance(each, str)} if isinstance(sources, list) else {}
    alone = {
        "format": document.get("format") if isinstance(document, dict) else None,
        "workflow": workflow,
        "infrastructure": _ALONE,
        "target": {"accuracy": 0, "rates": rates},
    }
    try:
        return problem_of(completed(alone), PROBLEM_FILE).workflow, []
    except ProblemMalformed as error:
        own = [each for each in error.problems if each.field.partition(".")[0] in ("format", "workflow")]
        return None, own or list(error.problems)
