"""The optimiser: the four steps in their order, done once for pipelines that differ in their numbers only.

No rule looks at what a parameter contains, only at which parameters are the same one. So the steps are done on the
shape of a graph, in which digests have been replaced by numbers, and are remembered; versions of a pipeline, and those
trained on other data, mostly have the shape of one that was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from walle.whitebox.archive.document import Statistics
from walle.whitebox.graph import DIGEST, Graph
from walle.whitebox.oven.draft import Draft
from walle.whitebox.oven.input_validation import INPUT_VALIDATION
from walle.whitebox.oven.output_validation import OUTPUT_VALIDATION
from walle.whitebox.oven.plan import LogicalPlan, plan_of
from walle.whitebox.oven.rules import Application, Step
from walle.whitebox.oven.stage_building import STAGE_BUILDING
from walle.whitebox.oven.stage_optimisation import STAGE_OPTIMISATION

STEPS: Final[tuple[Step, ...]] = (INPUT_VALIDATION, STAGE_BUILDING, STAGE_OPTIMISATION, OUTPUT_VALIDATION)
_REMEMBERED: Final = 64
"""How many shapes are remembered."""


def optimise(graph: Graph, statistics: Statistics | None = None) -> LogicalPlan:
    """Return the logical plan of a pipeline. Raises GraphMalformed for a graph that is none."""
    names: dict[str, str] = {}
    shape = _renamed(
        graph, lambda digest: names.setdefault(digest, f"{len(names):064x}") if _is_one(digest) else digest
    )
    draft, trace = _validated(shape, statistics or Statistics())
    digests = {name: digest for digest, name in names.items()}
    return plan_of(replace(draft, graph=_renamed(draft.graph, digests.__getitem__)), trace)


def _is_one(digest: str) -> bool:
    return DIGEST.fullmatch(digest) is not None


def _renamed(graph: Graph, name: Callable[[str], str]) -> Graph:
    """Return a graph with other digests."""
    steps = (
        replace(
            step, parameters={key: replace(each, digest=name(each.digest)) for key, each in step.parameters.items()}
        )
        if step.parameters
        else step
        for step in graph.transformations
    )
    return replace(graph, transformations=tuple(steps))


@lru_cache(maxsize=_REMEMBERED)
def _optimised(shape: Graph) -> tuple[Draft, tuple[Application, ...]]:
    """Do all steps but the last, which need no statistics."""
    return _run(Draft(shape, Statistics()), STEPS[:-1])


@lru_cache(maxsize=_REMEMBERED)
def _validated(shape: Graph, statistics: Statistics) -> tuple[Draft, tuple[Application, ...]]:
    """Do all steps."""
    draft, trace = _optimised(shape)
    validated, more = _run(replace(draft, statistics=statistics), STEPS[-1:])
    return validated, trace + more


def _run(draft: Draft, steps: tuple[Step, ...]) -> tuple[Draft, tuple[Application, ...]]:
    trace: list[Application] = []
    for step in steps:
        draft, applications = step.run(draft)
        trace.extend(applications)
    return draft, tuple(trace)
