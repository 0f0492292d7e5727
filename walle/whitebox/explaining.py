"""The explanation of a pipeline as JSON data: what was imported, what the oven made of it, and its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.whitebox.archive import Archive
from walle.whitebox.archive.cascade import cascade_document_of
from walle.whitebox.compiling import compile_plan
from walle.whitebox.compiling.explain import executed_by, explain_physical
from walle.whitebox.graph import Transformation
from walle.whitebox.oven import plan_archive
from walle.whitebox.oven.explain import explain_json
from walle.whitebox.types import ValueType

_FEW: Final = 100


def explanation_of(archive: Archive) -> dict[str, Any]:
    """Return how an archive is compiled.

    `imported` are its transformations as they were trained, `logical` is what the oven made of them (stages, rules that
    it applied, a drawing), `physical` what that was compiled to, `parameters` are the arrays, each once, `cascade` is
    that of the archive, if it has one. Raises OperatorUnsupported.
    """
    logical = plan_archive(archive)
    physical = compile_plan(logical, archive.statistics)
    graph = archive.graph
    arrays = {each.digest: each for step in graph.transformations for each in step.parameters.values()}
    return {
        "classes": list(graph.classes[:_FEW]),
        "imported": [_imported(step, archive.types) for step in graph.transformations],
        "logical": explain_json(logical, executed_by(physical)),
        "physical": explain_physical(physical),
        "parameters": [
            {"digest": each.digest, "dtype": each.dtype, "shape": list(each.shape), "bytes": each.bytes}
            for each in arrays.values()
        ],
        **({} if archive.cascade is None else {"cascade": cascade_document_of(archive.cascade)}),
    }


def _imported(step: Transformation, types: Mapping[str, ValueType]) -> dict[str, Any]:
    return {
        "id": step.id,
        "operator": step.operator,
        "inputs": list(step.inputs),
        "settings": dict(step.settings),
        "parameters": {name: each.digest for name, each in step.parameters.items()},
        "type": str(types[step.id]),
    }
