"""What the tree of a pipeline must have: an archive that can be served, and declarations that agree with it.

Everything is read within bounds (`walle.whitebox.archive`) and nothing is executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from walle.bundle.bytecode import is_source
from walle.bundle.globs import is_excluded
from walle.bundle.spec import TASK_FILE, TaskSpec
from walle.bundle.tree import FileTree
from walle.schema import Problem
from walle.schema.values import shown
from walle.whitebox.archive import Archive, ArchiveMalformed, read_archive
from walle.whitebox.graph import Graph
from walle.whitebox.types import ValueType, VectorType

_INPUT_TYPES: Final = {"text": "text", "number": "number", "category": "text"}
"""What is declared of a column, by its type."""


def check_pipeline(spec: TaskSpec, tree: FileTree) -> Iterator[Problem]:
    """Yield the problems of a pipeline's tree: its archive's, sources that travel, and declarations that do not fit."""
    for entry in tree.entries():
        if is_source(entry.path) and not is_excluded(spec.exclude, entry.path):
            yield Problem(entry.path, "", "no code in a pipeline: name it in files.exclude", "a Python source")
    try:
        archive = read_archive(tree)
    except ArchiveMalformed as error:
        yield from error.problems
        return
    yield from _differences("inputs", spec.inputs, declared_inputs(archive.graph))
    yield from _differences("outputs", spec.outputs, declared_outputs(archive))


def declared_inputs(graph: Graph) -> dict[str, str]:
    """Return the types that task.toml declares of a pipeline's columns."""
    return {column.name: _INPUT_TYPES[column.type] for column in graph.columns}


def declared_outputs(archive: Archive) -> dict[str, str]:
    """Return the types that task.toml declares of a pipeline's outputs."""
    return {
        name: _output_type(name, archive.graph, archive.types[each]) for name, each in archive.graph.outputs.items()
    }


def _output_type(name: str, graph: Graph, found: ValueType) -> str:
    if name == "label":
        kinds = {type(each) for each in graph.classes}
        return "text" if kinds == {str} else "integer" if kinds == {int} else "number"
    return "number" if name == "value" and isinstance(found, VectorType) and found.size == 1 else "list"


def _differences(table: str, declared: Mapping[str, Any], wanted: Mapping[str, str]) -> Iterator[Problem]:
    for name, kind in wanted.items():
        found = declared.get(name)
        if found is None:
            yield Problem(TASK_FILE, f"{table}.{name}", f'type = "{kind}", as in pipeline.json', "nothing")
        elif found.get("type") not in (kind, None):
            yield Problem(TASK_FILE, f"{table}.{name}.type", f"{kind}, as in pipeline.json", shown(found["type"]))
    for name in declared:
        if name not in wanted:
            expected = f"one of {', '.join(wanted)}, which pipeline.json has"
            yield Problem(TASK_FILE, f"{table}.{name}", expected, "another")
